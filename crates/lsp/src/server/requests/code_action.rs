use serde_json::Value;

use crate::{
    editor::{Snapshot, actions},
    protocol::{CodeActionParams, ResponseError},
};

use super::{parsed, written};

pub(super) fn answer(snapshot: &Snapshot, params: Value) -> Result<String, ResponseError> {
    let CodeActionParams { range, context } = parsed(params)?;
    written(actions(snapshot, range, context.only.as_deref()))
}
