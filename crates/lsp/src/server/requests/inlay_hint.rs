use serde_json::Value;

use crate::{
    editor::{Snapshot, hints},
    protocol::{RangeParams, ResponseError},
};

use super::{parsed, written};

pub(super) fn answer(snapshot: &Snapshot, params: Value) -> Result<String, ResponseError> {
    let RangeParams { range } = parsed(params)?;
    written(hints(snapshot, range))
}
