//! Syntax that came with a certain version of Mermaid: what a diagram needs that older versions refuse.
//!
//! The versions are those whose `mermaid.parse()` first accepts a diagram with the syntax, of 11.12 and all
//! later releases.

use super::{
    diagram::{Diagram, trimmed},
    syntax::{Part, Syntax},
    tree::TreeWriter,
};

/// A release: its name, and a number by which releases can be compared, 100 × major + minor.
#[derive(Clone, Copy)]
struct Release(&'static str, usize);

const V11_13: Release = Release("11.13", 1113);
const V11_14: Release = Release("11.14", 1114);
const V11_15: Release = Release("11.15", 1115);
const V11_16: Release = Release("11.16", 1116);
const V11_17: Release = Release("11.17", 1117);
const V12_0: Release = Release("12.0", 1200);
const V12_3: Release = Release("12.3", 1203);

/// Diagram types by the word they begin with.
const TYPES: &[(&str, Release)] = &[
    ("ishikawa", V11_13),
    ("ishikawa-beta", V11_13),
    ("venn-beta", V11_13),
    ("treeView-beta", V11_14),
    ("wardley-beta", V11_14),
    ("eventmodeling", V11_15),
    ("cynefin-beta", V11_16),
    ("railroad-beta", V11_16),
    ("railroad-abnf-beta", V11_16),
    ("railroad-ebnf-beta", V11_16),
    ("railroad-peg-beta", V11_16),
    ("swimlane-beta", V11_16),
    ("agentflow-beta", V12_0),
    ("usecase-beta", V12_0),
];

/// A part of a grammar that is newer than its diagram type.
struct Newer {
    diagram: &'static str,
    rule: &'static str,
    /// Whether the part is of the newer form; the number of blocks around it is given besides.
    fits: fn(Part<'_>, usize) -> bool,
    since: Release,
    what: &'static str,
}

const SYNTAX: &[Newer] = &[
    Newer {
        diagram: "flowchart",
        rule: "shape_yaml",
        fits: |part, _| has_shape(part, &["datastore", "data-store"]),
        since: V11_15,
        what: "this shape",
    },
    Newer {
        diagram: "flowchart",
        rule: "shape_yaml",
        fits: |part, _| {
            has_shape(part, &["browser", "bucket", "composite", "console", "directory", "folder", "person"])
        },
        since: V11_17,
        what: "this shape",
    },
    Newer {
        diagram: "flowchart",
        rule: "shape_yaml",
        fits: |part, _| shape(part).is_some_and(|shape| shape.starts_with("bpmn-")),
        since: V12_3,
        what: "this shape",
    },
    Newer {
        diagram: "flowchart",
        rule: "label",
        fits: |part, _| part.text().starts_with('@'),
        since: V12_3,
        what: "a label that begins with `@`",
    },
    Newer {
        diagram: "flowchart",
        rule: "direction_statement",
        fits: |part, _| part.text().trim_end().ends_with("TD"),
        since: V11_13,
        what: "`direction TD`",
    },
    Newer {
        diagram: "sequence",
        rule: "arrow",
        fits: |part, _| part.text().contains(['|', '/', '\\']),
        since: V11_13,
        what: "an arrow with half a head",
    },
    Newer {
        diagram: "sequence",
        rule: "participant",
        fits: |part, _| part.find("configured_name").is_some() && part.find("alias").is_some(),
        since: V11_13,
        what: "an alias after metadata",
    },
    Newer {
        diagram: "sequence",
        rule: "autonumber",
        fits: |part, _| part.text().contains('.'),
        since: V11_15,
        what: "a decimal number",
    },
    Newer {
        diagram: "class",
        rule: "note",
        fits: |_, depth| depth > 0,
        since: V11_13,
        what: "a note in a namespace",
    },
    Newer {
        diagram: "class",
        rule: "class_statement",
        fits: |part, _| part.text().lines().next().is_some_and(|line| line.contains("<<")),
        since: V11_14,
        what: "an annotation after the name of a class",
    },
    Newer {
        diagram: "class",
        rule: "namespace",
        fits: |part, depth| depth > 1 || part.find("class_label").is_some(),
        since: V11_15,
        what: "a namespace with a label or in another one",
    },
    Newer {
        diagram: "state",
        rule: "description",
        fits: |part, _| part.text().trim_start_matches(':').contains(':'),
        since: V11_13,
        what: "a colon in a description",
    },
    Newer {
        diagram: "state",
        rule: "style_class",
        fits: |_, depth| depth > 0,
        since: V11_14,
        what: "`:::` in a composite state",
    },
    Newer {
        diagram: "er",
        rule: "name",
        fits: |part, _| part.text() == "u" || part.text().starts_with(|c: char| c.is_ascii_digit()),
        since: V11_13,
        what: "this name of an entity",
    },
    Newer {
        diagram: "er",
        rule: "subgraph",
        fits: |part, _| part.text().contains('['),
        since: V11_17,
        what: "a subgraph with a title",
    },
    Newer {
        diagram: "er",
        rule: "attribute",
        fits: |part, _| {
            let behind = part
                .find("attribute_type")
                .map_or("", |kind| &part.text()[(kind.span().end - part.span().start) as usize..]);
            behind.trim_start().starts_with('?')
        },
        since: V11_16,
        what: "an optional attribute",
    },
    Newer { diagram: "architecture", rule: "alignment", fits: |_, _| true, since: V11_13, what: "`align`" },
    Newer {
        diagram: "architecture",
        rule: "label_text",
        fits: |part, _| !part.text().chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ' ' | '_')),
        since: V11_13,
        what: "a label with other characters than letters and digits",
    },
    Newer {
        diagram: "c4",
        rule: "macro_word",
        fits: |part, _| part.text() == "ComponentQueue_Ext",
        since: V11_13,
        what: "`ComponentQueue_Ext`",
    },
    Newer {
        diagram: "xychart",
        rule: "value",
        fits: |part, _| part.text().contains('"'),
        since: V11_16,
        what: "a label at a value",
    },
];

/// The name after `shape:` in the metadata of a node.
fn shape(part: Part<'_>) -> Option<&str> {
    let (_, behind) = part.text().split_once("shape:")?;
    let name = behind.trim_start_matches([' ', '"', '\'']);
    Some(&name[..name.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(name.len())])
}

fn has_shape(part: Part<'_>, names: &[&str]) -> bool {
    shape(part).is_some_and(|shape| names.contains(&shape))
}

/// The syntax of a diagram type that is newer than the type.
fn of_type(diagram: &Diagram) -> impl Iterator<Item = &'static Newer> {
    SYNTAX.iter().filter(|newer| newer.diagram == diagram.name)
}

/// For each rule of a type's grammar, whether [`write`] looks at its parts.
pub(super) fn asked(diagram: &Diagram) -> Vec<bool> {
    let blocks = ["namespace", "namespace_end", "open", "close"];
    let asked = |name: &str| of_type(diagram).any(|newer| newer.rule == name || blocks.contains(&name));
    diagram.grammar.names().map(asked).collect()
}

/// Adds the list `newer`, where there is something to say: what is newer than 11.12, and since when there
/// it is. Parts of rules that are not `asked` for are not looked at.
pub(super) fn write(diagram: &Diagram, syntax: &Syntax<'_>, asked: &[bool], tree: &mut TreeWriter<'_>) {
    let mut found: Vec<(Part<'_>, &str, Release)> = Vec::new();
    let header = syntax.named("header_word").next();
    if let Some(header) = header
        && let Some((_, since)) =
            TYPES.iter().find(|(word, _)| word.eq_ignore_ascii_case(header.text().trim_end_matches(':')))
    {
        found.push((header, "this diagram type", *since));
    }
    let own: Vec<&Newer> = of_type(diagram).collect();
    let mut depth: usize = 0;
    for part in syntax.all().filter(|part| asked[usize::from(part.number())]) {
        match part.rule() {
            "namespace" | "open" => depth += 1,
            "namespace_end" | "close" => depth = depth.saturating_sub(1),
            _ => {}
        }
        let of_rule = own.iter().filter(|newer| newer.rule == part.rule());
        let fitting = of_rule.filter(|newer| (newer.fits)(part, depth));
        found.extend(fitting.map(|newer| (part, newer.what, newer.since)));
    }
    let indented = tree.prepared.front_matter.filter(|block| block.indent > 0);
    if found.is_empty() && indented.is_none() {
        return;
    }
    tree.list("newer", |tree| {
        if let Some(block) = indented {
            let place = tree.fragment.host(block.body);
            tree.needs(place, "indented front matter", V11_16.0, V11_16.1);
        }
        for (part, what, since) in found {
            let place = tree.host(trimmed(part));
            tree.needs(place, what, since.0, since.1);
        }
    });
}
