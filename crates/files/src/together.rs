//! Replacing several files together: all of them get their new content, or none does, also where the process is killed in
//! between.
//!
//! 1. Every file is locked, in the order of their paths and those that are to be made last, and compared with what was read.
//! 2. A journal is written beside each (`.NAME.proofmark-journal`). All have the same content: the paths, and hashes of the old
//!    and the new content.
//! 3. The new content of each is written to the disk beside it (`.NAME.proofmark-new`).
//! 4. Each file and its new content change places, in the order that the caller gives. Where one cannot, the others change places
//!    again.
//! 5. What is beside each file is removed, the journals first. The removal of the first one completes the change.
//!
//! Whoever opens one of the files later and finds a journal locks them all, and finishes the change if the files that are left are
//! as they were, or takes it back. A journal that not all of the files have belongs to a change that had not begun, or was
//! complete. So a journal that came with a stranger's documents changes only files that have it beside them, too.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use cap_std::{
    ambient_authority,
    fs::{Dir, OpenOptions},
};
use serde::{Deserialize, Serialize};

use super::{
    late::{self, Former},
    new_file::{JOURNAL_END, NEW_END, NewFile, beside, is_at},
    read::{open_below, read_below},
    replace::{ReplaceError, Successor, check_writable, compared, exchange},
    steps,
};
use crate::text::Fingerprint;

/// Most bytes of a journal.
const JOURNAL: usize = 1 << 20;

/// Most files of a journal: a stranger's may name any number, each of which would be looked for and locked.
const MEMBERS: usize = 64;

/// Most bytes of a file whose interrupted change is finished.
const LARGEST: usize = 64 << 20;

/// A file that is to be replaced, or made: a path without symbolic links below an open folder.
#[derive(Debug)]
pub struct Place {
    folder: Dir,
    path: PathBuf,
    /// Absolute path without symbolic links, which journals have.
    full: PathBuf,
}

impl Place {
    /// The file at `path` below an open folder; `full` is an absolute path of it.
    pub(super) fn new(folder: Dir, path: PathBuf, full: &Path) -> Self {
        Self { folder, path, full: canonical(full).unwrap_or_else(|_| full.to_owned()) }
    }

    /// The file at a path, which need not exist.
    pub fn at(path: &Path) -> io::Result<Self> {
        let full = canonical(path)?;
        let folder = Dir::open_ambient_dir(full.parent().unwrap_or(&full), ambient_authority())?;
        Ok(Self { folder, path: full.file_name().unwrap_or_default().into(), full })
    }

    fn beside(&self, end: &str) -> PathBuf {
        beside(&self.path, end)
    }

    /// The hash of a file; nothing where there is none, or a very large one.
    fn hash_of(&self, path: &Path) -> Option<String> {
        read_below(&self.folder, path, LARGEST).ok().map(|bytes| hash(&bytes))
    }

    /// The journal beside the file.
    fn journal(&self) -> Option<Vec<u8>> {
        read_below(&self.folder, &self.beside(JOURNAL_END), JOURNAL).ok()
    }
}

/// The path of a file without symbolic links; where there is none, that of its folder and its name.
fn canonical(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize().or_else(|error| {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Err(error) };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        Ok(folder.canonicalize()?.join(name))
    })
}

fn hash(bytes: &[u8]) -> String {
    Fingerprint::new().add_bytes(bytes.iter().copied()).hex()
}

/// New content for a file.
#[derive(Debug)]
pub struct Change<'c> {
    pub place: Place,
    /// The content that it is expected to have; none for a file that is made.
    pub old: Option<&'c str>,
    pub new: &'c str,
}

/// Why no file was replaced.
#[derive(Debug)]
pub struct TogetherError {
    /// The number of the change that cannot be made.
    pub index: usize,
    pub error: ReplaceError,
}

/// What a journal has.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Journal {
    files: Vec<Entry>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    path: PathBuf,
    /// Hash of the old content; none for a file that is made.
    old: Option<String>,
    new: String,
}

/// Replaces all files, or none.
///
/// # Errors
/// [`TogetherError`]; the files are as they were.
pub fn replace_together(changes: &[Change<'_>]) -> Result<(), TogetherError> {
    let at = |index: usize| move |error: io::Error| TogetherError { index, error: error.into() };
    let full = |index: &usize| &changes[*index].place.full;
    let mut order: Vec<usize> = (0..changes.len()).collect();
    order.sort_by_key(full);
    if let Some(same) = order.windows(2).find(|two| full(&two[0]) == full(&two[1])) {
        let same_file = io::Error::new(io::ErrorKind::InvalidInput, "it is another name of the same file");
        return Err(at(same[1])(same_file));
    }
    if changes.len() > MEMBERS {
        let too_many = io::Error::new(io::ErrorKind::InvalidInput, "too many files change together");
        return Err(at(0)(too_many));
    }
    let journal = Journal { files: changes.iter().map(Change::entry).collect() };
    let journal = serde_json::to_vec(&journal).map_err(|error| at(0)(error.into()))?;
    let mut held: Vec<Held<'_>> = changes.iter().map(|_| Held::default()).collect();
    let mut formers: Vec<Option<Former>> = changes.iter().map(|_| None).collect();
    // What is left beside a file that does not exist is found by the journal of another one.
    for is_made in [false, true] {
        let some = || order.iter().copied().filter(|index| changes[*index].old.is_none() == is_made);
        for index in some() {
            let Place { folder, path, .. } = &changes[index].place;
            held[index].lock = Some(NewFile::lock(folder, path).map_err(at(index))?);
        }
        for index in some() {
            formers[index] = changes[index].check().map_err(|error| TogetherError { index, error })?;
        }
        for index in some() {
            let written = WrittenJournal::write(&changes[index].place, &journal);
            held[index].journal = Some(written.map_err(at(index))?);
        }
    }
    for (index, change) in changes.iter().enumerate() {
        held[index].successor = Some(change.prepare().map_err(at(index))?);
    }
    let mut replaced = Vec::new();
    for (index, (change, former)) in changes.iter().zip(formers).enumerate() {
        match change.make(&held[index], former) {
            Ok(former) => replaced.extend(former),
            Err(error) => {
                // Where a file is replaced, an error does not say whether it was.
                let count = index + usize::from(change.old.is_some());
                let mut made = changes.iter().zip(&held).take(count).rev();
                if made.any(|(change, held)| change.take_back(held).is_err()) {
                    // Whoever opens one of the files next tries again.
                    held.into_iter().for_each(Held::leave);
                }
                return Err(TogetherError { index, error });
            }
        }
    }
    drop(held);
    replaced.into_iter().for_each(late::watch);
    Ok(())
}

/// What is beside a file while it is changed; dropped in this order.
#[derive(Default)]
struct Held<'c> {
    journal: Option<WrittenJournal<'c>>,
    successor: Option<Successor<'c>>,
    lock: Option<NewFile<'c>>,
}

impl Held<'_> {
    /// Unlocks the file, and leaves the rest.
    fn leave(self) {
        std::mem::forget((self.journal, self.successor));
    }
}

impl Change<'_> {
    fn entry(&self) -> Entry {
        Entry {
            path: self.place.full.clone(),
            old: self.old.map(|old| hash(old.as_bytes())),
            new: hash(self.new.as_bytes()),
        }
    }

    /// Checks that the file is as expected.
    fn check(&self) -> Result<Option<Former>, ReplaceError> {
        let Place { folder, path, .. } = &self.place;
        if folder.symlink_metadata(self.place.beside(JOURNAL_END)).is_ok() {
            return Err(io::Error::new(
                io::ErrorKind::ResourceBusy,
                "an interrupted change of it is not finished",
            )
            .into());
        }
        let Some(old) = self.old else {
            return match folder.symlink_metadata(path) {
                Ok(_) => Err(io::Error::from(io::ErrorKind::AlreadyExists).into()),
                Err(_) => Ok(None),
            };
        };
        check_writable(folder, path)?;
        compared(folder, path, old).map(Some)
    }

    /// Writes the new content beside the file.
    fn prepare(&self) -> io::Result<Successor<'_>> {
        let Place { folder, path, .. } = &self.place;
        let old = self.old.map(|_| open_below(folder, path)).transpose()?.map(|(file, _)| file.into_std());
        Successor::write(folder, path, self.new.as_bytes(), old.as_ref())
    }

    /// Gives the file its new content.
    fn make(&self, held: &Held<'_>, former: Option<Former>) -> Result<Option<Former>, ReplaceError> {
        let (Some(former), Some(old)) = (former, self.old) else {
            steps::link(&self.place.folder, &self.place.beside(NEW_END), &self.place.path)?;
            return Ok(None);
        };
        let Some(successor) = &held.successor else { return Ok(None) };
        let (former, outcome) = successor.take_place(former, old, self.new)?;
        outcome.map(|()| Some(former))
    }

    /// Gives the file its old content back, if it has the new one.
    fn take_back(&self, held: &Held<'_>) -> io::Result<()> {
        let new = Some(hash(self.new.as_bytes()));
        let Some(old) = self.old else {
            let Place { folder, path, .. } = &self.place;
            if self.place.hash_of(path) != new {
                return Err(io::Error::other("another program has written it"));
            }
            return steps::remove(folder, path);
        };
        if self.place.hash_of(&self.place.beside(NEW_END)) == new {
            return Ok(());
        }
        held.successor.as_ref().map_or(Ok(()), |successor| successor.take_back(old, self.new))
    }
}

/// A journal, removed when it is dropped.
struct WrittenJournal<'p> {
    folder: &'p Dir,
    path: PathBuf,
}

impl<'p> WrittenJournal<'p> {
    fn write(place: &'p Place, bytes: &[u8]) -> io::Result<Self> {
        let path = place.beside(JOURNAL_END);
        steps::step()?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let mut file: File = place.folder.open_with(&path, &options)?.into_std();
        let journal = Self { folder: &place.folder, path };
        steps::write(&mut file, bytes)?;
        steps::sync(&file)?;
        Ok(journal)
    }
}

impl Drop for WrittenJournal<'_> {
    fn drop(&mut self) {
        let _ = steps::remove(self.folder, &self.path);
    }
}

/// Whether there may be something to tidy: a lock is made first and removed last.
pub fn is_interrupted(path: &Path) -> bool {
    beside(path, "").symlink_metadata().is_ok()
}

/// Removes what a killed process left beside a file, and finishes or takes back its change of several files, which `find`
/// locates by their absolute paths. Where another program replaces the file now, it does both.
pub fn tidy(place: &Place, find: &dyn Fn(&Path) -> Option<Place>) {
    if place.folder.symlink_metadata(place.beside("")).is_err() {
        return;
    }
    let Ok(_lock) = NewFile::lock_within(&place.folder, &place.path, Duration::ZERO) else { return };
    let journal = place.journal().map(|bytes| (serde_json::from_slice::<Journal>(&bytes).ok(), bytes));
    let is_own = |journal: &Journal| {
        journal.files.len() <= MEMBERS && journal.files.iter().any(|entry| entry.path == place.full)
    };
    let Some((Some(journal), bytes)) = journal.filter(|(read, _)| read.as_ref().is_some_and(is_own)) else {
        // No journal, or half of one: a change had not begun, or was complete.
        return remove_all(&[place]);
    };
    let others = journal.files.iter().filter(|entry| entry.path != place.full);
    let others: Option<Vec<Place>> = others.map(|entry| find(&entry.path)).collect();
    if let Some(others) = others {
        complete(&journal, &bytes, &others, place);
    }
}

/// Completes a change of several files, or takes it back; `place` is locked, and the others are not. What cannot be done now
/// is tried again when one of the files is opened next.
fn complete(journal: &Journal, bytes: &[u8], others: &[Place], place: &Place) {
    let mut locks = Vec::new();
    for Place { folder, path, .. } in others {
        let Ok(lock) = NewFile::lock_within(folder, path, Duration::ZERO) else { return };
        locks.push(lock);
    }
    let places: Vec<&Place> = others.iter().chain([place]).collect();
    let members: Vec<Member<'_>> = journal
        .files
        .iter()
        .filter_map(|entry| {
            let place = places.iter().find(|place| place.full == entry.path)?;
            Some(Member { place, entry })
        })
        .collect();
    let has_it = |place: &Place| place.journal().as_deref() == Some(bytes);
    let is_whole = members.len() == journal.files.len() && members.iter().all(|member| has_it(member.place));
    if is_whole && finish(&members).is_err() {
        return;
    }
    // Half of a journal is of this change: it was being written.
    let is_whole = |bytes: &[u8]| serde_json::from_slice::<Journal>(bytes).is_ok();
    let is_other = |place: &Place| place.journal().is_some_and(|other| other != bytes && is_whole(&other));
    let own: Vec<&Place> = places.iter().copied().filter(|place| !is_other(place)).collect();
    remove_all(&own);
}

/// Removes what is beside files, except for their locks.
fn remove_all(places: &[&Place]) {
    for place in places {
        for end in [JOURNAL_END, NEW_END] {
            let _ = steps::remove(&place.folder, &place.beside(end));
        }
    }
}

/// A file of an interrupted change.
struct Member<'j> {
    place: &'j Place,
    entry: &'j Entry,
}

/// How far the change of a file has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// It has the old content; what others wrote to it since is there as well.
    Before,
    /// It has the new content, and what others wrote to it since.
    After,
    /// It has the new content, and what it had before was not what the change expected.
    Overwritten,
    /// What is beside it does not say.
    Unknown,
}

/// Finishes an interrupted change, or takes it back.
fn finish(members: &[Member<'_>]) -> io::Result<()> {
    let stages: Vec<Stage> = members.iter().map(Member::stage).collect();
    let of = |stage: Stage| {
        members.iter().zip(&stages).filter(move |(_, is)| **is == stage).map(|(member, _)| member)
    };
    let may_finish = of(Stage::Overwritten).next().is_none() && of(Stage::After).next().is_some();
    if may_finish && of(Stage::Before).all(Member::is_old) {
        return of(Stage::Before).try_for_each(Member::go_on);
    }
    let is_begun = of(Stage::Before).next().is_some();
    let done = of(Stage::After).filter(|_| is_begun).filter(|member| member.is_new());
    of(Stage::Overwritten).chain(done).try_for_each(Member::go_back)
}

impl Member<'_> {
    fn stage(&self) -> Stage {
        let (old, new) = (self.entry.old.as_ref(), Some(&self.entry.new));
        let Place { folder, path, .. } = self.place;
        let now = self.place.hash_of(path);
        let beside = self.place.hash_of(&self.place.beside(NEW_END));
        if old.is_none() {
            let is_linked = open_below(folder, path)
                .is_ok_and(|(file, _)| is_at(folder, &self.place.beside(NEW_END), &file.into_std()));
            return match now {
                Some(_) if now.as_ref() == new || (cfg!(unix) && is_linked) => Stage::After,
                None if beside.as_ref() == new => Stage::Before,
                _ => Stage::Unknown,
            };
        }
        match beside.as_ref() {
            beside if beside == new => Stage::Before,
            beside if beside == old => Stage::After,
            None if now.as_ref() == new => Stage::After,
            Some(_) if now.as_ref() == new => Stage::Overwritten,
            _ => Stage::Unknown,
        }
    }

    /// Whether the file has exactly its old content.
    fn is_old(&self) -> bool {
        self.place.hash_of(&self.place.path) == self.entry.old
    }

    /// Whether the file has exactly its new content.
    fn is_new(&self) -> bool {
        self.place.hash_of(&self.place.path).as_ref() == Some(&self.entry.new)
    }

    /// Gives the file its new content.
    fn go_on(&self) -> io::Result<()> {
        let Place { folder, path, .. } = self.place;
        let beside = self.place.beside(NEW_END);
        if self.entry.old.is_none() {
            return steps::link(folder, &beside, path);
        }
        if !exchange(folder, &beside, path)? {
            return steps::rename(folder, &beside, path);
        }
        if self.place.hash_of(&beside) != self.entry.old {
            // Another program wrote it a moment ago.
            exchange(folder, &beside, path)?;
            return Err(io::ErrorKind::ResourceBusy.into());
        }
        Ok(())
    }

    /// Gives the file its old content.
    fn go_back(&self) -> io::Result<()> {
        let Place { folder, path, .. } = self.place;
        if self.entry.old.is_none() {
            return steps::remove(folder, path);
        }
        exchange(folder, &self.place.beside(NEW_END), path).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, fs};

    use super::{
        super::steps::faults::{Plan, plan},
        *,
    };

    /// The files of a folder with their contents.
    fn contents(folder: &Path) -> BTreeMap<String, String> {
        let entries = fs::read_dir(folder).unwrap().flatten();
        let read = |entry: fs::DirEntry| {
            (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap())
        };
        entries.map(read).collect()
    }

    fn files(files: &[(&str, &str)]) -> BTreeMap<String, String> {
        files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    fn find(path: &Path) -> Option<Place> {
        Place::at(path).ok()
    }

    fn tidy_file(path: &Path) {
        tidy(&Place::at(path).unwrap(), &find);
    }

    const SOURCE: (&str, &str) = ("source", "* A\n* Moved\n");
    const REST: (&str, &str) = ("source", "* A\n");
    const TARGET: (&str, &str) = ("target", "* B\n");
    const WITH: (&str, &str) = ("target", "* B\n* Moved\n");

    /// A folder with the files before a move. The target is made by it, or replaced.
    struct Moves {
        folder: tempfile::TempDir,
        is_made: bool,
    }

    impl Moves {
        fn new(is_made: bool) -> Self {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join(SOURCE.0), SOURCE.1).unwrap();
            if !is_made {
                fs::write(folder.path().join(TARGET.0), TARGET.1).unwrap();
            }
            Self { folder, is_made }
        }

        fn before(&self) -> BTreeMap<String, String> {
            files(if self.is_made { &[SOURCE] } else { &[SOURCE, TARGET] })
        }

        fn after() -> BTreeMap<String, String> {
            files(&[REST, WITH])
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        fn make(&self) -> Result<(), TogetherError> {
            let old = if self.is_made { None } else { Some(TARGET.1) };
            let place = |name: &str| Place::at(&self.path(name)).unwrap();
            replace_together(&[
                Change { place: place("target"), old, new: WITH.1 },
                Change { place: place("source"), old: Some(SOURCE.1), new: REST.1 },
            ])
        }
    }

    #[test]
    fn a_step_that_fails_leaves_all_files_old_or_all_new() {
        for is_made in [false, true] {
            let (mut failing, mut refused) = (0, 0);
            loop {
                let moves = Moves::new(is_made);
                plan(Plan::One(failing));
                let made = moves.make();
                let steps = plan(Plan::None);
                tidy_file(&moves.path("source"));
                if moves.path("target").exists() {
                    tidy_file(&moves.path("target"));
                }
                let expected = if made.is_ok() { Moves::after() } else { moves.before() };
                assert_eq!(contents(moves.folder.path()), expected, "step {failing} of {steps}, {made:?}");
                refused += usize::from(made.is_err());
                failing += 1;
                if failing > steps {
                    break;
                }
            }
            assert!(failing > 15 && refused > 10, "{refused} of {failing} steps refuse the move");
        }
    }

    #[test]
    fn a_process_that_ends_after_any_step_leaves_a_change_that_the_next_one_completes_or_takes_back() {
        for (is_made, name) in [(false, "source"), (false, "target"), (true, "source"), (true, "target")] {
            let (mut last, mut completed) = (0, 0);
            loop {
                let moves = Moves::new(is_made);
                plan(Plan::All(last));
                let _ = moves.make();
                let steps = plan(Plan::None);
                if moves.path(name).exists() {
                    tidy_file(&moves.path(name));
                }
                let now = contents(moves.folder.path());
                let shown: BTreeMap<_, _> =
                    now.clone().into_iter().filter(|(name, _)| !name.starts_with('.')).collect();
                assert!(
                    shown == moves.before() || shown == Moves::after(),
                    "step {last} of {steps}: {now:?}"
                );
                completed += usize::from(shown == Moves::after());
                // Opening the other file, or both, leaves no journal.
                for name in ["source", "target"] {
                    tidy(&Place::at(&moves.path(name)).unwrap(), &find);
                }
                assert_eq!(contents(moves.folder.path()), shown, "step {last} of {steps}");
                last += 1;
                if last > steps {
                    break;
                }
            }
            assert!(completed > 3 && last > 15, "{completed} of {last}");
        }
    }

    #[test]
    fn a_change_is_recovered_when_its_recovery_ends_after_any_step() {
        for is_made in [false, true] {
            for last in 0.. {
                let moves = half(is_made);
                assert_eq!(fs::read_to_string(moves.path("source")).unwrap(), SOURCE.1);
                plan(Plan::All(last));
                tidy_file(&moves.path("source"));
                let steps = plan(Plan::None);
                tidy_file(&moves.path("source"));
                tidy_file(&moves.path("target"));
                assert_eq!(contents(moves.folder.path()), Moves::after(), "step {last} of {steps}");
                if last > steps {
                    assert!(last > 4, "{last}");
                    break;
                }
            }
        }
    }

    #[test]
    fn whoever_opens_only_the_source_completes_the_move_and_removes_what_is_left_beside_the_target() {
        for is_made in [false, true] {
            for last in 0.. {
                let moves = Moves::new(is_made);
                plan(Plan::All(last));
                let _ = moves.make();
                let steps = plan(Plan::None);
                tidy_file(&moves.path("source"));
                let mut now = contents(moves.folder.path());
                // An empty lock of a file that exists may stay until the file is opened.
                if !is_made && now.get(".target.proofmark").is_some_and(String::is_empty) {
                    now.remove(".target.proofmark");
                }
                assert!(now == moves.before() || now == Moves::after(), "step {last} of {steps}: {now:?}");
                if last > steps {
                    break;
                }
            }
        }
    }

    /// A move that ended between both exchanges.
    fn half(is_made: bool) -> Moves {
        for last in 0.. {
            let moves = Moves::new(is_made);
            plan(Plan::All(last));
            let _ = moves.make();
            plan(Plan::None);
            if fs::read_to_string(moves.path("target")).is_ok_and(|text| text == WITH.1) {
                return moves;
            }
        }
        unreachable!()
    }

    #[test]
    fn what_others_write_in_between_is_kept() {
        for is_made in [false, true] {
            let moves = half(is_made);
            fs::write(moves.path("target"), "* B\n* Moved\n* More\n").unwrap();
            tidy_file(&moves.path("source"));
            assert_eq!(contents(moves.folder.path()), files(&[REST, ("target", "* B\n* Moved\n* More\n")]));
            let moves = half(is_made);
            fs::write(moves.path("source"), "* A\n* Moved\n* More\n").unwrap();
            tidy_file(&moves.path("source"));
            let mut expected = moves.before();
            expected.insert("source".to_owned(), "* A\n* Moved\n* More\n".to_owned());
            assert_eq!(contents(moves.folder.path()), expected);
        }
    }

    #[test]
    fn a_journal_with_very_many_files_is_removed_and_changes_nothing() {
        let moves = half(false);
        let journal = moves.path(".source.proofmark-journal");
        let mut named: Journal = serde_json::from_slice(&fs::read(&journal).unwrap()).unwrap();
        named.files.extend((0..MEMBERS).map(|number| Entry {
            path: moves.path(&number.to_string()),
            old: None,
            new: String::new(),
        }));
        fs::write(&journal, serde_json::to_vec(&named).unwrap()).unwrap();
        tidy_file(&moves.path("source"));
        assert!(!journal.exists() && !moves.path(".0.proofmark").exists());
        assert_eq!(fs::read_to_string(moves.path("source")).unwrap(), SOURCE.1);
    }

    #[test]
    fn a_journal_that_only_one_file_has_changes_nothing() {
        let moves = half(false);
        fs::remove_file(moves.path(".target.proofmark-journal")).unwrap();
        let other = fs::read_to_string(moves.path(".source.proofmark-new")).unwrap();
        assert_eq!(other, REST.1, "there is something that could be done");
        tidy_file(&moves.path("source"));
        assert_eq!(fs::read_to_string(moves.path("source")).unwrap(), SOURCE.1);
    }

    #[test]
    fn a_change_of_a_file_that_cannot_be_reached_waits() {
        let moves = half(false);
        let before = contents(moves.folder.path());
        tidy(&Place::at(&moves.path("source")).unwrap(), &|_| None);
        assert_eq!(contents(moves.folder.path()), before);
        let refused = moves.make().unwrap_err();
        assert!(matches!(refused.error, ReplaceError::Io(_) | ReplaceError::Changed), "{refused:?}");
    }

    #[test]
    fn files_that_have_changed_are_not_replaced() {
        for (name, index) in [("target", 0), ("source", 1)] {
            let moves = Moves::new(false);
            fs::write(moves.path(name), "other").unwrap();
            let before = contents(moves.folder.path());
            let refused = moves.make().unwrap_err();
            assert!(matches!(refused, TogetherError { error: ReplaceError::Changed, .. }), "{refused:?}");
            assert_eq!(refused.index, index);
            assert_eq!(contents(moves.folder.path()), before);
        }
        let moves = Moves::new(true);
        fs::write(moves.path("target"), "other").unwrap();
        assert_eq!(moves.make().unwrap_err().index, 0);
        assert_eq!(contents(moves.folder.path()), files(&[SOURCE, ("target", "other")]));
    }

    #[test]
    fn what_a_killed_process_left_is_removed_where_nothing_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        fs::write(&path, "new").unwrap();
        fs::write(folder.path().join(".a.md.proofmark"), "").unwrap();
        fs::write(folder.path().join(".a.md.proofmark-new"), "old").unwrap();
        let other = File::open(folder.path().join(".a.md.proofmark")).unwrap();
        other.lock().unwrap();
        tidy_file(&path);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "they belong to a program that runs");
        drop(other);
        tidy_file(&path);
        assert_eq!(contents(folder.path()), files(&[("a.md", "new")]));
    }
}
