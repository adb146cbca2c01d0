//! Results in pages.

use std::fmt::Debug;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::files::OrgError;
use crate::text::Fingerprint;

/// Which part of the results to give.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Page {
    /// Most results, at most 200.
    pub limit: Option<usize>,
    /// `nextCursor` of the answer before, for the results after those. The other arguments stay the same.
    pub cursor: Option<String>,
}

/// Most results of a page for agents.
pub const PAGE: usize = 200;

/// A part of the results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<T> {
    /// The results.
    pub items: Vec<T>,
    /// How many there are altogether.
    pub total: usize,
    /// Where the next part begins; absent for the last one.
    pub next: Option<String>,
}

/// Where a page begins: after the result with this key. Keys, unlike positions, stay what they are while files change.
pub(super) struct Start<K> {
    query: String,
    /// Most results.
    pub(super) limit: usize,
    /// Key of the last result before; nothing at the beginning.
    pub(super) after: Option<K>,
}

impl Page {
    /// A page with all results.
    pub fn all() -> Self {
        Self { limit: Some(usize::MAX), cursor: None }
    }

    /// Where the page of a query begins.
    ///
    /// # Errors
    /// [`OrgError::Invalid`] for a cursor of another query.
    pub(super) fn start<K: DeserializeOwned>(
        &self,
        query: &impl Debug,
        most: usize,
    ) -> Result<Start<K>, OrgError> {
        let query = Fingerprint::new().add(&format!("{query:?}")).hex();
        let read = |cursor: &String| {
            let json = URL_SAFE_NO_PAD.decode(cursor).ok()?;
            let (of, key): (String, K) = serde_json::from_slice(&json).ok()?;
            (of == query).then_some(key)
        };
        let bad = || OrgError::invalid("`cursor` is not the `nextCursor` of an answer to these arguments");
        let after = self.cursor.as_ref().map(|cursor| read(cursor).ok_or_else(bad)).transpose()?;
        let limit = self.limit.unwrap_or(most);
        if limit == 0 {
            return Err(OrgError::invalid("`limit` is 0"));
        }
        Ok(Start { query, limit, after })
    }
}

impl<K: Serialize> Start<K> {
    /// The cursor for what is after the result with a key.
    pub(super) fn cursor(&self, key: &K) -> String {
        URL_SAFE_NO_PAD.encode(serde_json::to_vec(&(&self.query, key)).unwrap_or_default())
    }
}
