use serde_json::{Value, json};

use crate::{
    editor::{Snapshot, completions},
    protocol::{PositionParams, ResponseError},
};

use super::{parsed, written};

pub(super) fn answer(snapshot: &Snapshot, params: Value) -> Result<String, ResponseError> {
    let PositionParams { position } = parsed(params)?;
    written(json!({"isIncomplete": false, "items": completions(snapshot, position)}))
}
