//! Templates that a project names: `templates.yaml` maps ids to presentations.

use serde_json::Value;

use super::{
    error::{ConvertError, ErrorCode},
    pptx::describe,
    project_files,
};
use crate::project::Project;

/// Largest template.
const LARGEST: usize = 50 << 20;

/// The bytes of the template of an id.
pub(crate) fn template(project: &Project, id: &str) -> Result<Vec<u8>, ConvertError> {
    if id.contains("://") {
        let details = "download the template, and name it in `templates.yaml`";
        return Err(ConvertError::new(
            ErrorCode::TemplateUrlInvalid,
            "templates are not fetched from other servers",
            details,
        ));
    }
    let file = &project.config().convert.templates;
    let folder = file.parent().unwrap_or_else(|| project.folder());
    let other = file.with_extension("yml");
    let listed = [file, &other].iter().find_map(|path| std::fs::read(path).ok());
    let listed = listed.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
    let listed = project_files::value(&listed, project.limits());
    let listed = listed.get("templates").cloned().unwrap_or(listed);
    let known: Vec<&str> =
        listed.as_object().into_iter().flat_map(|map| map.keys()).map(String::as_str).collect();
    let missing = || {
        let details = if known.is_empty() {
            "name templates in `templates.yaml` of the project: `id: {path: file.pptx}`".to_owned()
        } else {
            format!("there are {}", known.join(", "))
        };
        let shown = crate::text::visible(&crate::text::clip(id, 60)).into_owned();
        ConvertError::new(ErrorCode::TemplateNotFound, format!("there is no template `{shown}`"), details)
    };
    let entry = listed.get(id).ok_or_else(missing)?;
    let path = entry.as_str().or_else(|| entry.get("path").and_then(Value::as_str)).ok_or_else(missing)?;
    let bytes = std::fs::read(folder.join(path)).map_err(|_| missing())?;
    let why = if bytes.len() > LARGEST { Some("it is too large".to_owned()) } else { describe(&bytes).err() };
    if let Some(why) = why {
        let message = format!("the template `{id}` cannot be used: {why}");
        return Err(ConvertError::new(
            ErrorCode::TemplateInvalid,
            message,
            "use a .pptx file of at most 50 MB",
        ));
    }
    Ok(bytes)
}
