use serde_json::{Value, json};

use crate::{
    editor::{Snapshot, tokens},
    protocol::ResponseError,
};

use super::written;

pub(super) fn answer(snapshot: &Snapshot, _: Value) -> Result<String, ResponseError> {
    written(json!({"data": tokens(snapshot)}))
}
