//! Quills whose folders change while documents are rendered.

use std::{fs, path::Path, sync::Arc};

use proofmark::internals::{
    project::config::Quills,
    render::{Format, Library, Origin, Reload, Renderer},
};

use super::{PROJECT, TODAY, limits, messages, programs, render_as};

struct Shelf {
    folder: tempfile::TempDir,
    config: Quills,
    renderer: Renderer,
}

impl Shelf {
    fn new(quills: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in quills {
            write(folder.path(), name, "Hello");
        }
        let config =
            Quills { path: folder.path().to_owned(), auto_register: true, builtin: true, manual: Vec::new() };
        let (library, problems) = Library::load(&config);
        assert!(problems.is_empty(), "{problems:?}");
        library.read_ahead();
        let renderer = Renderer::new(Arc::new(library), &limits(), programs::worker());
        Self { folder, config, renderer }
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.folder.path().join(path), text).unwrap();
    }

    fn reload(&self) -> Reload {
        self.renderer.reload(&self.config, &PROJECT, TODAY)
    }

    /// What is on the page of an empty document, as SVG.
    fn page(&self, quill: &str) -> Arc<[u8]> {
        let rendered = render_as(&self.renderer, &format!("---\nQUILL: {quill}\n---\n"), Format::Svg);
        assert_eq!(rendered.artifacts.len(), 1, "{:?}", messages(&rendered.diagnostics));
        Arc::clone(&rendered.artifacts[0].bytes)
    }
}

fn write(folder: &Path, name: &str, words: &str) {
    let quill = folder.join(name);
    fs::create_dir_all(&quill).unwrap();
    let manifest =
        format!("quill: {{name: {name}, backend: typst, description: One, example_file: example.md}}\n");
    fs::write(quill.join("Quill.yaml"), manifest).unwrap();
    fs::write(quill.join("plate.typ"), words).unwrap();
    fs::write(quill.join("example.md"), format!("---\nQUILL: {name}\n---\n")).unwrap();
}

#[test]
fn what_changed_is_reloaded_and_what_did_not_is_not_rendered_again() {
    let shelf = Shelf::new(&["bill", "note"]);
    let (bill, note) = (shelf.page("bill"), shelf.page("note"));
    shelf.write("bill/plate.typ", "Goodbye");
    write(shelf.folder.path(), "card", "New");
    let reload = shelf.reload();
    assert_eq!((reload.taken, reload.kept.len()), (vec!["bill".to_owned(), "card".to_owned()], 0));
    assert_ne!(bill, shelf.page("bill"));
    assert!(Arc::ptr_eq(&note, &shelf.page("note")), "the same bytes, not the like");
    shelf.page("card");
}

#[test]
fn a_broken_edit_leaves_the_last_good_files_in_use_and_is_reported() {
    let shelf = Shelf::new(&["bill"]);
    let good = shelf.page("bill");
    let manifest = fs::read_to_string(shelf.folder.path().join("bill/Quill.yaml")).unwrap();
    shelf.write("bill/plate.typ", "#let x = (");
    let reload = shelf.reload();
    assert_eq!((reload.kept.as_slice(), reload.taken.len()), (&["bill".to_owned()][..], 0));
    assert_eq!(reload.diagnostics[0].id, "RN201");
    assert_eq!(reload.diagnostics[0].related[0].location.line, 1);
    assert_eq!(good, shelf.page("bill"));
    shelf.write("bill/Quill.yaml", "quill: {name: bill\n");
    let reload = shelf.reload();
    assert_eq!((reload.kept, reload.problems.len()), (vec!["bill".to_owned()], 1));
    assert_eq!(good, shelf.page("bill"));
    shelf.write("bill/Quill.yaml", &manifest);
    shelf.write("bill/plate.typ", "Fixed");
    assert_eq!(shelf.reload().taken, ["bill"]);
    assert_ne!(good, shelf.page("bill"));
}

#[test]
fn a_quill_whose_folder_is_gone_is_gone_and_a_built_in_one_takes_its_place() {
    let shelf = Shelf::new(&["bill", "letter"]);
    assert_eq!(shelf.renderer.library().origin("letter"), Some(Origin::Folder));
    fs::remove_dir_all(shelf.folder.path().join("bill")).unwrap();
    fs::remove_dir_all(shelf.folder.path().join("letter")).unwrap();
    assert_eq!(shelf.reload().removed, ["bill", "letter"]);
    let library = shelf.renderer.library();
    assert_eq!((library.origin("bill"), library.origin("letter")), (None, Some(Origin::Builtin)));
}

#[test]
fn a_quill_that_is_called_otherwise_now_is_not_kept_by_its_old_name() {
    let shelf = Shelf::new(&["bill"]);
    let quill = shelf.folder.path().join("bill");
    write(shelf.folder.path(), "invoice", "Hello");
    for file in ["Quill.yaml", "example.md"] {
        fs::copy(shelf.folder.path().join("invoice").join(file), quill.join(file)).unwrap();
    }
    fs::remove_dir_all(shelf.folder.path().join("invoice")).unwrap();
    let reload = shelf.reload();
    assert_eq!((reload.taken, reload.removed), (vec!["invoice".to_owned()], vec!["bill".to_owned()]));
}
