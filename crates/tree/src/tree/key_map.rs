//! Values by the keys of mappings.

use super::node::{Entry, Key, Mark};

/// Values by key. What an entry of a mapping has is found without reading its key.
#[derive(Debug, Clone)]
pub struct KeyMap<T> {
    values: Vec<(Key, T)>,
    /// Positions of the values, counted from 1, at the place of their key or after it; at least half of the places are free.
    places: Vec<u32>,
}

impl<T> Default for KeyMap<T> {
    fn default() -> Self {
        Self { values: Vec::new(), places: vec![0; 2] }
    }
}

impl<T> KeyMap<T> {
    /// Adds a value, or replaces the one of this key.
    pub fn insert(&mut self, key: Key, value: T) {
        if let Some(known) = self.position(key.mark(), |known| *known == key) {
            self.values[known].1 = value;
            return;
        }
        self.values.push((key, value));
        if self.values.len() * 2 > self.places.len() {
            self.places = vec![0; self.places.len() * 2];
            for position in 0..self.values.len() {
                self.place(position);
            }
        } else {
            self.place(self.values.len() - 1);
        }
    }

    /// Notes where a value is.
    fn place(&mut self, position: usize) {
        let last = self.places.len() - 1;
        let mut at = self.values[position].0.mark().spread() & last;
        while self.places[at] != 0 {
            at = (at + 1) & last;
        }
        self.places[at] = position as u32 + 1;
    }

    /// The value of the key of an entry.
    #[inline]
    pub fn of(&self, entry: Entry<'_>) -> Option<&T> {
        let position = self.position(entry.mark(), |key| entry.has(key))?;
        Some(&self.values[position].1)
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&T> {
        let mark = Mark::of(key.as_bytes());
        let position = self.position(mark, |known| known.mark() == mark && **known == *key)?;
        Some(&self.values[position].1)
    }

    /// Whether there is a value of a key.
    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// The values, in the order in which their keys were added.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.values.iter().map(|(_, value)| value)
    }

    /// The position of the value with a key of this mark that is the same.
    #[inline]
    fn position(&self, mark: Mark, is_same: impl Fn(&Key) -> bool) -> Option<usize> {
        let last = self.places.len() - 1;
        let mut at = mark.spread() & last;
        loop {
            let position = self.places[at].checked_sub(1)? as usize;
            if is_same(&self.values[position].0) {
                return Some(position);
            }
            at = (at + 1) & last;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::HashMap, sync::Arc};

    use super::{super::TreeBuilder, *};
    use crate::{
        text::{Source, Span},
        tree::{KeyType, Scalar},
    };

    #[test]
    fn values_are_found_by_entries_and_by_keys() {
        let long = |number: usize| format!("begin{}end", number * 7919);
        let names = (0..300).map(|number| if number % 2 == 0 { number.to_string() } else { long(number) });
        let names: Vec<String> = names.chain([String::new(), "a".to_owned(), "é".to_owned()]).collect();
        let mut builder = TreeBuilder::new(Arc::new(Source::new("t", "")));
        builder.open_mapping(Span::at(0));
        for name in &names {
            builder.key(name, Span::at(0), KeyType::String);
            builder.scalar(Scalar::Null, Span::at(0));
        }
        builder.close(None);
        let tree = builder.finish();
        let (mut map, mut other) = (KeyMap::default(), HashMap::new());
        for count in 0..names.len() {
            for entry in tree.root().entries() {
                let expected = other.get(entry.key());
                assert_eq!((map.of(entry), map.get(entry.key())), (expected, expected), "{}", entry.key());
                assert_eq!(map.contains_key(entry.key()), expected.is_some());
            }
            // Some keys get another value.
            for name in [&names[count], &names[count / 2]] {
                map.insert(Key::new(name.as_str()), count);
                other.insert(name.as_str(), count);
            }
        }
    }
}
