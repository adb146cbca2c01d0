//! Templates that a project names: `templates.yaml` maps ids to presentations. Both may have come with a stranger's
//! documents, so nothing outside the folder of that file is read.

use std::{
    borrow::Cow,
    io,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{
    error::{ConvertError, ErrorCode},
    pptx::{Description, describe},
    project_files,
    run::within_budget,
};
use crate::{
    budget::Spent,
    files::{self, Jail},
    kinds::Limits,
    project::Project,
    text::{clip, io_reason, nearest, visible},
};

/// Largest template.
const LARGEST: usize = 50 << 20;

/// Largest list of templates.
const LARGEST_LIST: usize = 1 << 20;

/// Most ids that a message lists.
const LISTED: usize = 10;

/// The bytes of a template that the user names by its path.
///
/// # Errors
/// Errors of the file system, including those for a file that is too large or not a regular file.
pub fn read_template(path: &Path) -> io::Result<Vec<u8>> {
    files::read_bytes(path, LARGEST)
}

/// Describes a template for people; fails with what is wrong with it.
pub fn describe_template(bytes: &[u8]) -> Result<Description, String> {
    let described = Limits::default().budget().spend(|| describe(bytes));
    match described {
        (_, Spent { exceeded: Some(exceeded), .. }) => Err(format!("it exceeds {exceeded}")),
        (described, _) => described,
    }
}

/// The bytes of the template of an id.
pub fn template(project: &Project, id: &str) -> Result<Vec<u8>, ConvertError> {
    within_budget(project, 0, || of_id(&project.config().convert.templates, project.limits(), id))
}

/// The bytes of the template of an id in the list at `configured`.
fn of_id(configured: &Path, limits: Limits, id: &str) -> Result<Vec<u8>, ConvertError> {
    if id.contains("://") {
        let details = "download the template, and name it in `templates.yaml`";
        return Err(ConvertError::new(
            ErrorCode::TemplateUrlInvalid,
            "templates are not fetched from other servers",
            details,
        ));
    }
    let (file, list) = list(configured)?;
    let list = list.map(|text| project_files::value(&text, limits)).unwrap_or_default();
    let list = list.get("templates").unwrap_or(&list);
    let shown = shown(id);
    let missing = || {
        let message = format!("there is no template `{shown}`");
        ConvertError::new(ErrorCode::TemplateNotFound, message, alternatives(id, list))
    };
    let entry = list.get(id).ok_or_else(missing)?;
    let path = entry.as_str().or_else(|| entry.get("path").and_then(Value::as_str)).ok_or_else(missing)?;
    let unusable = |why: &str, details: &str| {
        let message = format!("the template `{shown}` cannot be used: {why}");
        ConvertError::new(ErrorCode::TemplateInvalid, message, details)
    };
    let bytes = beside(&file, path, LARGEST).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => missing(),
        _ => unusable(
            &io_reason(&error),
            "use a .pptx file of at most 50 MB in the folder of `templates.yaml`, or below it",
        ),
    })?;
    match describe(&bytes) {
        Ok(_) => Ok(bytes),
        Err(why) => Err(unusable(&why, "use a .pptx file of at most 50 MB")),
    }
}

/// The list of templates, and where it is; nothing where there is none.
fn list(configured: &Path) -> Result<(PathBuf, Option<String>), ConvertError> {
    for file in [configured.to_owned(), configured.with_extension("yml")] {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let read = beside(&file, &name, LARGEST_LIST).and_then(|bytes| {
            String::from_utf8(bytes)
                .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
        });
        match read {
            Ok(text) => return Ok((file, Some(text))),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
            Err(error) => {
                let message = format!("`{}` cannot be read: {}", visible(&name), io_reason(&error));
                let details = "use a file of at most 1 MB that is not a link to another folder";
                return Err(ConvertError::new(ErrorCode::TemplateNotFound, message, details));
            }
        }
    }
    Ok((configured.to_owned(), None))
}

/// Reads a file by its path from the folder of another file, which no path leads out of.
fn beside(file: &Path, path: &str, limit: usize) -> io::Result<Vec<u8>> {
    let read = Jail::around(file, &[], limit).read(path);
    read.map_err(|error| match error.kind() {
        // Not of the system, which has numbers.
        io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
            io::Error::new(io::ErrorKind::PermissionDenied, "it is outside the folder of `templates.yaml`")
        }
        _ => error,
    })
}

/// A hint about an id that no template has: the ids that could be meant.
fn alternatives(id: &str, list: &Value) -> String {
    let keys = || list.as_object().into_iter().flat_map(|map| map.keys()).map(String::as_str);
    let count = keys().count();
    if count == 0 {
        return "name templates in `templates.yaml` of the project: `id: {path: file.pptx}`".to_owned();
    }
    let near = nearest(id, keys().take(1_000)).map(|near| format!("did you mean `{}`? ", self::shown(near)));
    let ids: Vec<Cow<'_, str>> = keys().take(LISTED).map(|id| shown(id).into()).collect();
    let more = if count > LISTED { format!(", and {} more", count - LISTED) } else { String::new() };
    format!("{}there are {}{more}", near.unwrap_or_default(), ids.join(", "))
}

/// An id as messages show it.
fn shown(id: &str) -> String {
    visible(&clip(id, 60)).into_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::pptx::empty;

    /// What is said about the template `acme` of a list.
    fn asked(list: &str, prepare: impl Fn(&Path)) -> Result<usize, String> {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own");
        fs::create_dir(&own).unwrap();
        fs::write(folder.path().join("outside.pptx"), empty()).unwrap();
        fs::write(own.join("inside.pptx"), empty()).unwrap();
        fs::write(own.join("templates.yaml"), list).unwrap();
        prepare(&own);
        let found = of_id(&own.join("templates.yaml"), Limits::default(), "acme");
        found.map(|bytes| bytes.len()).map_err(|error| {
            assert!(error.details.len() < 1_000, "{}", error.details);
            format!("{}; {}", error.message, error.details)
        })
    }

    #[test]
    fn entries_do_not_lead_out_of_their_folder() {
        let nothing = |_: &Path| ();
        assert!(asked("acme: {path: inside.pptx}\n", nothing).is_ok());
        assert!(asked("acme: ./inside.pptx\n", nothing).is_ok());
        let out = asked("acme: {path: ../outside.pptx}\n", nothing).unwrap_err();
        assert!(out.contains("outside the folder of `templates.yaml`"), "{out}");
        let absolute = std::env::temp_dir().join("x.pptx");
        let out = asked(&format!("acme: {{path: '{}'}}\n", absolute.display()), nothing).unwrap_err();
        assert!(out.contains("outside the folder"), "{out}");
    }

    // macOS makes no pipes this way.
    #[cfg(target_os = "linux")]
    #[test]
    fn links_devices_and_pipes_are_refused() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        use std::os::unix::fs::symlink;
        let list = "acme: {path: a.pptx}\nSECRET: x\n";
        let linked = |to: &'static str| move |own: &Path| symlink(to, own.join("a.pptx")).unwrap();
        assert!(asked(list, linked("inside.pptx")).is_ok());
        for to in ["../outside.pptx", "/dev/zero"] {
            let out = asked(list, linked(to)).unwrap_err();
            assert!(out.contains("outside the folder"), "{out}");
        }
        let pipe = |own: &Path| {
            mknodat(CWD, own.join("a.pptx"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        };
        let out = asked(list, pipe).unwrap_err();
        assert!(out.contains("not a regular file"), "{out}");
        let list_outside = |own: &Path| {
            fs::write(own.join("../other.yaml"), "SECRET: x\n").unwrap();
            fs::remove_file(own.join("templates.yaml")).unwrap();
            symlink("../other.yaml", own.join("templates.yaml")).unwrap();
        };
        let out = asked("", list_outside).unwrap_err();
        assert!(out.contains("`templates.yaml` cannot be read") && !out.contains("SECRET"), "{out}");
    }

    #[test]
    fn lists_of_ids_are_short_and_show_hidden_characters() {
        let many: String = (0..5_000).map(|number| format!("\"id\\u202E{number}\": x\n")).collect();
        let out = asked(&many, |_| ()).unwrap_err();
        assert!(out.contains(r"id\u{202e}0") && out.contains("and 4990 more"), "{out}");
    }
}
