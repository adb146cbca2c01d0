use serde_json::Value;

use crate::{
    editor::{Snapshot, references},
    protocol::{PositionParams, ResponseError},
};

use super::{parsed, written};

pub(super) fn answer(snapshot: &Snapshot, params: Value) -> Result<String, ResponseError> {
    let declarations = params.pointer("/context/includeDeclaration").and_then(Value::as_bool).unwrap_or(true);
    let PositionParams { position } = parsed(params)?;
    written(references(snapshot, position, declarations))
}
