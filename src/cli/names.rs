//! Arguments whose values shells can complete: formats and rules.

use std::ffi::OsStr;

use clap::{
    Arg, Command, Error,
    builder::{PossibleValue, StringValueParser, TypedValueParser},
};

use crate::{budget::Once, rules::Ruleset};

/// Reads names of rules. Shells complete the built-in ones; packs have others.
#[derive(Debug, Clone, Copy)]
pub(super) struct RuleName;

impl TypedValueParser for RuleName {
    type Value = String;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        static IDS: Once<Vec<String>> = Once::new();
        let ids = || Ruleset::builtin().rules().iter().map(|rule| rule.id.clone()).collect();
        Some(Box::new(IDS.get_or_init(ids).iter().map(|id| PossibleValue::new(id.as_str()))))
    }
}

/// Reads a value by a function that says what is wrong with it. Shells complete the names.
#[derive(Clone)]
pub(super) struct Named<T> {
    pub(super) read: fn(&str) -> Result<T, String>,
    pub(super) names: fn() -> Vec<&'static str>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Named<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<T, Error> {
        self.read.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter().map(PossibleValue::new)))
    }
}
