//! Markdown on its way to the engine: what the engine would drop or print as it is typed becomes something
//! that it carries, and `typst/page.typ` makes of that what was meant.

mod dollars;
mod edits;
mod html;
mod reader;
mod scope;
mod urls;

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    fmt::Write as _,
};

use proofmark_render_protocol::{DocumentPath, EngineMessage, Format, Root, Stage, Step};
use pulldown_cmark::Options;
use serde_json::{Value, json};

use self::scope::Scope;
use crate::{diagram, mark};

/// What the engine reads, and what is made into something that it reads.
const OPTIONS: Options = Options::ENABLE_STRIKETHROUGH
    .union(Options::ENABLE_TABLES)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_MATH)
    .union(Options::ENABLE_HEADING_ATTRIBUTES)
    .union(Options::ENABLE_DEFINITION_LIST)
    .union(Options::ENABLE_GFM);

/// Where files of a document go in a bundle.
pub(crate) const FOLDER: &str = "assets/proofmark";

/// The import that layouts read their data through.
const HELPER: &str = "@local/quillmark-helper:0.2.0";

/// What layouts import in its place; as long, so that positions stay what they are.
const PAGE: &str = "/proofmark/quillmark-page.typ";

const PAGE_SOURCE: &str = include_str!("../../typst/page.typ");

/// The rules by which a page places pictures and the like.
const PLACING: &str = "proofmark/placing.typ";

/// How the engine begins what it says about a font by which a layout reports something.
const NO_SUCH_FONT: &str = "unknown font family: proofmark ";

/// The field of a document with its parts that have a place of their own.
const PIECES: &str = "proofmark_pieces";

/// The field of a document with what its marks refer to. It is data as everything else of the document, so that the sources of the
/// layout are the same for all documents without files of their own.
const PLACED: &str = "proofmark_placed";

/// A picture that the client sent.
pub(crate) struct Sent {
    pub(crate) extension: String,
    pub(crate) bytes: Vec<u8>,
}

/// Where a picture is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In a paragraph of its own.
    Alone,
    /// In a line of text.
    Line,
    /// In a cell of a table.
    Cell,
}

impl Place {
    fn of(alone: bool) -> Self {
        if alone { Self::Alone } else { Self::Line }
    }

    /// How layouts call it.
    fn name(self) -> &'static str {
        match self {
            Self::Alone => "alone",
            Self::Line => "line",
            Self::Cell => "cell",
        }
    }
}

/// What a document needs besides its text.
#[derive(Default)]
pub(crate) struct Preparation {
    /// The pictures that the client sent, by target.
    pictures: BTreeMap<String, Sent>,
    /// What the document becomes.
    format: Format,
    /// Files of the document by path in the bundle.
    files: BTreeMap<String, Vec<u8>>,
    /// What marks refer to by number.
    placed: Vec<Value>,
    /// Parts of the text that the engine has no place for where they are, as Markdown: marks refer to them by number.
    pieces: Vec<String>,
    /// The Markdown that pieces are from, with the number of pieces at its end.
    origins: Vec<(usize, String)>,
    /// The pieces that are not read yet, by number.
    unread: VecDeque<(usize, String)>,
    /// Headings that links lead to, by id.
    anchors: HashMap<String, Value>,
    /// How often each text of a heading occurred.
    headings: HashMap<String, usize>,
    /// Diagrams that were drawn, by source: the path of their file.
    drawn: HashMap<String, Result<String, String>>,
    remarks: Vec<EngineMessage>,
    used: bool,
}

impl Preparation {
    pub(crate) fn new(pictures: BTreeMap<String, Sent>, format: Format) -> Self {
        Self { pictures, format, ..Self::default() }
    }

    /// Puts a file where the layout looks for it.
    pub(crate) fn add_file(&mut self, path: String, bytes: Vec<u8>) {
        self.used = true;
        self.files.insert(path, bytes);
    }

    /// The Markdown that the engine gets.
    pub(crate) fn markdown(&mut self, text: &str) -> String {
        let (written, former) = (text, self.pieces.len());
        let clean = mark::without(text);
        let text = clean.as_deref().unwrap_or(text);
        let money = dollars::escaped(text);
        let text = money.as_deref().unwrap_or(text);
        let mut scope = Scope::of(text);
        let result = reader::read(text, self, &mut scope);
        // Pieces can have pieces of their own.
        while let Some((number, text)) = self.unread.pop_front() {
            let piece = reader::read(&text, self, &mut scope);
            piece.trim_end().clone_into(&mut self.pieces[number]);
        }
        if self.pieces.len() > former {
            self.origins.push((self.pieces.len(), written.to_owned()));
        }
        result
    }

    /// The number of a part of the text that gets a place of its own.
    fn piece(&mut self, text: String) -> usize {
        self.used = true;
        let number = self.next_piece();
        self.pieces.push(String::new());
        self.unread.push_back((number, text));
        number
    }

    /// The mark of a formula, which is a piece without marks.
    fn formula(&mut self, source: String) -> String {
        let number = self.next_piece();
        self.pieces.push(source);
        self.mark("formula", number)
    }

    fn next_piece(&self) -> usize {
        self.pieces.len()
    }

    /// Adds the parts that have a place of their own to a document, and what its marks refer to.
    pub(crate) fn add_parts(&self, manifest: &mut Value, document: &mut Value) {
        let content = json!({"type": "richtext", "multiline": true});
        manifest["main"]["fields"][PIECES] = json!({"type": "array", "items": content});
        document["fields"][PIECES] = json!(self.pieces);
        manifest["main"]["fields"][PLACED] = json!({"type": "text"});
        let placed = json!({"placed": self.placed, "anchors": self.anchors});
        document["fields"][PLACED] = ascii(&placed).into();
    }

    /// Whether the document has files of its own, which the layout looks for.
    pub(crate) fn has_files(&self) -> bool {
        !self.files.is_empty()
    }

    /// Whether the layout needs the rules of `page.typ`.
    pub(crate) fn is_used(&self) -> bool {
        self.used || !self.anchors.is_empty()
    }

    /// The paths of files that were put where the layout looks for them.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Says in terms of the document what the engine says in those of its preparation: a piece is a part of some Markdown, and what
    /// does not fit arrives as a remark on a font (`reported` in `typst/layout.typ`).
    pub(crate) fn explain(&self, message: &mut EngineMessage) {
        if let Some(origin) = message.path.as_ref().and_then(|path| self.origin(path)) {
            (message.path, message.content) = (None, Some(origin.to_owned()));
        }
        let Some((what, words)) =
            message.message.strip_prefix(NO_SUCH_FONT).and_then(|rest| rest.split_once(": "))
        else {
            return;
        };
        let number = words.parse::<usize>().ok().filter(|_| what == "diagram");
        let placed = number.and_then(|number| self.placed.get(number));
        let source = placed.and_then(|piece| piece["source"].as_str()).unwrap_or(words).to_owned();
        *message = EngineMessage {
            stage: Stage::Value,
            code: "proofmark::does_not_fit".to_owned(),
            construct: Some(what.to_owned()),
            content: Some(source),
            ..EngineMessage::default()
        };
    }

    /// The Markdown that the piece at a path is from.
    fn origin(&self, path: &DocumentPath) -> Option<&str> {
        let (Root::Main, [Step::Field(name), Step::Item(piece), ..]) = (&path.root, path.steps.as_slice())
        else {
            return None;
        };
        let (_, written) = self.origins.iter().find(|(end, _)| piece < end).filter(|_| name == PIECES)?;
        Some(written)
    }

    /// Takes the remarks about what could not be done.
    pub(crate) fn take_remarks(&mut self) -> Vec<EngineMessage> {
        std::mem::take(&mut self.remarks)
    }

    /// Adds the files of the document to those of a bundle, and puts the rules between its layouts and the
    /// engine's helper.
    pub(crate) fn add_to(&self, files: &mut BTreeMap<String, Vec<u8>>) {
        for (_, bytes) in files.iter_mut().filter(|(path, _)| !path.starts_with("packages/")) {
            if let Some(text) = std::str::from_utf8(bytes).ok().filter(|text| text.contains(HELPER)) {
                *bytes = text.replace(HELPER, PAGE).into_bytes();
            }
        }
        files.insert(PAGE.trim_start_matches('/').to_owned(), PAGE_SOURCE.as_bytes().to_vec());
        let placing = if self.format == Format::Html {
            include_str!("../../typst/placing-html.typ")
        } else {
            include_str!("../../typst/placing-pages.typ")
        };
        files.insert(PLACING.to_owned(), placing.as_bytes().to_vec());
        files.extend(self.files.iter().map(|(path, bytes)| (path.clone(), bytes.clone())));
    }

    /// Keeps what a mark refers to, and returns the mark.
    fn place(&mut self, kind: &str, what: Value) -> String {
        self.used = true;
        self.placed.push(what);
        mark::mark(kind, self.placed.len() - 1)
    }

    fn mark(&mut self, kind: &str, argument: impl std::fmt::Display) -> String {
        self.used = true;
        mark::mark(kind, argument)
    }

    /// The mark of a picture that the client sent.
    fn picture(&mut self, target: &str, alt: &str, title: &str, place: Place) -> Option<String> {
        let Sent { extension, bytes } = self.pictures.get(target)?;
        let path = format!("{FOLDER}/{}.{extension}", number(target));
        self.files.insert(path.clone(), bytes.clone());
        // Only what has a place of its own has a caption.
        let both = format!("{alt} {title}");
        let (alt, title) = if place == Place::Alone { (alt, title) } else { (both.trim(), "") };
        let what = json!({"path": format!("/{path}"), "alt": alt, "title": title, "place": place.name()});
        Some(self.place("picture", what))
    }

    /// The mark of a diagram, where it can be drawn.
    fn diagram(&mut self, source: &str) -> Option<String> {
        let path = match self.drawn.get(source) {
            Some(known) => known.clone(),
            None => {
                let drawn = diagram::draw(source).map(|svg| {
                    let path = format!("{FOLDER}/diagram-{}.svg", self.drawn.len());
                    let svg = if self.format == Format::Html { diagram::for_browsers(&svg) } else { svg };
                    self.files.insert(path.clone(), svg.into_bytes());
                    path
                });
                self.drawn.insert(source.to_owned(), drawn.clone());
                drawn
            }
        };
        match path {
            Ok(path) => {
                let what = json!({
                    "path": format!("/{path}"), "alt": alternative(source), "title": "", "place": "alone",
                    "source": source,
                });
                Some(self.place("diagram", what))
            }
            Err(reason) => {
                self.remarks.push(EngineMessage {
                    stage: Stage::Value,
                    code: "proofmark::diagram_not_drawn".to_owned(),
                    message: reason,
                    content: Some(source.to_owned()),
                    ..EngineMessage::default()
                });
                None
            }
        }
    }

    /// Notes a heading, with the ids that links may name it by.
    fn heading(&mut self, id: Option<&str>, text: &str) {
        let count = self.headings.entry(text.to_owned()).or_default();
        let nth = *count;
        *count += 1;
        let slug = slug(text);
        let by_slug = if nth == 0 { slug } else { format!("{slug}-{nth}") };
        let target = json!({"text": text, "nth": nth});
        for id in id.into_iter().chain([by_slug.as_str()]) {
            self.anchors.entry(id.to_owned()).or_insert_with(|| target.clone());
        }
    }
}

/// What a diagram says to those who do not see it: its title and description for them, else its source.
fn alternative(source: &str) -> String {
    let value = |key: &str| {
        let rest = source
            .lines()
            .find_map(|line| line.trim_start().strip_prefix(key)?.trim_start().strip_prefix(':'));
        rest.map(|value| value.trim().to_owned())
    };
    let block = || {
        let start = source.find("accDescr")? + "accDescr".len();
        let inner = source[start..].trim_start().strip_prefix('{')?;
        Some(inner[..inner.find('}')?].split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let parts: Vec<String> =
        [value("accTitle"), value("accDescr").or_else(block)].into_iter().flatten().collect();
    if parts.is_empty() { source.trim().to_owned() } else { parts.join(": ") }
}

/// JSON whose letters are those of ASCII, so that nothing on its way to the layout changes them.
fn ascii(value: &Value) -> String {
    let mut result = String::new();
    for c in value.to_string().chars() {
        if c.is_ascii() {
            result.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(result, "\\u{unit:04x}");
            }
        }
    }
    result
}

/// The id that GitHub gives a heading.
fn slug(text: &str) -> String {
    let kept = text.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>().to_lowercase()
}

/// A number that stands for a name.
fn number(name: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
