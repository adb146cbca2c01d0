//! Pictures of the slides and pages of results: `LibreOffice` sets what is not set yet, and the render worker draws the pages.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use super::super::exit::Fault;
use crate::{
    convert::Format,
    files,
    programs::{self, Slots},
    project::Project,
};

/// Pixels per inch: a slide is 1,280 pixels wide.
#[cfg(feature = "render")]
const PPI: f32 = 96.0;

/// The longest time that setting one result takes.
const TIME: Duration = Duration::from_mins(2);

/// Most bytes of the pages of a result.
const BYTES: usize = 256 << 20;

/// One at a time: each needs much memory.
static SLOTS: Slots = Slots::new(1);

/// Formats whose results `LibreOffice` sets as slides and pages.
const SET: [&str; 4] = ["pptx", "docx", "odt", "rtf"];

/// The pictures of a result, and what has made them.
pub(super) struct Pictures {
    pub(super) pages: Vec<Vec<u8>>,
    pub(super) made_by: &'static str,
}

/// Refuses formats without slides and pages, and programs without the renderer.
pub(super) fn check(format: &Format) -> Result<(), Fault> {
    if cfg!(not(feature = "render")) {
        return Err(without_renderer());
    }
    if format.pdf || SET.contains(&format.id.as_str()) {
        return Ok(());
    }
    let hint = "results of pptx, docx, odt, rtf, pdf and typst have them; open web pages in a browser";
    Err(Fault::with_hint(format!("`{}` has no slides or pages for `--preview`", format.id), hint))
}

fn without_renderer() -> Fault {
    let hint = "build with the feature `render`, which is on by default";
    Fault::with_hint("`--preview` needs the renderer, which this build does not have", hint)
}

/// A picture of each slide or page of a result.
pub(super) fn pictures(bytes: &[u8], format: &Format, project: &Project) -> Result<Pictures, Fault> {
    if format.pdf {
        return Ok(Pictures { pages: drawn(bytes.to_vec(), project)?, made_by: "the render worker" });
    }
    let pdf = set(bytes, &format.extension)?;
    Ok(Pictures { pages: drawn(pdf, project)?, made_by: "LibreOffice and the render worker" })
}

/// The pages of a PDF file as PNG.
#[cfg(feature = "render")]
fn drawn(pdf: Vec<u8>, project: &Project) -> Result<Vec<Vec<u8>>, Fault> {
    use crate::render::Format as PageFormat;
    let source = format!(
        "#set page(width: auto, height: auto, margin: 0pt)\n\
         #for number in range({}) {{ if number > 0 {{ pagebreak() }}; image(\"assets/pages.pdf\", page: number + 1) }}\n",
        count(&pdf)
    );
    let files = std::collections::BTreeMap::from([("assets/pages.pdf".to_owned(), pdf)]);
    super::renderer(project)
        .set(source, files, PageFormat::Png, PPI)
        .map_err(|error| Fault::with_hint(format!("there is no preview: {}", error.message), error.details))
}

#[cfg(not(feature = "render"))]
fn drawn(_: Vec<u8>, _: &Project) -> Result<Vec<Vec<u8>>, Fault> {
    Err(without_renderer())
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
fn office() -> Option<PathBuf> {
    let folders: Vec<PathBuf> =
        env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
    let names: &[&str] = if cfg!(windows) { &["soffice.exe"] } else { &["soffice", "libreoffice"] };
    let places = [
        "/Applications/LibreOffice.app/Contents/MacOS/soffice",
        "C:/Program Files/LibreOffice/program/soffice.exe",
    ];
    let found = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    found.chain(places.map(PathBuf::from)).find(|path| path.is_absolute() && path.is_file())
}

/// The pages of a result as PDF, by `LibreOffice`, in a private folder and for a limited time.
fn set(bytes: &[u8], extension: &str) -> Result<Vec<u8>, Fault> {
    let hint = "install LibreOffice (Debian: `sudo apt-get install libreoffice-impress libreoffice-writer`; others: https://www.libreoffice.org), or preview `--to pdf`";
    let Some(office) = office() else {
        return Err(Fault::with_hint("there is no preview: LibreOffice was not found", hint));
    };
    let failed = |error: std::io::Error| {
        Fault::with_hint(format!("there is no preview: LibreOffice cannot be run: {}", error.kind()), hint)
    };
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
    if programs::wait(&mut child, TIME).map_err(failed)?.is_none() {
        let what = format!("there is no preview: LibreOffice was stopped after {} seconds", TIME.as_secs());
        return Err(Fault::with_hint(what, "preview a shorter document"));
    }
    files::read_bytes(&folder.join("result.pdf"), BYTES)
        .map_err(|_| Fault::with_hint("there is no preview: LibreOffice has written no pages", hint))
}

/// The address of a folder.
fn address(path: &Path) -> String {
    let path = path.to_string_lossy().replace('\\', "/").replace(' ', "%20");
    format!("file://{}{path}", if path.starts_with('/') { "" } else { "/" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert;

    #[test]
    fn pages_are_counted_by_their_objects() {
        assert_eq!(count(b"<</Type/Pages/Count 2>> <</Type/Page/A 1>> <</Type /Page\n/B 2>>"), 2);
        assert_eq!(count(b""), 1);
    }

    #[test]
    #[cfg(feature = "render")]
    fn formats_without_pages_are_refused() {
        let refused = |name: &str| check(convert::format_named(name).unwrap()).is_err();
        assert!(refused("html") && refused("gfm"));
        assert!(!refused("pptx") && !refused("pdf") && !refused("docx"));
    }
}
