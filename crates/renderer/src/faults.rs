//! What the engine or a worker says, as facts at places of the document. The rules in `rules/render/`
//! provide the messages.

use std::{ops::Range, time::Duration};

use proofmark_render_protocol::{EngineMessage, FilePosition, Stage};
use serde_json::Value;

use super::{
    Bundle,
    authoring::{Authored, Located},
    bounds::Bounds,
    workers::Stopped,
};
use crate::{
    syntax::Observation,
    text::{Source, Span, nearest, shown},
    tree::Tree,
};

/// Codes of what the rules on quills' fields have reported already.
const REPORTED: [&str; 3] = ["validation::unknown_field", "validation::unknown_card", "engine::declined"];

/// What messages of the engine are about.
pub(super) struct Context<'t> {
    pub(super) quill: &'t str,
    /// Names that a layout can ask a document for: its fields, and those of its collections.
    pub(super) names: Vec<&'t str>,
    pub(super) bundle: &'t Bundle,
    pub(super) authored: &'t Authored<'t>,
    pub(super) tree: &'t Tree,
    pub(super) bounds: &'t Bounds,
    /// Whether the document is the example of the quill, which shows what its layout takes.
    pub(super) is_example: bool,
}

impl Context<'_> {
    /// The position that a message about the layout points at: the name of the quill, or the start of the document.
    fn quill_span(&self) -> Span {
        quill_span(self.tree)
    }

    /// The fact of a message; nothing for what is known without rendering.
    pub(super) fn fact(&self, message: &EngineMessage, warning: bool) -> Option<Observation> {
        if REPORTED.contains(&message.code.as_str()) {
            return None;
        }
        let whole = |fact: Observation| at(fact, self.quill_span());
        if message.code == "proofmark::diagram_not_drawn" {
            return Some(self.diagram(message));
        }
        if message.code == "proofmark::does_not_fit" {
            return Some(self.does_not_fit(message));
        }
        // Rules on the text report each of them where the document names a quill.
        let by_rules = matches!(lost(message), Some(("html" | "footnote", _)));
        if warning && by_rules && self.tree.at_pointer("/quill/name").is_some() {
            return None;
        }
        Some(match message.stage {
            Stage::Quill => whole(self.about(Observation::about_file("quill-refused"), message)),
            Stage::Glue => {
                let position = message.position.clone().unwrap_or_default();
                let fact = Observation::about_file("glue-failed")
                    .with("quill", self.quill)
                    .with("file", position.file);
                whole(fact.with("line", position.line).with("detail", message.message.as_str()))
            }
            Stage::Pages(pages) => whole(
                Observation::about_file("too-many-pages")
                    .with("pages", pages)
                    .with("limit", self.bounds.pages),
            ),
            Stage::Size => whole(
                Observation::about_file("render-too-large")
                    .with("what", "the result")
                    .with("limit", mib(self.bounds.bytes)),
            ),
            Stage::Value => self.value(message, warning),
            Stage::Layout => self.layout(message, warning),
        })
    }

    /// A diagram that is printed as its source: its first line.
    fn diagram(&self, message: &EngineMessage) -> Observation {
        let fact = Observation::about_file("diagram-not-drawn").with("detail", message.message.as_str());
        at(fact, self.first_line(message))
    }

    /// A table, a formula or a diagram that has not enough room on the page.
    fn does_not_fit(&self, message: &EngineMessage) -> Observation {
        let what = message.construct.as_deref().unwrap_or_default();
        at(Observation::about_file("does-not-fit").with("what", what), self.first_line(message))
    }

    /// Where the first line of what a message is about is, in any case; the name of the quill where it is not found.
    fn first_line(&self, message: &EngineMessage) -> Span {
        let text = self.tree.root().source().text();
        let mut lines = message.content.iter().flat_map(|content| content.lines()).map(str::trim);
        let found = lines.find(|line| !line.is_empty()).and_then(|line| {
            let place = match message.construct.as_deref() {
                Some("table") => shown::in_table(text, line),
                // Lines of a note are one line on the page.
                Some("note") => shown::places(text, shown::beginning(text, line)).next(),
                _ => None,
            };
            let Range { start, end } = place.or_else(|| shown::places(text, line).next())?;
            Some(Span::new(start, end))
        });
        found.unwrap_or_else(|| self.quill_span())
    }

    fn about(&self, fact: Observation, message: &EngineMessage) -> Observation {
        let fact = fact.with("quill", self.quill).with("detail", message.message.as_str());
        fact.with("help", message.help.clone())
    }

    fn value(&self, message: &EngineMessage, warning: bool) -> Observation {
        let by_path = message.path.as_ref().and_then(|path| self.authored.locate(path));
        let located = by_path.or_else(|| self.authored.find(message.content.as_deref()?));
        let field = located.as_ref().map(|located| located.field.clone()).unwrap_or_default();
        let span =
            located.as_ref().map_or_else(|| self.quill_span(), |located| self.narrowed(located, message));
        let name = if warning { "content-changed" } else { "value-refused" };
        let fact =
            Observation::about_file(name).with("field", field).with("detail", message.message.as_str());
        let fact = fact.with("help", message.help.clone());
        if !warning {
            return at(fact, span);
        }
        let (lost, tag) = lost(message).unzip();
        at(fact.with("lost", lost).with("tag", tag.flatten()), span)
    }

    /// The part of the text that a message is about: an image where images are not typeset, what the message
    /// quotes, else its first line.
    fn narrowed(&self, located: &Located<'_>, message: &EngineMessage) -> Span {
        let whole = located.node.span();
        if message.construct.as_deref() == Some("image") {
            return self.authored.image_in(whole).unwrap_or_else(|| located.span());
        }
        let text = whole.of(located.node.source().text());
        let quoted = message.message.split('`').nth(1).filter(|quoted| !quoted.is_empty());
        let found = quoted.and_then(|quoted| Some((text.find(quoted)?, quoted.len())));
        found.map_or_else(
            || located.span(),
            |(offset, length)| {
                let start = whole.range().start + offset;
                Span::new(start, start + length)
            },
        )
    }

    /// The package that the layout imports where its manifest was not found.
    fn package(&self, message: &EngineMessage) -> Option<String> {
        if searched(&message.message) != Some("typst.toml") {
            return None;
        }
        let position = message.position.as_ref()?;
        let line = self.bundle.text(&position.file)?.lines().nth(position.line.checked_sub(1)? as usize)?;
        let name = line.split('"').find(|part| part.starts_with('@'))?;
        Some(name.to_owned())
    }

    fn layout(&self, message: &EngineMessage, warning: bool) -> Observation {
        let place = layout_place(message.position.as_ref());
        if let Some(package) = self.package(message) {
            let fact =
                Observation::about_file("missing-package").with("quill", self.quill).with("package", package);
            return at(fact.with("place", place), self.quill_span());
        }
        if let Some(path) = searched(&message.message) {
            let span = self.authored.link(path).unwrap_or_else(|| self.quill_span());
            let fact = Observation::about_file("missing-asset").with("quill", self.quill).with("path", path);
            return at(fact.with("place", place), span);
        }
        // The value at the path, or with this text, is the reason.
        if (message.path.is_some() || message.content.is_some()) && message.position.is_none() {
            return self.value(message, warning);
        }
        if let Some((field, detail)) = asserted(&message.message)
            && let Some(value) = self.tree.root().get("frontmatter").and_then(|fields| fields.get(field))
        {
            let fact = Observation::about_file("value-refused").with("field", field).with("detail", detail);
            return at(fact.with("help", message.help.clone()), value.span());
        }
        let name = if warning { "layout-remark" } else { "layout-failed" };
        let mut fact = self.about(Observation::about_file(name), message).with("place", place);
        if name == "layout-failed" {
            fact = fact.with("is_example", self.is_example);
        }
        if let Some(near) = missing_key(&message.message).and_then(|key| self.similar(key)) {
            fact = fact.with("help", format!("did you mean `{near}`?"));
        }
        at(fact, self.quill_span())
    }

    /// The field whose name is similar to a word of a layout.
    fn similar(&self, word: &str) -> Option<&str> {
        nearest(word, self.names.iter().copied())
    }
}

/// How a position in the files of a quill is written: `plate.typ:3:2`.
pub(super) fn layout_place(position: Option<&FilePosition>) -> Value {
    position.map(|at| format!("{}:{}:{}", at.file, at.line, at.column)).into()
}

/// What of a document does not reach the page, where rules have words for it, and the name of a tag.
fn lost(message: &EngineMessage) -> Option<(&'static str, Option<&str>)> {
    let dropped = message.code == "parse::dropped_construct";
    match message.construct.as_deref()? {
        "image" if !dropped => Some(("image", None)),
        "footnote" if dropped => Some(("footnote", None)),
        "math" if dropped => Some(("math", None)),
        "bidi" if dropped => Some(("bidi", None)),
        tag if dropped && tag.bytes().all(|b| b.is_ascii_alphanumeric()) && tag != "table" => {
            Some(("html", Some(tag)))
        }
        _ => None,
    }
}

/// The key that a layout asks for and the document does not have.
fn missing_key(message: &str) -> Option<&str> {
    message.strip_prefix("dictionary does not contain key \"")?.split('"').next()
}

/// The errors that are causes. A bracket that nothing closes makes the rest of its file wrong, so it is the only error of
/// that file.
pub(super) fn causes(errors: &[EngineMessage]) -> Vec<&EngineMessage> {
    let file = |error: &EngineMessage| error.position.as_ref().map(|position| position.file.clone());
    let is_open = |error: &&EngineMessage| {
        error.stage == Stage::Layout && error.message.starts_with("unclosed ") && error.position.is_some()
    };
    let mut open: Vec<&EngineMessage> = Vec::new();
    for error in errors.iter().filter(is_open) {
        if open.iter().all(|other| file(other) != file(error)) {
            open.push(error);
        }
    }
    let is_cause = |error: &&EngineMessage| {
        let cause = open.iter().find(|open| file(open) == file(error));
        cause.is_none_or(|cause| std::ptr::eq(*cause, *error))
    };
    errors.iter().filter(is_cause).collect()
}

/// The field and the words of an assertion of a layout about a field:
/// `assert(…, message: "`accent` takes a color")`.
fn asserted(message: &str) -> Option<(&str, &str)> {
    let (field, words) = message.strip_prefix("assertion failed: `")?.split_once('`')?;
    Some((field, words.trim_start_matches([':', ' '])))
}

/// The word that begins at a line and a column, both from 1; a character where there is no word.
pub(super) fn word_at(source: &Source, line: u32, column: u32) -> Span {
    let text = source.text();
    let whole = source.lines().span(text, line.max(1));
    let rest = whole.of(text);
    let before: usize = rest.chars().take(column.saturating_sub(1) as usize).map(char::len_utf8).sum();
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let rest = &rest[before..];
    let length = rest.find(|c| !word(c)).unwrap_or(rest.len());
    let length = if length == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { length };
    let start = whole.range().start + before;
    Span::new(start, start + length)
}

/// The fact of a worker that gave no answer.
pub(super) fn stopped(stopped: &Stopped, tree: &Tree) -> Observation {
    let fact = match stopped {
        Stopped::Slow(time) => Observation::about_file("render-too-slow").with("seconds", seconds(*time)),
        Stopped::Large(bytes) => Observation::about_file("render-too-large")
            .with("what", "the memory it takes")
            .with("limit", mib(*bytes)),
        Stopped::Gone(how) => Observation::about_file("renderer-stopped").with("detail", how.as_str()),
        Stopped::Unwanted => Observation::about_file("renderer-stopped").with("detail", stopped.to_string()),
        Stopped::NoWorker(error) => error.fact(),
    };
    at(fact, quill_span(tree))
}

/// The place of the name of the quill, or the start of the document.
pub(super) fn quill_span(tree: &Tree) -> Span {
    tree.at_pointer("/quill/name").map_or(Span::at(0), |name| name.span())
}

pub(super) fn at(fact: Observation, span: Span) -> Observation {
    fact.moved_to(span)
}

fn mib(bytes: u64) -> String {
    format!("{} MiB", bytes.div_ceil(1024 * 1024))
}

/// The path of a file that a layout or a document wants and the bundle does not have.
fn searched(message: &str) -> Option<&str> {
    message.strip_prefix("file not found (searched at ")?.strip_suffix(')')
}

/// A time for people: whole seconds where they are whole.
fn seconds(time: Duration) -> Value {
    if time.subsec_millis() == 0 { time.as_secs().into() } else { time.as_secs_f64().into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_bracket_is_the_only_error_of_its_file() {
        let error = |message: &str, file: &str| EngineMessage {
            stage: Stage::Layout,
            message: message.to_owned(),
            position: Some(FilePosition { file: file.to_owned(), ..FilePosition::default() }),
            ..EngineMessage::default()
        };
        let errors = [
            error("expected comma", "plate.typ"),
            error("unclosed delimiter", "plate.typ"),
            error("unclosed delimiter", "plate.typ"),
            error("unknown variable: x", "other.typ"),
        ];
        let messages: Vec<&str> = causes(&errors).iter().map(|error| error.message.as_str()).collect();
        assert_eq!(messages, ["unclosed delimiter", "unknown variable: x"]);
    }

    #[test]
    fn a_missing_key_is_named() {
        assert_eq!(missing_key("dictionary does not contain key \"bayer\""), Some("bayer"));
        assert_eq!(missing_key("unknown variable: bayer"), None);
    }
}
