use serde_json::Value;

use crate::{
    editor::{Snapshot, selections},
    protocol::{PositionsParams, ResponseError},
};

use super::{parsed, written};

pub(super) fn answer(snapshot: &Snapshot, params: Value) -> Result<String, ResponseError> {
    let PositionsParams { positions } = parsed(params)?;
    written(selections(snapshot, &positions))
}
