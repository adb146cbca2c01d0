//! How the parts of a document are written.

use crate::Form;

/// The forms of metadata and diagrams. Everything else is ordinary Markdown.
pub(super) fn all() -> Vec<Form> {
    let form =
        |name, about, statements| Form { name, about, headers: Vec::new(), statements, connectors: &[] };
    vec![
        form(
            "frontmatter",
            "Fields of the document, as YAML between two lines that are exactly `---`, the first line of the file among them; the text below is its `body`.",
            &[("---", "---\ntitle: Hello\nauthor: Ann\n---\n\nThe body.")],
        ),
        form(
            "quill",
            "The same, naming the quill (the format) that the document is validated against and rendered with.",
            &[("QUILL", "---\nQUILL: letter\nrecipient: Ann\n---\n\nDear Ann,")],
        ),
        form(
            "scope",
            "An item of a collection, with a blank line above; blocks of one name make a list. The text below, up to the next block, is the item's `body`.",
            &[(
                "SCOPE",
                "---\nSCOPE: products\nname: Lamp\n---\n\nA lamp.\n\n---\nSCOPE: products\nname: Chair\n---\n\nA chair.",
            )],
        ),
        form(
            "diagram",
            "A Mermaid diagram in a fence of its own, closed by as many marks as it was opened with.",
            &[
                ("```", "```mermaid\nflowchart TD\n    A --> B\n```"),
                ("```{", "```{mermaid}\npie\n    \"A\" : 1\n```"),
            ],
        ),
    ]
}
