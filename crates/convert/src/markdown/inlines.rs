//! Inlines as Markdown.

use std::fmt::Write as _;

use super::{Writer, escape, is_worth_a_tag};
use crate::budget;
use crate::{
    html,
    model::{Attr, CitationMode, Inline, Target, plain},
};

impl Writer {
    /// Text of inlines, without whitespace around it.
    pub(super) fn line(&mut self, inlines: &[Inline]) -> String {
        let mut out = String::new();
        self.inlines(inlines, &mut out);
        let end = out.trim_end().len();
        out.truncate(end);
        out.trim_start_matches([' ', '\n']).to_owned()
    }

    fn inlines(&mut self, inlines: &[Inline], out: &mut String) {
        for (index, inline) in budget::within(inlines).enumerate() {
            self.inline(inline, inlines.get(index + 1), out);
        }
    }

    fn inline(&mut self, inline: &Inline, next: Option<&Inline>, out: &mut String) {
        match inline {
            Inline::Str(text) => {
                let before_link =
                    matches!(next, Some(Inline::Link(..) | Inline::Image(..) | Inline::Note(_)));
                escape::add(text, before_link, self.in_row, self.dialect, out);
            }
            Inline::Space => {
                if !out.ends_with([' ', '\n']) {
                    out.push(' ');
                }
            }
            Inline::SoftBreak => out.push(if self.in_row { ' ' } else { '\n' }),
            Inline::LineBreak => out.push_str(if self.in_row { "<br>" } else { "\\\n" }),
            Inline::Emph(inner) => self.delimited("*", "em", inner, next, out),
            Inline::Strong(inner) => self.delimited("**", "strong", inner, next, out),
            Inline::Strikeout(inner) if self.dialect.strikeout => {
                self.delimited("~~", "del", inner, next, out);
            }
            Inline::Strikeout(inner) => self.tagged("del", "", inner, out),
            Inline::Underline(inner) => self.tagged("u", "", inner, out),
            Inline::Superscript(inner) => self.tagged("sup", "", inner, out),
            Inline::Subscript(inner) => self.tagged("sub", "", inner, out),
            Inline::SmallCaps(inner) => {
                self.tagged("span", " style=\"font-variant: small-caps\"", inner, out);
            }
            Inline::Code(_, text) => out.push_str(&escape::code(text, self.in_row)),
            Inline::Math { display, tex, .. } => {
                // A cell ends at a bar, escaped or not as TeX means it.
                let tex = tex.trim();
                let tex =
                    if self.in_row { tex.replace('\n', " ").replace('|', "\\vert ") } else { tex.to_owned() };
                let mark = if *display { "$$" } else { "$" };
                let _ = write!(out, "{mark}{tex}{mark}");
            }
            Inline::Raw { text, .. } => out.push_str(text),
            Inline::Link(attr, inner, target) => self.link(attr, inner, target, out),
            Inline::Image(attr, inner, target) => self.image(attr, inner, target, out),
            Inline::Note(blocks) => {
                let index = self.notes.len();
                self.notes.push(String::new());
                let in_row = std::mem::replace(&mut self.in_row, false);
                self.notes[index] = self.blocks(blocks);
                self.in_row = in_row;
                let number = index + 1;
                let mark = if self.dialect.footnotes {
                    format!("[^{number}]")
                } else {
                    format!("<sup>[{number}](#fn{number})</sup>")
                };
                out.push_str(&mark);
            }
            Inline::NoteReference(name, _) => {
                escape::add(&format!("[^{name}]"), false, self.in_row, self.dialect, out);
            }
            Inline::Span(attr, inner) if attr.has_class("mark") => self.tagged("mark", "", inner, out),
            Inline::Span(attr, inner) => {
                if is_worth_a_tag(attr) {
                    let attr = Attr { classes: vec![], ..(**attr).clone() };
                    self.tagged("span", &html::attributes(&attr), inner, out);
                } else {
                    self.inlines(inner, out);
                }
            }
            Inline::Cite(citations, inner) => {
                let bracketed = citations.iter().any(|citation| citation.mode != CitationMode::InText);
                out.push_str(if bracketed { "\\[" } else { "" });
                self.inlines(inner, out);
                out.push_str(if bracketed { "\\]" } else { "" });
            }
            Inline::Shortcode(shortcode) => {
                escape::add(&shortcode.text, false, self.in_row, self.dialect, out);
            }
        }
    }

    fn tagged(&mut self, tag: &str, attributes: &str, inner: &[Inline], out: &mut String) {
        let _ = write!(out, "<{tag}{attributes}>");
        self.inlines(inner, out);
        let _ = write!(out, "</{tag}>");
    }

    /// Writes text between marks, or between tags where readers would not take the marks for what they are
    /// (CommonMark 0.31, section 6.2).
    fn delimited(
        &mut self,
        mark: &str,
        tag: &str,
        inner: &[Inline],
        next: Option<&Inline>,
        out: &mut String,
    ) {
        let mut text = String::new();
        self.inlines(inner, &mut text);
        let content = text.trim_matches([' ', '\n']);
        let Some((first, last)) = content.chars().next().zip(content.chars().next_back()) else {
            out.push_str(&text);
            return;
        };
        let start = text.len() - text.trim_start_matches([' ', '\n']).len();
        let end = text.trim_end_matches([' ', '\n']).len();
        out.push_str(&text[..start]);
        let symbol = mark.chars().next().unwrap_or('*');
        let is_edge = |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || is_punctuation(c));
        let after = if end < text.len() { Some(' ') } else { next.and_then(first_char) };
        let before = out.chars().next_back();
        let is_nested = matches!((inner, tag), ([Inline::Emph(_)], "strong") | ([Inline::Strong(_)], "em"));
        let touches = before == Some(symbol) || after == Some(symbol);
        let clashes = !is_nested && (first == symbol || last == symbol);
        let opens = !first.is_whitespace() && (!is_punctuation(first) || is_edge(before));
        let closes = !last.is_whitespace() && (!is_punctuation(last) || is_edge(after));
        if touches || clashes || !opens || !closes {
            let _ = write!(out, "<{tag}>{content}</{tag}>");
        } else {
            let _ = write!(out, "{mark}{content}{mark}");
        }
        out.push_str(&text[end..]);
    }

    fn link(&mut self, attr: &Attr, inner: &[Inline], target: &Target, out: &mut String) {
        if html::is_script(&target.url) {
            self.inlines(inner, out);
            return;
        }
        let is_bare = target.title.is_empty() && attr.id.is_empty() && plain(inner) == target.url;
        if is_bare && is_uri(&target.url) {
            let _ = write!(out, "<{}>", target.url);
            return;
        }
        let mut text = String::new();
        self.inlines(inner, &mut text);
        if attr.id.is_empty() {
            let _ = write!(out, "[{text}]({})", escape::destination(&target.url, &target.title));
        } else {
            let id = html::escape(&attr.id);
            let _ = write!(out, "<a id=\"{id}\" href=\"{}\">{text}</a>", html::escape(&target.url));
        }
    }

    fn image(&mut self, attr: &Attr, inner: &[Inline], target: &Target, out: &mut String) {
        let own = attr.alternative().map(str::to_owned);
        let alternative = own.unwrap_or_else(|| plain(inner));
        if html::is_script(&target.url) {
            escape::add(&alternative, false, self.in_row, self.dialect, out);
            return;
        }
        let size = |key: &str| attr.get(key).map(|value| format!(" {key}=\"{}\"", html::escape(value)));
        let sizes: String = ["width", "height"].into_iter().filter_map(size).collect();
        if sizes.is_empty() && attr.id.is_empty() {
            let mut words = String::from(" ");
            escape::add(&alternative.replace('\n', " "), false, self.in_row, self.dialect, &mut words);
            let words = words.trim_start();
            let _ = write!(out, "![{words}]({})", escape::destination(&target.url, &target.title));
            return;
        }
        let id =
            if attr.id.is_empty() { String::new() } else { format!(" id=\"{}\"", html::escape(&attr.id)) };
        let title = if target.title.is_empty() {
            String::new()
        } else {
            format!(" title=\"{}\"", html::escape(&target.title))
        };
        let (url, words) = (html::escape(&target.url), html::escape(&alternative.replace('\n', " ")));
        let _ = write!(out, "<img{id} src=\"{url}\" alt=\"{words}\"{title}{sizes}>");
    }
}

/// Punctuation of Unicode and symbols, as CommonMark 0.31 means it (section 2.1). Letters of all scripts, marks and
/// numbers are not.
fn is_punctuation(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_punctuation() } else { !c.is_alphanumeric() && !c.is_whitespace() }
}

/// The first character that an inline writes.
fn first_char(inline: &Inline) -> Option<char> {
    match inline {
        Inline::Str(text) => text.chars().next(),
        Inline::Space | Inline::SoftBreak => Some(' '),
        Inline::LineBreak => Some('\\'),
        Inline::Emph(_) | Inline::Strong(_) => Some('*'),
        Inline::Strikeout(_) => Some('~'),
        Inline::Code(..) => Some('`'),
        Inline::Math { .. } => Some('$'),
        Inline::Span(_, inner) => inner.first().map_or(Some('<'), first_char),
        Inline::Cite(_, inner) => inner.first().and_then(first_char),
        Inline::Link(..) | Inline::Note(_) => Some('['),
        Inline::Image(..) => Some('!'),
        _ => Some('<'),
    }
}

/// Whether text between `<` and `>` is a link (CommonMark 0.31, section 6.5).
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    (2..=32).contains(&scheme.len())
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-'))
        && !rest.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>'))
}
