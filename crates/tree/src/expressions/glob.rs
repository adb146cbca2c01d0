use globset::{Glob, GlobBuilder};

use crate::{
    budget,
    text::{Notation, TooDeep},
};

/// Alternatives in braces, which the reader of globs nests.
const GLOB: Notation = Notation { depth: 16, bytes: 4096, separators: "", ..Notation::BRACKETS };

/// Steps that compiling a glob costs, and each byte of it.
const COMPILED: u64 = 2_000;
const BYTE: u64 = 100;

/// A glob that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{glob}` is not a valid glob: {detail}")]
pub struct BadGlob {
    /// The glob as it is written.
    pub glob: String,
    /// What is wrong with it.
    pub detail: String,
}

/// Compiles a glob whose `*` does not match `/`.
pub fn glob(pattern: &str) -> Result<Glob, BadGlob> {
    let bad = |detail: String| BadGlob { glob: crate::text::clip(pattern, 80).into_owned(), detail };
    GLOB.check(pattern).map_err(|error: TooDeep| bad(error.to_string()))?;
    if !budget::charge(COMPILED + BYTE * pattern.len() as u64) {
        return Err(bad("there are too many globs".to_owned()));
    }
    GlobBuilder::new(pattern).literal_separator(true).build().map_err(|error| bad(error.kind().to_string()))
}

#[cfg(test)]
mod tests {
    use super::glob;

    #[test]
    fn globs_use_the_budget() {
        let limited = crate::budget::Budget { steps: Some(1_000_000), ..crate::budget::Budget::default() };
        let (compiled, spent) =
            limited.spend(|| (0..1_000).take_while(|n| glob(&format!("a{n}/**/*.md")).is_ok()).count());
        assert!(spent.exceeded.is_some() && compiled < 1_000, "{compiled}");
    }

    #[test]
    fn nested_braces_are_limited() {
        assert!(glob("docs/**/*.{md,{qmd,markdown}}").is_ok());
        let deep = format!("{}a{}", "{".repeat(20_000), "}".repeat(20_000));
        assert!(glob(&deep).is_err_and(|error| error.glob.len() < 400));
        assert_eq!(
            glob("[").unwrap_err().to_string(),
            "`[` is not a valid glob: unclosed character class; missing ']'"
        );
    }
}
