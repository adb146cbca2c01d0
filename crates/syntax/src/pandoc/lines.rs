use std::ops::Range;

/// The columns of whitespace at an offset and where it ends; a tab leads to the next multiple of four.
pub fn indentation(line: &str, column: usize) -> (usize, usize) {
    let mut columns = 0;
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns += 4 - (column + columns) % 4,
            _ => return (columns, at),
        }
    }
    (columns, line.len())
}

/// How many bytes of whitespace at the start of a line have `columns`, or as many of them as there are.
pub fn prefix(line: &str, columns: usize) -> usize {
    let mut seen = 0;
    for (at, byte) in line.bytes().enumerate() {
        if seen >= columns {
            return at;
        }
        match byte {
            b' ' => seen += 1,
            b'\t' => seen += 4 - seen % 4,
            _ => return at,
        }
    }
    line.len()
}

/// The range without the whitespace around it.
pub(super) fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let whole = &text[range.clone()];
    let start = range.start + (whole.len() - whole.trim_start().len());
    start..start + whole.trim().len()
}

/// How many times a line repeats a byte at its start.
pub fn run(line: &str, byte: u8) -> usize {
    line.bytes().take_while(|found| *found == byte).count()
}

/// Whether a line is a rule: three or more of one mark, with spaces between them.
pub fn is_rule(line: &str) -> bool {
    let mut marks = line.bytes().filter(|byte| !byte.is_ascii_whitespace());
    let Some(first) = marks.next().filter(|mark| matches!(mark, b'-' | b'*' | b'_')) else { return false };
    let mut count = 1;
    marks.all(|mark| {
        count += 1;
        mark == first
    }) && count >= 3
}

/// The width of the mark that begins a list item, without the space after it.
pub fn list_mark(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let width = match bytes.first()? {
        b'-' | b'+' | b'*' | b':' => 1,
        b'(' => {
            let inner = bytes[1..]
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'@' | b'_' | b'-'))
                .count();
            ((1..=9).contains(&inner) || bytes.get(1) == Some(&b'@')).then_some(())?;
            (inner > 0 && bytes.get(1 + inner) == Some(&b')')).then_some(inner + 2)?
        }
        b'@' => {
            let is_label = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
            let label = bytes[1..].iter().take_while(is_label).count();
            matches!(bytes.get(1 + label), Some(b'.' | b')')).then_some(label + 2)?
        }
        b'#' => (bytes.get(1) == Some(&b'.')).then_some(2)?,
        b'0'..=b'9' => {
            let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
            (digits <= 9 && matches!(bytes.get(digits), Some(b'.' | b')'))).then_some(digits + 1)?
        }
        b'a'..=b'z' => matches!(bytes.get(1), Some(b'.' | b')')).then_some(2)?,
        _ => return None,
    };
    bytes.get(width).is_none_or(u8::is_ascii_whitespace).then_some(width)
}

/// How many colons a line begins with, where they begin or end a div: three or more, which are not indented.
pub fn div_marks(line: &str) -> Option<usize> {
    let colons = run(line, b':');
    (colons >= 3).then_some(colons)
}

/// The word after the colons of a div, which is its class, and what follows it but further colons. With anything else, the line
/// opens no div.
pub fn div_word(info: &str) -> (Range<usize>, Range<usize>) {
    let end = info.find(char::is_whitespace).unwrap_or(info.len());
    let rest = trimmed(info, end..info.len());
    let is_empty = run(&info[rest.clone()], b':') == rest.len();
    (0..end, if is_empty { info.len()..info.len() } else { rest })
}

/// The level of a heading and the length of its marks with the space after them.
pub fn heading_marks(line: &str) -> Option<(u8, usize)> {
    let level = run(line, b'#');
    let rest = &line[level..];
    let space = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let is_heading = (1..=6).contains(&level) && (space > 0 || rest.trim().is_empty());
    is_heading.then_some((level as u8, level + space))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_items_and_rules_are_distinguished() {
        assert_eq!(list_mark("- a"), Some(1));
        assert_eq!(list_mark("12. a"), Some(3));
        assert_eq!(list_mark("(@x) a"), Some(4));
        assert_eq!(list_mark("-a"), None);
        assert_eq!(list_mark("2026 was"), None);
        assert!(is_rule("- - -") && is_rule("***") && !is_rule("--") && !is_rule("--- x"));
    }

    #[test]
    fn a_tab_has_up_to_four_columns() {
        assert_eq!((prefix("\t\tx", 3), prefix("    x", 3), prefix(" x", 3)), (1, 3, 1));
        assert_eq!(indentation(" \tx", 0), (4, 2));
    }

    #[test]
    fn the_marks_of_a_div_are_not_indented() {
        assert_eq!((div_marks("::: {.a}"), div_marks("::::"), div_marks("::")), (Some(3), Some(4), None));
        assert_eq!(div_marks(" ::: {.a}"), None);
    }

    #[test]
    fn a_div_has_one_word() {
        let parts = |info: &'static str| {
            let (word, rest) = div_word(info);
            (&info[word], &info[rest])
        };
        assert_eq!((parts("a"), parts("1a :::")), (("a", ""), ("1a", "")));
        assert_eq!((parts("a:::"), parts("a b :::")), (("a:::", ""), ("a", "b :::")));
    }

    #[test]
    fn a_heading_has_a_space_after_its_marks() {
        assert_eq!(heading_marks("## A"), Some((2, 3)));
        assert_eq!(heading_marks("##"), Some((2, 2)));
        assert_eq!(heading_marks("#a"), None);
        assert_eq!(heading_marks("#| a"), None);
    }
}
