//! The few colors that commands use besides reports.

use crate::text::visible_lines;

/// Whether and how text is set off.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    color: bool,
}

impl Style {
    pub(super) fn new(color: bool) -> Self {
        Self { color }
    }

    pub(super) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// A diff with removed lines red and added ones green; hidden characters are escaped.
    pub(super) fn diff(self, text: &str) -> String {
        let text = visible_lines(text);
        let painted = text.split_terminator('\n').map(|line| match line.as_bytes().first() {
            Some(b'+') if !line.starts_with("+++ ") => self.paint("32", line),
            Some(b'-') if !line.starts_with("--- ") => self.paint("31", line),
            Some(b'@') => self.paint("36", line),
            _ => line.to_owned(),
        });
        painted.collect::<Vec<_>>().join("\n")
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}
