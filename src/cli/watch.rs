//! Doing a command again whenever what it reads changes.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    thread,
    time::{Duration, SystemTime},
};

#[cfg(feature = "render")]
use crate::project::config::Quills;
use crate::project::{Baselines, OpenErrors, Overrides, Project};

use super::{
    Global,
    console::Console,
    exit::{Exit, Fault},
    input::InputArguments,
};

/// How often files are looked at.
const INTERVAL: Duration = Duration::from_millis(300);

/// What a file looked like: time of the last change and size.
type State = BTreeMap<PathBuf, Option<(SystemTime, u64)>>;

/// Most files of folders that are looked at.
#[cfg(feature = "render")]
const MOST_FILES: usize = 20_000;

/// Deepest folder that is looked into.
#[cfg(feature = "render")]
const DEEPEST: usize = 18;

/// Calls `command`, and again after every change of what `check` and its like read, until the process is
/// ended.
pub(super) fn run(
    input: &InputArguments,
    global: &Global,
    command: impl Fn() -> Result<Exit, Fault>,
) -> Result<Exit, Fault> {
    refuse_stdin(&input.paths)?;
    again(|last| state(input, global, last), command)
}

/// Calls `command`, and again after every change of documents, quills or configuration.
#[cfg(feature = "render")]
pub(super) fn rendering(
    documents: &[PathBuf],
    global: &Global,
    command: impl Fn() -> Result<Exit, Fault>,
) -> Result<Exit, Fault> {
    refuse_stdin(documents)?;
    let look = |last: Option<&State>| match opened(global) {
        Err(_) => last.map(|last| last.keys().map(look_at).collect()).unwrap_or_default(),
        Ok(project) => {
            let mut state = below(&quill_folders(&project.config().quills));
            state.extend(documents.iter().chain(&config_file(global)).map(look_at));
            state
        }
    };
    again(look, command)
}

/// The folders of quills, as they were when they were looked at.
#[cfg(feature = "render")]
pub(super) struct QuillFolders {
    folders: Vec<PathBuf>,
    last: State,
}

#[cfg(feature = "render")]
impl QuillFolders {
    /// Looks at them: before they are read, so that no change is missed.
    pub(super) fn look(config: &Quills) -> Self {
        let folders = quill_folders(config);
        let last = below(&folders);
        Self { folders, last }
    }

    /// Calls `reload` after every change, once no further one follows. Never ends.
    pub(super) fn watch(mut self, mut reload: impl FnMut()) {
        loop {
            thread::sleep(INTERVAL);
            let mut now = below(&self.folders);
            if now == self.last {
                continue;
            }
            // An editor that saves several files is not done after the first one.
            loop {
                thread::sleep(INTERVAL);
                let later = below(&self.folders);
                if later == now {
                    break;
                }
                now = later;
            }
            self.last = now;
            reload();
        }
    }
}

/// The folders that quills are read from.
#[cfg(feature = "render")]
fn quill_folders(config: &Quills) -> Vec<PathBuf> {
    let all = config.auto_register.then(|| config.path.clone());
    all.into_iter().chain(config.manual.iter().map(|(_, folder)| folder.clone())).collect()
}

/// The state of all files below folders, without hidden ones and what links lead to.
#[cfg(feature = "render")]
fn below(folders: &[PathBuf]) -> State {
    let mut open: Vec<(PathBuf, usize)> = folders.iter().map(|folder| (folder.clone(), 0)).collect();
    let mut state = State::new();
    while let Some((folder, depth)) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if state.len() >= MOST_FILES || entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && depth < DEEPEST {
                open.push((entry.path(), depth + 1));
            } else if !is_folder {
                state.extend([look_at(entry.path())]);
            }
        }
    }
    state
}

fn refuse_stdin(paths: &[PathBuf]) -> Result<(), Fault> {
    if paths.iter().any(|path| path == Path::new("-")) {
        return Err(Fault::usage("standard input cannot be watched"));
    }
    Ok(())
}

fn again(
    look: impl Fn(Option<&State>) -> State,
    command: impl Fn() -> Result<Exit, Fault>,
) -> Result<Exit, Fault> {
    let mut last = None;
    loop {
        let now = look(last.as_ref());
        if last.as_ref() != Some(&now) {
            if io::stdout().is_terminal() {
                let _ = write!(io::stdout().lock(), "\x1b[2J\x1b[H");
            }
            match command() {
                Err(fault @ (Fault::Output(_) | Fault::Internal(_))) => return Err(fault),
                Err(fault) => drop(fault.report()),
                Ok(_) => {}
            }
            Console::note("watching for changes; end with Ctrl-C");
            last = Some(now);
        }
        thread::sleep(INTERVAL);
    }
}

/// The state of everything that is read; of what was read before when the configuration is broken.
fn state(input: &InputArguments, global: &Global, last: Option<&State>) -> State {
    let mut paths: Vec<PathBuf> = match opened(global) {
        Err(_) => last.map(|last| last.keys().cloned().collect()).unwrap_or_default(),
        Ok(project) => {
            let listed = input.documents(&project).unwrap_or_default();
            let documents = listed.iter().filter_map(|listed| listed.input.path().map(Path::to_owned));
            let packs = project.config().packs.iter();
            let rules = packs.flat_map(|pack| fs::read_dir(pack).into_iter().flatten().flatten());
            let extended = project.config().extended.iter().cloned();
            documents.chain(rules.map(|entry| entry.path())).chain(extended).collect()
        }
    };
    paths.extend(config_file(global));
    paths.iter().map(look_at).collect()
}

/// The project as it is configured now; without its packs while they have errors.
fn opened(global: &Global) -> Result<Project, OpenErrors> {
    let open = |without_packs| {
        let overrides = Overrides { baseline: Baselines::None, without_packs, ..Overrides::default() };
        Project::open(&global.configuration(), overrides)
    };
    open(None).or_else(|_| open(Some(Vec::new())))
}

/// The configuration file that holds now.
fn config_file(global: &Global) -> Option<PathBuf> {
    global.configuration().file(&std::env::current_dir().ok()?)
}

/// A file with what it looks like; nothing beside it when it is not there.
fn look_at(path: impl AsRef<Path>) -> (PathBuf, Option<(SystemTime, u64)>) {
    let path = path.as_ref();
    let metadata = path.metadata().ok();
    let seen = metadata.and_then(|metadata| Some((metadata.modified().ok()?, metadata.len())));
    (path.to_owned(), seen)
}
