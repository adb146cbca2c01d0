//! flowchart, graph, flowchart-elk, swimlane-beta.

use crate::{
    Observation,
    mermaid::{
        detect,
        diagram::{Blocks, Findings, trimmed},
        grammars::rules::flowchart as rule,
        labels::{label_fault, label_observation, shape_fault},
        syntax::{Part, Syntax},
        yaml,
    },
    text::Span,
};

pub(super) fn check(syntax: &Syntax<'_>, findings: &mut Findings) {
    let mut blocks = Blocks::new("err_missing_end", "err_surplus_end");
    for part in syntax.all() {
        match part.number() {
            rule::SUBGRAPH => blocks.open(part),
            rule::END_STATEMENT => blocks.close(part, findings),
            rule::EDGES => misplaced_labels(part, findings),
            rule::SHAPE_YAML => {
                if let Some(tree) = yaml::metadata(part, findings) {
                    yaml::shape(part, &tree, yaml::KnownShapes::Flowchart, findings);
                }
            }
            rule::RAW_LABEL => findings.push(label_fault(part)),
            rule::RAW_SHAPE => findings.push(shape_fault(part)),
            rule::RAW_PIPE => findings.push(pipe_fault(part)),
            rule::RAW_ARROW => findings.push(arrow_fault(part, syntax.text())),
            _ => {}
        }
    }
    blocks.finish(syntax.text(), findings);
}

/// The places of labels that are not where a label is: the arrow that a label beside it belongs to, which
/// is the one before it, and the end of a label without its second `|`.
fn misplaced_labels(edges: Part<'_>, findings: &mut Findings) {
    let here = findings.observations.iter_mut().filter(|found| edges.span().contains(found.span));
    for found in here {
        match &*found.name {
            "err_label_after_target" | "err_colon_label" => {
                let arrows: Vec<Part<'_>> = edges.find_all(rule::ARROW).collect();
                let before = arrows.partition_point(|arrow| arrow.span().end <= found.span.start);
                if let Some(arrow) =
                    arrows.get(before.saturating_sub(1)).filter(|arrow| !arrow.text().contains('|'))
                {
                    found.places.push(("link".into(), Span::at(trimmed(*arrow).end as usize)));
                }
            }
            "err_pipe_unclosed" => {
                let label = edges.find_all(rule::PIPE_LABEL).find(|label| found.span.contains(label.span()));
                if let Some(end) = label.and_then(|label| Some((label, label_end(label.text())?))) {
                    let (label, end) = end;
                    found.places.push(("label_end".into(), Span::at(label.span().start as usize + end)));
                }
            }
            _ => {}
        }
    }
}

/// The end of a label that a node follows: the last word, or the one with a shape, is the node.
fn label_end(text: &str) -> Option<usize> {
    let text = text.trim_end();
    let shape = text.find(['[', '(', '{']).unwrap_or(text.len());
    let node = text[..shape].rfind(' ')?;
    let end = text[..node].trim_end().len();
    (end > 0).then_some(end)
}

fn pipe_fault(part: Part<'_>) -> Observation {
    let text = part.text();
    let mut observation = label_observation(&text[1..text.len() - 1], part.span().start as usize + 1);
    if text.len() == 2 {
        observation = Observation::new("err_empty_pipe_label", part.span()).with("label", "");
        return observation;
    }
    observation
}

fn arrow_fault(part: Part<'_>, text: &str) -> Observation {
    let run = part.find(rule::ARROW_RUN).unwrap_or(part);
    let end = run.text().find('|').unwrap_or(run.text().len());
    let (start, end) = (run.span().start as usize, run.span().start as usize + end);
    // The line of `A->B` is read as a part of the id.
    let line = text[..start].trim_end_matches(['-', '=']).len();
    let start = if text[start..].starts_with('>') { line } else { start };
    let token = &text[start..end];
    Observation::new("err_arrow", Span::new(start, end))
        .with("found", token)
        .with("line", token)
        .with("nearest", nearest(token))
        .with("expected", arrows().iter().map(|arrow| (*arrow).to_owned()).collect::<Vec<_>>())
        .at("line", Span { start: start as u32, ..run.span() })
}

/// The arrows of the type's description.
fn arrows() -> &'static [&'static str] {
    detect::diagram("flowchart").map_or(&[], |flowchart| flowchart.arrows)
}

fn nearest(token: &str) -> &'static str {
    match token {
        _ if token.contains(['=', '⇒']) => "==>",
        _ if token.contains('.') => "-.->",
        _ if token.contains('~') => "~~~",
        _ if token.starts_with('<') && token.ends_with('>') => "<-->",
        "-" | "--" | "—" | "–" => "---",
        _ => "-->",
    }
}
