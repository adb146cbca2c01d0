use schemars::JsonSchema;
use serde::Deserialize;

/// One value or a list of them.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMany<T> {
    /// A single one.
    One(T),
    /// Several.
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    /// As a list.
    pub fn into_vec(self) -> Vec<T> {
        match self {
            Self::One(one) => vec![one],
            Self::Many(many) => many,
        }
    }
}

impl<T: Clone> OneOrMany<T> {
    /// As a list of copies.
    pub fn to_vec(&self) -> Vec<T> {
        self.clone().into_vec()
    }
}
