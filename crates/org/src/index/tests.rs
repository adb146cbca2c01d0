//! What a query finds with an index is what it finds without one, whatever happens to the files in between.

use std::{fs, path::Path};

use proptest::prelude::*;

use super::*;
use crate::{
    Files, Found, Page, agenda,
    agenda::AgendaQuery,
    project::{Access, Client, Configuration, Overrides, Project},
    resource, search,
    search::{ContentQuery, HeadlineQuery, TodoQuery},
    settings,
};

fn project(folder: &Path) -> Project {
    let overrides = Overrides {
        folder: Some(folder.to_owned()),
        client: Client::Service,
        access: Access::Below(vec![folder.to_owned()]),
        ..Overrides::default()
    };
    Project::open(&Configuration::Default, overrides).unwrap()
}

/// What queries of all sorts find.
fn found(files: &Files<'_>) -> Vec<String> {
    let all = Page::all;
    let shown = |found: &dyn fmt::Debug| format!("{found:#?}");
    let headlines = HeadlineQuery { page: all(), ..HeadlineQuery::default() };
    let todos = TodoQuery { page: all(), ..TodoQuery::default() };
    let content = |query: &str| {
        let query = ContentQuery {
            query: query.to_owned(),
            include_archived: true,
            page: all(),
            ..ContentQuery::default()
        };
        search::content(files, &query)
    };
    let mut with_text = headlines.clone();
    with_text.filter.text = Some("line b".to_owned());
    let days = AgendaQuery { from: Some("2026-01-30".to_owned()), page: all(), ..AgendaQuery::default() };
    vec![
        shown(&files.names()),
        shown(&search::headlines(files, &headlines)),
        shown(&search::headlines(files, &with_text)),
        shown(&search::todos(files, &todos)),
        shown(&content("line b")),
        shown(&content("a")),
        shown(&agenda::items(files, &days)),
        shown(&resource::ids(files)),
        shown(&settings::tags(files, None)),
        shown(&settings::todo(files, None)),
        shown(&resource::read(files, "org://id/b")),
    ]
}

/// Something that another program does.
#[derive(Debug, Clone)]
enum Change {
    Write(&'static str, usize),
    Replace(&'static str, usize),
    Remove(&'static str),
    Move(&'static str, &'static str),
    Exchange(&'static str, &'static str),
    Link(&'static str, &'static str),
    Symlink(&'static str, &'static str),
    Pipe(&'static str),
    Folder(&'static str),
    /// Only a query.
    Query,
}

const FILES: [&str; 8] =
    ["a.org", "b.org", "x/a.org", "x/y/a.org", "z/a.org", "old.org_archive", ".hidden.org", "b.bak"];
const FOLDERS: [&str; 4] = ["x", "x/y", "z", ".git"];
const CONTROLS: [&str; 3] = [".gitignore", ".ignore", "x/.ignore"];

/// Contents, two of them of the same length, one of another encoding.
const TEXTS: [&[u8]; 7] = [
    b"* TODO Plan a :t:\nSCHEDULED: <2026-01-31 Sat +1d>\nline a\n",
    b"* TODO Plan b :t:\nSCHEDULED: <2026-01-31 Sat +1d>\nline b\n",
    b"#+TODO: NEXT | DONE\n#+FILETAGS: :f:\n* NEXT A\n:PROPERTIES:\n:ID: b\n:END:\n** DONE Line b\n",
    b"* A\n\xFF\xFE line b\n",
    b"#+SETUPFILE: b.org\n* NEXT B\n",
    b"a.org\nx/\n",
    b"",
];

fn change() -> impl Strategy<Value = Change> {
    let file = || prop::sample::select(&FILES[..]);
    let top = || prop::sample::select(&["a.org", "b.org", ".hidden.org", "b.bak"][..]);
    let folder = || prop::sample::select(&FOLDERS[..]);
    let text = || 0..TEXTS.len();
    prop_oneof![
        6 => (file(), text()).prop_map(|(file, text)| Change::Write(file, text)),
        3 => (file(), text()).prop_map(|(file, text)| Change::Replace(file, text)),
        3 => file().prop_map(Change::Remove),
        2 => (file(), file()).prop_map(|(from, to)| Change::Move(from, to)),
        2 => (folder(), folder()).prop_map(|(from, to)| Change::Move(from, to)),
        1 => (folder(), folder()).prop_map(|(one, other)| Change::Exchange(one, other)),
        // In folders that are watched: what is written by a name in another one is not seen.
        1 => (top(), top()).prop_map(|(from, to)| Change::Link(from, to)),
        1 => (file(), file()).prop_map(|(from, to)| Change::Symlink(from, to)),
        1 => file().prop_map(Change::Pipe),
        2 => folder().prop_map(Change::Folder),
        1 => folder().prop_map(Change::Remove),
        2 => (prop::sample::select(&CONTROLS[..]), 5..7_usize).prop_map(|(file, text)| Change::Write(file, text)),
        1 => prop::sample::select(&CONTROLS[..]).prop_map(Change::Remove),
        6 => Just(Change::Query),
    ]
}

/// Changes what can be changed; what cannot stays.
fn make(change: &Change, folder: &Path) {
    let at = |name: &str| folder.join(name);
    let _ = match change {
        // Opening a pipe would wait for its reader.
        Change::Write(file, text) if at(file).metadata().is_ok_and(|found| !found.is_file()) => {
            fs::remove_file(at(file)).and_then(|()| fs::write(at(file), TEXTS[*text]))
        }
        Change::Write(file, text) => fs::write(at(file), TEXTS[*text]),
        Change::Replace(file, text) => {
            let new = folder.join("new.tmp");
            fs::write(&new, TEXTS[*text]).and_then(|()| fs::rename(new, at(file)))
        }
        Change::Remove(name) => fs::remove_file(at(name)).or_else(|_| fs::remove_dir_all(at(name))),
        Change::Move(from, to) => fs::rename(at(from), at(to)),
        Change::Exchange(one, other) => {
            let aside = folder.join("aside");
            let _ = fs::rename(at(one), &aside);
            let _ = fs::rename(at(other), at(one));
            fs::rename(aside, at(other))
        }
        Change::Link(from, to) => fs::hard_link(at(from), at(to)),
        #[cfg(unix)]
        Change::Symlink(from, to) => {
            let _ = fs::remove_file(at(to));
            std::os::unix::fs::symlink(at(from), at(to))
        }
        #[cfg(target_os = "linux")]
        Change::Pipe(file) => {
            use rustix::fs::{CWD, FileType, Mode, mknodat};
            let _ = fs::remove_file(at(file));
            mknodat(CWD, at(file), FileType::Fifo, Mode::from_raw_mode(0o600), 0).map_err(Into::into)
        }
        #[cfg(not(target_os = "linux"))]
        Change::Pipe(_) => Ok(()),
        #[cfg(not(unix))]
        Change::Symlink(..) => Ok(()),
        Change::Folder(name) => fs::create_dir(at(name)),
        Change::Query => Ok(()),
    };
}

fn follows(changes: &[Change], has_events: bool) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path());
    let index = Index::default();
    let indexed = Files::indexed(&project, &index);
    index.versions(&indexed);
    if !has_events {
        index.state().changes = Changes::Stamps;
    }
    for name in ["x", "x/y"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    fs::write(folder.path().join("a.org"), TEXTS[2]).unwrap();
    for change in changes {
        make(change, folder.path());
        if matches!(change, Change::Query) {
            prop_assert_eq!(found(&indexed), found(&Files::of(&project)), "after {:?}", changes);
        }
    }
    prop_assert_eq!(found(&indexed), found(&Files::of(&project)), "after {:?}", changes);
    let bytes: usize = index.state().members.values().map(|member| member.known.bytes()).sum();
    prop_assert_eq!(index.bytes(), bytes);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn queries_follow_all_changes(changes in prop::collection::vec(change(), 1..24)) {
        follows(&changes, true)?;
    }

    #[test]
    fn queries_follow_all_changes_without_events(changes in prop::collection::vec(change(), 1..24)) {
        follows(&changes, false)?;
    }
}

#[test]
fn only_what_has_changed_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.org", "b.org"] {
        fs::write(folder.path().join(name), TEXTS[0]).unwrap();
    }
    let project = project(folder.path());
    let index = Index::default();
    let files = Files::indexed(&project, &index);
    let before = index.table(&files);
    if !index.has_events() {
        return;
    }
    fs::write(folder.path().join("a.org"), TEXTS[1]).unwrap();
    let after = index.table(&files);
    let is_same = |at: usize, now: &Table| std::ptr::eq(before.file(at), now.file(at));
    assert!(!is_same(0, &after) && is_same(1, &after));
    let versions = index.versions(&files);
    assert_eq!(index.version_of("a.org"), Some(versions.any));
    assert!(versions.list < versions.any);
    fs::write(folder.path().join("c.org"), TEXTS[0]).unwrap();
    assert!(index.versions(&files).list > versions.list);
    assert!(is_same(1, &index.table(&files)));
}

/// Files are read from the folder that was opened at the beginning, whatever is at its path now.
#[test]
fn a_root_that_is_replaced_is_not_trusted() {
    let outer = tempfile::tempdir().unwrap();
    let (root, aside) = (outer.path().join("root"), outer.path().join("aside"));
    for (folder, text) in [(&root, TEXTS[0]), (&aside, TEXTS[1])] {
        fs::create_dir(folder).unwrap();
        fs::write(folder.join("a.org"), text).unwrap();
    }
    let project = project(&root);
    let index = Index::default();
    let files = Files::indexed(&project, &index);
    assert_eq!(found(&files), found(&Files::of(&project)));
    fs::rename(&root, outer.path().join("moved")).unwrap();
    fs::rename(&aside, &root).unwrap();
    assert_eq!(found(&files), found(&Files::of(&project)));
    fs::write(outer.path().join("moved").join("a.org"), TEXTS[2]).unwrap();
    assert_eq!(found(&files), found(&Files::of(&project)));
}

#[test]
fn pages_follow_each_other_while_files_change() {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path());
    let write = |name: &str, titles: &[&str]| {
        let text: String = titles.iter().map(|title| format!("* TODO {title}\n")).collect();
        fs::write(folder.path().join(name), text).unwrap();
    };
    write("a.org", &["1", "2", "3"]);
    write("c.org", &["6", "7"]);
    let index = Index::default();
    let files = Files::indexed(&project, &index);
    let page = |cursor: Option<String>| {
        let query = TodoQuery { page: Page { limit: Some(2), cursor }, ..TodoQuery::default() };
        let Found { items, total, next } = search::todos(&files, &query).unwrap();
        (items.into_iter().map(|item| item.title).collect::<Vec<_>>(), total, next)
    };
    let (first, total, next) = page(None);
    assert_eq!((first, total), (vec!["1".to_owned(), "2".to_owned()], 5));
    write("b.org", &["4", "5"]);
    let (second, total, next) = page(next);
    assert_eq!((second, total), (vec!["3".to_owned(), "4".to_owned()], 7));
    fs::remove_file(folder.path().join("b.org")).unwrap();
    let (third, _, next) = page(next);
    assert_eq!((third, next.clone()), (vec!["6".to_owned(), "7".to_owned()], None));
    let other = TodoQuery {
        query: Some("1".to_owned()),
        page: Page { limit: None, cursor: page(None).2 },
        ..TodoQuery::default()
    };
    assert!(search::todos(&files, &other).is_err(), "a cursor of another query");
}

#[test]
fn pages_of_lines_go_on_after_a_file_that_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path());
    for name in ["a.org", "b.org", "c.org"] {
        fs::write(folder.path().join(name), "invoice\n* A\ninvoice\n").unwrap();
    }
    let index = Index::default();
    let files = Files::indexed(&project, &index);
    let page = |cursor: Option<String>| {
        let page = Page { limit: Some(3), cursor };
        let query = ContentQuery { query: "Invoice".to_owned(), page, ..ContentQuery::default() };
        let found = search::content(&files, &query).unwrap().found;
        (found.items.into_iter().map(|item| (item.file, item.line)).collect::<Vec<_>>(), found.next)
    };
    let at = |places: &[(&str, u32)]| {
        places.iter().map(|(file, line)| ((*file).to_owned(), *line)).collect::<Vec<_>>()
    };
    let (first, next) = page(None);
    assert_eq!(first, at(&[("a.org", 1), ("a.org", 3), ("b.org", 1)]));
    assert_eq!(page(next.clone()).0, at(&[("b.org", 3), ("c.org", 1), ("c.org", 3)]));
    fs::remove_file(folder.path().join("b.org")).unwrap();
    assert_eq!(page(next), (at(&[("c.org", 1), ("c.org", 3)]), None));
}
