//! Observations as lines of text.

use proofmark::{Observation, Source};

/// Every observation with its line, its name, its place and its values.
pub(crate) fn lines(source: &Source, observations: &[Observation]) -> String {
    let mut lines: Vec<String> = observations
        .iter()
        .map(|o| {
            let values: Vec<String> =
                o.values.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let line = source.position(o.span.start).line;
            format!("{line:>2}: {} `{}` {}", o.name, source.slice(o.span), values.join(" "))
        })
        .collect();
    lines.sort();
    lines.join("\n")
}
