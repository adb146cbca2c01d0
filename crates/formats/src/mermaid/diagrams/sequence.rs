//! sequenceDiagram.

use crate::text::Span;
use crate::{
    Observation,
    mermaid::{
        diagram::{Blocks, Findings, trimmed},
        grammars::rules::sequence as rule,
        syntax::{Part, Syntax},
        yaml,
    },
};

pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    for config in syntax.named("config_yaml") {
        yaml::metadata(config, findings);
    }
    nesting(syntax, findings);
    for signal in syntax.named("signal") {
        message_colon(signal, findings);
    }
}

/// Which section belongs in which block.
const SECTIONS: &[(&str, &[&str])] =
    &[("else", &["alt"]), ("and", &["par", "par_over"]), ("option", &["critical"])];

fn nesting<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let mut blocks = Blocks::new("err_missing_end", "err_surplus_end");
    for part in syntax.children() {
        let inside_box = blocks.innermost().is_some_and(|block| block.is(rule::BOX));
        match part.number() {
            rule::END_STATEMENT => blocks.close(part, findings),
            rule::SECTION => section(part, blocks.innermost(), findings),
            number => {
                if inside_box
                    && !matches!(number, rule::PARTICIPANT | rule::DESTROY | rule::EOI)
                    && !part.rule().starts_with("err_")
                    && number != rule::UNREAD
                {
                    findings.push(
                        Observation::new("err_block_content", trimmed(part)).with("text", part.text().trim()),
                    );
                }
                if matches!(number, rule::BLOCK | rule::BOX) {
                    blocks.open(part);
                }
            }
        }
    }
    blocks.finish(syntax.text(), findings);
}

fn section(part: Part<'_>, block: Option<Part<'_>>, findings: &mut Findings) {
    let Some(word) = part.find(rule::SECTION_WORD) else { return };
    let lower = word.text().to_lowercase();
    let wanted = SECTIONS.iter().find(|(name, _)| *name == lower).map_or(&[][..], |(_, blocks)| *blocks);
    let inside = block.map(|block| {
        block.find(rule::BLOCK_WORD).map_or("box".to_owned(), |word| word.text().to_lowercase())
    });
    if !inside.as_deref().is_some_and(|inside| wanted.contains(&inside)) {
        let observation = Observation::new("err_section_outside", word.span())
            .with("section", lower.as_str())
            .with("block", wanted.first().copied().unwrap_or_default())
            .with("inside", inside.unwrap_or_default());
        let opener = block.and_then(|block| block.find(rule::BLOCK_WORD));
        findings.push(match opener {
            Some(opener) => observation.at("opener", opener.span()),
            None => observation,
        });
    }
}

/// `A->>B text` has no colon, so that the words after the name became part of it.
fn message_colon(part: Part<'_>, findings: &mut Findings) {
    let Some(target) = part.find(rule::TARGET).filter(|_| part.find(rule::RAW_MESSAGE_COLON).is_some())
    else {
        return;
    };
    let text = target.text().trim();
    let word = text.find(char::is_whitespace).unwrap_or(text.len());
    let start = trimmed(target).start as usize;
    findings.push(
        Observation::new("err_message_colon", trimmed(target))
            .with("name", &text[..word])
            .with("text", text[word..].trim())
            .at("name_end", Span::at(start + word)),
    );
}
