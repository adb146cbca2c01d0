use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};

/// Strings by number, in the order in which they came. They are kept while the table is; see [`super::Table::is_overgrown`].
#[derive(Debug, Clone)]
pub(super) struct Symbols {
    numbers: HashMap<Arc<str>, u32>,
    strings: Vec<Arc<str>>,
}

impl Symbols {
    /// Knows the empty string, with the number 0.
    pub(super) fn new() -> Self {
        let mut symbols = Self { numbers: HashMap::new(), strings: Vec::new() };
        symbols.number("");
        symbols
    }

    /// The number of a string.
    pub(super) fn number(&mut self, string: &str) -> u32 {
        if let Some(number) = self.numbers.get(string) {
            return *number;
        }
        let (number, string) = (self.strings.len() as u32, Arc::<str>::from(string));
        self.strings.push(Arc::clone(&string));
        self.numbers.insert(string, number);
        number
    }

    /// The number of a string that is known.
    pub(super) fn find(&self, string: &str) -> Option<u32> {
        self.numbers.get(string).copied()
    }

    /// The strings, by number.
    pub(super) fn strings(&self) -> impl ExactSizeIterator<Item = &str> {
        self.strings.iter().map(AsRef::as_ref)
    }
}
