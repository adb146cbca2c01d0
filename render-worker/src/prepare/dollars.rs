//! Dollar signs that are money. A formula is what Pandoc takes for one: no space after the first sign or before
//! the last one, and no digit after the last one. The engine's reader does not have the rule on digits, and looks
//! further for a last sign that suits.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// What separates the text of blocks. Formulas are not read, since this decides what they are.
const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS);

/// Longest `\text{…}` in a formula whose dollar signs do not end it, in bytes.
const LONGEST_TEXT: usize = 300;

/// The text with a backslash before each dollar sign that is not a part of a formula; nothing where there is no such sign.
pub(super) fn escaped(text: &str) -> Option<String> {
    // One sign alone begins no formula.
    if text.bytes().filter(|b| *b == b'$').nth(1).is_none() {
        return None;
    }
    let mut literal = Vec::new();
    for leaf in leaves(text) {
        leaf.scan(text.as_bytes(), &mut literal);
    }
    if literal.is_empty() {
        return None;
    }
    let mut result = String::with_capacity(text.len() + literal.len());
    let mut done = 0;
    for at in literal {
        result.push_str(&text[done..at]);
        result.push('\\');
        done = at;
    }
    result.push_str(&text[done..]);
    Some(result)
}

/// The text of one block, with the parts of it that are not read: code and tags.
#[derive(Default)]
struct Leaf {
    range: Range<usize>,
    holes: Vec<Range<usize>>,
}

fn leaves(text: &str) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    let mut open: Option<Leaf> = None;
    for (event, range) in Parser::new_ext(text, OPTIONS).into_offset_iter() {
        let is_hole = matches!(event, Event::Code(_) | Event::InlineHtml(_));
        match event {
            Event::Text(_)
            | Event::Code(_)
            | Event::InlineHtml(_)
            | Event::SoftBreak
            | Event::HardBreak
            | Event::FootnoteReference(_)
            | Event::Start(
                Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. },
            ) => {
                // The text after an escape begins without its backslash.
                let start = range.start - usize::from(text[..range.start].ends_with('\\'));
                let leaf = open.get_or_insert_with(|| Leaf { range: start..range.end, holes: Vec::new() });
                leaf.range.end = leaf.range.end.max(range.end);
                if is_hole {
                    leaf.holes.push(range);
                }
            }
            Event::End(end) if is_inline(end) => {}
            // The content of code blocks comes as text.
            Event::End(TagEnd::CodeBlock) => open = None,
            _ => leaves.extend(open.take()),
        }
    }
    leaves.extend(open);
    leaves
}

fn is_inline(end: TagEnd) -> bool {
    matches!(end, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image)
}

impl Leaf {
    /// Adds the offsets of dollar signs that are text.
    fn scan(&self, bytes: &[u8], literal: &mut Vec<usize>) {
        let mut at = self.range.start;
        // Where no display formula ends any more.
        let mut displays = true;
        while at < self.range.end {
            if let Some(hole) = self.hole(at) {
                at = hole.end;
                continue;
            }
            match bytes[at] {
                b'\\' => at += 2,
                b'$' if bytes.get(at + 1) == Some(&b'$') => {
                    let end = if displays { self.display_end(bytes, at + 2) } else { None };
                    displays = end.is_some();
                    if end.is_none() {
                        literal.extend([at, at + 1]);
                    }
                    at = end.unwrap_or(at + 2);
                }
                b'$' => {
                    let end = self.end(bytes, at + 1);
                    if end.is_none() {
                        literal.push(at);
                    }
                    at = end.unwrap_or(at + 1);
                }
                _ => at += 1,
            }
        }
    }

    fn hole(&self, at: usize) -> Option<&Range<usize>> {
        let index = self.holes.partition_point(|hole| hole.end <= at);
        self.holes.get(index).filter(|hole| hole.contains(&at))
    }

    /// The end of the formula whose content begins at `from`.
    fn end(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let space = |at: usize| bytes.get(at).is_none_or(u8::is_ascii_whitespace);
        if space(from) {
            return None;
        }
        let at = self.next_sign(bytes, from)?;
        let is_money = bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        (at > from && !space(at - 1) && !is_money).then_some(at + 1)
    }

    /// The end of the formula between `$$` whose content begins at `from`.
    fn display_end(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            at = self.next_sign(bytes, at)?;
            if bytes.get(at + 1) == Some(&b'$') && at + 1 < self.range.end {
                return (at > from).then_some(at + 2);
            }
            at += 1;
        }
    }

    /// The next dollar sign that can end a formula.
    fn next_sign(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let mut at = from;
        while at < self.range.end {
            if let Some(hole) = self.hole(at) {
                at = hole.end;
                continue;
            }
            match bytes[at] {
                b'$' => return Some(at),
                b'\\' if bytes[at..].starts_with(b"\\text{") => at = self.text_end(bytes, at + 6),
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        None
    }

    /// The end of `\text{…}` whose content begins at `from`; its start where it has none.
    fn text_end(&self, bytes: &[u8], from: usize) -> usize {
        let mut depth = 1;
        for at in from..self.range.end.min(from + LONGEST_TEXT) {
            match bytes[at] {
                b'{' => depth += 1,
                b'}' if depth == 1 => return at + 1,
                b'}' => depth -= 1,
                _ => {}
            }
        }
        from
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_text_and_formulas_stay() {
        for (text, expected) in [
            ("US$20 or CA$30", r"US\$20 or CA\$30"),
            ("$10–$20", r"\$10–\$20"),
            ("It is $5/$10", r"It is \$5/\$10"),
            ("**$1,200** and **$3,400**", r"**\$1,200** and **\$3,400**"),
            ("- $5\n- $6\n", "- $5\n- $6\n".replace('$', r"\$").as_str()),
            ("$5 and $x$", r"\$5 and $x$"),
            ("| $1 | $2 |\n|---|---|\n| $x$ | $3 |\n", "| \\$1 | \\$2 |\n|---|---|\n| $x$ | \\$3 |\n"),
            ("$5 `$6` <b title=\"$7\"> $8", "\\$5 `$6` <b title=\"$7\"> \\$8"),
            ("a $$ b", r"a \$\$ b"),
            ("x $ y $ z", r"x \$ y \$ z"),
        ] {
            assert_eq!(escaped(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "$x^2$ and $$\\int x$$",
            "$x \\text{ for $y$ and more}$",
            r"\$5 and \$6",
            "`$5 $6`",
            "```\n$5 $6\n```\n",
            "$5 alone",
            "$$\nx = 1\n$$\n",
        ] {
            assert_eq!(escaped(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_escaped_needs_no_further_escape() {
        for unit in ["$", "$$a", "$ {", "$\\text{", "$5 "] {
            let text = unit.repeat(100_000);
            let once = escaped(&text).unwrap_or(text);
            assert_eq!(escaped(&once), None, "{unit}");
        }
    }
}
