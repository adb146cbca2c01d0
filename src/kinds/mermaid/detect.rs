//! Which diagram a text is: the first pattern that fits, in the reference's order.

use super::prepare::front_matter;

/// A type of diagram as the reference tells them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum DiagramType {
    Error,
    Fence,
    Flowchart,
    Mindmap,
    Architecture,
    Agentflow,
    C4,
    Kanban,
    Class,
    Er,
    Gantt,
    Info,
    Pie,
    Requirement,
    Sequence,
    Timeline,
    GitGraph,
    State,
    Journey,
    Quadrant,
    Sankey,
    Packet,
    XyChart,
    Block,
    EventModeling,
    TreeView,
    Radar,
    Ishikawa,
    Treemap,
    Railroad,
    RailroadEbnf,
    RailroadAbnf,
    RailroadPeg,
    Venn,
    Wardley,
    Cynefin,
    Usecase,
    Zenuml,
}

use DiagramType as T;

/// Where a header's word may end.
#[derive(Clone, Copy)]
enum Ends {
    /// Anywhere: the word is a prefix.
    Anywhere,
    /// Before anything that is no ASCII word character.
    Word,
    /// Before one of these, or at the end of the text.
    Before(&'static [char]),
}

/// (type, word, upper and lower case alike, where the word ends), in the reference's order.
const HEADERS: &[(DiagramType, &str, bool, Ends)] = &[
    (T::Flowchart, "flowchart-elk", false, Ends::Anywhere),
    (T::Mindmap, "mindmap", false, Ends::Anywhere),
    (T::Architecture, "architecture", false, Ends::Anywhere),
    (T::Agentflow, "agentflow-beta", false, Ends::Word),
    (T::C4, "C4Context", false, Ends::Anywhere),
    (T::Kanban, "kanban", false, Ends::Anywhere),
    (T::Class, "classDiagram", false, Ends::Anywhere),
    (T::Er, "erDiagram", false, Ends::Anywhere),
    (T::Gantt, "gantt", false, Ends::Anywhere),
    (T::Info, "info", false, Ends::Anywhere),
    (T::Pie, "pie", false, Ends::Anywhere),
    (T::Requirement, "requirement", false, Ends::Anywhere),
    (T::Sequence, "sequenceDiagram", false, Ends::Anywhere),
    (T::Flowchart, "swimlane-beta", false, Ends::Word),
    (T::Flowchart, "graph", false, Ends::Anywhere),
    (T::Flowchart, "flowchart", false, Ends::Anywhere),
    (T::Timeline, "timeline", false, Ends::Anywhere),
    (T::GitGraph, "gitGraph", false, Ends::Anywhere),
    (T::State, "stateDiagram", false, Ends::Anywhere),
    (T::Journey, "journey", false, Ends::Anywhere),
    (T::Quadrant, "quadrantChart", false, Ends::Anywhere),
    (T::Sankey, "sankey", false, Ends::Anywhere),
    (T::Packet, "packet", false, Ends::Anywhere),
    (T::XyChart, "xychart", false, Ends::Anywhere),
    (T::Block, "block", false, Ends::Anywhere),
    (T::EventModeling, "eventmodeling", false, Ends::Anywhere),
    (T::TreeView, "treeView-beta", false, Ends::Anywhere),
    (T::Radar, "radar-beta", false, Ends::Anywhere),
    (T::Ishikawa, "ishikawa-beta", true, Ends::Word),
    (T::Ishikawa, "ishikawa", true, Ends::Word),
    (T::Treemap, "treemap", false, Ends::Anywhere),
    (T::Railroad, "railroad-beta", true, Ends::Anywhere),
    (T::RailroadEbnf, "railroad-ebnf-beta", true, Ends::Anywhere),
    (T::RailroadAbnf, "railroad-abnf-beta", true, Ends::Anywhere),
    (T::RailroadPeg, "railroad-peg-beta", true, Ends::Anywhere),
    (T::Venn, "venn-beta", false, Ends::Anywhere),
    (T::Wardley, "wardley-beta", true, Ends::Anywhere),
    (T::Cynefin, "cynefin-beta", false, Ends::Before(&[':'])),
    (T::Usecase, "usecase-beta", false, Ends::Before(&[])),
    (T::Zenuml, "zenuml", false, Ends::Anywhere),
];

/// Words of C4 that make any text a C4 diagram, wherever they stand: the reference's pattern lacks
/// the anchor.
const C4_ANYWHERE: &[&str] = &["C4Container", "C4Component", "C4Dynamic", "C4Deployment"];

/// Words that start a diagram, for suggestions; the usual spelling of each.
pub(super) const HEADER_WORDS: &[&str] = &[
    "flowchart",
    "graph",
    "sequenceDiagram",
    "classDiagram",
    "stateDiagram-v2",
    "stateDiagram",
    "erDiagram",
    "gantt",
    "gitGraph",
    "mindmap",
    "pie",
    "journey",
    "timeline",
    "quadrantChart",
    "xychart",
    "requirementDiagram",
    "C4Context",
    "C4Container",
    "C4Component",
    "C4Dynamic",
    "C4Deployment",
    "sankey",
    "block",
    "packet",
    "kanban",
    "architecture-beta",
    "radar-beta",
    "treemap",
    "treeView-beta",
    "venn-beta",
    "ishikawa",
    "wardley-beta",
    "cynefin-beta",
    "eventmodeling",
    "railroad-beta",
    "railroad-ebnf-beta",
    "railroad-abnf-beta",
    "railroad-peg-beta",
    "usecase-beta",
    "agentflow-beta",
    "swimlane-beta",
    "info",
    "zenuml",
    "block-beta",
    "xychart-beta",
    "sankey-beta",
    "packet-beta",
    "treemap-beta",
    "ishikawa-beta",
    "classDiagram-v2",
    "flowchart-elk",
];

/// The type of a prepared text.
///
/// Comments that preparing leaves, and a YAML block that is not at the very top, do not count here.
pub(super) fn detect(text: &str) -> Option<DiagramType> {
    let text = text.trim_start_matches(is_space);
    let block = text.starts_with("---").then(|| front_matter(text)).flatten();
    let text = &text[block.map_or(0, |(_, end)| end)..];
    let mut text = text.trim_start_matches(is_space);
    while text.starts_with("%%") {
        text = text.split_once('\n').map_or("", |(_, rest)| rest.trim_start_matches(is_space));
    }
    if text.trim().eq_ignore_ascii_case("error") {
        return Some(T::Error);
    }
    if text.starts_with("---") {
        return Some(T::Fence);
    }
    HEADERS.iter().find(|header| fits(header, text)).map(|header| header.0)
}

fn fits((kind, word, fold, ends): &(DiagramType, &str, bool, Ends), text: &str) -> bool {
    if *kind == T::C4 && has_c4_word(text) {
        return true;
    }
    let Some(head) = text.get(..word.len()) else { return false };
    if head != *word && !(*fold && head.eq_ignore_ascii_case(word)) {
        return false;
    }
    let next = text[word.len()..].chars().next();
    match ends {
        Ends::Anywhere => true,
        Ends::Word => next.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '_'),
        Ends::Before(others) => next.is_none_or(|c| is_space(c) || others.contains(&c)),
    }
}

fn has_c4_word(text: &str) -> bool {
    memchr::memmem::find_iter(text.as_bytes(), "C4")
        .any(|at| C4_ANYWHERE.iter().any(|word| text.as_bytes()[at..].starts_with(word.as_bytes())))
}

/// White space as JavaScript's `\s` has it.
pub(super) fn is_space(c: char) -> bool {
    (c.is_whitespace() && c != '\u{85}') || c == '\u{FEFF}'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_pattern_wins() {
        assert_eq!(detect("graph TD"), Some(T::Flowchart));
        assert_eq!(detect("  pie title x"), Some(T::Pie));
        assert_eq!(detect("graph TD\nA[see C4Container]"), Some(T::C4));
        assert_eq!(detect("ISHIKAWA\n"), Some(T::Ishikawa));
        assert_eq!(detect("flowchrat TD"), None);
    }
}
