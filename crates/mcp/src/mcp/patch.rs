//! An agent's changes as byte edits: unified diffs and anchored edits.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::text::{Edit, LineIndex, Span, clip, nearest, visible};

/// A replacement located by the text that it replaces.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AnchoredEdit {
    /// Text to replace, exactly as in the document; empty to insert before `line`.
    pub(super) old: String,
    /// Replacement text.
    pub(super) new: String,
    /// Line on which `old` begins; required if it occurs more than once.
    pub(super) line: Option<u32>,
}

/// The byte edits of all anchored edits, or every error.
pub(super) fn anchored(text: &str, wanted: &[AnchoredEdit]) -> Result<Vec<Edit>, Vec<String>> {
    let lines = LineIndex::new(text);
    let mut edits = Vec::new();
    let mut errors = Vec::new();
    for (index, edit) in wanted.iter().enumerate() {
        match locate(text, &lines, edit) {
            Ok(found) => edits.push(found),
            Err(error) => errors.push(format!("edit {}: {error}", index + 1)),
        }
    }
    if errors.is_empty() { Ok(edits) } else { Err(errors) }
}

fn locate(text: &str, lines: &LineIndex, edit: &AnchoredEdit) -> Result<Edit, String> {
    let count = lines.count() as u32;
    if let Some(line) = edit.line.filter(|line| *line == 0 || *line > count) {
        return Err(format!("`line` is {line}, but the document has lines 1 to {count}"));
    }
    let new = with_line_endings_of(text, &edit.new);
    if edit.old.is_empty() {
        let line = edit.line.ok_or("an insertion (empty `old`) needs a `line`")?;
        return Ok(Edit { span: Span::at(lines.span(text, line).start as usize), new });
    }
    let old = if text.contains(&edit.old) { edit.old.clone() } else { with_line_endings_of(text, &edit.old) };
    let found: Vec<usize> = text.match_indices(&old).map(|(at, _)| at).collect();
    let line_of = |at: &usize| lines.line(*at as u32);
    let at = match (found.as_slice(), edit.line) {
        ([], _) => return Err(not_found(text, &edit.old)),
        ([only], None) => *only,
        (several, None) => {
            let on: Vec<String> = several.iter().take(8).map(|at| line_of(at).to_string()).collect();
            return Err(format!(
                "`old` occurs {} times (lines {}): give `line`",
                several.len(),
                on.join(", ")
            ));
        }
        (several, Some(line)) => {
            let mut on = several.iter().filter(|at| line_of(at) == line);
            match (on.next(), on.next()) {
                (Some(at), None) => *at,
                (Some(_), Some(_)) => {
                    return Err(format!("`old` occurs more than once on line {line}: make it longer"));
                }
                (None, _) => {
                    let on: Vec<String> = several.iter().take(8).map(|at| line_of(at).to_string()).collect();
                    return Err(format!("`old` does not begin on line {line}, but on {}", on.join(", ")));
                }
            }
        }
    };
    Ok(Edit { span: Span::new(at, at + old.len()), new })
}

fn not_found(text: &str, old: &str) -> String {
    let first = old.lines().find(|line| !line.trim().is_empty()).unwrap_or(old);
    let near = nearest(first.trim(), text.lines().map(str::trim).filter(|line| !line.is_empty()));
    let line = near.and_then(|near| text.lines().position(|line| line.trim() == near));
    let shown = visible(&clip(first.trim(), 80)).into_owned();
    // The first line may be there, and the lines after it differ.
    if let Some(at) = text.find(old.lines().next().unwrap_or(old)).filter(|_| old.lines().nth(1).is_some()) {
        let same = old.lines().zip(text[at..].lines()).take_while(|(one, other)| one == other).count().max(1);
        let wanted = visible(&clip(old.lines().nth(same).unwrap_or_default(), 80)).into_owned();
        let found = visible(&clip(text[at..].lines().nth(same).unwrap_or_default(), 80)).into_owned();
        let number = text[..at].matches('\n').count() + same + 1;
        return format!(
            "`old` differs from the document in its line {}: it has `{wanted}`, line {number} is `{found}`",
            same + 1
        );
    }
    match (near, line) {
        (Some(near), Some(line)) => {
            let near = visible(&clip(near, 80)).into_owned();
            format!("`{shown}` is not in the document; line {} is `{near}`", line + 1)
        }
        _ => format!("`{shown}` is not in the document"),
    }
}

/// `new` with the line endings of `text`.
fn with_line_endings_of(text: &str, new: &str) -> String {
    if text.contains("\r\n") && new.contains('\n') {
        new.replace("\r\n", "\n").replace('\n', "\r\n")
    } else {
        new.to_owned()
    }
}

/// One hunk of a unified diff.
#[derive(Debug, Default)]
struct Hunk {
    /// Line (from 1) at which the hunk begins according to the diff.
    start: usize,
    /// Lines, each with its marker.
    lines: Vec<(char, String)>,
}

/// The text after a unified diff of the file `name`, or every reason why it does not apply.
///
/// # Errors
/// What is wrong with the diff, at least one reason.
pub fn patched(text: &str, name: &str, diff: &str) -> Result<String, Vec<String>> {
    let edits = unified(text, name, diff)?;
    crate::text::apply_edits(text, &edits).map_err(|error| vec![error.to_string()])
}

/// The edits of a unified diff of the file `name`, or every error. A diff that names another file is an error. If a hunk does not match at its line number,
/// it is searched for elsewhere: models miscount lines.
pub(super) fn unified(text: &str, name: &str, diff: &str) -> Result<Vec<Edit>, Vec<String>> {
    if let Some(other) = other_file(name, diff) {
        let other = visible(&clip(other, 80)).into_owned();
        return Err(vec![format!("the diff is for `{other}`, not for `{}`", visible(name))]);
    }
    let hunks = hunks(diff).map_err(|error| vec![error])?;
    let spans = line_spans(text);
    let bodies: Vec<&str> = spans.iter().map(|span| span.of(text).trim_end_matches(['\n', '\r'])).collect();
    let mut edits = Vec::new();
    let mut errors = Vec::new();
    let mut from = 0;
    for (index, hunk) in hunks.iter().enumerate() {
        let old: Vec<&str> =
            hunk.lines.iter().filter(|(mark, _)| *mark != '+').map(|(_, line)| line.as_str()).collect();
        match find(&bodies, &old, hunk.start, from) {
            Ok(at) => {
                from = at + old.len();
                edits.extend(hunk.edits(text, &spans, at));
            }
            Err(error) => errors.push(format!("hunk {}: {error}", index + 1)),
        }
    }
    if errors.is_empty() { Ok(edits) } else { Err(errors) }
}

/// The file that the headers of a diff name, unless it is this one or has a name that stands for none. Prefixes such as `a/` and
/// folders before the name do not count.
fn other_file<'d>(name: &str, diff: &'d str) -> Option<&'d str> {
    let headers = diff.lines().take_while(|line| !line.starts_with("@@"));
    let named = headers.filter_map(|line| line.strip_prefix("+++ ").or_else(|| line.strip_prefix("--- ")));
    let mut files = named.map(|file| file.split('\t').next().unwrap_or(file).trim());
    let is_named = name != "<text>" && name != "<stdin>";
    files.find(|file| {
        let bare = file.strip_prefix("a/").or_else(|| file.strip_prefix("b/")).unwrap_or(file);
        let same = bare == name || bare.ends_with(&format!("/{name}")) || name.ends_with(&format!("/{bare}"));
        is_named
            && !same
            && !matches!(bare, "" | "/dev/null" | "a" | "b" | "old" | "new" | "original" | "modified")
    })
}

/// Spans of the lines with their endings; a final line ending does not start another line.
fn line_spans(text: &str) -> Vec<Span> {
    let mut start = 0;
    text.split_inclusive('\n')
        .map(|line| {
            let span = Span::new(start, start + line.len());
            start += line.len();
            span
        })
        .collect()
}

fn hunks(diff: &str) -> Result<Vec<Hunk>, String> {
    let mut hunks: Vec<Hunk> = Vec::new();
    let is_last = |number: usize| diff.lines().skip(number + 1).all(|line| line.trim().is_empty());
    for (number, line) in diff.lines().enumerate() {
        let line = line.trim_end_matches('\r');
        if let Some(header) = line.strip_prefix("@@") {
            hunks.push(Hunk { start: start_of(header), lines: Vec::new() });
            continue;
        }
        let Some(hunk) = hunks.last_mut() else { continue };
        let mut chars = line.chars();
        match chars.next() {
            Some(mark @ (' ' | '+' | '-')) => hunk.lines.push((mark, chars.collect())),
            // An empty context line whose leading space was trimmed.
            None => hunk.lines.push((' ', String::new())),
            Some('\\') => {}
            Some('`' | '*') if ends_diff(line) && is_last(number) => break,
            Some(_) => {
                return Err(format!(
                    "line {} of the diff does not begin with ` `, `+` or `-`: `{}`",
                    number + 1,
                    visible(&clip(line, 60))
                ));
            }
        }
    }
    for hunk in &mut hunks {
        while hunk.lines.last().is_some_and(|(mark, line)| *mark == ' ' && line.is_empty()) {
            hunk.lines.pop();
        }
    }
    hunks.retain(|hunk| hunk.lines.iter().any(|(mark, _)| *mark != ' '));
    if hunks.is_empty() {
        return Err("the diff has no hunk (`@@ -1,3 +1,3 @@`) that changes a line".into());
    }
    Ok(hunks)
}

/// Whether a line ends the fence that models put around a diff, or a patch in another form.
fn ends_diff(line: &str) -> bool {
    line.trim_end() == "```" || line.starts_with("*** End")
}

/// `-12,3 +12,4 @@` begins at line 12; models also write just `@@`.
fn start_of(header: &str) -> usize {
    let number =
        header.trim_start().strip_prefix('-').map(|rest| rest.split([',', ' ']).next().unwrap_or_default());
    number.and_then(|number| number.parse().ok()).unwrap_or_default()
}

/// The index of the first line of `old` in the document: at the line number of the hunk, otherwise at the
/// only match at or after `from`.
fn find(lines: &[&str], old: &[&str], start: usize, from: usize) -> Result<usize, String> {
    let fits = |at: usize, same: fn(&str, &str) -> bool| {
        lines.get(at..at + old.len()).is_some_and(|there| there.iter().zip(old).all(|(a, b)| same(a, b)))
    };
    let exact: fn(&str, &str) -> bool = |a, b| a == b;
    let trimmed: fn(&str, &str) -> bool = |a, b| a.trim_end() == b.trim_end();
    let stated = start.saturating_sub(usize::from(!old.is_empty()));
    if old.is_empty() {
        return if stated <= lines.len() {
            Ok(stated)
        } else {
            Err("it inserts after the last line of the document".into())
        };
    }
    for same in [exact, trimmed] {
        if start > 0 && stated >= from && fits(stated, same) {
            return Ok(stated);
        }
        let found: Vec<usize> = (from..lines.len()).filter(|at| fits(*at, same)).collect();
        match found.as_slice() {
            [] => {}
            [only] => return Ok(*only),
            several => {
                let near = several.iter().min_by_key(|at| at.abs_diff(stated)).copied();
                return match near.filter(|_| start > 0) {
                    Some(at) => Ok(at),
                    None => Err(format!("its lines occur {} times: give the line number", several.len())),
                };
            }
        }
    }
    let missing = old.iter().find(|line| !lines.iter().any(|there| there.trim_end() == line.trim_end()));
    let missing = missing
        .map(|line| format!("; the document does not have the line `{}`", visible(&clip(line.trim(), 80))));
    Err(format!("its context is not in the document{}", missing.unwrap_or_default()))
}

impl Hunk {
    /// The edits of the hunk whose first old line is line `at` (from 0) of the document: one for each
    /// run of changed lines.
    fn edits(&self, text: &str, spans: &[Span], at: usize) -> Vec<Edit> {
        let end_of_line = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let start_of = |line: usize| spans.get(line).map_or(text.len(), |span| span.start as usize);
        let mut edits: Vec<Edit> = Vec::new();
        let mut line = at;
        let mut open: Option<Edit> = None;
        for (mark, body) in &self.lines {
            match mark {
                ' ' => {
                    edits.extend(open.take());
                    line += 1;
                }
                '-' => {
                    let edit = open
                        .get_or_insert_with(|| Edit { span: Span::at(start_of(line)), new: String::new() });
                    line += 1;
                    edit.span.end = start_of(line) as u32;
                }
                _ => {
                    let edit = open
                        .get_or_insert_with(|| Edit { span: Span::at(start_of(line)), new: String::new() });
                    edit.new.push_str(body.trim_end_matches('\r'));
                    edit.new.push_str(end_of_line);
                }
            }
        }
        edits.extend(open);
        for edit in &mut edits {
            preserve_missing_final_line_ending(text, edit, end_of_line);
        }
        edits
    }
}

/// Preserves a missing final line ending, and starts a line appended after it on a new line.
fn preserve_missing_final_line_ending(text: &str, edit: &mut Edit, end_of_line: &str) {
    if text.is_empty() || text.ends_with('\n') || edit.span.end as usize != text.len() {
        return;
    }
    if let Some(body) = edit.new.strip_suffix(end_of_line) {
        edit.new.truncate(body.len());
    }
    if edit.span.is_empty() && !edit.new.is_empty() {
        edit.new.insert_str(0, end_of_line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::apply_edits;

    fn patched(text: &str, diff: &str) -> Result<String, Vec<String>> {
        unified(text, "x", diff).map(|edits| apply_edits(text, &edits).unwrap())
    }

    fn edited(text: &str, old: &str, new: &str, line: Option<u32>) -> Result<String, Vec<String>> {
        let edit = AnchoredEdit { old: old.into(), new: new.into(), line };
        anchored(text, &[edit]).map(|edits| apply_edits(text, &edits).unwrap())
    }

    #[test]
    fn a_diff_preserves_line_endings() {
        let diff = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";
        assert_eq!(patched("a\nb\nc\n", diff).unwrap(), "a\nB\nc\n");
        assert_eq!(patched("a\r\nb\r\nc\r\n", diff).unwrap(), "a\r\nB\r\nc\r\n");
        assert_eq!(patched("a\nb\nc", diff).unwrap(), "a\nB\nc");
    }

    #[test]
    fn a_miscounted_hunk_is_found_by_its_context() {
        let diff = "@@ -9,2 +9,3 @@\n x\n+y\n z\n";
        assert_eq!(patched("a\nx\nz\n", diff).unwrap(), "a\nx\ny\nz\n");
        assert_eq!(patched("a\nx\nz\n", "@@\n-x\n").unwrap(), "a\nz\n");
    }

    #[test]
    fn a_fence_around_a_diff_is_not_part_of_it() {
        assert_eq!(patched("a\nb\n", "```diff\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n```\n").unwrap(), "a\nc\n");
        assert_eq!(patched("a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n*** End Patch\n").unwrap(), "a\nc\n");
        let cut = patched("```\nb\nd\n", "@@ -1,3 +1,3 @@\n```\n-b\n+c\n d\n").unwrap_err();
        assert!(cut[0].contains("does not begin with"), "{cut:?}");
    }

    #[test]
    fn a_line_appended_after_a_missing_final_line_ending_is_a_new_line() {
        assert_eq!(patched("a\nb", "@@ -2 +2,2 @@\n b\n+c\n").unwrap(), "a\nb\nc");
    }

    #[test]
    fn a_diff_that_does_not_match_names_the_missing_line() {
        let errors = patched("a\nb\n", "@@ -1,2 +1,2 @@\n a\n-x\n+y\n").unwrap_err();
        assert_eq!(
            errors,
            ["hunk 1: its context is not in the document; the document does not have the line `x`"]
        );
        assert!(patched("a\n", "no diff at all").is_err());
    }

    #[test]
    fn a_diff_of_another_file_is_refused() {
        let diff = |file: &str| format!("--- a/{file}\n+++ b/{file}\n@@ -1 +1 @@\n-a\n+b\n");
        assert_eq!(
            unified("a\n", "docs/x.md", &diff("y.md")).unwrap_err(),
            ["the diff is for `a/y.md`, not for `docs/x.md`"]
        );
        assert!(unified("a\n", "docs/x.md", &diff("docs/x.md")).is_ok());
        assert!(unified("a\n", "docs/x.md", &diff("x.md")).is_ok());
        assert!(unified("a\n", "<text>", &diff("y.md")).is_ok(), "text without a name");
    }

    #[test]
    fn the_line_of_a_long_old_text_that_differs_is_named() {
        let error =
            edited("steps:\n- id: one\n  type: two\n", "- id: one\n  type: tow", "x", None).unwrap_err();
        assert_eq!(
            error,
            [
                "edit 1: `old` differs from the document in its line 2: it has `  type: tow`, line 3 is `  type: two`"
            ]
        );
    }

    #[test]
    fn an_anchored_edit_must_match_exactly_once() {
        assert_eq!(edited("a b a", "b", "c", None).unwrap(), "a c a");
        assert_eq!(edited("a\nb\na\n", "a", "c", Some(3)).unwrap(), "a\nb\nc\n");
        assert_eq!(edited("a\nb\n", "", "new\n", Some(2)).unwrap(), "a\nnew\nb\n");
        assert_eq!(edited("a\r\nb\r\n", "a\nb", "x\ny", None).unwrap(), "x\r\ny\r\n");
        let errors = [
            edited("a\na\n", "a", "c", None).unwrap_err().remove(0),
            edited("a\nb\n", "b", "c", Some(1)).unwrap_err().remove(0),
            edited("recipient: x\n", "recepient: x", "", None).unwrap_err().remove(0),
            edited("a\n", "", "x", None).unwrap_err().remove(0),
            edited("a\n", "a", "x", Some(9)).unwrap_err().remove(0),
            edited("x\na: a\n", "a", "c", Some(2)).unwrap_err().remove(0),
        ];
        assert_eq!(
            errors,
            [
                "edit 1: `old` occurs 2 times (lines 1, 2): give `line`",
                "edit 1: `old` does not begin on line 1, but on 2",
                "edit 1: `recepient: x` is not in the document; line 1 is `recipient: x`",
                "edit 1: an insertion (empty `old`) needs a `line`",
                "edit 1: `line` is 9, but the document has lines 1 to 2",
                "edit 1: `old` occurs more than once on line 2: make it longer",
            ]
        );
    }
}
