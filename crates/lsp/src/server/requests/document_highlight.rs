use serde_json::Value;

use crate::{
    editor::{Snapshot, highlights},
    protocol::{PositionParams, ResponseError},
};

use super::{parsed, written};

pub(super) fn answer(snapshot: &Snapshot, params: Value) -> Result<String, ResponseError> {
    let PositionParams { position } = parsed(params)?;
    written(highlights(snapshot, position))
}
