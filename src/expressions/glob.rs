use globset::{Glob, GlobBuilder};

use crate::text::{Notation, TooDeep};

/// Alternatives in braces, which the reader of globs nests.
const GLOB: Notation = Notation { depth: 16, bytes: 4096, separators: "", ..Notation::BRACKETS };

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
pub(crate) fn glob(pattern: &str) -> Result<Glob, BadGlob> {
    let bad = |detail: String| BadGlob { glob: crate::text::clip(pattern, 80).into_owned(), detail };
    GLOB.check(pattern).map_err(|error: TooDeep| bad(error.to_string()))?;
    GlobBuilder::new(pattern).literal_separator(true).build().map_err(|error| bad(error.kind().to_string()))
}

#[cfg(test)]
mod tests {
    use super::glob;

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
