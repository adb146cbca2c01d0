//! Names of the document that would be references at the cursor. In text, such as that of Markdown, no schema says where a name
//! can be, so names are written there, and the rules say whether they look at them.

use std::collections::{HashMap, HashSet};

use crate::{
    budget,
    engine::Survey,
    kinds::EditorQuestions,
    project::Subject,
    text::{SourceId, Span},
};

use super::{Candidate, Sort, rank::Slot};

/// Most names that are tried.
const TRIED: usize = 40;

/// Steps that trying names may take.
const STEPS: u64 = 2_000_000;

/// Most names of a sort that are proposed.
const MOST: usize = 200;

/// The names that would be references in a slot. Names of the same sort that begin alike are references in the same places, so
/// one of them is tried.
pub(super) fn candidates(subject: &Subject<'_>, slot: &Slot, word: Span) -> Vec<Candidate> {
    let begun = budget::spent().steps;
    let survey = survey(subject, &slot.with(""));
    let mut tried: HashMap<(&str, &str), bool> = HashMap::new();
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    for name in survey.names.iter().filter(|name| name.declares) {
        let of = name.of.as_deref().unwrap_or_default();
        let prefix = name.name.split_once('-').map_or("", |(prefix, _)| prefix);
        if !seen.insert(name.name.as_str()) || all.len() >= MOST {
            continue;
        }
        let may_try = tried.len() < TRIED && budget::spent().steps - begun < STEPS;
        let is_one = *tried
            .entry((of, prefix))
            .or_insert_with(|| may_try && is_reference(subject, slot, word, &name.name));
        if is_one {
            let (text, detail) = (name.name.clone(), of.replace('_', " "));
            all.push(Candidate {
                text,
                sort: Sort::Variable,
                detail,
                description: None,
                required: false,
                unread: 0,
            });
        }
    }
    all
}

fn survey(subject: &Subject<'_>, text: &str) -> Survey {
    subject.survey(&subject.read_text(text, EditorQuestions::default()), None)
}

/// Whether the rules take a name in the slot for a reference to what has the name.
fn is_reference(subject: &Subject<'_>, slot: &Slot, word: Span, name: &str) -> bool {
    let survey = survey(subject, &slot.with(name));
    let written = Span::new(word.start as usize, word.start as usize + name.len());
    let here = survey.names.iter().find(|one| {
        one.source == SourceId(0)
            && one.name == name
            && one.span.start <= written.start
            && one.span.end >= written.end
    });
    here.is_some_and(|here| {
        let mut same = survey.names.iter().filter(|one| one.symbol == here.symbol && one.span != here.span);
        !here.declares && same.any(|one| one.declares)
    })
}
