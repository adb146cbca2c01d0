//! TeX that is math, and tags that are characters.

/// Whether a TeX environment is math, which every format shows.
pub(super) fn is_environment(text: &str) -> bool {
    const MATH: [&str; 8] =
        ["equation", "align", "gather", "multline", "eqnarray", "alignat", "flalign", "math"];
    let name = text.trim_start().strip_prefix("\\begin{").and_then(|rest| rest.split('}').next());
    name.is_some_and(|name| MATH.contains(&name.trim_end_matches('*')))
}

/// Whether a tag of HTML breaks the line.
pub(super) fn is_line_break(text: &str) -> bool {
    matches!(text.replace([' ', '/'], "").to_ascii_lowercase().as_str(), "<br>")
}
