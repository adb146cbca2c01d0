use std::collections::BTreeMap;

use serde_json::Value;

/// An option that documents of a kind are read with, besides those that all kinds have.
#[derive(Debug, Clone, Copy)]
pub struct KindOption {
    /// Its name: lower case, words joined by `_`.
    pub name: &'static str,
    /// What it sets, in one sentence.
    pub description: &'static str,
    /// The value where none is set.
    pub default: fn() -> Value,
}

/// Values of options that kinds declare. A kind ignores the options of others.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KindOptions(BTreeMap<String, Value>);

impl KindOptions {
    /// Sets an option; `null` sets its default.
    #[must_use]
    pub fn with(mut self, option: &KindOption, value: impl Into<Value>) -> Self {
        match value.into() {
            Value::Null => self.0.remove(option.name),
            value => self.0.insert(option.name.to_owned(), value),
        };
        self
    }

    /// The value that is set.
    pub fn get(&self, option: &KindOption) -> Option<&Value> {
        self.0.get(option.name)
    }
}
