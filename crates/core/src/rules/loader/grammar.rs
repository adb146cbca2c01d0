//! The grammars that packs name.

use std::sync::Arc;

use super::ReadFile;
use crate::{
    checks::{Fault, Field},
    kinds::grammar::ERROR_PREFIX,
    peg::{self, Grammar, Problem},
    text::{Source, io_reason, nearest},
};

/// Compiles the grammar in a file of the pack. What is wrong with it is reported in that file; what is
/// wrong with the names of the file and the start rule, at `file` and `start`.
pub(super) fn compile(
    path: &str,
    start: &str,
    (file_at, start_at): (&Field<'_>, &Field<'_>),
    read: ReadFile<'_>,
    faults: &mut Vec<Fault>,
) -> Option<Grammar> {
    let text = match read(path) {
        Ok(text) => text,
        Err(error) => {
            let fault = Fault::new("unreadable-file", file_at).with("file", path);
            faults.push(fault.with("detail", io_reason(&error)));
            return None;
        }
    };
    let options = peg::Options { starts: &[start], errors: &[ERROR_PREFIX] };
    let found = match peg::compile(&text, options) {
        Ok(grammar) => return Some(grammar),
        Err(found) => found,
    };
    let source = Arc::new(Source::new(path, text));
    let rules = peg::rule_names(source.text());
    for peg::Fault { span, problem } in found {
        let near = |name: &str| {
            let near = nearest(name, rules.iter().copied());
            near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
        };
        let fault = match &problem {
            // The start rule is named outside of the grammar.
            Problem::NoStart(name) => {
                Fault::new("bad-grammar", start_at).with("detail", format!("{problem}{}", near(name)))
            }
            Problem::UnknownRule(name) => Fault::new("bad-grammar", file_at)
                .in_file(&source, span)
                .with("detail", format!("{problem}{}", near(name))),
            _ => {
                Fault::new("bad-grammar", file_at).in_file(&source, span).with("detail", problem.to_string())
            }
        };
        faults.push(fault.with("file", path));
    }
    None
}
