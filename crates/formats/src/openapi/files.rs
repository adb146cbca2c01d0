//! The files that references of a description lead to.

use std::collections::BTreeMap;

use crate::{
    text::{SourceId, joined},
    tree::NodeId,
};

/// The files that references lead to.
#[derive(Default)]
pub(super) struct Files {
    /// By the path relative to the description's folder: the value of the file, or why it could not be read.
    pub(super) by_path: BTreeMap<String, Result<NodeId, String>>,
    /// The path of each source; the first is the description.
    pub(super) paths: Vec<String>,
}

impl Files {
    /// The path that `file` names in the source with this number.
    pub(super) fn path(&self, source: SourceId, file: &str) -> String {
        let own = self.paths.get(usize::from(source.0)).map_or("", String::as_str);
        joined(own.rfind('/').map_or("", |at| &own[..at]), file)
    }
}
