//! Characters that look like others, come from web pages, or are where no punctuation can be.

use super::Unread;
use crate::{Observation, mermaid::surroundings, text::Span};

/// Characters that word processors and input methods put in place of ASCII ones.
const LOOKALIKES: &[(char, &str)] = &[
    ('“', "\""),
    ('”', "\""),
    ('„', "\""),
    ('«', "\""),
    ('»', "\""),
    ('＂', "\""),
    ('＇', "'"),
    ('‘', "'"),
    ('’', "'"),
    ('（', "("),
    ('）', ")"),
    ('［', "["),
    ('］', "]"),
    ('｛', "{"),
    ('｝', "}"),
    ('【', "["),
    ('】', "]"),
    ('：', ":"),
    ('；', ";"),
    ('，', ","),
    ('＞', ">"),
    ('＜', "<"),
    ('＝', "="),
    ('－', "-"),
    ('＋', "+"),
    ('．', "."),
    ('＃', "#"),
    ('＆', "&"),
    ('～', "~"),
    ('｜', "|"),
    ('、', ","),
    ('→', "-->"),
    ('⟶', "-->"),
    ('➔', "-->"),
    ('➜', "-->"),
    ('⇒', "==>"),
    ('←', "<--"),
    ('↔', "<-->"),
    ('—', "--"),
    ('–', "--"),
    ('−', "-"),
    ('‐', "-"),
    ('‑', "-"),
    ('\u{A0}', " "),
    ('\u{200B}', ""),
    ('\u{200C}', ""),
    ('\u{200D}', ""),
    ('\u{2060}', ""),
    ('\u{FEFF}', ""),
    ('\u{202F}', " "),
    ('\u{2009}', " "),
    ('\u{3000}', " "),
];

/// Tags of HTML that labels may hold.
const HTML_TAGS: &[&str] = &[
    "a", "b", "br", "center", "code", "div", "em", "hr", "i", "img", "li", "p", "pre", "small", "span",
    "strong", "sub", "sup", "table", "td", "tr", "u", "ul",
];

impl Unread<'_> {
    pub(super) fn lookalike(&self) -> Option<Observation> {
        let from = self.reach.saturating_sub(self.reach.min(4));
        let window = self.text.char_indices().filter(|(at, _)| *at >= from);
        let first = window
            .chain(self.text.char_indices().filter(|(at, _)| *at < from))
            .find_map(|(at, c)| Some((at, c, LOOKALIKES.iter().find(|(odd, _)| *odd == c)?.1)))?;
        let (at, c, plain) = first;
        let name = match c {
            '“' | '”' | '„' | '«' | '»' | '‘' | '’' => "err_smart_quote",
            '\u{A0}'
            | '\u{200B}'..='\u{200D}'
            | '\u{2060}'
            | '\u{FEFF}'
            | '\u{202F}'
            | '\u{2009}'
            | '\u{3000}' => "err_invisible_character",
            '→' | '⟶' | '➔' | '➜' | '⇒' | '←' | '↔' | '—' | '–' | '−' | '‐' | '‑' => {
                "err_unicode_arrow"
            }
            _ => "err_full_width",
        };
        let mut observation = self.at(name, at, at + c.len_utf8()).with("plain", plain);
        let alike = |c: char| LOOKALIKES.iter().any(|(odd, other)| *odd == c && *other == plain);
        for (other, c) in self.text.char_indices().filter(|(_, other)| alike(*other)) {
            let start = self.span.start as usize + other;
            observation.places.push(("all".into(), Span::new(start, start + c.len_utf8())));
        }
        Some(observation)
    }

    /// `&lt;` and the like, which text that was copied from a web page has.
    pub(super) fn html_entity(&self) -> Option<Observation> {
        let found = |at: usize| {
            let (entity, plain) = surroundings::entity(&self.text[at..]).filter(|_| !self.is_quoted(at))?;
            Some((at, entity, plain))
        };
        let all: Vec<_> = memchr::memchr_iter(b'&', self.text.as_bytes()).filter_map(found).collect();
        let (_, entity, plain) = *all.first()?;
        let places: Vec<usize> =
            all.iter().filter(|(_, other, _)| *other == entity).map(|(at, ..)| *at).collect();
        let mut observation =
            self.at("err_html_entity", places[0], places[0] + entity.len()).with("plain", plain);
        for at in places {
            let start = self.span.start as usize + at;
            observation.places.push(("all".into(), Span::new(start, start + entity.len())));
        }
        Some(observation)
    }

    /// `<br/>` or `<b>` outside of a label.
    pub(super) fn html_tag(&self) -> Option<Observation> {
        let tag = |at: usize| {
            let inner = self.text[at + 1..].trim_start_matches('/');
            let name = inner.len() - inner.trim_start_matches(|c: char| c.is_ascii_alphanumeric()).len();
            let rest = inner[name..].trim_start_matches([' ', '/']);
            let is_tag =
                HTML_TAGS.contains(&inner[..name].to_ascii_lowercase().as_str()) && rest.starts_with('>');
            is_tag.then(|| (at, self.text.len() - rest.len() + 1))
        };
        let mut tags = memchr::memchr_iter(b'<', self.text.as_bytes()).filter_map(tag);
        let (start, end) = tags.find(|(start, end)| !self.is_quoted(*start) && self.reach <= *end)?;
        Some(self.at("err_html_tag", start, end))
    }

    /// A sign within a name, or in place of one, where the language takes letters and digits.
    pub(super) fn character(&self) -> Option<Observation> {
        let c = self.text[self.reach..].chars().next()?;
        let before = self.text[..self.reach].chars().next_back();
        let beside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let after = self.text[self.reach + c.len_utf8()..].chars().next();
        let is_sign = !c.is_alphanumeric() && !c.is_whitespace() && !"()[]{}<>\"|_-".contains(c);
        // A name may have been read up to its sign.
        let in_name = beside(after) && (beside(before) || self.reach == 0);
        (is_sign && (in_name || !c.is_ascii()))
            .then(|| self.at("err_character", self.reach, self.reach + c.len_utf8()))
    }

    /// A punctuation character where none is allowed.
    pub(super) fn stray_character(&self) -> Option<Observation> {
        let c = self.text[self.reach..].chars().next().filter(char::is_ascii_punctuation)?;
        let after = self.text[self.reach + 1..].chars().next();
        let is_alone = after.is_none_or(|after| after.is_whitespace() || after.is_alphanumeric());
        (is_alone && !matches!(c, '"' | '\'' | '-' | '<' | '>' | '_'))
            .then(|| self.at("err_stray_character", self.reach, self.reach + 1))
    }
}
