//! How numbers are written: as numbers, letters or Roman numbers, from a first one on.

use std::collections::HashMap;

use super::Context;
use crate::metadata::Metadata;

/// A way to write numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Arabic,
    /// Letters from this one on.
    Alpha(char),
    Roman {
        upper: bool,
    },
}

impl Style {
    /// Reads `arabic`, `alpha x`, `roman i`.
    fn read(text: &str) -> Self {
        let (name, first) = text.split_once(' ').unwrap_or((text, ""));
        let first = first.trim().chars().next();
        match name.trim() {
            "alpha" => Self::Alpha(first.filter(char::is_ascii_alphabetic).unwrap_or('a')),
            "roman" => Self::Roman { upper: first.is_some_and(char::is_uppercase) },
            _ => Self::Arabic,
        }
    }

    fn write(self, number: u32) -> String {
        match self {
            Self::Arabic => number.to_string(),
            Self::Alpha(first) => {
                let base = if first.is_ascii_uppercase() { b'A' } else { b'a' };
                let index = u32::from(first as u8 - base) + number - 1;
                let letter = char::from(base + (index % 26) as u8);
                letter.to_string().repeat(index as usize / 26 + 1)
            }
            Self::Roman { upper } => {
                let text = roman(number);
                if upper { text.to_uppercase() } else { text }
            }
        }
    }
}

fn roman(mut number: u32) -> String {
    const STEPS: [(u32, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    let mut out = String::new();
    for (value, text) in STEPS {
        while number >= value && out.len() < 64 {
            out.push_str(text);
            number -= value;
        }
    }
    out
}

/// How the numbers of each kind are written.
pub(super) struct Labels {
    styles: HashMap<String, Style>,
    all: Style,
    sub: Style,
}

impl Labels {
    pub(super) fn of(context: &Context<'_>) -> Self {
        let read = |metadata: &Metadata, key: &str| metadata.text(key).map(Style::read);
        let metadata = context.metadata;
        let mut styles = HashMap::new();
        for kind in ["fig", "tbl", "lst", "eq", "thm", "sec"] {
            if let Some(style) = read(metadata, &format!("crossref.{kind}-labels")) {
                styles.insert(kind.to_owned(), style);
            }
        }
        let all = read(metadata, "crossref.labels").unwrap_or(Style::Arabic);
        let sub = read(metadata, "crossref.subref-labels").unwrap_or(Style::Alpha('a'));
        Self { styles, all, sub }
    }

    pub(super) fn number(&self, kind: &str, number: u32) -> String {
        self.styles.get(kind).copied().unwrap_or(self.all).write(number)
    }

    /// The number of a figure within a figure.
    pub(super) fn sub(&self, number: u32) -> String {
        self.sub.write(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_three_ways() {
        let written = |style: &str| [1, 4, 27].map(|number| Style::read(style).write(number)).join(" ");
        assert_eq!(written("arabic"), "1 4 27");
        assert_eq!(written("alpha x"), "x aa xx");
        assert_eq!(written("alpha A"), "A D AA");
        assert_eq!(written("roman i"), "i iv xxvii");
        assert_eq!(written("roman I"), "I IV XXVII");
    }
}
