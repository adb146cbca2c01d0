//! classDiagram.

use std::collections::HashSet;

use crate::{
    Observation,
    mermaid::{
        diagram::{self, Blocks, Findings, require_statement, trimmed},
        grammars::rules::class as rule,
        syntax::{Part, Syntax},
    },
};

pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let mut blocks = Blocks::new("err_unclosed_braces", "err_stray_brace");
    let mut filled: Vec<bool> = Vec::new();
    let mut declared: HashSet<String> = HashSet::new();
    let mut statements = 0;
    // Lines with an error that open a block, which a later brace closes.
    let mut misread = 0_usize;
    for part in syntax.children() {
        let rule = part.rule();
        let counted = !matches!(rule, "EOI" | "header_word" | "namespace_end");
        statements += usize::from(counted);
        if blocks.innermost().is_some() && counted {
            let allowed = matches!(rule, "class_statement" | "note" | "namespace")
                || rule.starts_with("err_")
                || rule == "unread";
            if !allowed && let Some(opened) = blocks.innermost() {
                let observation = Observation::new("err_block_content", trimmed(part));
                let observation = observation.with("text", part.text().trim());
                findings.push(observation.at("block", trimmed(opened)));
            }
            if let Some(last) = filled.last_mut() {
                *last = true;
            }
        }
        match rule {
            "namespace" => {
                blocks.open(part);
                filled.push(false);
            }
            "namespace_end" => {
                if let (Some(opened), Some(false)) = (blocks.innermost(), filled.pop()) {
                    findings.push(diagram::empty_block(opened, part));
                }
                if blocks.innermost().is_none() && misread > 0 {
                    misread -= 1;
                } else {
                    blocks.close(part, findings);
                }
            }
            "unread" | "err_rest" => misread += usize::from(part.text().trim_end().ends_with('{')),
            "annotation" => annotation(part, &declared, findings),
            _ => {}
        }
        if matches!(part.number(), rule::CLASS_STATEMENT | rule::RELATION)
            || part.is(rule::MEMBER) && part.find(rule::LABEL).is_some()
        {
            declared.extend(part.find_all(rule::CLASS_NAME).map(plain_name));
        }
        if let Some(body) = part.find(rule::BODY).filter(|_| part.is(rule::CLASS_STATEMENT)) {
            blocks.whole(part, body.span().end as usize - 1);
        }
        members(part, findings);
    }
    require_statement(syntax, statements, findings);
    blocks.finish(syntax.text(), findings);
}

/// A class name without spaces and type argument, as Mermaid keeps it.
fn plain_name(part: Part<'_>) -> String {
    let text = part.text();
    let name = text.find('~').map_or(text, |at| &text[..at]);
    name.chars().filter(|c| !c.is_whitespace() && *c != '`').collect()
}

fn annotation(part: Part<'_>, declared: &HashSet<String>, findings: &mut Findings) {
    let Some(name) = part.find(rule::CLASS_NAME) else { return };
    if !declared.contains(&plain_name(name)) {
        findings.push(
            Observation::new("annotation-before-class", trimmed(name))
                .with("name", name.text().trim())
                .at("line", trimmed(part)),
        );
    }
}

/// Members with a `)` are methods and need a name and a `(` before it: anything else crashes.
fn members(part: Part<'_>, findings: &mut Findings) {
    let labels = part
        .descendants()
        .filter(|inner| inner.is(rule::MEMBER_LINE) || inner.is(rule::LABEL) && part.is(rule::MEMBER));
    for member in labels {
        let text = member.text().trim().trim_start_matches(':').trim();
        let annotation = text.starts_with("<<") && text.ends_with(">>");
        if annotation || text.find(')').unwrap_or(0) == 0 {
            continue;
        }
        let open = text.char_indices().skip(1).find(|(_, c)| *c == '(').map(|(at, _)| at);
        let fits = open.is_some_and(|open| text[open..].contains(')'));
        if !fits {
            findings.push(Observation::new("err_member_parens", trimmed(member)).with("member", text));
        }
    }
}
