//! `${NAME}` and `${NAME:-default}` in strings.

use std::borrow::Cow;

use regex::{Captures, Regex};

use super::super::KindOption;
use crate::budget::Once;

/// Whether an environment variable that is not set is an error and not a warning.
pub const STRICT_ENVIRONMENT: KindOption = KindOption {
    name: "strict_environment",
    description: "Whether an environment variable that is not set is an error and not a warning.",
    default: || false.into(),
};

/// The regular expression of QType. There is no escape, and other forms (`${}`, `${A:?x}`) are unchanged.
const REFERENCE: &str = r"\$\{([^}:]+)(?::-([^}]*))?\}";

/// The result of a substitution.
#[derive(Debug, Default)]
pub(super) struct Substituted {
    pub(super) text: String,
    /// Names that are not set and have no default.
    pub(super) missing: Vec<String>,
    /// Whether a value of the environment belongs in the text.
    pub(super) unknown: bool,
}

fn reference() -> Option<&'static Regex> {
    static COMPILED: Once<Option<Regex>> = Once::new();
    COMPILED.get_or_init(|| Regex::new(REFERENCE).ok()).as_ref()
}

/// Whether a string refers to an environment variable.
pub(super) fn refers(text: &str) -> bool {
    text.contains("${") && reference().is_some_and(|regex| regex.is_match(text))
}

/// The string with its references replaced by their defaults. A variable that is set stays as `${NAME}`: its
/// value is often a secret and never becomes part of the document, so nothing can show it. A reference without
/// a value is unchanged.
pub(super) fn substitute(text: &str, is_set: &dyn Fn(&str) -> bool) -> Substituted {
    let mut missing = Vec::new();
    let mut unknown = false;
    let replaced = reference().map(|regex| {
        regex.replace_all(text, |found: &Captures<'_>| {
            let name = &found[1];
            if is_set(name) {
                unknown = true;
                return format!("${{{name}}}");
            }
            found.get(2).map_or_else(
                || {
                    missing.push(name.to_owned());
                    found[0].to_owned()
                },
                |default| default.as_str().to_owned(),
            )
        })
    });
    Substituted { text: replaced.map_or_else(|| text.to_owned(), Cow::into_owned), missing, unknown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_replace_references_and_values_of_the_environment_do_not() {
        let is_set = |name: &str| name == "KEY";
        let text = |text| substitute(text, &is_set).text;
        assert_eq!(text("a ${KEY} ${NOPE:-d} ${KEY:-e} ${}"), "a ${KEY} d ${KEY} ${}");
        assert!(substitute("${KEY:-e}", &is_set).unknown && !substitute("${NOPE:-d}", &is_set).unknown);
        assert_eq!(text("${A:?x} ${A"), "${A:?x} ${A");
        assert_eq!(substitute("${NOPE}", &is_set).missing, ["NOPE"]);
        assert!(!refers("cost $ {x}"));
    }
}
