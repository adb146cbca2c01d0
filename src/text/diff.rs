//! What differs between two versions of a document, by lines.

use std::time::Duration;

use similar::TextDiff;

/// How long the least difference is looked for; what is found by then is a difference, too. For versions that have no
/// line in common, the time grows with the square of their size.
const PATIENCE: Duration = Duration::from_millis(250);

/// The difference as `diff -u` writes it, with this many lines around each change and the names of both versions.
pub(crate) fn unified(before: &str, after: &str, around: usize, names: Option<[&str; 2]>) -> String {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(before, after);
    let mut unified = diff.unified_diff();
    unified.context_radius(around);
    if let Some([old, new]) = names {
        unified.header(old, new);
    }
    unified.to_string()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn versions_without_a_line_in_common_are_compared_in_time() {
        let text =
            |start: usize| (start..start + 60_000).map(|n| format!("{}\n", n * 7919 % 1_000_003)).collect();
        let (before, after): (String, String) = (text(0), text(60_000));
        let started = Instant::now();
        let diff = unified(&before, &after, 2, None);
        assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
        assert_eq!(diff.lines().filter(|line| line.starts_with('-')).count(), 60_000);
    }

    #[test]
    fn a_change_is_shown_between_the_lines_around_it() {
        let diff = unified("a\nb\nc\nd\n", "a\nb\nC\nd\n", 1, Some(["old", "new"]));
        assert_eq!(diff, "--- old\n+++ new\n@@ -2,3 +2,3 @@\n b\n-c\n+C\n d\n");
    }
}
