use serde_json::{Value, json};

use crate::{
    editor::{Snapshot, tokens},
    protocol::ResponseError,
};

#[expect(clippy::unnecessary_wraps, reason = "methods have one form")]
pub(super) fn answer(snapshot: &Snapshot, _: Value) -> Result<Value, ResponseError> {
    Ok(json!({"data": tokens(snapshot)}))
}
