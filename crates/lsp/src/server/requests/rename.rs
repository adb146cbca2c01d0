use serde_json::Value;

use crate::{
    editor::{Snapshot, rename},
    protocol::{ErrorCode, RenameParams, ResponseError},
};

use super::{failure, parsed, written};

pub(super) fn answer(snapshot: &Snapshot, params: Value) -> Result<String, ResponseError> {
    let RenameParams { position, new_name } = parsed(params)?;
    let edit = rename(snapshot, position, &new_name);
    written(edit.map_err(|why| failure(ErrorCode::RequestFailed, why))?)
}
