//! What differs between two versions of a document, by lines.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, Hunk, InternedInput, Interner, Token};

/// The difference as `diff -u` writes it, with this many lines around each change and the names of both versions. The
/// hunks are empty if nothing changes.
pub fn unified(before: &str, after: &str, around: u32, names: Option<[&str; 2]>) -> String {
    let input = InternedInput::new(before, after);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let text = names.map(|[old, new]| format!("--- {old}\n+++ {new}\n")).unwrap_or_default();
    let mut shown = Shown { input: &input, around, text };
    let mut near: Vec<Hunk> = Vec::new();
    for hunk in diff.hunks() {
        if near.last().is_some_and(|last| hunk.before.start - last.before.end > 2 * around) {
            shown.add(&near);
            near.clear();
        }
        near.push(hunk);
    }
    shown.add(&near);
    shown.text
}

/// The bytes of the lines that differ, in both versions.
pub fn changed_lines(before: &str, after: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let input = InternedInput::new(before, after);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let (old, new) = (line_starts(before), line_starts(after));
    let bytes =
        |starts: &[usize], lines: Range<u32>| starts[lines.start as usize]..starts[lines.end as usize];
    diff.hunks().map(|hunk| (bytes(&old, hunk.before), bytes(&new, hunk.after))).collect()
}

/// Where each line begins, and where the text ends.
fn line_starts(text: &str) -> Vec<usize> {
    let ends = text.split_inclusive('\n').scan(0, |end, line| {
        *end += line.len();
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}

/// Hunks as they are shown.
struct Shown<'i, 't> {
    input: &'i InternedInput<&'t str>,
    around: u32,
    text: String,
}

impl Shown<'_, '_> {
    /// Adds changes that are so near to each other that the lines around them meet.
    fn add(&mut self, changes: &[Hunk]) {
        let (Some(first), Some(last)) = (changes.first(), changes.last()) else { return };
        let count = self.input.before.len() as u32;
        let start = first.before.start.saturating_sub(self.around);
        let end = last.before.end.saturating_add(self.around).min(count);
        let after =
            first.after.start - (first.before.start - start)..last.after.end + (end - last.before.end);
        let header = format!("@@ -{} +{} @@\n", lines(&(start..end)), lines(&after));
        self.text.push_str(&header);
        let mut at = start;
        let Self { input, text, .. } = self;
        for change in changes {
            write(text, &input.interner, ' ', part(&input.before, at..change.before.start));
            write(text, &input.interner, '-', part(&input.before, change.before.clone()));
            write(text, &input.interner, '+', part(&input.after, change.after.clone()));
            at = change.before.end;
        }
        write(text, &input.interner, ' ', part(&input.before, at..end));
    }
}

fn part(lines: &[Token], range: Range<u32>) -> &[Token] {
    &lines[range.start as usize..range.end as usize]
}

/// The first of some lines, from 1, and how many they are. Where there is none, the line before counts.
fn lines(range: &Range<u32>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        count => format!("{},{count}", range.start + 1),
    }
}

/// Writes lines with their mark.
fn write(text: &mut String, known: &Interner<&str>, mark: char, lines: &[Token]) {
    for token in lines {
        let line = known[*token];
        text.push(mark);
        text.push_str(line);
        if !line.ends_with('\n') {
            text.push_str("\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_shown_between_the_lines_around_them() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let names = Some(["old", "new"]);
        let one = unified(before, &before.replace('d', "D"), 1, names);
        assert_eq!(one, "--- old\n+++ new\n@@ -3,3 +3,3 @@\n c\n-d\n+D\n e\n");
        let both = unified(before, &before.replace('a', "A").replace('h', "H"), 1, None);
        assert_eq!(both, "@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -7,2 +7,2 @@\n g\n-h\n+H\n");
        assert_eq!(unified(before, before, 3, None), "");
    }

    #[test]
    fn a_file_may_be_empty_or_lack_the_last_line_ending() {
        assert_eq!(unified("", "x\n", 3, None), "@@ -0,0 +1 @@\n+x\n");
        assert_eq!(unified("x\n", "", 3, None), "@@ -1 +0,0 @@\n-x\n");
        let missing = "\\ No newline at end of file\n";
        let expected = format!("@@ -1 +1,2 @@\n-x\n{missing}+x\n+y\n{missing}");
        assert_eq!(unified("x", "x\ny", 3, None), expected);
    }

    #[test]
    fn versions_without_a_line_in_common_are_compared() {
        let text =
            |start: usize| (start..start + 60_000).map(|n| format!("{}\n", n * 7919 % 1_000_003)).collect();
        let (before, after): (String, String) = (text(0), text(60_000));
        let diff = unified(&before, &after, 2, None);
        assert_eq!(diff.lines().filter(|line| line.starts_with('-')).count(), 60_000);
    }

    #[test]
    fn the_hunks_of_any_change_give_the_new_text() {
        let mut state = 1_u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        for _ in 0..500 {
            let before: Vec<String> = (0..random(40)).map(|_| format!("{}\n", random(9))).collect();
            let mut after = before.clone();
            for _ in 0..random(4) {
                let at = random(after.len() as u32 + 1) as usize;
                if random(2) == 0 || at == after.len() {
                    after.insert(at, format!("{}\n", random(9)));
                } else {
                    after.remove(at);
                }
            }
            let (before, after) = (before.concat(), after.concat());
            let diff = unified(&before, &after, random(4), None);
            assert_eq!(patched(&before, &diff), after, "{diff}");
        }
    }

    /// `before` with the hunks of a diff applied at the lines that they name.
    fn patched(before: &str, diff: &str) -> String {
        let old: Vec<&str> = before.split_inclusive('\n').collect();
        let (mut at, mut new) = (0, String::new());
        for line in diff.split_inclusive('\n') {
            if let Some(header) = line.strip_prefix("@@ -") {
                let numbers = header.split(' ').next().unwrap();
                let (start, count) = numbers.split_once(',').unwrap_or((numbers, "1"));
                let start = start.parse::<usize>().unwrap() - usize::from(count != "0");
                new.extend(old[at..start].iter().copied());
                at = start;
            } else if let Some(line) = line.strip_prefix('+') {
                new.push_str(line);
            } else {
                assert_eq!(&line[1..], old[at], "{diff}");
                if line.starts_with(' ') {
                    new.push_str(old[at]);
                }
                at += 1;
            }
        }
        new.extend(old[at..].iter().copied());
        new
    }
}
