//! What editors ask of the text of a document besides its tree: words of the language, names, and what may come next.
//! Kinds with a grammar know it; it is found only where it is asked for.

use crate::{
    peg::{Ahead, Continuation as Found, Grammar, Reading, Trials},
    syntax::mapping::{NameRule, names},
    text::Span,
};

/// What an editor asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EditorQuestions {
    /// The words of the language and the names, as [`Lexeme`]s.
    pub lexemes: bool,
    /// Only the names among them.
    pub names: bool,
    /// What may come at this byte of the file, as [`Continuation`]s.
    pub cursor: Option<u32>,
    /// What there is to say about parts that are not wrong, as [`Remark`]s.
    pub remarks: bool,
}

/// A part of the text that means something by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lexeme {
    /// Where the part is in the file.
    pub span: Span,
    /// What it is the name of, such as `node`; nothing for a word of the language.
    pub name_of: Option<String>,
}

/// Something to say about a part of a document that is not wrong, such as how many examples of a rule pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// Where the part that the remark is about is in the file.
    pub span: Span,
    /// What to say.
    pub text: String,
}

/// What may come next in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Continuation {
    /// A word of the language, with the form of the statement that it begins; the form may be empty.
    Word {
        /// The word.
        word: String,
        /// The statement.
        form: String,
        /// How much of the text would not be read with it, in bytes; 0 where that was not tried.
        unread: u32,
    },
    /// An arrow or another mark between names.
    Connector(String),
    /// A name of something.
    NameOf {
        /// What it is the name of, such as `node`.
        of: String,
        /// How much of the text would not be read with such a name, in bytes; 0 where that was not tried.
        unread: u32,
    },
}

impl Continuation {
    /// A word that begins nothing.
    pub(crate) fn word(word: impl Into<String>) -> Self {
        Self::Word { word: word.into(), form: String::new(), unread: 0 }
    }

    fn name_of(of: &str) -> Self {
        Self::NameOf { of: of.to_owned(), unread: 0 }
    }
}

/// A name that stands for one that is still to be chosen.
const SOME_NAME: &str = "name";

/// Bytes of text up to which words are tried.
pub(crate) const TRIED: usize = 20_000;

/// Reads text with different words in one place, for what a grammar does not read of it.
struct Unread<'g>(Trials<'g>);

impl<'g> Unread<'g> {
    fn new(grammar: &'g Grammar, start: &str) -> Self {
        Self(Trials::new(grammar, start, is_wrong))
    }

    /// How many bytes of the text are in parts that say what is wrong.
    fn bytes(&mut self, text: &str) -> u32 {
        let Some(wrong) = self.0.read(text) else { return u32::MAX };
        wrong.iter().map(|found| found.span.len() as u32 + 1).sum()
    }

    /// Notes for words and names how much of the text would not be read with them; `with` gives the text with a word.
    fn measure(mut self, all: &mut [Continuation], with: impl Fn(&str) -> String) {
        for one in all {
            let (word, unread) = match one {
                Continuation::Word { word, unread, .. } => (word.as_str(), unread),
                Continuation::NameOf { unread, .. } => (SOME_NAME, unread),
                Continuation::Connector(_) => continue,
            };
            let text = with(word);
            if text.len() > TRIED {
                return;
            }
            *unread = self.bytes(&text);
        }
    }
}

/// How many bytes of one text are in parts that say what is wrong.
pub(crate) fn unread_bytes(grammar: &Grammar, start: &str, text: &str) -> u32 {
    let Ok(reading) = Reading::new(grammar, start, text) else { return u32::MAX };
    let wrong = reading.all().filter(|part| is_wrong(part.rule()));
    wrong.map(|part| part.span().len() as u32 + 1).sum()
}

/// Whether the matches of a rule say what is wrong.
fn is_wrong(rule: &str) -> bool {
    rule == "unread" || rule.starts_with("err_")
}

/// A grammar with what descriptions say about its words and names.
pub(crate) struct Language<'g> {
    pub(crate) grammar: &'g Grammar,
    /// The rule that reads a whole text.
    pub(crate) start: &'g str,
    pub(crate) names: &'g [NameRule],
    /// Words that begin statements, with the form of the statement.
    pub(crate) statements: &'g [(&'g str, &'g str)],
    pub(crate) connectors: &'g [&'g str],
}

impl Language<'_> {
    /// The names of what was read, and the words where they are asked for, with spans of its text.
    pub(crate) fn lexemes(&self, reading: &Reading<'_, '_>, asked: EditorQuestions) -> Vec<Lexeme> {
        let words = if asked.lexemes { self.grammar.words(self.start, reading.text()) } else { Vec::new() };
        let words = words.into_iter();
        let words = words.map(|span| Lexeme { span, name_of: None });
        let has_letter = |span: &Span| span.of(reading.text()).contains(char::is_alphanumeric);
        let names = names(self.names, reading).into_iter().filter(|(_, span)| has_letter(span));
        let names = names.map(|(of, span)| Lexeme { span, name_of: Some(of.to_owned()) });
        let mut all: Vec<Lexeme> = names.chain(words).collect();
        all.sort_by_key(|lexeme| (lexeme.span.start, lexeme.name_of.is_none()));
        // A word of the language can be a part of a name.
        let mut end = 0;
        all.retain(|lexeme| {
            let is_free = lexeme.span.start >= end;
            end = end.max(lexeme.span.end);
            is_free
        });
        all
    }

    /// What may come after this text; `with` gives the whole text with a word there.
    pub(crate) fn continuations(&self, before: &str, with: impl Fn(&str) -> String) -> Vec<Continuation> {
        let mut all = Vec::new();
        let unread = self.grammar.rule("unread");
        let ahead = Ahead::new(self.grammar, self.start, before, unread);
        for found in ahead.found() {
            let found = match found.clone() {
                Found::Text(word) if word.starts_with(char::is_alphabetic) => {
                    let known = self.statements.iter().find(|(known, _)| known.eq_ignore_ascii_case(&word));
                    // Where uppercase and lowercase letters are the same, the usual spelling counts.
                    let (word, form) = known.map_or((word, String::new()), |(known, form)| {
                        ((*known).to_owned(), (*form).to_owned())
                    });
                    Continuation::Word { word, form, unread: 0 }
                }
                Found::Text(_) => continue,
                // A list of names can be one match.
                Found::Rest { rule, within } => {
                    let is_next = |name: &&NameRule| {
                        name.fits(rule, within)
                            && name.separator.is_some_and(|separator| before.ends_with(separator))
                    };
                    match self.names.iter().find(is_next) {
                        Some(name) => Continuation::name_of(&name.of),
                        None => continue,
                    }
                }
                Found::Rule { rule, within } => {
                    match self.names.iter().find(|name| name.fits(rule, within)) {
                        Some(name) => Continuation::name_of(&name.of),
                        None => continue,
                    }
                }
            };
            if !all.contains(&found) {
                all.push(found);
            }
        }
        Unread::new(self.grammar, self.start).measure(&mut all, with);
        let connectors = self.connectors.iter().filter(|mark| ahead.goes_on_after(mark));
        all.extend(connectors.map(|mark| Continuation::Connector((*mark).to_owned())));
        all
    }
}
