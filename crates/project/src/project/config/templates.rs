use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::{files::DiskFolder, kinds::Limits, text::io_reason};

/// The files below `templates/` of this project: path and bytes.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/templates.rs"));

/// The file that lists templates.
const LIST: &str = "templates.json";

/// Markdown documents to start from: those of a folder, or the built-in ones.
#[derive(Debug, Clone)]
pub struct Templates {
    folder: Option<PathBuf>,
    all: Vec<Template>,
}

/// A document to start from.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Template {
    /// Its name, which may have spaces.
    pub name: String,
    /// What it is for.
    #[serde(default)]
    pub description: String,
    /// Its file beside the list.
    file: String,
    /// Whether it is offered.
    #[serde(default = "yes")]
    production: bool,
}

fn yes() -> bool {
    true
}

/// Why templates cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// The value is not a list.
    #[error("`{LIST}` cannot be read: {0}")]
    List(String),
    /// The file of a template cannot be read.
    #[error("the file of template `{name}` cannot be read: {detail}")]
    File {
        /// The template.
        name: String,
        /// Why it cannot be read.
        detail: String,
    },
}

impl Templates {
    /// The templates of a folder; the built-in ones when it has no list.
    pub fn load(folder: &Path) -> Result<Self, TemplateError> {
        if !folder.join(LIST).is_file() {
            return Self::builtin();
        }
        let text = DiskFolder::read_in(folder, LIST, Limits::default().text_bytes);
        let text = text.map_err(|error| TemplateError::List(io_reason(&error)))?;
        Self::of(&text, Some(folder.to_owned()))
    }

    /// The built-in templates.
    pub fn builtin() -> Result<Self, TemplateError> {
        Self::of(builtin(LIST).unwrap_or("[]"), None)
    }

    fn of(text: &str, folder: Option<PathBuf>) -> Result<Self, TemplateError> {
        let all: Vec<Template> =
            serde_json::from_str(text).map_err(|error| TemplateError::List(error.to_string()))?;
        Ok(Self { folder, all: all.into_iter().filter(|template| template.production).collect() })
    }

    /// The templates that are offered.
    pub fn iter(&self) -> impl Iterator<Item = &Template> {
        self.all.iter()
    }

    /// The template of this name.
    pub fn get(&self, name: &str) -> Option<&Template> {
        self.all.iter().find(|template| template.name == name)
    }

    /// The Markdown of a template.
    pub fn markdown(&self, template: &Template) -> Result<String, TemplateError> {
        let failed =
            |detail: &str| TemplateError::File { name: template.name.clone(), detail: detail.to_owned() };
        match &self.folder {
            Some(folder) => {
                let read = DiskFolder::read_in(folder, &template.file, Limits::default().text_bytes);
                read.map_err(|error| failed(&io_reason(&error)))
            }
            None => builtin(&template.file).map(str::to_owned).ok_or_else(|| failed("it is not there")),
        }
    }
}

/// The text of a file that is compiled in.
fn builtin(file: &str) -> Option<&'static str> {
    let found = FILES.iter().find(|(path, _)| *path == file);
    found.and_then(|(_, bytes)| std::str::from_utf8(bytes).ok())
}
