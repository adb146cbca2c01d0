//! Definitions, and the links that name them.

use std::{collections::HashSet, ops::Range};

use super::{
    blocks::{Blocks, Definition, Undefined},
    lines::Part,
    links::{LinkForm, normalized},
};
use crate::budget;

impl Blocks<'_> {
    /// Marks the lines of definitions, and adds those whose name an earlier one has: the parser leaves them out.
    pub(super) fn find_definitions(&mut self) {
        for definition in &mut self.definitions {
            let end = definition.range.start + self.text[definition.range.clone()].trim_end().len();
            definition.range.end = end;
            let lines = self.lines.at(definition.range.start)..self.lines.at(end.saturating_sub(1)) + 1;
            self.lines.mark(lines, Part::DEFINITION);
        }
        if !self.definitions.is_empty() {
            for line in budget::within(self.lines.first()..self.lines.count()) {
                let repeated = self.lines.is_free(line).then(|| repeated(self.lines.text(line))).flatten();
                if let Some((from, name)) = repeated {
                    let range = self.lines.range(line);
                    self.lines.mark(line..line + 1, Part::DEFINITION);
                    let range = range.start + from..range.start + self.text[range].trim_end().len();
                    let definition = Definition { range, name, target: String::new(), repeated: true };
                    budget::push(&mut self.definitions, definition);
                }
            }
        }
        self.definitions.sort_by_key(|definition| definition.range.start);
        let mut seen = HashSet::new();
        for definition in &mut self.definitions {
            definition.repeated = !seen.insert(definition.name.clone());
        }
    }

    /// Adds the notes that are referred to and defined nowhere.
    pub(super) fn find_undefined_notes(&mut self) {
        let defined: HashSet<&str> =
            self.definitions.iter().map(|definition| definition.name.as_str()).collect();
        let notes = self.inlines.notes.iter().map(|(range, name)| Undefined {
            range: range.clone(),
            form: LinkForm::Shortcut,
            name: format!("^{}", normalized(name)),
        });
        let missing: Vec<Undefined> =
            budget::within(notes).filter(|note| !defined.contains(note.name.as_str())).collect();
        self.undefined.extend(missing);
    }

    /// The names of definitions that links, images and notes use.
    pub(super) fn used_names(&self) -> HashSet<String> {
        let links = self.inlines.links.iter().filter(|link| link.form.is_reference());
        let links = links.map(|link| normalized(link.reference(self.text)));
        let notes = self.inlines.notes.iter().map(|(_, name)| format!("^{}", normalized(name)));
        budget::within(links.chain(notes)).collect()
    }

    /// The target of the definition that a link names.
    pub(super) fn target_of(&self, name: &str) -> Option<&Definition> {
        self.definitions.iter().find(|definition| definition.name == name)
    }

    /// The lines of comments in HTML, blocks and pieces of lines.
    pub(super) fn comments(&self) -> Vec<Range<usize>> {
        let text = self.text;
        let mut found = Vec::new();
        let mut at = self.front_matter.end;
        while let Some(open) = memchr::memmem::find(&text.as_bytes()[at..], b"<!--").map(|next| at + next) {
            let Some(close) = text[open + 2..].find("-->").map(|next| open + 2 + next + 3) else { break };
            budget::push(&mut found, open..close);
            at = close;
        }
        found
    }
}

/// The name of a definition that begins a line, with the offset of its bracket.
fn repeated(line: &str) -> Option<(usize, String)> {
    let rest = line.trim_start_matches([' ', '\t', '>']);
    let label = rest.strip_prefix('[')?;
    let bytes = label.as_bytes();
    let end = (0..bytes.len()).find(|at| bytes[*at] == b']' && (*at == 0 || bytes[at - 1] != b'\\'))?;
    let name = normalized(&label[..end]);
    (label[end + 1..].starts_with(':') && !name.is_empty()).then(|| (line.len() - rest.len(), name))
}
