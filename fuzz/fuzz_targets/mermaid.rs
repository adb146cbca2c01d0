//! Diagrams of every type: nothing panics, and every place fits into the text.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use proofmark::{Fragment, Kind, ParseOptions, Source, internals::kinds::mermaid::Mermaid};

/// A header for every grammar, so that the fuzzer need not guess one: the first byte chooses.
const HEADERS: &[&str] = &[
    "",
    "flowchart TD\n",
    "sequenceDiagram\n",
    "classDiagram\n",
    "stateDiagram-v2\n",
    "erDiagram\n",
    "gantt\n",
    "gitGraph\n",
    "mindmap\n",
    "kanban\n",
    "pie\n",
    "journey\n",
    "timeline\n",
    "quadrantChart\n",
    "xychart\n",
    "sankey\n",
    "packet\n",
    "requirementDiagram\n",
    "C4Context\n",
    "block\n",
    "architecture-beta\n",
    "radar-beta\n",
    "treemap\n",
    "treeView-beta\n",
    "venn-beta\n",
    "ishikawa\n",
    "wardley-beta\n",
    "cynefin-beta\n",
    "eventmodeling\n",
    "railroad-beta\n",
    "railroad-ebnf-beta\n",
    "railroad-abnf-beta\n",
    "railroad-peg-beta\n",
    "usecase-beta\n",
    "agentflow-beta\n",
    "info\n",
];

fuzz_target!(|input: (u8, &str)| {
    let (choice, body) = input;
    let text = format!("{}{body}", HEADERS[usize::from(choice) % HEADERS.len()]);
    let source = Arc::new(Source::new("fuzz.mmd", text));
    let fragment = Fragment::contiguous(source.text(), source.span());
    let document = Mermaid.parse(&source, &fragment, &ParseOptions::default());
    for observation in &document.observations {
        assert!(source.text().get(observation.span.range()).is_some(), "{observation:?}");
        for (_, place) in &observation.places {
            assert!(source.text().get(place.range()).is_some(), "{observation:?}");
        }
    }
});
