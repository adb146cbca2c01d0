//! Regular expressions from outside: compiled with bounds on what they take.

use regex::{Regex, RegexBuilder};

use crate::budget;

/// Deepest nesting of groups and repetitions.
const DEPTH: u32 = 64;

/// Most bytes that a compiled expression may take.
const COMPILED: usize = 2 << 20;

/// Most bytes of an expression.
const WRITTEN: usize = 64 * 1024;

/// What compiling an expression usually takes, in steps, besides what each of its bytes takes.
const COMPILING: u64 = 1_000;
const COMPILING_BYTE: u64 = 100;

/// Compiles a regular expression that a rule, a path or a document gives.
///
/// # Errors
/// Why a pattern cannot be used: it is not a regular expression, or takes too much.
pub fn pattern(source: &str) -> Result<Regex, regex::Error> {
    if source.len() > WRITTEN {
        return Err(regex::Error::CompiledTooBig(WRITTEN));
    }
    let mut builder = RegexBuilder::new(source);
    builder.nest_limit(DEPTH).size_limit(COMPILED).dfa_size_limit(COMPILED);
    let usual = COMPILING + COMPILING_BYTE * source.len() as u64;
    budget::compile(usual, || builder.build()).unwrap_or(Err(regex::Error::CompiledTooBig(0)))
}

#[cfg(test)]
mod tests {
    use super::pattern;

    #[test]
    fn expressions_are_bounded() {
        assert!(pattern("^[a-z]{1,64}$").is_ok());
        assert!(pattern(&format!("{}a{}", "(".repeat(65), ")".repeat(65))).is_err(), "nesting");
        assert!(pattern(r"\pL{1000}{1000}").is_err(), "repetitions");
        assert!(pattern(&"a".repeat(70_000)).is_err(), "length");
    }
}
