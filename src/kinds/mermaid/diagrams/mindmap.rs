//! mindmap.

use crate::kinds::{
    Observation,
    mermaid::{
        diagram::{Findings, trimmed},
        labels::raw_shape_fault,
        syntax::{Part, Syntax},
    },
};
use crate::text::Span;

/// The first node is the root; every other one stands deeper than it.
pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let mut indent = 0;
    let mut root: Option<(usize, Part<'t>)> = None;
    for part in syntax.children() {
        match part.rule() {
            "indent" => indent = part.text().chars().count(),
            "icon" | "class" if root.is_none() => findings.at("mindmap-decoration-first", part),
            "node" => {
                if let Some(raw) = part.find("raw_shape") {
                    findings.push(raw_shape_fault(raw));
                }
                match root {
                    None => root = Some((indent, part)),
                    Some((base, first)) if indent <= base => findings.push(
                        Observation::new("mindmap-second-root", trimmed(part))
                            .with("text", part.text().trim())
                            .with("root", first.text().trim())
                            .with("indent", " ".repeat(base + 2))
                            .at("root", trimmed(first))
                            .at(
                                "start",
                                Span {
                                    end: trimmed(part).start,
                                    start: trimmed(part).start - indent_bytes(syntax, part),
                                },
                            ),
                    ),
                    Some(_) => {}
                }
            }
            _ => {}
        }
    }
}

fn indent_bytes(syntax: &Syntax<'_>, part: Part<'_>) -> u32 {
    let before = &syntax.text()[..part.span().start as usize];
    let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    line.len() as u32
}
