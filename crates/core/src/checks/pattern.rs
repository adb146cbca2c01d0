use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{CheckKind, Compiler, Context, Evaluate, Fault, Field, Finding};
use crate::{expressions::LazyRegex, text::Span, tree::Node};

/// The string matches a regular expression (of the linear-time engine), or does not. Values that are
/// not strings pass.
///
/// ```yaml
/// check: {pattern: '^[A-Z]{2}-[0-9]+$'}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub(super) enum Pattern {
    /// It must match.
    #[schemars(extend("format" = "regex", "x-fault" = {"format": "bad-regex"}))]
    Matches(String),
    /// Either `matches` or `not`.
    Detailed {
        /// It must match.
        #[schemars(extend("format" = "regex", "x-fault" = {"format": "bad-regex"}))]
        matches: Option<String>,
        /// It must not match.
        #[schemars(extend("format" = "regex", "x-fault" = {"format": "bad-regex"}))]
        not: Option<String>,
        /// Looks at the node's key instead of its value.
        #[serde(default)]
        key: bool,
    },
}

impl CheckKind for Pattern {
    const NAME: &'static str = "pattern";
    const VALUES: &'static [(&'static str, &'static str)] = &[("pattern", "the regular expression")];
    const PLACES: &'static [(&'static str, &'static str)] = &[("match", "what matched, for `not`")];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let (source, expected, key) = match self {
            Self::Matches(source) => (source, true, false),
            Self::Detailed { matches: Some(source), not: None, key } => (source, true, key),
            Self::Detailed { matches: None, not: Some(source), key } => (source, false, key),
            Self::Detailed { .. } => {
                let detail = "give either `matches` or `not`";
                compiler.report(Fault::new("bad-bounds", at).with("detail", detail));
                return None;
            }
        };
        let regex = LazyRegex::new(source);
        Some(Arc::new(Matching { regex, expected, key }))
    }
}

#[derive(Debug)]
struct Matching {
    regex: LazyRegex,
    /// Whether it must match or must not.
    expected: bool,
    /// Whether it looks at the key.
    key: bool,
}

impl Matching {
    fn finding<'t>(&self, node: Node<'t>) -> Option<Finding<'t>> {
        let (text, place) = if self.key {
            let entry = node.own_entry()?;
            (entry.key(), entry.key_span())
        } else {
            (node.as_str()?, node.span())
        };
        let regex = self.regex.get()?;
        if self.expected && regex.is_match(text) {
            return None;
        }
        // Where it matches is asked only where it must not.
        let found = if self.expected { None } else { Some(regex.find(text)?) };
        let finding = Finding { span: place, ..Finding::at(node) }.with("pattern", self.regex.source());
        let Some(found) = found else { return Some(finding) };
        // The match has a place of its own where the string is written in the file as it is.
        let written = node.source().slice(place);
        let at = written.find(text).map(|start| place.start as usize + start + found.start());
        Some(match at {
            Some(start) => finding.place("match", Span::new(start, start + found.len())),
            None => finding,
        })
    }
}

impl Evaluate for Matching {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        context.kept(nodes.iter().filter_map(|node| self.finding(*node)))
    }

    fn looks_at_each(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::{faults, findings};

    #[test]
    fn strings_and_keys_are_matched() {
        assert_eq!(findings("{pattern: '^[a-z]+$'}", "$[*]", "{a: x, B: Y, c: 3}"), ["/B Y"]);
        assert_eq!(findings("{pattern: {matches: '^[a-z]+$', key: true}}", "$[*]", "{a: x, B: Y}"), ["/B B"]);
        assert_eq!(findings("{pattern: {not: 'TODO'}}", "$[*]", "[fine, 'a TODO']"), ["/1 'a TODO'"]);
        assert_eq!(faults("{pattern: {key: true}}"), ["bad-bounds"]);
    }
}
