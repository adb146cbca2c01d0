//! Pictures of the slides and pages of results: `LibreOffice` sets what is not set yet, and the worker draws the pages.

use std::{
    collections::BTreeMap,
    env, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use proofmark_render_protocol::Format as PageFormat;

use super::Renderer;
use crate::{
    convert::{ConvertError, ErrorCode, Format},
    files,
    programs::{self, Slots},
};

/// Pixels per inch: a slide is 1,280 pixels wide.
const PPI: f32 = 96.0;

/// The longest time that setting one result takes.
const TIME: Duration = Duration::from_mins(2);

/// Most bytes of the pages of a result.
const BYTES: usize = 256 << 20;

/// What to do where `LibreOffice` is missing.
const INSTALL: &str = "install LibreOffice (Debian: `sudo apt-get install libreoffice-impress libreoffice-writer`; others: https://www.libreoffice.org), or preview `pdf`";

/// One at a time: each needs much memory.
static SLOTS: Slots = Slots::new(1);

/// Formats whose results `LibreOffice` sets as slides and pages.
const SET: [&str; 4] = ["pptx", "docx", "odt", "rtf"];

/// The pictures of a result, and what has made them.
pub struct Preview {
    /// PNG files, one for each slide or page.
    pub pages: Vec<Vec<u8>>,
    pub made_by: &'static str,
}

impl Renderer {
    /// Makes sure that results of a format can be shown as pictures: that they have slides or pages, and that the programs that
    /// draw them are there.
    ///
    /// # Errors
    /// What is missing.
    pub fn check_preview(&self, format: &Format) -> Result<(), ConvertError> {
        if !(format.pdf || SET.contains(&format.id.as_str())) {
            let message = format!("`{}` has no slides or pages for a preview", format.id);
            let details =
                "results of pptx, docx, odt, rtf, pdf and typst have them; open web pages in a browser";
            return Err(ConvertError::new(ErrorCode::InvalidInput, message, details));
        }
        self.check_worker().map_err(|error| lacks(error.to_string(), error.hint()))?;
        if format.pdf { Ok(()) } else { office().map(drop) }
    }

    /// A picture of each slide or page of a result. `time` limits how long setting it may take.
    ///
    /// # Errors
    /// Why there are no pictures.
    pub fn preview(&self, bytes: &[u8], format: &Format, time: Duration) -> Result<Preview, ConvertError> {
        self.check_preview(format)?;
        if format.pdf {
            return Ok(Preview { pages: self.pages(bytes.to_vec())?, made_by: "the render worker" });
        }
        let pdf = set(bytes, &format.extension, time.min(TIME))?;
        Ok(Preview { pages: self.pages(pdf)?, made_by: "LibreOffice and the render worker" })
    }

    /// The pages of a PDF file as PNG.
    fn pages(&self, pdf: Vec<u8>) -> Result<Vec<Vec<u8>>, ConvertError> {
        let source = format!(
            "#set page(width: auto, height: auto, margin: 0pt)\n\
             #for number in range({}) {{ if number > 0 {{ pagebreak() }}; image(\"assets/pages.pdf\", page: number + 1) }}\n",
            count(&pdf)
        );
        let files = BTreeMap::from([("assets/pages.pdf".to_owned(), pdf.into())]);
        self.set(source, files, PageFormat::Png, PPI).map_err(|error| ConvertError {
            message: format!("there is no preview: {}", error.message),
            ..error
        })
    }
}

/// The error where a program is missing.
fn lacks(what: String, details: impl Into<String>) -> ConvertError {
    ConvertError::new(ErrorCode::DependencyMissing, format!("there is no preview: {what}"), details)
}

/// How many pages a PDF file has: each is an object with this type.
fn count(pdf: &[u8]) -> usize {
    let rest = |at: usize| pdf[at..].trim_ascii_start();
    let is_page = |at: &usize| {
        let name = pdf[*at..].starts_with(b"/Type").then(|| rest(at + 5));
        name.and_then(|name| name.strip_prefix(b"/Page"))
            .is_some_and(|after| !after.first().is_some_and(u8::is_ascii_alphabetic))
    };
    (0..pdf.len()).filter(is_page).count().max(1)
}

/// `LibreOffice`, where it is in the folders of `PATH` or where its installers put it.
fn office() -> Result<PathBuf, ConvertError> {
    let folders: Vec<PathBuf> =
        env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
    let names: &[&str] = if cfg!(windows) { &["soffice.exe"] } else { &["soffice", "libreoffice"] };
    let places = [
        "/Applications/LibreOffice.app/Contents/MacOS/soffice",
        "C:/Program Files/LibreOffice/program/soffice.exe",
    ];
    let found = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let mut all = found.chain(places.map(PathBuf::from));
    let found = all.find(|path| path.is_absolute() && path.is_file());
    found.ok_or_else(|| lacks("LibreOffice was not found".to_owned(), INSTALL))
}

/// The pages of a result as PDF, by `LibreOffice`, in a private folder and for a limited time.
fn set(bytes: &[u8], extension: &str, time: Duration) -> Result<Vec<u8>, ConvertError> {
    let office = office()?;
    let failed = |error: io::Error| lacks(format!("LibreOffice cannot be run: {}", error.kind()), INSTALL);
    let private = tempfile::tempdir().map_err(failed)?;
    let folder = private.path();
    let name = format!("result.{extension}");
    files::put(&folder.join(&name), bytes).map_err(failed)?;
    let _slot = SLOTS.enter(TIME * 10);
    let mut command = Command::new(office);
    command
        .arg(format!("-env:UserInstallation={}", address(&folder.join("profile"))))
        .args(["--headless", "--norestore", "--convert-to", "pdf", "--outdir"])
        .args([folder.as_os_str(), name.as_ref()])
        .current_dir(folder)
        .env("HOME", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = programs::in_own_group(&mut command).spawn().map_err(failed)?;
    if programs::wait(&mut child, time).map_err(failed)?.is_none() {
        let message =
            format!("there is no preview: LibreOffice was stopped after {} seconds", time.as_secs());
        return Err(ConvertError::new(ErrorCode::Timeout, message, "preview a shorter document"));
    }
    files::read_bytes(&folder.join("result.pdf"), BYTES)
        .map_err(|_| lacks("LibreOffice has written no pages".to_owned(), INSTALL))
}

/// The address of a folder.
fn address(path: &Path) -> String {
    let path = path.to_string_lossy().replace('\\', "/").replace(' ', "%20");
    format!("file://{}{path}", if path.starts_with('/') { "" } else { "/" })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Library, WorkerProgram, convert};

    #[test]
    fn pages_are_counted_by_their_objects() {
        assert_eq!(count(b"<</Type/Pages/Count 2>> <</Type/Page/A 1>> <</Type /Page\n/B 2>>"), 2);
        assert_eq!(count(b""), 1);
    }

    #[test]
    fn what_is_missing_is_said_before_anything_is_made() {
        let worker = WorkerProgram::installed(Some(Path::new("/nowhere/proofmark-render")));
        let config = crate::project::config::Render::default();
        let renderer = Renderer::new(Arc::new(Library::default()), &config, worker);
        let refused = |name: &str| renderer.check_preview(convert::format_named(name).unwrap()).unwrap_err();
        assert_eq!(refused("html").code, ErrorCode::InvalidInput);
        assert_eq!(refused("gfm").message, "`gfm` has no slides or pages for a preview");
        for name in ["pptx", "pdf", "docx"] {
            let error = refused(name);
            assert_eq!(error.code, ErrorCode::DependencyMissing, "{name}");
            assert!(error.message.starts_with("there is no preview: "), "{}", error.message);
        }
    }
}
