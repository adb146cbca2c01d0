//! The open documents, with the text that the client has.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use crate::{
    budget::Once,
    editor::{Checked, Reading},
    protocol::{ContentChange, OpenedDocument, RequestId, Uri, editor_position},
    text::{ColumnUnit, EditorLines},
};

use super::requests::Answer;

/// An open document.
pub(super) struct Document {
    pub(super) uri: Uri,
    pub(super) path: Option<PathBuf>,
    pub(super) language: Arc<str>,
    pub(super) version: i32,
    pub(super) text: Arc<String>,
    pub(super) lines: Arc<EditorLines>,
    /// Changes with the text and with what else results depend on.
    pub(super) revision: u64,
    /// The result of this revision.
    pub(super) checked: Option<Arc<Checked>>,
    /// This revision as it was read, once a question needs it.
    pub(super) read: Arc<Once<Option<Reading>>>,
    /// The files that it includes or refers to, as far as the last result shows.
    pub(super) reads: Vec<Uri>,
    /// Whether rules compare it with all documents of its project.
    pub(super) is_compared: bool,
    /// When its result is out of date since another document has changed that it is compared with.
    pub(super) again: Option<Instant>,
    /// What ends the validation that runs.
    pub(super) running: Option<Arc<AtomicBool>>,
    /// When the next validation is to begin.
    pub(super) due: Option<Instant>,
    pub(super) changed: Option<Instant>,
    /// Requests that need the result.
    pub(super) waiting: Vec<Waiting>,
}

/// A request that waits for the result of a document.
pub(super) struct Waiting {
    pub(super) id: RequestId,
    pub(super) params: serde_json::Value,
    pub(super) answer: Answer,
    pub(super) cancelled: Arc<AtomicBool>,
    pub(super) version: i32,
    /// Whether the answer is about the newest version, whichever was there when the client asked.
    pub(super) any_version: bool,
}

impl Document {
    /// `revision` differs from those of all documents before, so that their results are not taken for its own.
    pub(super) fn new(opened: OpenedDocument, revision: u64, unit: ColumnUnit) -> Self {
        let OpenedDocument { uri, language_id, version, text } = opened;
        Self {
            path: crate::uri::path_of(&uri),
            uri,
            language: language_id.into(),
            version,
            lines: Arc::new(EditorLines::new(&text, unit)),
            text: Arc::new(text),
            revision,
            checked: None,
            read: Arc::default(),
            reads: Vec::new(),
            is_compared: false,
            again: None,
            running: None,
            due: None,
            changed: None,
            waiting: Vec::new(),
        }
    }

    /// Applies changes, each to the text that the one before it left.
    pub(super) fn change(&mut self, version: i32, changes: Vec<ContentChange>) {
        for ContentChange { range, text: new } in changes {
            let text = Arc::make_mut(&mut self.text);
            match range {
                None => *text = new,
                Some(range) => {
                    let start = self.lines.offset(text, editor_position(range.start)) as usize;
                    let end = self.lines.offset(text, editor_position(range.end)) as usize;
                    text.replace_range(start..end.max(start), &new);
                }
            }
            self.lines = Arc::new(EditorLines::new(text, self.lines.unit()));
        }
        self.version = version;
        self.supersede();
    }

    /// Makes the result out of date, and ends the validation that runs.
    pub(super) fn supersede(&mut self) {
        self.revision += 1;
        self.checked = None;
        self.read = Arc::default();
        if let Some(running) = &self.running {
            running.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        protocol::{PositionOf, Range},
        text::EditorPosition,
    };

    const UNITS: [ColumnUnit; 3] = [ColumnUnit::Utf8, ColumnUnit::Utf16, ColumnUnit::Utf32];

    /// The position of a character, counted without an index.
    fn position(text: &str, at: usize, unit: ColumnUnit) -> EditorPosition {
        let before = &text[..at];
        let (mut line, mut start) = (0, 0);
        for (index, byte) in before.bytes().enumerate() {
            let next = text.as_bytes().get(index + 1);
            if byte == b'\n' || (byte == b'\r' && next != Some(&b'\n')) {
                (line, start) = (line + 1, index + 1);
            }
        }
        let rest = &before[start..];
        let column = match unit {
            ColumnUnit::Utf8 => rest.len(),
            ColumnUnit::Utf16 => rest.encode_utf16().count(),
            ColumnUnit::Utf32 => rest.chars().count(),
        };
        EditorPosition { line, column: column as u32 }
    }

    /// The boundaries of characters that a client can name: not inside `\r\n`.
    fn boundaries(text: &str) -> Vec<usize> {
        let all = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        all.filter(|at| !(text[*at..].starts_with('\n') && text[..*at].ends_with('\r'))).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_048))]

        #[test]
        fn client_and_server_have_the_same_text_after_any_edits(
            first in "(\u{FEFF})?[a-z é😀\u{301}\r\n]{0,40}",
            edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), "(\r\n|\r|\n|[a-zé😀\u{301}👩\u{200D}]){0,6}"), 1..24),
        ) {
            for unit in UNITS {
                let mut client = first.clone();
                let opened = OpenedDocument {
                    uri: Uri("file:///a.md".into()),
                    language_id: "markdown".into(),
                    version: 0,
                    text: first.clone(),
                };
                let mut document = Document::new(opened, 0, unit);
                for (version, (from, to, new)) in edits.iter().enumerate() {
                    let places = boundaries(&client);
                    let (a, b) = (places[from.index(places.len())], places[to.index(places.len())]);
                    let (start, end) = (a.min(b), a.max(b));
                    let place = |at| PositionOf::from(position(&client, at, unit)).0;
                    let range = Some(Range { start: place(start), end: place(end) });
                    client.replace_range(start..end, new);
                    document.change(version as i32, vec![ContentChange { range, text: new.clone() }]);
                    prop_assert_eq!(document.text.as_str(), client.as_str());
                }
            }
        }
    }
}
