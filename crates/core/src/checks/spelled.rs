use std::{collections::HashSet, sync::Arc};

use regex::Regex;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    CheckKind, Compiler, Context, Evaluate, Field, Finding, OneOrMany,
    choose::applies,
    search::{is_within, spans_of},
};
use crate::{
    budget,
    expressions::Condition,
    text::{Span, pattern},
    tree::{JsonPath, Node},
};

/// Names are written with the capital letters that an option lists them with, wherever they are in the source text of
/// the selected nodes.
///
/// ```yaml
/// check: {spelled: {option: most, outside: [{of: '$.code[*]'}]}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Spelled {
    /// Name of the option with the list of names.
    option: String,
    /// Nodes whose text is not searched.
    #[serde(default)]
    outside: Vec<Outside>,
}

/// Nodes whose text is not searched.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Outside {
    /// CEL expression over `options` (default: always).
    #[schemars(extend("format" = "cel", "x-fault" = {"format": "bad-cel"}))]
    when: Option<String>,
    /// Path, or paths, to the nodes.
    of: Option<OneOrMany<String>>,
}

impl CheckKind for Spelled {
    const NAME: &'static str = "spelled";
    const VALUES: &'static [(&'static str, &'static str)] = &[("name", "the name as the option lists it")];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        compiler.option(&self.option, &at.key("option"));
        let field = at.key("outside");
        let mut outside = Vec::with_capacity(self.outside.len());
        for (index, one) in self.outside.into_iter().enumerate() {
            let at = field.index(index);
            let when = one.when.map(|when| compiler.condition(&when, &at.key("when")));
            outside.push((when, compiler.paths(one.of.as_ref(), &at.key("of"))));
        }
        Some(Arc::new(Names { option: self.option, outside }))
    }
}

#[derive(Debug)]
struct Names {
    option: String,
    outside: Vec<(Option<Condition>, Vec<JsonPath>)>,
}

/// What compiling the pattern of a name usually takes, in steps.
const COMPILING: u64 = 20_000;

impl Names {
    /// The names, the longest first: a name within another one is a part of it.
    fn names<'o>(&self, context: &Context<'o, '_>) -> Vec<&'o str> {
        let listed = context.options.get(&self.option).and_then(|names| names.as_array());
        let mut names: Vec<&str> = listed.into_iter().flatten().filter_map(|name| name.as_str()).collect();
        names.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        names.dedup();
        names
    }
}

/// A pattern of a name in any spelling, as a word of its own.
fn spelling(name: &str) -> Option<Regex> {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    let before = if is_word(name.chars().next()) { r"(?-u:\b)_*" } else { "" };
    let after = if is_word(name.chars().next_back()) { r"_*(?-u:\b)" } else { "" };
    let source = format!("(?i){before}(?P<name>{}){after}", regex::escape(name));
    budget::compile(COMPILING, || pattern(&source).ok()).flatten()
}

impl Evaluate for Names {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let names = self.names(context);
        let known: HashSet<&str> = names.iter().copied().collect();
        let mut findings: Vec<Finding<'t>> = Vec::new();
        for node in nodes.iter().filter(|_| !names.is_empty()) {
            let text = node.source().slice(node.span());
            let start = node.span().start as usize;
            let applying = self.outside.iter().filter(|(when, _)| applies(when.as_ref(), context));
            let outside = spans_of(applying.flat_map(|(_, paths)| paths), *node);
            let mut taken: Vec<Span> = Vec::new();
            for (name, regex) in names.iter().filter_map(|name| Some((*name, spelling(name)?))) {
                let matches = regex.captures_iter(text).filter_map(|found| found.name("name"));
                for found in budget::within(matches) {
                    let span = Span::new(start + found.start(), start + found.end());
                    let is_taken = taken.iter().any(|other| other.overlaps(span));
                    if !known.contains(found.as_str()) && !is_taken && !is_within(span, &outside) {
                        let finding = Finding { span, ..Finding::at(*node) }.with("name", name);
                        context.keep([finding], &mut findings);
                    }
                    taken.push(span);
                }
            }
        }
        findings
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::spelling;
    use crate::checks::trial::{faults, findings_with};

    #[test]
    fn other_spellings_are_findings() {
        let options = json!({"most": ["GitHub", "GitHub Actions"]});
        let text = "a: github and GITHUB actions\nb: Github\nc: githubber GitHub\n";
        let check = "{spelled: {option: most, outside: [{of: '$.b'}]}}";
        assert_eq!(findings_with(check, "$", text, &options), [" GITHUB actions", " github"]);
        assert_eq!(faults("{spelled: {option: names}}"), ["unknown-option"]);
        assert!(spelling(".NET").is_some_and(|regex| regex.is_match("ASP.net")));
    }
}
