//! Conditions and templates of rules: compiling them and evaluating them on an example ends within the budget.

#![no_main]

mod sound;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (condition, template) = input;
    let rule = serde_json::json!({
        "version": 1,
        "kinds": ["yaml"],
        "rules": [{
            "id": "XX001", "name": "fuzz", "severity": "error", "since": "0.1.0", "given": "$",
            "check": {"cel": condition}, "message": template,
            "explain": "What it checks.\n\nWhy.\n\nHow to fix it.",
            "examples": [{"invalid": {"source": "a: [1, b, {c: null}]\n"}}, {"valid": {"source": "b: 1.5\n"}}],
        }],
    });
    sound::validate("rulefile", "fuzz.rules.yaml", &rule.to_string());
});
