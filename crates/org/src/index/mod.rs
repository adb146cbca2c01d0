//! What is known of the Org files of a service, kept while they stay as they are.
//!
//! A query first learns what has changed. On Linux the kernel puts an event into a queue before the call returns that
//! has changed a file, so that whoever reads the queue at the beginning of a query misses nothing ([`watch`]). Elsewhere,
//! and where there are no events, all files are looked at ([`stamp`]). What has changed is read again; nothing else is.

mod controls;
mod stamp;
mod watch;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, mem,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock},
    time::SystemTime,
};

use self::{
    controls::Controls,
    stamp::Stamp,
    watch::{Event, Watch},
};
use super::{digest::Digest, parallel::parallel, table::Table, vocabulary::Vocabulary, words::Words};
use crate::{budget, project::Listed};

/// Most bytes that are kept of all files. Those beyond it are read for each query.
const MOST_BYTES: usize = 512 << 20;

/// Most changed files for which the table is changed, and not made anew.
const MOST_CHANGED: usize = 32;

/// How many files are read before their words are added to those of the others.
const READ_AT_ONCE: usize = 500;

/// How often a walk is repeated because folders have appeared meanwhile.
const WALKS: usize = 4;

/// The files that are indexed, as they are now.
pub(super) trait Corpus: Sync {
    /// The folders that they are below.
    fn folders(&self) -> &[PathBuf];

    /// Whether ignore files leave files out.
    fn has_ignore_files(&self) -> bool;

    /// All files of the corpus, and the folders that they may be in.
    fn walked_folders(&self) -> (Vec<Listed>, Vec<PathBuf>);

    /// The files of the corpus in one folder.
    fn walked_folder(&self, folder: &Path) -> Vec<Listed>;

    /// Whether a file of this name may belong to the corpus.
    fn may_contain(&self, name: &str) -> bool;

    /// How the file at a path is called.
    fn name_of(&self, path: &Path) -> String;

    /// Where a file is.
    fn path_of(&self, listed: &Listed) -> PathBuf;

    /// Reads a file; nothing where it cannot be read.
    fn digest(&self, listed: &Listed) -> Option<Digest>;

    /// Like [`Self::digest`], with the words of the file.
    fn digest_with_words(&self, listed: &Listed) -> Option<(Digest, Words)>;
}

/// The index of a service. It is empty until it is asked for something.
#[derive(Default)]
pub struct Index {
    state: Mutex<State>,
}

/// How changes become known.
#[derive(Default)]
enum Changes {
    /// By nothing yet.
    #[default]
    Unknown,
    /// By events of the file system.
    Events(Watch),
    /// By looking at all files.
    Stamps,
    /// Not at all: the folder at the path of a root is not the one that files are read from.
    Nothing,
}

#[derive(Default)]
struct State {
    changes: Changes,
    /// The roots, as they were at the beginning.
    roots: Vec<Option<Stamp>>,
    /// Files outside the folders that say which files are listed.
    controls: Controls,
    /// Whether the list has to be made again.
    is_incomplete: bool,
    members: BTreeMap<String, Member>,
    /// Members with several names in the file system: one that is not watched may be used to change them.
    linked: BTreeSet<String>,
    /// Set-up files, as they were when they were read, with the members that depend on them.
    setups: BTreeMap<PathBuf, (SetupStamp, BTreeSet<String>)>,
    /// Members whose digest is to be made, or made again.
    stale: BTreeSet<String>,
    /// The words of the files that have digests.
    vocabulary: Arc<RwLock<Vocabulary>>,
    /// The headlines of all digests; nothing where it is to be made anew.
    table: Option<Arc<Table>>,
    /// Files of which the table may have another digest than there is.
    outdated: BTreeSet<String>,
    /// IDs of headlines, with the files that they are in.
    ids: BTreeSet<(Box<str>, Arc<str>)>,
    /// Bytes of all digests.
    bytes: usize,
    /// Counts changes.
    version: Versions,
}

/// Numbers that grow with each change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Versions {
    /// Grows with each change of which files there are.
    pub list: u64,
    /// Grows with each change of the list or of a file.
    pub any: u64,
}

/// A set-up file as it was read: not there, or with a stamp; nothing where it may be another one by now.
type SetupStamp = Option<Option<Stamp>>;

/// What was read of a file.
#[derive(Default)]
struct NowRead {
    /// The file as it was before.
    stamp: Option<Stamp>,
    digest: Option<(Digest, Words)>,
    setups: Vec<(PathBuf, SetupStamp)>,
}

struct Member {
    listed: Listed,
    path: PathBuf,
    /// The file as it was last seen.
    seen: Option<Stamp>,
    known: Known,
    /// The version with which it has changed last.
    version: u64,
    /// Whether it depends on set-up files.
    has_setup: bool,
}

#[derive(Default)]
enum Known {
    #[default]
    Nothing,
    Unreadable,
    Digest(Arc<Digest>),
    /// It is read for each query.
    TooMuch,
}

impl Index {
    /// The files, sorted by name.
    pub(super) fn listed(&self, files: &impl Corpus) -> Vec<Listed> {
        let mut state = self.state();
        state.refresh(files);
        state.members.values().map(|member| member.listed.clone()).collect()
    }

    /// The headlines of all files that can be read.
    pub(super) fn table(&self, files: &impl Corpus) -> Arc<Table> {
        let mut state = self.state();
        state.read(files);
        let mut table = state.table();
        let beyond = state.beyond();
        drop(state);
        if !beyond.is_empty() {
            let read = |listed: &Listed| files.digest(listed);
            for digest in parallel(&beyond, read).into_iter().flatten().flatten() {
                let name = Arc::clone(&digest.name);
                Arc::make_mut(&mut table).put(&name, Some(Arc::new(digest)));
            }
        }
        table
    }

    /// The files that may have a headline with an ID, sorted by name.
    pub(super) fn listed_with_id(&self, files: &impl Corpus, id: &str) -> Vec<Listed> {
        let mut state = self.state();
        state.read(files);
        let from = (Box::from(id), Arc::from(""));
        let with_id = state.ids.range(from..).take_while(|(known, _)| **known == *id);
        let listed = with_id.filter_map(|(_, name)| Some(state.members.get(&**name)?.listed.clone()));
        let mut listed: Vec<Listed> = listed.chain(state.beyond()).collect();
        listed.sort_by(|a, b| a.name.cmp(&b.name));
        listed
    }

    /// What has changed until now, without reading files.
    pub(super) fn versions(&self, files: &impl Corpus) -> Versions {
        let mut state = self.state();
        state.refresh(files);
        state.version
    }

    /// The version with which a file has changed last; nothing where it is not a member.
    pub fn version_of(&self, name: &str) -> Option<u64> {
        self.state().members.get(name).map(|member| member.version)
    }

    /// Whether looking for changes costs next to nothing.
    pub fn has_events(&self) -> bool {
        matches!(self.state().changes, Changes::Events(_))
    }

    /// How many bytes of memory are kept.
    #[cfg(test)]
    fn bytes(&self) -> usize {
        self.state().bytes
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index").finish_non_exhaustive()
    }
}

impl State {
    /// Learns which files there are and which have changed.
    fn refresh(&mut self, files: &impl Corpus) {
        let roots: Vec<Option<Stamp>> = files.folders().iter().map(|root| Stamp::of_folder(root)).collect();
        if matches!(self.changes, Changes::Unknown) {
            self.changes = Watch::new().map_or(Changes::Stamps, Changes::Events);
            self.is_incomplete = true;
            self.roots = roots;
        } else if self.roots != roots {
            self.changes = Changes::Nothing;
        }
        if self.controls.have_changed() {
            self.is_incomplete = true;
        }
        match &mut self.changes {
            Changes::Events(watch) => {
                let events = watch.events();
                self.apply(files, events);
            }
            _ => self.is_incomplete = true,
        }
        if self.is_incomplete {
            self.list(files);
        }
        self.follow_links();
        self.follow_setups();
        if matches!(self.changes, Changes::Nothing) {
            self.stale.extend(self.members.keys().cloned());
        }
    }

    /// Follows events, each file and folder once.
    fn apply(&mut self, files: &impl Corpus, events: Vec<Event>) {
        let (mut changed, mut moved) = (BTreeSet::new(), BTreeSet::new());
        for event in events {
            match event {
                Event::Folders => self.is_incomplete = true,
                Event::Moved(path) if controls::is_one(&path) => self.is_incomplete = true,
                Event::Changed(path) if controls::is_one(&path) => self.is_incomplete = true,
                Event::Changed(path) => _ = changed.insert(path),
                Event::Moved(path) => _ = moved.insert(path),
            }
        }
        let mut folders = BTreeSet::new();
        for path in changed.union(&moved) {
            // A file with several names may change by each of them: all members are looked at for the others.
            self.is_incomplete |=
                moved.contains(path) && Stamp::of_file(path).is_some_and(|file| file.has_links());
            let name = files.name_of(path);
            if !files.may_contain(&name) {
                continue;
            }
            let is_known = self.touch(&name);
            if !moved.contains(path) || self.is_incomplete {
                continue;
            }
            // A regular file of this name is listed if the one before it was.
            match path.symlink_metadata() {
                Ok(metadata) if is_known && metadata.is_file() => {}
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    if is_known {
                        self.remove(&name);
                    }
                }
                _ => folders.extend(path.parent().map(Path::to_owned)),
            }
        }
        if !self.is_incomplete {
            for folder in folders {
                self.list_folder(files, &folder);
            }
        }
    }

    /// Has a member read again; whether there is one of this name.
    fn touch(&mut self, name: &str) -> bool {
        let Some(member) = self.members.get_mut(name) else { return false };
        self.version.any += 1;
        member.version = self.version.any;
        self.stale.insert(name.to_owned());
        true
    }

    /// Has the members read again that may have changed by another name.
    fn follow_links(&mut self) {
        let mut changed = Vec::new();
        for name in &self.linked {
            let Some(member) = self.members.get_mut(name) else { continue };
            let now = Stamp::of(&member.path);
            if now.as_ref().is_none_or(Stamp::is_recent) {
                self.stale.insert(name.clone());
            }
            if member.seen != now {
                member.seen = now;
                changed.push(name.clone());
            }
        }
        for name in changed {
            self.touch(&name);
        }
    }

    /// Has the members read again whose set-up files have changed. These need not be in folders that are watched, and
    /// there are few.
    fn follow_setups(&mut self) {
        let mut changed = BTreeSet::new();
        for (path, (before, users)) in &mut self.setups {
            let now = Some(Stamp::behind(path));
            if *before != now {
                *before = now;
                changed.extend(users.iter().cloned());
            }
        }
        for name in changed {
            self.touch(&name);
        }
    }

    /// Makes the list of files anew, and watches their folders.
    fn list(&mut self, files: &impl Corpus) {
        let mut walked = files.walked_folders();
        self.is_incomplete = false;
        if let Changes::Events(watch) = &mut self.changes {
            for walk in 1.. {
                // What appears in a folder before it is watched is found by another walk.
                match watch.follow(&walked.1) {
                    Ok(false) => break,
                    Ok(true) if walk == WALKS => {
                        self.is_incomplete = true;
                        break;
                    }
                    Ok(true) => walked = files.walked_folders(),
                    Err(()) => {
                        self.changes = Changes::Stamps;
                        break;
                    }
                }
            }
        }
        let (listed, folders) = walked;
        let has_ignore_files = files.has_ignore_files();
        self.controls =
            if has_ignore_files { Controls::of(files.folders(), &folders) } else { Controls::default() };
        let before = mem::take(&mut self.members);
        self.merge(files, before, listed, true);
    }

    /// Makes the list of the files in one folder anew.
    fn list_folder(&mut self, files: &impl Corpus, folder: &Path) {
        let listed = files.walked_folder(folder);
        let is_inside = |_: &String, member: &mut Member| member.path.parent() == Some(folder);
        let before = self.members.extract_if(.., is_inside).collect();
        self.merge(files, before, listed, false);
    }

    /// Adds the files that are listed now; `before` are those that were. Changes may have been missed, or not.
    fn merge(
        &mut self,
        files: &impl Corpus,
        mut before: BTreeMap<String, Member>,
        listed: Vec<Listed>,
        may_have_missed: bool,
    ) {
        let mut is_other_list = false;
        for listed in listed {
            let name = listed.name.clone();
            let path = files.path_of(&listed);
            let now = Stamp::of(&path);
            let mut member = before.remove(&name).unwrap_or_else(|| {
                is_other_list = true;
                Member {
                    listed: listed.clone(),
                    path: path.clone(),
                    seen: None,
                    known: Known::Nothing,
                    version: 0,
                    has_setup: false,
                }
            });
            let is_new = matches!(member.known, Known::Nothing) && member.version == 0;
            let has_changed = member.seen != now;
            // Within the resolution of its times a file may have changed again.
            let is_doubtful = || may_have_missed && now.as_ref().is_none_or(Stamp::is_recent);
            if is_new || has_changed || is_doubtful() {
                self.stale.insert(name.clone());
            }
            if is_new || has_changed {
                self.version.any += 1;
                member.version = self.version.any;
            }
            if now.as_ref().is_some_and(Stamp::has_links) {
                self.linked.insert(name.clone());
            }
            member.listed = listed;
            member.path = path;
            member.seen = now;
            self.members.insert(name, member);
        }
        if is_other_list || !before.is_empty() {
            self.version.any += 1;
            self.version.list = self.version.any;
        }
        for (name, member) in before {
            self.forget(&name, &member);
        }
    }

    fn remove(&mut self, name: &str) {
        let Some(member) = self.members.remove(name) else { return };
        self.forget(name, &member);
        self.version.any += 1;
        self.version.list = self.version.any;
    }

    fn forget(&mut self, name: &str, member: &Member) {
        self.stale.remove(name);
        self.linked.remove(name);
        self.drop_digest(&member.known);
        self.outdated.insert(name.to_owned());
        if member.has_setup {
            self.forget_setups(name);
        }
    }

    fn forget_setups(&mut self, name: &str) {
        self.setups.retain(|_, (_, users)| {
            users.remove(name);
            !users.is_empty()
        });
    }

    /// Brings all digests up to date.
    fn read(&mut self, files: &impl Corpus) {
        self.refresh(files);
        let stale: Vec<(String, Listed, PathBuf)> = mem::take(&mut self.stale)
            .into_iter()
            .filter_map(|name| {
                let member = self.members.get(&name)?;
                Some((name, member.listed.clone(), member.path.clone()))
            })
            .collect();
        // The stamp is that of the file before it is read: what changes it meanwhile changes the stamp.
        let read = |(_, listed, path): &(String, Listed, PathBuf)| {
            let stamp = Stamp::of(path);
            let began = SystemTime::now();
            // What is kept serves later calls: the budget of this one does not decide how much of it is read.
            let digest = budget::despite(|| files.digest_with_words(listed));
            let setups = digest.iter().flat_map(|(digest, _)| setups(path, digest, began)).collect();
            NowRead { stamp, digest, setups }
        };
        for stale in stale.chunks(READ_AT_ONCE) {
            let results = parallel(stale, read);
            for ((name, ..), result) in stale.iter().zip(results) {
                self.keep(name, result.unwrap_or_default());
            }
        }
        self.forget_words();
    }

    /// Keeps what was read of a member.
    fn keep(&mut self, name: &str, read: NowRead) {
        if self.members.get(name).is_some_and(|member| member.has_setup) {
            self.forget_setups(name);
        }
        let Some(member) = self.members.get_mut(name) else { return };
        let before = mem::take(&mut member.known);
        self.drop_digest(&before);
        let Some(member) = self.members.get_mut(name) else { return };
        let NowRead { stamp, digest, setups } = read;
        member.has_setup = !setups.is_empty();
        for (path, stamp) in setups {
            let (known, users) = self.setups.entry(path).or_insert_with(|| (stamp.clone(), BTreeSet::new()));
            // Two members that have read the set-up file at different times are both read again.
            if *known != stamp {
                *known = None;
            }
            users.insert(name.to_owned());
        }
        if stamp.as_ref().is_some_and(Stamp::has_links) {
            self.linked.insert(name.to_owned());
        }
        member.seen = stamp;
        let mut vocabulary = self.vocabulary.write().unwrap_or_else(PoisonError::into_inner);
        member.known = match digest {
            None => Known::Unreadable,
            Some((digest, _)) if self.bytes + vocabulary.bytes() + digest.bytes() > MOST_BYTES => {
                Known::TooMuch
            }
            Some((mut digest, words)) => {
                digest.number = Some(vocabulary.add(&words));
                self.ids.extend(ids(&digest));
                Known::Digest(Arc::new(digest))
            }
        };
        self.bytes += member.known.bytes();
        self.outdated.insert(name.to_owned());
    }

    /// Takes the words of files that have changed since, or are gone, out of the vocabulary, once there are many.
    fn forget_words(&mut self) {
        let vocabulary = self.vocabulary.read().unwrap_or_else(PoisonError::into_inner);
        if (vocabulary.files() as usize) < vocabulary.dropped() as usize + 2 * self.members.len() + 1000 {
            return;
        }
        let numbers = self.members.values().filter_map(|member| match &member.known {
            Known::Digest(digest) => digest.number,
            _ => None,
        });
        let numbers: BTreeSet<u32> = numbers.collect();
        let kept = vocabulary.of_files(|file| numbers.contains(&file));
        drop(vocabulary);
        // Tables that are in use keep the old one.
        self.vocabulary = Arc::new(RwLock::new(kept));
        self.table = None;
    }

    /// Forgets what a digest adds to the index.
    fn drop_digest(&mut self, known: &Known) {
        self.bytes -= known.bytes();
        if let Known::Digest(digest) = known {
            for id in ids(digest) {
                self.ids.remove(&id);
            }
        }
    }

    /// The table of all digests, which are up to date. Others may use the one that was given before: it does not change.
    fn table(&mut self) -> Arc<Table> {
        let outdated = mem::take(&mut self.outdated);
        let is_usable = |table: &Arc<Table>| outdated.len() <= MOST_CHANGED && !table.is_overgrown();
        let digest_of = |member: &Member| match &member.known {
            Known::Digest(digest) => Some(Arc::clone(digest)),
            _ => None,
        };
        let table = match self.table.take().filter(is_usable) {
            Some(mut table) => {
                for name in &outdated {
                    let digest = self.members.get(name).and_then(digest_of);
                    Arc::make_mut(&mut table).put(name, digest);
                }
                table
            }
            None => {
                let table = Table::of(self.members.values().filter_map(digest_of).collect(), false);
                Arc::new(table.with_vocabulary(Arc::clone(&self.vocabulary)))
            }
        };
        self.table = Some(Arc::clone(&table));
        table
    }

    /// The files that are read for each query.
    fn beyond(&self) -> Vec<Listed> {
        let is_beyond = |member: &&Member| matches!(member.known, Known::TooMuch);
        self.members.values().filter(is_beyond).map(|member| member.listed.clone()).collect()
    }
}

/// The set-up files of a member that is at a path, and that was read after `began`. Which they are is known only then:
/// one that may have changed since is read again.
fn setups(path: &Path, digest: &Digest, began: SystemTime) -> Vec<(PathBuf, SetupStamp)> {
    let stamped = |(setup, was_read): &(String, bool)| {
        let path = path.with_file_name("").join(setup);
        let stamp = match Stamp::behind(&path) {
            Some(stamp) if stamp.is_older_than(began) => Some(Some(stamp)),
            None if !was_read => Some(None),
            _ => None,
        };
        (path, stamp)
    };
    digest.setup.iter().map(stamped).collect()
}

/// The IDs of a file, with its name.
fn ids(digest: &Digest) -> impl Iterator<Item = (Box<str>, Arc<str>)> {
    digest.entries().filter_map(|entry| Some((entry.id()?.into(), Arc::clone(&digest.name))))
}

impl Known {
    fn bytes(&self) -> usize {
        match self {
            Self::Digest(digest) => digest.bytes(),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests;
