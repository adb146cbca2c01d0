//! The examples of all rules with random changes. Validation of each ends,
//! and the fixes that are offered fit the text. `MUTATIONS` is how many changes each example gets (3),
//! `MUTATIONS_SEED` what the changes are drawn from.

use std::sync::Arc;

use proofmark::{
    Diagnostic, Fix, ParseOptions, Ruleset, Settings, Source, Span, Validator,
    internals::text::{Edit, apply_edits},
};
use rayon::prelude::*;

use crate::{examples::Example, numbers::Numbers};

/// What is inserted.
const PIECES: &[&str] = &[
    "\n", "\n\n", "\r\n", "  ", "\t", ": ", "- ", "[", "]", "{", "}", "\"", "'", "#", "|\n", ">-\n", "---\n",
    "&a ", "*a", "<<: ", "!x ", "? ", "null", "~", "x: 1\n", "[x, y]", "{a: 1}", "```\n", "é", "🎉",
    "\u{feff}", "%%", "\\",
];

/// The text with one of its lines or places changed.
fn changed(text: &str, numbers: &mut Numbers) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let line = numbers.below(lines.len());
    match numbers.below(8) {
        0 if !lines.is_empty() => {
            lines.remove(line);
            lines.concat()
        }
        1 if !lines.is_empty() => {
            lines.insert(line, lines[line]);
            lines.concat()
        }
        2 => {
            lines.insert(line, "\n");
            lines.concat()
        }
        3 if !lines.is_empty() => {
            let deeper = format!("{}{}", ["  ", " ", "- ", "    "][numbers.below(4)], lines[line]);
            lines[line] = &deeper;
            lines.concat()
        }
        4 if !lines.is_empty() => {
            lines[line] = lines[line].trim_start();
            lines.concat()
        }
        5 => text.replace('\n', "\r\n"),
        _ => {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let start = numbers.below(places.len());
            let end = (start + numbers.below(4)).min(places.len() - 1);
            let piece = *numbers.of::<&str>(PIECES);
            format!("{}{piece}{}", &text[..places[start]], &text[places[end]..])
        }
    }
}

/// What is wrong with a fix that is offered for this text.
fn misfit(text: &str, fix: &Fix) -> Option<String> {
    let mut edits = Vec::new();
    for edit in fix.edits.iter().filter(|edit| edit.file.is_none()) {
        let span = Span { start: edit.byte_start, end: edit.byte_end };
        if text.get(span.range()) != Some(edit.old.as_str()) {
            return Some(format!("`{}` is not at {}..{}", edit.old, span.start, span.end));
        }
        edits.push(Edit { span, new: edit.new.clone() });
    }
    edits.sort();
    apply_edits(text, &edits).err().map(|error| error.to_string())
}

#[test]
fn validation_of_changed_examples_ends_and_fixes_are_inside_the_text() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (changes, seed) = (number("MUTATIONS").unwrap_or(3), number("MUTATIONS_SEED").unwrap_or(1));
    let ruleset = Ruleset::builtin();
    let validator = Validator::new(Arc::clone(&ruleset), Settings::default());
    let offered: usize = crate::examples::all(&ruleset)
        .par_iter()
        .enumerate()
        .map(|(index, Example { rule: id, kind, name, text })| {
            let mut numbers = Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (index as u64 + 1));
            let mut offered = 0;
            for _ in 0..changes {
                let mut text = text.clone();
                for _ in 0..=numbers.below(3) {
                    text = changed(&text, &mut numbers);
                }
                let source = Arc::new(Source::new(name.as_str(), text.as_str()));
                let outcome = validator.validate(&source, kind.as_ref(), &ParseOptions::default());
                let of_text = |d: &&Diagnostic| d.location.file == *name;
                for diagnostic in outcome.diagnostics.iter().filter(of_text) {
                    for fix in &diagnostic.fixes {
                        offered += 1;
                        let misfit = misfit(&text, fix);
                        assert_eq!(
                            misfit, None,
                            "{id} changed to {text:?}: {} `{}`",
                            diagnostic.id, fix.title
                        );
                    }
                }
            }
            offered
        })
        .sum();
    assert!(offered > 100, "{offered} fixes are offered");
}
