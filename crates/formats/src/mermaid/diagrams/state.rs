//! stateDiagram, stateDiagram-v2.

use crate::{
    Observation,
    mermaid::{
        diagram::{Blocks, Findings, trimmed},
        grammars::rules::state as rule,
        syntax::{Part, Syntax},
    },
    text::Span,
};

pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let mut blocks = Blocks::new("err_unclosed_braces", "lint-stray-brace");
    for part in syntax.children() {
        match part.number() {
            rule::STATE if part.find(rule::OPEN).is_some() => blocks.open(part),
            rule::CLOSE => blocks.close(part, findings),
            rule::CONCURRENT if blocks.innermost().is_none() => findings.at("err_concurrency_outside", part),
            rule::TRANSITION => {
                let inside = blocks.innermost().is_some();
                arrow(part, inside, findings);
                line_break(part, inside, findings);
            }
            rule::STATE_ID if part.text().trim().chars().all(|c| ARROW_CHARACTERS.contains(&c)) => {
                findings.push(
                    Observation::new("lint-state-arrow", trimmed(part))
                        .with("found", part.text().trim())
                        .with("nearest", "-->"),
                );
            }
            _ => {}
        }
        names(part, blocks.innermost().is_some(), findings);
    }
    blocks.finish(syntax.text(), findings);
}

/// Quoted strings and keywords in place of a state's id: not an id at the top of a diagram, but an id
/// like any other in a composite state.
fn names(part: Part<'_>, inside: bool, findings: &mut Findings) {
    for name in part.descendants() {
        match name.number() {
            rule::RESERVED_ID if !inside => {
                let word = name.text();
                findings.push(
                    Observation::new("err_reserved_id", name.span())
                        .with("reserved_word", word)
                        .at("reserved_word", name.span()),
                );
            }
            rule::QUOTED_ID => {
                let text = name.text().trim_matches('"');
                let id = text.replace(|c: char| !c.is_alphanumeric(), "_");
                let allowed = inside && !text.contains(['-', '{']);
                findings.push(
                    Observation::new(
                        if allowed { "lint-state-quotes" } else { "err_state_quotes" },
                        name.span(),
                    )
                    .with("text", text)
                    .with("id", id),
                );
            }
            _ => {}
        }
    }
}

/// An arrow at the start or end of a line, which ends a statement outside of composite states.
fn line_break(part: Part<'_>, inside: bool, findings: &mut Findings) {
    let Some(line_end) = part.find(rule::ARROW_BREAK).filter(|_| !inside) else { return };
    let before = &part.text()[..(line_end.span().start - part.span().start) as usize];
    let (name, arrow) = match before.trim_end().strip_suffix("-->") {
        Some(from) => ("err_arrow_without_target", part.span().start as usize + from.len()),
        None => ("err_arrow_without_source", line_end.span().end as usize),
    };
    findings.push(Observation::new(name, Span::new(arrow, arrow + 3)));
}

/// Characters of arrows that a state's id may be made of, so that `A => B` is three states.
const ARROW_CHARACTERS: &[char] = &['=', '>', '.', '<', '→', '—', '–', '⇒', '~', '|'];

fn arrow(part: Part<'_>, inside: bool, findings: &mut Findings) {
    let Some(arrow) = part.find(rule::RAW_STATE_ARROW) else { return };
    let name = if inside && reads_as_regions(arrow.text()) { "lint-state-arrow" } else { "err_arrow" };
    findings.push(
        Observation::new(name, arrow.span())
            .with("found", arrow.text())
            .with("line", part.text().trim())
            .with("nearest", "-->")
            .with("expected", vec!["-->".to_owned()]),
    );
}

/// Whether a wrong arrow reads as dividers of regions, `--`, and states with odd names: a dash that is
/// left over is not a token at all.
fn reads_as_regions(arrow: &str) -> bool {
    let mut rest = arrow;
    while let Some(at) = rest.find('-') {
        let after = rest[at..].trim_start_matches('-');
        let dashes = rest.len() - at - after.len();
        if dashes % 2 == 1 || after.starts_with('>') {
            return false;
        }
        rest = after;
    }
    arrow.starts_with("--")
}
