//! Packs of other repositories: fetched when asked for, copied into the checkout, and pinned.

mod fetch;
mod listed;

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use clap::Subcommand;

use crate::{
    project::{
        Baselines, Configuration, LOCK_FILE, Lock, Locked, Overrides, Project, RemoteSource,
        config::FILE_NAME, content_hash, files_below,
    },
    text::visible,
};

use self::fetch::Fetched;
use super::{
    Global,
    console::{Console, plural},
    exit::{Exit, Fault},
    rules,
    sink::put,
};

/// Share packs between repositories
///
/// `extends` in `proofmark.toml` may name the configuration of another git repository, with its packs:
/// `git+https://host/repository@tag`, or with `#folder` at the end. Only the commands here reach the network. They copy
/// the files to `.proofmark/packs`, and pin their content in `proofmark.lock`; commit both. All other commands use the
/// copies, and refuse one that was changed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark packs add git+https://git.example.org/docs-rules@v1.2   use the packs of another repository
  proofmark packs add git+https://git.example.org/docs-rules@v1.3   use another version of them
  proofmark packs update                     fetch again, for branches and tags that have moved
  proofmark packs vendor                     fetch what is missing or was changed, exactly as pinned
  proofmark packs list                       what was fetched
  proofmark packs test                       test the packs of this repository, as its checks should

A repository of packs has a proofmark.toml that names its packs and configures their rules.")]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Fetch the configuration of another repository, and extend it
    Add {
        /// `git+https://host/repository@tag`, or with `#folder` at the end
        #[arg(value_name = "SOURCE")]
        source: String,
    },
    /// Fetch again what the revisions are now
    Update {
        /// Only these [default: all]
        #[arg(value_name = "SOURCE")]
        sources: Vec<String>,
    },
    /// Fetch what is missing or was changed, exactly as `proofmark.lock` pins it
    Vendor,
    /// List what was fetched
    List,
    Test(rules::TestArguments),
}

pub(super) fn run(arguments: &Arguments, global: &Global, console: Console) -> Result<Exit, Fault> {
    if let Command::Test(test) = &arguments.command {
        return rules::test(test, global, console);
    }
    let home = Home::find(global)?;
    match &arguments.command {
        Command::Add { source } => home.add(source)?,
        Command::Update { sources } => home.update(sources)?,
        Command::Vendor => home.vendor()?,
        Command::List => return home.list(),
        Command::Test(_) => {}
    }
    Ok(Exit::Clean)
}

/// The folder of the configuration that extends others.
struct Home {
    folder: PathBuf,
    configuration: PathBuf,
    lock: Lock,
}

impl Home {
    fn find(global: &Global) -> Result<Self, Fault> {
        if global.isolated {
            return Err(Fault::usage("`packs` is about a configuration, and `--isolated` reads none"));
        }
        let configuration = match &global.config {
            Some(path) => path.clone(),
            None => nearest().unwrap_or_else(|| PathBuf::from(FILE_NAME)),
        };
        let folder = configuration.parent().unwrap_or(Path::new("")).to_owned();
        let lock = Lock::read(&folder).map_err(Fault::usage)?;
        Ok(Self { folder, configuration, lock })
    }

    fn add(mut self, written: &str) -> Result<(), Fault> {
        let source = parsed(written)?;
        let written = source.to_string();
        let fetched = fetch::fetch(&source, &source.revision)?;
        let others = self.lock.sources.keys().filter_map(|known| known.parse::<RemoteSource>().ok());
        let replaced = others.into_iter().find(|known| source.is_other_revision_of(known));
        let what = describe(&fetched);
        self.keep(&source, fetched)?;
        let text = match fs::read_to_string(&self.configuration) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(Fault::read(&self.configuration, error)),
        };
        let old = replaced.as_ref().map(RemoteSource::to_string);
        let Some(text) = listed::with(&text, &written, old.as_deref()) else {
            let place = visible(&self.configuration.to_string_lossy()).into_owned();
            return Err(Fault::with_hint(
                format!("`extends` in `{place}` cannot be changed: it is not a list"),
                format!("write `extends = [\"{written}\"]` at the top of the file"),
            ));
        };
        if let Some(old) = &replaced {
            self.forget(old)?;
        }
        self.write_lock()?;
        put(&self.configuration, text.as_bytes())
            .map_err(|error| Fault::write(&self.configuration, error))?;
        Console::note(&format!("added {} ({what})", visible(&written)));
        Console::note(&format!("commit `{LOCK_FILE}`, `{FILE_NAME}` and the files in `.proofmark/packs`"));
        Ok(())
    }

    fn update(mut self, only: &[String]) -> Result<(), Fault> {
        if let Some(unknown) = only.iter().find(|source| !self.lock.sources.contains_key(*source)) {
            let what = format!("`{}` is not in `{LOCK_FILE}`", visible(unknown));
            return Err(Fault::with_hint(what, "`proofmark packs list` shows what is"));
        }
        let wanted = self.lock.sources.clone();
        let wanted = wanted.iter().filter(|(source, _)| only.is_empty() || only.contains(*source));
        for (written, locked) in wanted {
            let source = parsed(written)?;
            let fetched = fetch::fetch(&source, &source.revision)?;
            let shown = visible(written);
            if fetched.hash() == locked.sha256 && fetched.commit == locked.commit {
                self.restore(&source, &fetched)?;
                Console::note(&format!("unchanged {shown}"));
                continue;
            }
            let what = describe(&fetched);
            self.keep(&source, fetched)?;
            if !self.is_used(&source, &locked.sha256) {
                self.remove(&source, &locked.sha256)?;
            }
            Console::note(&format!("updated {shown} ({what}, was commit {})", short(&locked.commit)));
        }
        self.write_lock()
    }

    fn vendor(&self) -> Result<(), Fault> {
        for (written, locked) in &self.lock.sources {
            let source = parsed(written)?;
            let shown = visible(written);
            if self.hash_of_copy(&source, locked).as_deref() == Some(locked.sha256.as_str()) {
                Console::note(&format!("as pinned {shown}"));
                continue;
            }
            // Not every server gives a commit that no branch or tag names.
            let fetched =
                fetch::fetch(&source, &locked.commit).or_else(|_| fetch::fetch(&source, &source.revision))?;
            if fetched.hash() != locked.sha256 {
                let what = format!(
                    "{shown} has other content now: commit {}, and `{LOCK_FILE}` pins {}",
                    short(&fetched.commit),
                    short(&locked.commit)
                );
                return Err(Fault::with_hint(what, "`proofmark packs update` takes what is there now"));
            }
            self.restore(&source, &fetched)?;
            Console::note(&format!("fetched {shown} ({})", describe(&fetched)));
        }
        Ok(())
    }

    fn list(&self) -> Result<Exit, Fault> {
        let mut text = String::new();
        for (written, locked) in &self.lock.sources {
            let source = parsed(written)?;
            let state = match self.hash_of_copy(&source, locked) {
                None => "missing",
                Some(hash) if hash == locked.sha256 => "as pinned",
                Some(_) => "changed",
            };
            let copy = source.copy(&locked.sha256);
            let _ = writeln!(
                text,
                "{}\tcommit {}\t{state}\t{}",
                visible(written),
                short(&locked.commit),
                visible(&copy.to_string_lossy())
            );
        }
        if text.is_empty() {
            Console::note("nothing was fetched; `proofmark packs add SOURCE` does that");
        }
        Console::print(&text)?;
        Ok(Exit::Clean)
    }

    /// The hash of the files that a copy has; nothing where it is missing or cannot be read.
    fn hash_of_copy(&self, source: &RemoteSource, locked: &Locked) -> Option<String> {
        let folder = self.folder.join(source.copy(&locked.sha256));
        let files = folder.is_dir().then(|| files_below(&folder).ok())??;
        Some(content_hash(files.iter().map(|(name, content)| (name.as_str(), content.as_slice()))))
    }

    /// Copies what was fetched, and pins it; where it cannot be used, nothing is changed.
    fn keep(&mut self, source: &RemoteSource, fetched: Fetched) -> Result<(), Fault> {
        self.restore(source, &fetched)?;
        let copy = self.folder.join(source.copy(&fetched.hash()));
        let opened = Project::open(
            &Configuration::File(copy.join(FILE_NAME)),
            Overrides { baseline: Baselines::None, ..Overrides::default() },
        );
        if let Err(error) = opened {
            self.remove(source, &fetched.hash())?;
            return Err(error.into());
        }
        let locked = Locked { sha256: fetched.hash(), commit: fetched.commit };
        self.lock.sources.insert(source.to_string(), locked);
        Ok(())
    }

    /// Copies what was fetched to its folder, which takes its name when it is complete.
    fn restore(&self, source: &RemoteSource, fetched: &Fetched) -> Result<(), Fault> {
        let hash = fetched.hash();
        self.remove(source, &hash)?;
        let folder = self.folder.join(source.copy(&hash));
        let parent = folder.parent().unwrap_or(Path::new("")).to_owned();
        fs::create_dir_all(&parent).map_err(|error| Fault::write(&parent, error))?;
        let new = tempfile::Builder::new()
            .prefix(".new-")
            .tempdir_in(&parent)
            .map_err(|error| Fault::write(&parent, error))?;
        for (name, content) in &fetched.files {
            let path = new.path().join(name);
            let made = path.parent().map_or(Ok(()), fs::create_dir_all);
            made.and_then(|()| fs::write(&path, content)).map_err(|error| Fault::write(&path, error))?;
        }
        let new = new.keep();
        fs::rename(&new, &folder).map_err(|error| Fault::write(&folder, error))
    }

    /// Forgets a source and its copy.
    fn forget(&mut self, source: &RemoteSource) -> Result<(), Fault> {
        match self.lock.sources.remove(&source.to_string()) {
            Some(locked) if !self.is_used(source, &locked.sha256) => self.remove(source, &locked.sha256),
            _ => Ok(()),
        }
    }

    /// Whether another source has the same copy.
    fn is_used(&self, source: &RemoteSource, hash: &str) -> bool {
        let copy = source.copy(hash);
        let others = self.lock.sources.iter().filter_map(|(text, locked)| Some((parsed(text).ok()?, locked)));
        others.into_iter().any(|(other, locked)| other.copy(&locked.sha256) == copy)
    }

    /// Removes a copy, if there is one.
    fn remove(&self, source: &RemoteSource, hash: &str) -> Result<(), Fault> {
        let folder = self.folder.join(source.copy(hash));
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Fault::write(&folder, error)),
            _ => Ok(()),
        }
    }

    fn write_lock(&self) -> Result<(), Fault> {
        let path = self.folder.join(LOCK_FILE);
        put(&path, self.lock.text().as_bytes()).map_err(|error| Fault::write(&path, error))
    }
}

/// The nearest configuration, in this folder or one above it.
fn nearest() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let found = here.ancestors().map(|folder| folder.join(FILE_NAME)).find(|path| path.is_file())?;
    Some(if found.parent() == Some(&here) { PathBuf::from(FILE_NAME) } else { found })
}

fn parsed(written: &str) -> Result<RemoteSource, Fault> {
    written.parse().map_err(|error| Fault::usage(format!("`{}` cannot be used: {error}", visible(written))))
}

fn describe(fetched: &Fetched) -> String {
    format!("commit {}, {}", short(&fetched.commit), plural(fetched.files.len(), "file"))
}

/// The first characters of a commit.
fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}
