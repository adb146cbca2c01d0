use serde_json::Value;

use crate::{
    editor::{Snapshot, symbols},
    protocol::ResponseError,
};

use super::written;

pub(super) fn answer(snapshot: &Snapshot, _: Value) -> Result<String, ResponseError> {
    written(symbols(snapshot))
}
