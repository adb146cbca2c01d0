//! Rules that changed since the program was built.

#![allow(clippy::disallowed_methods, reason = "files of the repository, in programs of the profile `dev`")]

use std::{fs, path::Path};

use proofmark_base::budget::Once;
use proofmark_build::{Packs, state};

/// The packs of the folder, where its files are not those that were compiled in.
pub(super) fn packs() -> Option<&'static Packs> {
    static PACKS: Once<Option<Packs>> = Once::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?.join("rules");
    let kept = Path::new(concat!(env!("OUT_DIR"), "/live.txt"));
    let built = Built {
        state: built!("state.txt"),
        fingerprint: built!("fingerprint.txt"),
        help: built!("help.json"),
    };
    PACKS.get_or_init(|| changed(&folder, &built, kept)).as_ref()
}

/// What was compiled in.
struct Built<'b> {
    state: &'b str,
    fingerprint: &'b str,
    help: &'b str,
}

/// The packs of a folder whose files are not those of `built`. They are compiled once for all programs, and kept in a file.
///
/// Where a file is not YAML, there are none: those that were compiled in say better what is wrong with it.
fn changed(folder: &Path, built: &Built<'_>, kept: &Path) -> Option<Packs> {
    if !folder.is_dir() {
        return None;
    }
    let now = state(folder);
    if now == built.state {
        return None;
    }
    let states = format!("{now}/{}", built.state);
    let known = fs::read_to_string(kept).ok().and_then(|text| read(&text, &states));
    if let Some(known) = known {
        return known.into_packs();
    }
    match Packs::of(folder, env!("CARGO_PKG_VERSION")) {
        Ok(packs) => {
            // Files that were written anew can have what they had.
            let is_same = packs.fingerprint == built.fingerprint && packs.help == built.help;
            let found = if is_same { Found::Same } else { Found::Other(packs) };
            keep(&found, &states, kept);
            found.into_packs()
        }
        Err(why) => {
            warn(&why);
            None
        }
    }
}

#[allow(clippy::print_stderr, reason = "programs of the profile `dev`")]
fn warn(why: &str) {
    eprintln!("the rules are those that were compiled in, since the folder of rules cannot be read: {why}");
}

/// What a folder has.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    /// The packs that were compiled in.
    Same,
    Other(Packs),
}

impl Found {
    fn into_packs(self) -> Option<Packs> {
        match self {
            Self::Same => None,
            Self::Other(packs) => Some(packs),
        }
    }
}

/// Writes what was found beside its place first, so that other programs read all of it or nothing.
fn keep(found: &Found, states: &str, kept: &Path) {
    let text = match found {
        Found::Same => format!("{states}\n"),
        Found::Other(Packs { packs, texts: rules, fingerprint, help }) => {
            let [first, second] = [packs.len(), rules.len()];
            format!("{states} {fingerprint} {first} {second}\n{packs}{rules}{help}")
        }
    };
    let new = kept.with_extension(std::process::id().to_string());
    if fs::write(&new, text).is_ok() {
        // A program that cannot keep them compiles them again.
        let _ = fs::rename(&new, kept);
    }
}

/// What [`keep`] wrote, if it is of these states: of the folder, and when the program was built.
fn read(text: &str, states: &str) -> Option<Found> {
    let (head, rest) = text.split_once('\n')?;
    let mut head = head.split(' ');
    if head.next()? != states {
        return None;
    }
    let Some(fingerprint) = head.next() else { return Some(Found::Same) };
    let mut length = || head.next()?.parse().ok();
    let (packs, rest) = rest.split_at_checked(length()?)?;
    let (texts, help) = rest.split_at_checked(length()?)?;
    let [packs, texts, fingerprint, help] = [packs, texts, fingerprint, help].map(str::to_owned);
    Some(Found::Other(Packs { packs, texts, fingerprint, help }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_rule_is_read_without_compiling() {
        let folder = std::env::temp_dir().join(format!("proofmark-live-{}", std::process::id()));
        let pack = folder.join("rules/own");
        fs::create_dir_all(&pack).unwrap();
        let (rules, kept) = (folder.join("rules"), folder.join("live.txt"));
        fs::write(pack.join("pack.yaml"), "name: own\nkinds: [yaml]\n").unwrap();
        let write = |message: &str| {
            let rule = format!("rules:\n- {{id: OW001, name: own, explain: Why., message: {message}}}\n");
            fs::write(pack.join("own.yaml"), rule).unwrap();
        };
        write("first");
        let (first, then) = (Packs::of(&rules, env!("CARGO_PKG_VERSION")).unwrap(), state(&rules));
        let built = Built { state: &then, fingerprint: &first.fingerprint, help: &first.help };
        let now = || changed(&rules, &built, &kept);
        assert_eq!(now(), None);

        write("the second");
        let packs = now().unwrap();
        assert!(packs.texts.contains("the second") && packs.help.contains("Why."), "{packs:?}");
        assert_eq!(
            read(&fs::read_to_string(&kept).unwrap(), &format!("{}/{then}", state(&rules))),
            Some(Found::Other(packs.clone()))
        );
        assert_eq!(now(), Some(packs), "what was kept is what was compiled");

        fs::write(rules.join("words.txt"), "").unwrap();
        write("first");
        assert_ne!(state(&rules), then);
        assert_eq!((now(), now()), (None, None), "rules as they were");

        write("\"");
        assert_eq!(now(), None, "a file that is not YAML");
        fs::remove_dir_all(&folder).unwrap();
    }
}
