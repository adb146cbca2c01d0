use std::{collections::BTreeMap, path::Path};

use super::{
    super::super::{core::Core, refusal::Refusal},
    is_plain, refused, within_limits,
};
use crate::{
    project::LeftOut,
    render::{Bundle, Library, RenderAnswer},
    text::{clip, visible},
};

/// A quill that is tried.
pub(super) enum Draft {
    Usable(Library, String),
    /// Its manifest has errors.
    Wrong(Box<RenderAnswer>),
}

/// The quill that came with a call, or that is in an allowed folder.
pub(super) fn draft(
    core: &Core,
    files: Option<&BTreeMap<String, String>>,
    folder: Option<&str>,
) -> Result<Option<Draft>, Refusal> {
    let bundle = match (files, folder) {
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => return Err(refused("give either `quill_files` or `quill_folder`, not both")),
        (Some(files), None) => {
            within_limits("quill_files", files)?;
            if let Some(path) = files.keys().find(|path| !is_plain(path)) {
                return Err(refused(&format!(
                    "`{}` in `quill_files` is not a relative path",
                    clip(path, 60)
                )));
            }
            Bundle::new(files.iter().map(|(path, text)| (path.clone(), text.as_bytes().into())).collect())
        }
        (None, Some(folder)) => folder_files(core, Path::new(folder))?,
    };
    let library = match Library::draft(bundle) {
        Ok(library) => library,
        Err(problem) => {
            return match core.project.left_out(&problem) {
                LeftOut::Findings(found) => {
                    let answer = RenderAnswer::new(Vec::new(), &found.diagnostics, core.limits.of_findings());
                    Ok(Some(Draft::Wrong(Box::new(answer))))
                }
                LeftOut::Because(why) => Err(Refusal::because(why)),
            };
        }
    };
    let name = library.quills().names().next().map(str::to_owned);
    Ok(name.map(|name| Draft::Usable(library, name)))
}

/// The files of a quill in an allowed folder.
fn folder_files(core: &Core, folder: &Path) -> Result<Bundle, Refusal> {
    let shown = visible(&clip(&folder.to_string_lossy(), 120)).into_owned();
    let mut reason = "it is not below an allowed folder".to_owned();
    for root in core.project.read_folders().filter(|_| core.project.reads_files()) {
        let below = folder.strip_prefix(root).unwrap_or(folder);
        match Bundle::load_below(root, below) {
            Ok(bundle) => return Ok(bundle),
            Err(error) => reason = error.to_string(),
        }
    }
    let refusal = Refusal::because(format!("the quill in `{shown}` cannot be read: {reason}"));
    Err(refusal.next("give a folder below an allowed one, or send the files as `quill_files`"))
}
