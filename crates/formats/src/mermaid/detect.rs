//! The type of a diagram: the first pattern that matches, in Mermaid's order.

use super::{
    diagram::Diagram,
    grammars::{DIAGRAMS, HEADERS},
    prepare::{front_matter, is_space},
};

/// The type of a diagram, as far as it is known.
#[derive(Clone, Copy)]
pub(super) enum Detected {
    /// The text `error`, which Mermaid draws as an error.
    Error,
    /// A line of dashes that begins no front matter.
    Fence,
    /// A diagram of this type.
    Diagram(&'static Diagram),
    /// A diagram of a type that is known and not read.
    Unread,
}

/// The type of a prepared text.
///
/// Comments that preparing leaves, and a YAML block that is not at the very top, do not count here.
pub(super) fn detect(text: &str) -> Option<Detected> {
    let text = text.trim_start_matches(is_space);
    let block = text.starts_with("---").then(|| front_matter(text)).flatten();
    let text = &text[block.map_or(0, |(_, end)| end)..];
    let mut text = text.trim_start_matches(is_space);
    while text.starts_with("%%") {
        text = text.split_once('\n').map_or("", |(_, rest)| rest.trim_start_matches(is_space));
    }
    if text.trim().eq_ignore_ascii_case("error") {
        return Some(Detected::Error);
    }
    if text.starts_with("---") {
        return Some(Detected::Fence);
    }
    let header = HEADERS.iter().find(|header| header.fits(text))?;
    Some(header.diagram.map_or(Detected::Unread, |index| Detected::Diagram(&DIAGRAMS[index])))
}

/// The diagram type of a prepared text, where it is one that is read.
pub(super) fn diagram(text: &str) -> Option<&'static Diagram> {
    match detect(text)? {
        Detected::Diagram(diagram) => Some(diagram),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_pattern_wins() {
        let name = |text| diagram(text).map(|diagram| diagram.name);
        assert_eq!(name("graph TD"), Some("flowchart"));
        assert_eq!(name("  pie title x"), Some("pie"));
        assert_eq!(name("graph TD\nA[see C4Container]"), Some("c4"));
        assert_eq!(name("ISHIKAWA\n"), Some("ishikawa"));
        assert_eq!(name("flowchrat TD"), None);
        assert!(matches!(detect("zenuml\nA.b"), Some(Detected::Unread)));
    }
}
