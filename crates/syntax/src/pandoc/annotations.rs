//! Annotations of code: a comment such as `# <1>` at the end of a line, which a list below the code explains.

/// What comments of languages begin with, the longer ones first.
const COMMENTS: [&str; 16] =
    ["<!--", "//", "--", "/*", "(*", "{-", "#", "%%", "%", ";;", ";", "!", "*", "'", "⍝", "\\"];

const ENDS: [&str; 5] = ["-->", "*/", "*)", "-}", "%"];

/// The line without its annotation, and the numbers of the annotation.
pub fn annotated(line: &str) -> Option<(&str, Vec<u32>)> {
    let mut text = line.trim_end();
    // Comments of SAS are statements.
    let sas = text.strip_suffix(';').map(str::trim_end);
    if let Some(statement) = sas.filter(|statement| statement.ends_with('>')) {
        let open = statement.rfind('<')?;
        let before = statement[..open].trim_end().strip_suffix('*')?.trim_end();
        let numbers =
            statement[open + 1..statement.len() - 1].split(',').map(|part| part.trim().parse().ok());
        return Some((before, numbers.collect::<Option<Vec<u32>>>()?));
    }
    for end in ENDS {
        text = text.strip_suffix(end).unwrap_or(text).trim_end();
    }
    let open = text.strip_suffix('>')?.rfind('<')?;
    let inner = &text[open + 1..text.len() - 1];
    let numbers: Option<Vec<u32>> = inner.split(',').map(|part| part.trim().parse().ok()).collect();
    let before = text[..open].trim_end();
    let mark = COMMENTS.iter().find(|mark| before.ends_with(**mark))?;
    Some((before[..before.len() - mark.len()].trim_end(), numbers?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_end_lines_as_comments() {
        assert_eq!(annotated("x <- 1 # <1>"), Some(("x <- 1", vec![1])));
        assert_eq!(annotated("y // <2,3>"), Some(("y", vec![2, 3])));
        assert_eq!(annotated("<p> <!-- <1> -->"), Some(("<p>", vec![1])));
        assert_eq!(annotated("A --> B %% <1>"), Some(("A --> B", vec![1])));
        assert_eq!(annotated("x = 1; * <4> ;"), Some(("x = 1;", vec![4])));
        assert_eq!(annotated("a <1>;"), None);
        assert_eq!(annotated("a <1>"), None);
        assert_eq!(annotated("# <a>"), None);
    }
}
