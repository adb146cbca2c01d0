//! The files around a document are read once: what is validated is what is converted.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Mutex,
};

use super::*;
use crate::{
    project::{Buffers, Configuration, Input, Overrides},
    website::{Settings, Website},
};

/// Something that changes the files around a document each time that one of them is read.
#[derive(Debug, Default)]
struct Changing {
    /// How often each file was read.
    read: Mutex<BTreeMap<String, usize>>,
    /// Whether an editor has a new text each time, instead of a program that replaces the file.
    is_editor: bool,
}

impl Buffers for Changing {
    fn text(&self, path: &Path) -> Option<Arc<String>> {
        let name = path.file_name()?.to_string_lossy().into_owned();
        let mut read = self.read.lock().unwrap();
        let count = read.entry(name.clone()).or_default();
        *count += 1;
        if self.is_editor && name == "_part.qmd" {
            return Some(Arc::new(format!("Text number {count} of an editor.\n")));
        }
        fs::write(path, "Replaced: no picture, no work.\n").unwrap();
        None
    }

    fn all(&self) -> Vec<(PathBuf, Arc<String>)> {
        Vec::new()
    }
}

const DOCUMENT: &str = "---\ntitle: A\nbibliography: works.bib\nembed-resources: true\n---\n\n{{< include _part.qmd >}}\n\n\
                        As @knuth says.\n\n![First](a.svg)\n\n![Second](./a.svg)\n";

const FILES: [(&str, &str); 4] = [
    ("_quarto.yml", "project:\n  type: default\nsubtitle: Of the project\n"),
    ("_part.qmd", "Text of the part.\n"),
    ("works.bib", "@book{knuth, author = {Donald Knuth}, title = {Programs}, year = {1984}}\n"),
    ("a.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1 1\"></svg>\n"),
];

/// Converts the document; gives the result, and how often each file was read.
fn converted(format: &str, is_editor: bool) -> (String, BTreeMap<String, usize>) {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in FILES {
        fs::write(folder.path().join(name), content).unwrap();
    }
    let changing = Arc::new(Changing { is_editor, ..Changing::default() });
    let overrides = Overrides {
        folder: Some(folder.path().to_owned()),
        buffers: Some(changing.clone()),
        ..Overrides::default()
    };
    let project = Project::open(&Configuration::Default, overrides).unwrap();
    let input = Input::text(DOCUMENT).at(folder.path().join("a.qmd")).of_kind(source_kind(&project));
    let subject = project.subject(input).unwrap();
    let request = Request {
        format: formats::named(format).unwrap(),
        engine: Some(Engine::Embedded),
        options: &[],
        options_name: "<options>",
        pandoc: &Pandoc::of(&project.config().convert),
        template: None,
        source: false,
        back: None,
        worker: None,
    };
    let made = convert(&subject, &request);
    let made = made.unwrap_or_else(|failed| panic!("{:?} {:?}", failed.error, failed.diagnostics));
    let read = changing.read.lock().unwrap().clone();
    (String::from_utf8(made.bytes).unwrap(), read)
}

#[test]
fn each_file_is_read_once_and_converted_as_it_was_validated() {
    for format in ["html", "ipynb"] {
        let (result, read) = converted(format, false);
        let once = FILES.map(|(name, _)| (name.to_owned(), 1));
        assert_eq!(read, BTreeMap::from(once), "{format}");
        assert!(!result.contains("Replaced"), "{format}: {result}");
        let picture = format!("data:image/svg+xml;base64,{}", encoded(FILES[3].1));
        assert_eq!(result.matches(&picture).count(), 2, "{format}: {result}");
        for expected in ["Of the project", "Text of the part.", "Knuth"] {
            assert!(result.contains(expected), "{format}: {expected} is missing in {result}");
        }
    }
}

#[test]
fn the_text_of_an_editor_is_converted_as_it_was_validated() {
    let (result, read) = converted("html", true);
    assert!(result.contains("Text number 1 of an editor."), "{result}");
    assert_eq!(read["_part.qmd"], 1);
}

#[test]
fn a_book_as_one_document_consists_of_the_files_of_its_validation() {
    let folder = tempfile::tempdir().unwrap();
    let project = "project: {type: book}\nbook: {title: T, chapters: [index.qmd, more/a.qmd]}\n";
    for (name, content) in [
        ("_quarto.yml", project),
        ("index.qmd", "# One\n\n{{< include _one.qmd >}}\n"),
        ("_one.qmd", "First part.\n"),
        ("more/a.qmd", "# Two\n\n{{< include _two.qmd >}}\n\n{{< include /_three.qmd >}}\n"),
        ("more/_two.qmd", "Second part.\n"),
        ("_three.qmd", "Third part.\n"),
    ] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let changing = Arc::new(Changing::default());
    let overrides = Overrides {
        folder: Some(folder.path().to_owned()),
        buffers: Some(changing.clone()),
        ..Overrides::default()
    };
    let project = Project::open(&Configuration::Default, overrides).unwrap();
    let book = Website::open(&project, folder.path(), None).ok().flatten().unwrap();
    fs::write(folder.path().join("_quarto.yml"), "replaced: true\n").unwrap();
    let pandoc = Pandoc::of(&project.config().convert);
    let settings = Settings { options: &[], options_name: "<options>", pandoc: &pandoc, worker: None };
    let whole = book.convert_whole(formats::named("gfm").unwrap(), settings, false);
    let made = whole.result.unwrap_or_else(|failed| panic!("{:?} {:?}", failed.error, whole.chapters));
    let text = String::from_utf8(made.bytes).unwrap();
    for expected in ["First part.", "Second part.", "Third part."] {
        assert!(text.contains(expected), "{expected} is missing in {text}");
    }
    let read = changing.read.lock().unwrap();
    let once = ["_one.qmd", "_two.qmd", "_three.qmd"].map(|name| (name.to_owned(), 1));
    assert_eq!(*read, BTreeMap::from(once));
}

fn encoded(text: &str) -> String {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    STANDARD.encode(text)
}
