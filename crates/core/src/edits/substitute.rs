use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Apply, Change, EditKind, Site};
use crate::{
    checks::{Compiler, Field},
    expressions::{LazyRegex, Place, Template},
    text::Span,
};

/// Replaces what a regular expression matches in the text of a place. Where nothing matches, the fix is not
/// offered, so that several fixes of a rule can each handle one form of the error.
///
/// ```yaml
/// fix: {applicability: unsafe, substitute: '(\d) to (\d)', with: '$1 --> $2'}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the field has the name that rule files use")]
pub(super) struct Substitute {
    /// The regular expression (of the linear-time engine). Its first match is replaced.
    #[schemars(extend("format" = "regex", "x-fault" = {"format": "bad-regex"}))]
    substitute: String,
    /// The text (a template) that replaces the match; `$1` or `${1}` is what its first group matched.
    #[schemars(extend("format" = "template", "x-fault" = {"format": "bad-template"}))]
    with: String,
    /// Replaces every match, not only the first one.
    #[serde(default)]
    everywhere: bool,
    /// The place in whose text `substitute` searches (default: `self`).
    #[schemars(extend("format" = "place", "x-fault" = {"format": "bad-place"}))]
    at: Option<String>,
}

impl EditKind for Substitute {
    const NAME: &'static str = "substitute";
    const FIELDS: &'static [&'static str] = &["substitute", "with", "everywhere", "at"];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Apply>> {
        let regex = LazyRegex::new(self.substitute);
        let with = compiler.template(&self.with, &at.key("with"));
        let place = compiler.place(self.at.as_deref().unwrap_or("self"), &at.key("at"))?;
        Some(Arc::new(Substitution { regex, with, everywhere: self.everywhere, place }))
    }
}

#[derive(Debug)]
struct Substitution {
    regex: LazyRegex,
    with: Template,
    everywhere: bool,
    place: Place,
}

impl Apply for Substitution {
    fn changes(&self, site: &Site<'_, '_>) -> Option<Vec<Change>> {
        let mut texts = site.texts(&self.place);
        texts.retain(|(_, text)| self.regex.may_match(text));
        if texts.is_empty() {
            return None;
        }
        let regex = self.regex.get()?;
        let with = site.render(&self.with)?;
        let mut changes = Vec::new();
        for (span, text) in texts {
            let matches = regex.captures_iter(text).take(if self.everywhere { usize::MAX } else { 1 });
            changes.extend(matches.filter_map(|captures| {
                let whole = captures.get(0)?;
                let mut new = String::new();
                captures.expand(&with, &mut new);
                let at = Span::new(span.start as usize + whole.start(), span.start as usize + whole.end());
                (new != whole.as_str()).then(|| trimmed(at, whole.as_str(), &new))
            }));
        }
        (!changes.is_empty()).then_some(changes)
    }

    fn text(&self) -> Option<&Template> {
        Some(&self.with)
    }
}

/// The change without the words that the old and the new text begin and end with alike: what a pattern matches only to find
/// its place is not changed.
fn trimmed(at: Span, old: &str, new: &str) -> Change {
    let alike = |(a, b): &(char, char)| a == b;
    let mut start: usize = old.chars().zip(new.chars()).take_while(alike).map(|(c, _)| c.len_utf8()).sum();
    while is_inside_word(old, start) || is_inside_word(new, start) {
        start -= old[..start].chars().next_back().map_or(start, char::len_utf8);
    }
    let (old, new) = (&old[start..], &new[start..]);
    let alike_at_end = old.chars().rev().zip(new.chars().rev()).take_while(alike);
    let mut end: usize = alike_at_end.map(|(c, _)| c.len_utf8()).sum();
    while is_inside_word(old, old.len() - end) || is_inside_word(new, new.len() - end) {
        end -= old[old.len() - end..].chars().next().map_or(end, char::len_utf8);
    }
    let span = Span::new(at.start as usize + start, at.end as usize - end);
    (span, new[..new.len() - end].to_owned())
}

/// Whether the characters around an offset belong to one word.
fn is_inside_word(text: &str, at: usize) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text[..at].ends_with(is_part) && text[at..].starts_with(is_part)
}
