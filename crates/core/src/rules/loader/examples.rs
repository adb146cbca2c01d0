//! Examples of rules.

use serde_json::Value;

use super::ReadFile;
use crate::{
    checks::Fault,
    rules::{
        raw::{RawExample, RawSample},
        rule::{Example, Expectation, Sample},
    },
    text::io_reason,
};

/// Examples of a rule given as JSON; what is wrong with them is left out.
pub(in crate::rules) fn compile_examples(json: &Value, read: ReadFile<'_>) -> Vec<Example> {
    let raw: Vec<RawExample> = serde_json::from_value(json.clone()).unwrap_or_default();
    examples(&raw, "", read, &mut Vec::new())
}

pub(super) fn examples(
    raw: &[RawExample],
    at: &str,
    read: ReadFile<'_>,
    faults: &mut Vec<Fault>,
) -> Vec<Example> {
    let mut examples = Vec::new();
    for (index, example) in raw.iter().enumerate() {
        let at = format!("{at}/examples/{index}");
        let (sample, invalid) = match (&example.invalid, &example.valid) {
            (Some(sample), None) => (sample, true),
            (None, Some(sample)) => (sample, false),
            _ => continue,
        };
        let field = if invalid { "invalid" } else { "valid" };
        let sample = read_sample(sample, &format!("{at}/{field}"), read, faults);
        let fixed = example.fixed.as_ref();
        let fixed = fixed.map(|fixed| read_sample(fixed, &format!("{at}/fixed"), read, faults));
        let expect = example
            .expect
            .iter()
            .map(|e| Expectation {
                at: e.at.clone(),
                line: e.line,
                column: e.column,
                message: e.message.clone(),
            })
            .collect();
        examples.push(Example { invalid, sample, expect, fixed, index });
    }
    examples
}

fn read_sample(raw: &RawSample, at: &str, read: ReadFile<'_>, faults: &mut Vec<Fault>) -> Sample {
    let text = match (&raw.source, &raw.file) {
        (Some(source), None) => Some(source.clone()),
        (None, Some(file)) => match read(file) {
            Ok(text) => Some(text),
            Err(error) => {
                let fault = Fault::new("unreadable-file", format!("{at}/file")).with("file", file.as_str());
                faults.push(fault.with("detail", io_reason(&error)));
                None
            }
        },
        _ => None,
    };
    Sample { text, raw: raw.clone() }
}
