//! What a configuration decides that was found and not named: it may have come with a stranger's documents. It starts
//! no program, opens no address, says who may call in no way, and none of its paths leads out of the checkout.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{
    files::plain,
    syntax::Observation,
    tree::{Node, Tree},
};

/// Whose decision a configuration is.
#[derive(Debug, Clone)]
pub(super) enum Origin {
    /// The user has named it.
    Named,
    /// It was found, and its paths lead below these folders.
    Found {
        /// Absolute paths without symbolic links.
        within: Vec<PathBuf>,
    },
}

/// A key that only the user decides.
struct Decision {
    place: [&'static str; 2],
    /// What it does, after "it".
    does: &'static str,
    /// How the user decides it besides naming the configuration.
    instead: &'static str,
}

const PROGRAM: &str = "names a program";
const REACHED: &str = "decides who can reach the server";

const DECISIONS: [Decision; 8] = [
    Decision { place: ["convert", "pandoc"], does: PROGRAM, instead: "install pandoc in a folder of `PATH`" },
    Decision {
        place: ["render", "worker"],
        does: PROGRAM,
        instead: "set the environment variable `PROOFMARK_RENDER_WORKER`",
    },
    Decision {
        place: ["render", "cache_folder"],
        does: "has the service write files",
        instead: "name the configuration with `--config`",
    },
    Decision { place: ["server", "address"], does: REACHED, instead: "give the address with `--http`" },
    Decision {
        place: ["server", "token_variable"],
        does: REACHED,
        instead: "name the variable with `--token-variable`",
    },
    Decision { place: ["server", "allowed_hosts"], does: REACHED, instead: "remove the key" },
    Decision { place: ["server", "allowed_origins"], does: REACHED, instead: "remove the key" },
    Decision {
        place: ["server", "mermaid_cli"],
        does: "lets clients start a program",
        instead: "set the environment variable `MERMAID_CLI_PATH`",
    },
];

/// The section that is not taken from configurations that another one extends.
const OWN: &str = "server";

/// Where paths of files and folders are that are read without being documents; `*` is any item of a list. The roots of
/// the server are compared when they are opened.
const PATHS: [&[&str]; 8] = [
    &["extends", "*"],
    &["packs", "paths", "*"],
    &["quills", "path"],
    &["quills", "manual", "*", "path"],
    &["templates", "path"],
    &["convert", "templates"],
    &["render", "fonts", "*"],
    &["rules", "baseline"],
];

impl Origin {
    /// A configuration file that was found from the working directory, both absolute. Its paths lead below its own
    /// folder, the checkout that the folder is a part of, and the working directory where that is above it.
    pub(super) fn found(file: &Path, working_directory: &Path) -> Self {
        let own = real(file.parent().unwrap_or(file));
        let here = real(working_directory);
        let checkout = own.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok());
        let mut within = vec![checkout.unwrap_or(&own).to_owned()];
        within.extend(own.starts_with(&here).then_some(here));
        Self::Found { within }
    }

    /// Whether a file at an absolute path is itself a link out of the checkout.
    pub(super) fn is_outside(&self, path: &Path) -> bool {
        match self {
            Self::Named => false,
            Self::Found { within } => {
                let real = real(path);
                !within.iter().any(|folder| real.starts_with(folder))
            }
        }
    }

    /// The paths of a configuration in the absolute `folder` that lead out of the checkout.
    pub(super) fn outside(&self, tree: &Tree, folder: &Path) -> Vec<Observation> {
        let written = PATHS.iter().flat_map(|place| at(tree.root(), place));
        let outside =
            written.filter(|node| node.as_str().is_some_and(|path| self.is_outside(&folder.join(path))));
        outside.map(|node| path_outside(node.as_str().unwrap_or_default()).moved_to(node.span())).collect()
    }

    /// Removes from what a configuration says the keys that only the user decides; gives what was removed.
    pub(super) fn remove_decisions(
        &self,
        tree: &Tree,
        said: &mut Value,
        is_extended: bool,
    ) -> Vec<Observation> {
        if matches!(self, Self::Named) {
            return Vec::new();
        }
        let mut removed = Vec::new();
        for Decision { place: place @ [section, key], does, instead } in &DECISIONS {
            for node in
                at(tree.root(), place).into_iter().filter(|node| !(node.is_sequence() && node.is_empty()))
            {
                let seen = Observation::new("setting-ignored", node.span());
                let seen = seen.with("key", format!("{section}.{key}")).with("does", *does);
                // The section `[server]` of an extended configuration has no effect anyway.
                removed.extend((!is_extended || *section != OWN).then(|| seen.with("instead", *instead)));
            }
            if let Some(Value::Object(section)) = said.get_mut(section) {
                section.shift_remove(*key);
            }
        }
        removed
    }

    /// Observes that the file belongs to another user, who can change it at any time.
    pub(super) fn foreign(&self, file: &Path) -> Option<Observation> {
        let Self::Found { .. } = self else { return None };
        let owner = owner(file)?;
        let also = env::var("SUDO_UID").ok().and_then(|user| user.parse().ok());
        is_foreign(owner, user()?, also)
            .then(|| Observation::about_file("configuration-of-another-user").with("owner", owner))
    }
}

/// Observes that a path leads out of the checkout.
pub(super) fn path_outside(path: &str) -> Observation {
    Observation::about_file("configured-path-outside").with("path", path)
}

/// Whether a file of this owner is another user's: not the user's own, not that of the user who has become root, and
/// not root's.
fn is_foreign(owner: u32, user: u32, before_sudo: Option<u32>) -> bool {
    owner != user && owner != 0 && !(user == 0 && before_sudo == Some(owner))
}

#[cfg(unix)]
fn owner(file: &Path) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(file).ok().map(|found| found.uid())
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems do not number users")]
fn user() -> Option<u32> {
    Some(rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn owner(_: &Path) -> Option<u32> {
    None
}

#[cfg(not(unix))]
fn user() -> Option<u32> {
    None
}

/// The nodes at a place.
fn at<'t>(node: Node<'t>, place: &[&str]) -> Vec<Node<'t>> {
    match place.split_first() {
        None => vec![node],
        Some((&"*", rest)) => node.items().flat_map(|item| at(item, rest)).collect(),
        Some((key, rest)) => node.get(key).map(|found| at(found, rest)).unwrap_or_default(),
    }
}

/// A path without symbolic links as far as it exists.
fn real(path: &Path) -> PathBuf {
    let existing = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    match existing {
        Some((above, real)) => plain(&real.join(path.strip_prefix(above).unwrap_or(Path::new("")))),
        None => plain(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_are_compared() {
        let cases = [
            ((1000, 1000, None), false),
            ((0, 1000, None), false),
            ((1001, 1000, None), true),
            ((1000, 0, None), true),
            ((1000, 0, Some(1000)), false),
            ((1001, 1000, Some(1001)), true),
        ];
        for ((owner, user, before_sudo), foreign) in cases {
            assert_eq!(is_foreign(owner, user, before_sudo), foreign, "{owner} {user} {before_sudo:?}");
        }
    }

    #[test]
    fn what_does_not_exist_is_compared_by_its_text() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own");
        fs::create_dir(&own).unwrap();
        let origin = Origin::found(&own.join("proofmark.toml"), &own);
        for (path, outside) in
            [("a/b", false), ("a/../b", false), ("a/../../b", true), ("..", true), ("", false)]
        {
            assert_eq!(origin.is_outside(&own.join(path)), outside, "{path}");
        }
        assert!(!Origin::Named.is_outside(Path::new("/")));
    }
}
