use std::collections::HashSet;

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

impl Chosen<'_> {
    /// Whether it is a fix of this finding.
    pub(super) fn is_of(&self, finding: &Diagnostic) -> bool {
        std::ptr::eq(self.diagnostic, finding)
    }
}

/// What a fix was seen to do.
#[derive(Debug, Clone, Default)]
pub(super) struct Effect<'d> {
    /// How many errors it leaves.
    pub(super) errors: usize,
    /// Fingerprints of the other findings that it removes, too.
    pub(super) removes: Vec<&'d str>,
}

/// The fixes that can be applied to `text` together: of every finding that does not follow from another
/// one, the `best` of those that are at least as safe as `least` and were not `refused` before. Safe ones are
/// alone: others wait until none is left. Then come those that leave the fewest errors, then in the order of the text. Of two that touch the
/// same location the later one waits for another round; so do the fix of a finding that another fix removes, and the unsafe
/// fixes of findings that `waits` names.
pub(super) fn choose<'d>(
    text: &str,
    diagnostics: &'d [Diagnostic],
    least: Applicability,
    refused: impl Fn(&Fix) -> bool,
    waits: impl Fn(&Diagnostic) -> bool,
    mut best: impl FnMut(Vec<Chosen<'d>>) -> Option<(Chosen<'d>, Effect<'d>)>,
) -> Vec<Chosen<'d>> {
    let mut candidates: Vec<(Chosen<'d>, Effect<'d>)> = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.suppressed.is_none() && diagnostic.caused_by.is_none())
        .filter_map(|diagnostic| {
            let fixes = diagnostic.fixes.iter();
            let may_come = |fix: &&Fix| fix.applicability == Applicability::Safe || !waits(diagnostic);
            let allowed = fixes.filter(|fix| fix.applicability >= least && !refused(fix)).filter(may_come);
            let with_edits = |fix| Some(Chosen { diagnostic, fix, edits: edits_of(text, fix)? });
            best(allowed.filter_map(with_edits).collect())
        })
        .collect();
    candidates.sort_by_key(|(chosen, effect)| {
        let at = chosen.edits.first().map(|edit| edit.span);
        (std::cmp::Reverse(chosen.fix.applicability), effect.errors, at)
    });
    // What a safe fix removes is not known without trying it.
    if candidates.first().is_some_and(|(chosen, _)| chosen.fix.applicability == Applicability::Safe) {
        candidates.retain(|(chosen, _)| chosen.fix.applicability == Applicability::Safe);
    }
    let mut taken = Taken::default();
    let mut removed: HashSet<&str> = HashSet::new();
    candidates.retain(|(chosen, effect)| {
        let waits = removed.contains(chosen.diagnostic.fingerprint.as_str()) || !taken.take(&chosen.edits);
        if !waits {
            removed.extend(&effect.removes);
        }
        !waits
    });
    let mut candidates: Vec<Chosen<'d>> = candidates.into_iter().map(|(chosen, _)| chosen).collect();
    candidates.sort_by_key(|chosen| chosen.edits.first().map(|edit| edit.span));
    candidates
}

/// The edits of a fix; nothing when it changes nothing or another file, or when the text to replace is not
/// there. Line ends of new text are those of the document.
pub(super) fn edits_of(text: &str, fix: &Fix) -> Option<Vec<Edit>> {
    // Looked for where it matters only: documents are long, and fixes are many.
    let is_crlf = || memchr::memmem::find(text.as_bytes(), b"\r\n").is_some();
    let mut edits = Vec::with_capacity(fix.edits.len());
    for edit in &fix.edits {
        let span = Span { start: edit.byte_start, end: edit.byte_end };
        if edit.file.is_some() || text.get(span.range()) != Some(edit.old.as_str()) {
            return None;
        }
        let new = if edit.new.contains('\n') && is_crlf() {
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
        let edit = FixEdit::new(Span { start, end }, &text[start as usize..end as usize], new);
        let mut diagnostic = Diagnostic::default();
        diagnostic.fixes.push(Fix::new(new, applicability, vec![edit]));
        diagnostic
    }

    fn first<'d>(text: &str, diagnostics: &'d [Diagnostic], least: Applicability) -> Vec<Chosen<'d>> {
        let untried = |fixes: Vec<Chosen<'d>>| Some((fixes.into_iter().next()?, Effect::default()));
        choose(text, diagnostics, least, |_| false, |_| false, untried)
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
    fn the_fix_of_a_finding_that_another_fix_removes_waits() {
        let text = "abcdef";
        let mut diagnostics = [
            diagnostic(text, 0, 1, "follows", Applicability::Unsafe),
            diagnostic(text, 2, 3, "cause", Applicability::Unsafe),
            diagnostic(text, 4, 5, "other", Applicability::Unsafe),
        ];
        for (number, diagnostic) in diagnostics.iter_mut().enumerate() {
            diagnostic.fingerprint = number.to_string();
        }
        let chosen = choose(
            text,
            &diagnostics,
            Applicability::Unsafe,
            |_| false,
            |_| false,
            |fixes| {
                let fix = fixes.into_iter().next()?;
                let is_cause = fix.fix.title == "cause";
                let removes = if is_cause { vec!["0"] } else { Vec::new() };
                Some((fix, Effect { errors: usize::from(!is_cause), removes }))
            },
        );
        let titles: Vec<&str> = chosen.iter().map(|chosen| chosen.fix.title.as_str()).collect();
        assert_eq!(titles, ["cause", "other"]);
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
