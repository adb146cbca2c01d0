//! Values of headers and attributes that get into styles.

/// Whether a value is a plain one of CSS: a color, a length, names of fonts. Nothing in it ends a declaration.
pub(super) fn is_plain(value: &str) -> bool {
    let is_part =
        |c: char| c.is_alphanumeric() || matches!(c, ' ' | '.' | ',' | '-' | '#' | '%' | '\'' | '(' | ')');
    value.len() < 80 && value.chars().all(is_part)
}

/// A length of CSS, in pixels where the value has no unit; nothing for other values.
pub(super) fn length(value: &str) -> Option<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '%' | '-');
    let unit = if value.parse::<f64>().is_ok() { "px" } else { "" };
    (!value.is_empty() && value.chars().all(is_part)).then(|| format!("{value}{unit}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_do_not_end_their_declaration() {
        assert!(is_plain("rgb(1, 2, 3)") && is_plain("'Source Sans 3', sans-serif"));
        assert!(
            !is_plain("red;position:fixed")
                && !is_plain("url(\"x\")")
                && !is_plain("a}b")
                && !is_plain("</style>")
        );
        assert_eq!(length("20").as_deref(), Some("20px"));
        assert_eq!(length("-1.5em").as_deref(), Some("-1.5em"));
        assert_eq!([length(""), length("1px;x")], [None, None]);
    }
}
