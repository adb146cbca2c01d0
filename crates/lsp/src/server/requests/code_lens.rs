use serde_json::Value;

use crate::{
    editor::{Snapshot, lenses},
    protocol::ResponseError,
};

use super::written;

pub(super) fn answer(snapshot: &Snapshot, _: Value) -> Result<String, ResponseError> {
    written(lenses(snapshot))
}
