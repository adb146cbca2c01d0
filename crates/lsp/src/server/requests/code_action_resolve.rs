use serde_json::Value;

use crate::{
    editor::{Snapshot, resolve},
    protocol::{ErrorCode, ResponseError},
};

use super::{failure, written};

pub(super) fn answer(snapshot: &Snapshot, action: Value) -> Result<String, ResponseError> {
    let version = action.pointer("/data/version").and_then(Value::as_i64);
    if version.is_some_and(|version| version != i64::from(snapshot.version)) {
        return Err(failure(
            ErrorCode::ContentModified,
            "the document has changed since the action was offered",
        ));
    }
    let resolved = resolve(snapshot, action).map_err(|why| failure(ErrorCode::RequestFailed, why))?;
    written(resolved)
}
