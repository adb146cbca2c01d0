//! Active timestamps in text, which the agenda shows.

use crate::kinds::org::Timestamp;

/// The active timestamps and ranges in text that Org reads: not in comments, keywords, fixed-width lines, and
/// verbatim blocks.
pub(super) fn active(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut blocks = Blocks { text, line: 0, is_open: false };
    let mut after = 0;
    for at in memchr::memchr_iter(b'<', text.as_bytes()) {
        // The second one of a range is a part of it.
        if at < after {
            continue;
        }
        let Some(stamp) = Timestamp::read(&text[at..]).filter(|stamp| stamp.start.diary.is_none()) else {
            continue;
        };
        after = at + stamp.text.len();
        if !blocks.hide(at) {
            found.push(stamp.text);
        }
    }
    found
}

/// Which lines are verbatim, from the first to the last.
struct Blocks<'t> {
    text: &'t str,
    /// Begin of the line that is looked at next.
    line: usize,
    is_open: bool,
}

impl Blocks<'_> {
    /// Whether what is at an offset, which is after those before, is not read as text.
    fn hide(&mut self, at: usize) -> bool {
        loop {
            let line = self.text[self.line..].split('\n').next().unwrap_or_default();
            let unindented = line.trim_start_matches([' ', '\t']);
            if at < self.line + line.len() + 1 {
                let is_other = ["# ", "#+", ": "].iter().any(|mark| unindented.starts_with(mark));
                return self.is_open || is_other;
            }
            let is_mark = |mark: &str| {
                let named = unindented.get(..mark.len()).filter(|start| start.eq_ignore_ascii_case(mark));
                let name = named.map(|_| unindented[mark.len()..].to_ascii_lowercase()).unwrap_or_default();
                ["src", "example", "export", "comment"].iter().any(|known| name.starts_with(known))
            };
            if is_mark("#+begin_") {
                self.is_open = true;
            } else if is_mark("#+end_") {
                self.is_open = false;
            }
            self.line += line.len() + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::active;

    #[test]
    fn timestamps_are_found_where_org_reads_them() {
        let text = "Talk <2026-11-23 Mon 15:00> a < b\n# <2026-11-24 Tue>\n: <2026-11-24 Tue>\n#+begin_src x\n<2026-11-25 Wed>\n#+end_src\n<2026-11-26 Thu>--<2026-11-28 Sat> [2026-11-27 Fri] <%%(x)>";
        assert_eq!(active(text), ["<2026-11-23 Mon 15:00>", "<2026-11-26 Thu>--<2026-11-28 Sat>"]);
        assert!(active("").is_empty());
    }
}
