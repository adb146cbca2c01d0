//! `${NAME}` and `${NAME:-default}` in strings.

use std::{borrow::Cow, sync::OnceLock};

use regex::{Captures, Regex};

/// The regular expression of QType. There is no escape, and other forms (`${}`, `${A:?x}`) are unchanged.
const REFERENCE: &str = r"\$\{([^}:]+)(?::-([^}]*))?\}";

/// The result of a substitution.
#[derive(Debug, Default)]
pub(super) struct Substituted {
    pub(super) text: String,
    /// Names that are not set and have no default.
    pub(super) missing: Vec<String>,
}

fn reference() -> Option<&'static Regex> {
    static COMPILED: OnceLock<Option<Regex>> = OnceLock::new();
    COMPILED.get_or_init(|| Regex::new(REFERENCE).ok()).as_ref()
}

/// Whether a string refers to an environment variable.
pub(super) fn refers(text: &str) -> bool {
    text.contains("${") && reference().is_some_and(|regex| regex.is_match(text))
}

/// The string with its references replaced; a reference without a value is unchanged.
pub(super) fn substitute(text: &str, lookup: &dyn Fn(&str) -> Option<String>) -> Substituted {
    let mut missing = Vec::new();
    let replaced = reference().map(|regex| {
        regex.replace_all(text, |found: &Captures<'_>| {
            let name = &found[1];
            let value = lookup(name).or_else(|| found.get(2).map(|default| default.as_str().to_owned()));
            value.unwrap_or_else(|| {
                missing.push(name.to_owned());
                found[0].to_owned()
            })
        })
    });
    Substituted { text: replaced.map_or_else(|| text.to_owned(), Cow::into_owned), missing }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_replaced_and_other_forms_are_unchanged() {
        let lookup = |name: &str| (name == "KEY").then(|| "k".to_owned());
        let text = |text| substitute(text, &lookup).text;
        assert_eq!(text("a ${KEY} ${NOPE:-d} ${KEY:-e} ${}"), "a k d k ${}");
        assert_eq!(text("${A:?x} ${A"), "${A:?x} ${A");
        assert_eq!(substitute("${NOPE}", &lookup).missing, ["NOPE"]);
        assert!(!refers("cost $ {x}"));
    }
}
