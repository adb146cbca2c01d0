//! Where blocks, drawers and LaTeX environments can end.

use std::collections::HashMap;

use super::lines::{Line, Lines};

/// What a closing line closes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Closes {
    /// `#+end_NAME`; the name in lower case.
    Block(String),
    /// `#+END:`
    Dynamic,
    /// `:END:`
    Drawer,
    /// `\end{NAME}`
    Latex(String),
}

impl Closes {
    /// The block of this name.
    pub(super) fn block(name: &str) -> Self {
        Self::Block(name.to_ascii_lowercase())
    }

    fn of(line: Line<'_>) -> Option<Self> {
        match line.unindented().as_bytes().first()? {
            b'#' if line.is_dynamic_end() => Some(Self::Dynamic),
            b'#' => line.block_end().map(Self::block),
            b':' => line.is_drawer_end().then_some(Self::Drawer),
            b'\\' => line.latex_end().map(|name| Self::Latex(name.to_owned())),
            _ => None,
        }
    }
}

/// The closing lines of a document, so that looking for one never walks over the text again.
#[derive(Debug, Default)]
pub(super) struct Ends {
    /// Offsets of lines, ascending.
    starts: HashMap<Closes, Vec<usize>>,
}

impl Ends {
    pub(super) fn read(lines: Lines<'_>) -> Self {
        let mut starts: HashMap<Closes, Vec<usize>> = HashMap::new();
        for line in lines {
            if let Some(closes) = Closes::of(line) {
                starts.entry(closes).or_default().push(line.start);
            }
        }
        Self { starts }
    }

    /// The first closing line at or after `from` and before `limit`.
    pub(super) fn find(&self, closes: &Closes, from: usize, limit: usize) -> Option<usize> {
        let starts = self.starts.get(closes)?;
        let first = *starts.get(starts.partition_point(|start| *start < from))?;
        (first < limit).then_some(first)
    }
}
