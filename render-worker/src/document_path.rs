use proofmark_render_protocol::{DocumentPath, Root, Step};
use quillmark::DocPath;
use quillmark_core::path::DocSeg;

/// The address of a value, as the engine writes it: `main.title`, `cards.quotes[0].author`, `main.body`.
/// Nothing when it is not the address of a value, such as one in a manifest.
pub(crate) fn read(written: &str) -> Option<DocumentPath> {
    let path: DocPath = written.parse().ok()?;
    let (root, rest) = path.segs().split_first()?;
    let root = match root {
        DocSeg::Main => Root::Main,
        DocSeg::Card { kind, index } => Root::Card { kind: kind.clone(), index: *index },
        DocSeg::Field { .. } | DocSeg::Index { .. } | DocSeg::Body => return None,
    };
    Some(DocumentPath { root, steps: rest.iter().map(step).collect::<Option<_>>()? })
}

fn step(segment: &DocSeg) -> Option<Step> {
    match segment {
        DocSeg::Field { name } => Some(Step::Field(name.clone())),
        DocSeg::Index { index } => Some(Step::Item(*index)),
        DocSeg::Body => Some(Step::Body),
        DocSeg::Main | DocSeg::Card { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_values_are_read() {
        let field = |name: &str| Step::Field(name.to_owned());
        let main = |steps: &[Step]| Some(DocumentPath { root: Root::Main, steps: steps.to_vec() });
        assert_eq!(read("main.title"), main(&[field("title")]));
        assert_eq!(read("main.to[2].name"), main(&[field("to"), Step::Item(2), field("name")]));
        assert_eq!(read("main.body"), main(&[Step::Body]));
        let root = Root::Card { kind: Some("quotes".to_owned()), index: 3 };
        let card = DocumentPath { root, steps: vec![field("author")] };
        assert_eq!(read("cards.quotes[3].author"), Some(card));
        assert_eq!(read("title"), None);
    }
}
