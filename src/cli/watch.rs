//! Doing a command again whenever what it reads changes.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    thread,
    time::{Duration, SystemTime},
};

use super::{
    Global,
    console::Console,
    exit::{Exit, Fault},
    input::InputArguments,
    workspace::{Workspace, config_file},
};

/// How often files are looked at.
const INTERVAL: Duration = Duration::from_millis(300);

/// What a file looked like: time of the last change and size.
type State = BTreeMap<PathBuf, Option<(SystemTime, u64)>>;

/// Calls `command`, and again after every change, until the process is ended.
pub(super) fn run(
    input: &InputArguments,
    global: &Global,
    command: impl Fn() -> Result<Exit, Fault>,
) -> Result<Exit, Fault> {
    if input.paths.iter().any(|path| path == Path::new("-")) {
        return Err(Fault::usage("standard input cannot be watched"));
    }
    let mut last = None;
    loop {
        let now = state(input, global, last.as_ref());
        if last.as_ref() != Some(&now) {
            if io::stdout().is_terminal() {
                let _ = write!(io::stdout().lock(), "\x1b[2J\x1b[H");
            }
            match command() {
                Err(fault @ (Fault::Output(_) | Fault::Internal(_))) => return Err(fault),
                Err(fault) => drop(fault.tell()),
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
    let mut paths: Vec<PathBuf> = match Workspace::load(global) {
        Err(_) => last.map(|last| last.keys().cloned().collect()).unwrap_or_default(),
        Ok(workspace) => {
            let inputs = input.inputs(&workspace).unwrap_or_default();
            let documents = inputs.iter().filter_map(|input| input.path().map(Path::to_owned));
            let packs = workspace.config.packs.iter();
            let rules = packs.flat_map(|pack| fs::read_dir(pack).into_iter().flatten().flatten());
            documents.chain(rules.map(|entry| entry.path())).collect()
        }
    };
    paths.extend(std::env::current_dir().ok().and_then(|folder| config_file(global, &folder)));
    let look = |path: &PathBuf| {
        let metadata = path.metadata().ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    };
    paths.into_iter().map(|path| (path.clone(), look(&path))).collect()
}
