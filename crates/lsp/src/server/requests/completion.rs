use serde_json::{Value, json};

use crate::{
    editor::{Snapshot, completions},
    protocol::{PositionParams, ResponseError},
};

use super::parsed;

pub(super) fn answer(snapshot: &Snapshot, params: Value) -> Result<Value, ResponseError> {
    let PositionParams { position } = parsed(params)?;
    Ok(json!({"isIncomplete": false, "items": completions(snapshot, position)}))
}
