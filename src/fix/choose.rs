use crate::{
    diagnostic::{Applicability, Diagnostic, Fix},
    text::{Edit, Span},
};

/// A fix that is to be applied.
#[derive(Debug, Clone)]
pub struct Chosen<'d> {
    /// The finding that it fixes.
    pub diagnostic: &'d Diagnostic,
    /// The fix.
    pub fix: &'d Fix,
    /// Its edits, made for the text.
    pub edits: Vec<Edit>,
}

/// The fixes that can be applied to `text` together: of every finding that does not follow from another
/// one, the `best` of those that are at least as safe as `least` and were not `refused` before, safe ones
/// before others, then in the order of the text. Of two that touch the same location the later one waits
/// for another round.
pub(super) fn choose<'d>(
    text: &str,
    diagnostics: &'d [Diagnostic],
    least: Applicability,
    refused: impl Fn(&Fix) -> bool,
    mut best: impl FnMut(Vec<Chosen<'d>>) -> Option<Chosen<'d>>,
) -> Vec<Chosen<'d>> {
    let mut candidates: Vec<Chosen<'d>> = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.suppressed.is_none() && diagnostic.caused_by.is_none())
        .filter_map(|diagnostic| {
            let fixes = diagnostic.fixes.iter();
            let allowed = fixes.filter(|fix| fix.applicability >= least && !refused(fix));
            let with_edits = |fix| Some(Chosen { diagnostic, fix, edits: edits_of(text, fix)? });
            best(allowed.filter_map(with_edits).collect())
        })
        .collect();
    candidates.sort_by_key(|chosen| {
        (std::cmp::Reverse(chosen.fix.applicability), chosen.edits.first().map(|edit| edit.span))
    });
    let mut taken = Taken::default();
    candidates.retain(|chosen| taken.take(&chosen.edits));
    candidates.sort_by_key(|chosen| chosen.edits.first().map(|edit| edit.span));
    candidates
}

/// The edits of a fix; nothing when it changes nothing or another file, or when the text to replace is not
/// there. Line ends of new text are those of the document.
pub(super) fn edits_of(text: &str, fix: &Fix) -> Option<Vec<Edit>> {
    let crlf = text.contains("\r\n");
    let mut edits = Vec::with_capacity(fix.edits.len());
    for edit in &fix.edits {
        let span = Span { start: edit.byte_start, end: edit.byte_end };
        if edit.file.is_some() || text.get(span.range()) != Some(edit.old.as_str()) {
            return None;
        }
        let new = if crlf && edit.new.contains('\n') {
            edit.new.replace("\r\n", "\n").replace('\n', "\r\n")
        } else {
            edit.new.clone()
        };
        if new != edit.old {
            edits.push(Edit { span, new });
        }
    }
    edits.sort();
    (!edits.is_empty()).then_some(edits)
}

/// Places that are edited already, in the order of the text.
#[derive(Debug, Default)]
struct Taken(std::collections::BTreeMap<u32, u32>);

impl Taken {
    /// Takes the places of all edits, or none when one is taken already.
    fn take(&mut self, edits: &[Edit]) -> bool {
        if edits.iter().any(|edit| self.conflicts(edit.span)) {
            return false;
        }
        self.0.extend(edits.iter().map(|edit| (edit.span.start, edit.span.end)));
        true
    }

    /// Whether a span shares a byte with a taken one, or an insertion touches one.
    fn conflicts(&self, span: Span) -> bool {
        let before = self.0.range(..=span.start).next_back();
        let after = self.0.range(span.start..).next();
        before.into_iter().chain(after).any(|(start, end)| {
            let insertion = span.is_empty() || start == end;
            if insertion {
                *start <= span.end && span.start <= *end
            } else {
                *start < span.end && span.start < *end
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::FixEdit;

    fn diagnostic(text: &str, start: u32, end: u32, new: &str, applicability: Applicability) -> Diagnostic {
        let edit = FixEdit {
            byte_start: start,
            byte_end: end,
            old: text[start as usize..end as usize].into(),
            new: new.into(),
            file: None,
        };
        let fix = Fix { id: String::new(), title: new.into(), applicability, edits: vec![edit] };
        Diagnostic { fixes: vec![fix], ..Diagnostic::default() }
    }

    fn first<'d>(text: &str, diagnostics: &'d [Diagnostic], least: Applicability) -> Vec<Chosen<'d>> {
        choose(text, diagnostics, least, |_| false, |fixes| fixes.into_iter().next())
    }

    fn titles(text: &str, diagnostics: &[Diagnostic], least: Applicability) -> Vec<String> {
        first(text, diagnostics, least).iter().map(|chosen| chosen.fix.title.clone()).collect()
    }

    #[test]
    fn of_two_fixes_for_one_place_the_safer_one_is_taken() {
        let text = "abcdef";
        let diagnostics = [
            diagnostic(text, 0, 3, "unsafe", Applicability::Unsafe),
            diagnostic(text, 2, 4, "safe", Applicability::Safe),
            diagnostic(text, 4, 6, "beside", Applicability::Safe),
        ];
        assert_eq!(titles(text, &diagnostics, Applicability::Unsafe), ["safe", "beside"]);
        assert_eq!(titles(text, &diagnostics[..1], Applicability::Safe), [""; 0]);
    }

    #[test]
    fn two_insertions_at_one_place_wait_for_each_other() {
        let text = "ab";
        let diagnostics = [
            diagnostic(text, 1, 1, "x", Applicability::Safe),
            diagnostic(text, 1, 1, "y", Applicability::Safe),
            diagnostic(text, 1, 2, "z", Applicability::Safe),
        ];
        assert_eq!(titles(text, &diagnostics, Applicability::Safe), ["x"]);
    }

    #[test]
    fn a_fix_for_another_text_is_left_out() {
        let mut diagnostics = [diagnostic("ab", 0, 1, "x", Applicability::Safe)];
        assert_eq!(titles("zb", &diagnostics, Applicability::Safe), [""; 0]);
        diagnostics[0].fixes[0].edits[0].byte_end = 9;
        assert_eq!(titles("ab", &diagnostics, Applicability::Safe), [""; 0]);
    }

    #[test]
    fn line_ends_that_come_are_those_of_the_text() {
        let text = "a\r\nb";
        let diagnostics = [diagnostic(text, 0, 1, "x\ny", Applicability::Safe)];
        let chosen = first(text, &diagnostics, Applicability::Safe);
        assert_eq!(chosen[0].edits[0].new, "x\r\ny");
    }
}
