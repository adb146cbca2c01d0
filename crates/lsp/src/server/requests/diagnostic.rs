use serde_json::{Value, json};

use crate::{editor::Snapshot, protocol::ResponseError};

use super::written;

pub(super) fn answer(snapshot: &Snapshot, params: Value) -> Result<String, ResponseError> {
    let Some(checked) = &snapshot.checked else { return written(json!({"kind": "full", "items": []})) };
    let id = &checked.result_id;
    if params.get("previousResultId").and_then(Value::as_str) == Some(id) {
        return written(json!({"kind": "unchanged", "resultId": id}));
    }
    // The findings are most of the bytes of the answer for a large document: they are written once.
    Ok(format!(r#"{{"kind":"full","resultId":{},"items":{}}}"#, json!(id), checked.diagnostics))
}
