use super::Span;

/// Replaces the bytes of `span` with `new`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// The bytes to replace; empty for an insertion.
    pub span: Span,
    /// The replacement; empty for a deletion.
    pub new: String,
}

/// Edits that cannot be applied together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// Two edits change the same bytes.
    #[error("two edits change the same bytes, {}..{}", .0.start, .0.end)]
    Overlap(Span),
    /// An edit extends past the end of the text or starts or ends inside a character.
    #[error("an edit at {}..{} does not fit the text", .0.start, .0.end)]
    OutOfBounds(Span),
}

/// Applies edits to `text`, all of them or none; edits at the same position keep their order.
///
/// # Errors
/// [`EditError`] if two edits overlap or one is out of bounds.
pub fn apply_edits(text: &str, edits: &[Edit]) -> Result<String, EditError> {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| edit.span);
    let mut out = String::with_capacity(text.len() + sorted.iter().map(|e| e.new.len()).sum::<usize>());
    let mut done = 0;
    for edit in sorted {
        if (edit.span.start as usize) < done {
            return Err(EditError::Overlap(edit.span));
        }
        let kept = text.get(done..edit.span.start as usize);
        let (Some(kept), Some(_)) = (kept, text.get(edit.span.range())) else {
            return Err(EditError::OutOfBounds(edit.span));
        };
        out.push_str(kept);
        out.push_str(&edit.new);
        done = edit.span.end as usize;
    }
    out.push_str(&text[done..]);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start: usize, end: usize, new: &str) -> Edit {
        Edit { span: Span::new(start, end), new: new.into() }
    }

    #[test]
    fn edits_apply_in_text_order() {
        let edited = apply_edits("a-b-c", &[edit(4, 5, "C"), edit(0, 1, "A"), edit(2, 2, "+")]);
        assert_eq!(edited.as_deref(), Ok("A-+b-C"));
    }

    #[test]
    fn overlapping_and_out_of_bounds_edits_are_rejected() {
        assert_eq!(
            apply_edits("abc", &[edit(0, 2, ""), edit(1, 3, "")]),
            Err(EditError::Overlap(Span::new(1, 3)))
        );
        assert_eq!(apply_edits("é", &[edit(1, 2, "")]), Err(EditError::OutOfBounds(Span::new(1, 2))));
    }
}
