//! pie.

use crate::mermaid::{diagram::Findings, syntax::Syntax};

/// What the text of a wrong value has: the number and other words.
pub(super) fn check<'t>(_: &'t Syntax<'t>, findings: &mut Findings) {
    for observation in &mut findings.observations {
        let Some(bare) = observation.value("bare_number").and_then(|text| text.as_str()) else { continue };
        let (number, words) = (number_in(bare), words_in(bare).to_owned());
        if let Some(number) = number {
            observation.values.push(("number".into(), number.into()));
            observation.values.push(("words".into(), words.into()));
        }
    }
}

/// The digits of a value such as `40 %`, `"40"` or `1,000`, where nothing else is between them.
fn number_in(text: &str) -> Option<String> {
    let text = text.trim_matches(|c: char| !c.is_ascii_digit() && c != '.');
    if text.contains(|c: char| !c.is_ascii_digit() && !".,_' ".contains(c)) {
        return None;
    }
    let digits: String = text.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect();
    let digits = digits.trim_end_matches('.');
    let digits = if digits.starts_with('.') { format!("0{digits}") } else { digits.to_owned() };
    digits.parse::<f64>().is_ok().then_some(digits)
}

/// What a value has besides the number, such as `units`, if it has letters.
fn words_in(text: &str) -> &str {
    let words = text.trim_matches(|c: char| !c.is_alphabetic());
    if words.chars().any(char::is_alphabetic) { words } else { "" }
}
