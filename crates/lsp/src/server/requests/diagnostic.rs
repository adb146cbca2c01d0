use serde_json::{Value, json};

use crate::{editor::Snapshot, protocol::ResponseError};

#[expect(clippy::unnecessary_wraps, reason = "methods have one form")]
pub(super) fn answer(snapshot: &Snapshot, params: Value) -> Result<Value, ResponseError> {
    let Some(checked) = &snapshot.checked else { return Ok(json!({"kind": "full", "items": []})) };
    let id = &checked.result_id;
    let is_known = params.get("previousResultId").and_then(Value::as_str) == Some(id);
    Ok(if is_known {
        json!({"kind": "unchanged", "resultId": id})
    } else {
        json!({"kind": "full", "resultId": id, "items": checked.diagnostics})
    })
}
