use serde_json::Value;

use crate::{
    editor::{Snapshot, folds},
    protocol::ResponseError,
};

use super::written;

pub(super) fn answer(snapshot: &Snapshot, _: Value) -> Result<String, ResponseError> {
    written(folds(snapshot))
}
