//! Rules that changed since the program was built.

#![allow(clippy::disallowed_methods, reason = "files of the repository, in programs of the profile `dev`")]

use std::{fs, path::Path};

use proofmark_base::budget::Once;
use proofmark_build::{Packs, state};

/// The packs of the folder, where its files are not those that were compiled in.
pub(super) fn packs() -> Option<&'static Packs> {
    static PACKS: Once<Option<Packs>> = Once::new();
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../rules"));
    let kept = Path::new(concat!(env!("OUT_DIR"), "/live.txt"));
    PACKS.get_or_init(|| changed(folder, built!("state.txt"), kept)).as_ref()
}

/// The packs of a folder whose state is another one than `built`. They are compiled once for all programs, and kept in a file.
///
/// Where a file is not YAML, there are none: those that were compiled in say better what is wrong with it.
fn changed(folder: &Path, built: &str, kept: &Path) -> Option<Packs> {
    if !folder.is_dir() {
        return None;
    }
    let now = state(folder);
    if now == built {
        return None;
    }
    if let Some(packs) = fs::read_to_string(kept).ok().and_then(|text| read(&text, &now)) {
        return Some(packs);
    }
    match Packs::of(folder, env!("CARGO_PKG_VERSION")) {
        Ok(packs) => {
            keep(&packs, &now, kept);
            Some(packs)
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

/// Writes packs beside their place first, so that other programs read all of them or none.
fn keep(packs: &Packs, state: &str, kept: &Path) {
    let Packs { packs, texts: rules, fingerprint, help } = packs;
    let [first, second] = [packs.len(), rules.len()];
    let text = format!("{state} {fingerprint} {first} {second}\n{packs}{rules}{help}");
    let new = kept.with_extension(std::process::id().to_string());
    if fs::write(&new, text).is_ok() {
        // A program that cannot keep them compiles them again.
        let _ = fs::rename(&new, kept);
    }
}

/// What [`keep`] wrote, if it is of this state.
fn read(text: &str, state: &str) -> Option<Packs> {
    let (head, rest) = text.split_once('\n')?;
    let mut head = head.split(' ');
    if head.next()? != state {
        return None;
    }
    let fingerprint = head.next()?.to_owned();
    let mut length = || head.next()?.parse().ok();
    let (packs, rest) = rest.split_at_checked(length()?)?;
    let (texts, help) = rest.split_at_checked(length()?)?;
    Some(Packs { packs: packs.to_owned(), texts: texts.to_owned(), fingerprint, help: help.to_owned() })
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
        let now = |built: &str| changed(&rules, built, &kept);

        write("first");
        let built = state(&rules);
        assert_eq!(now(&built), None);

        write("the second");
        let packs = now(&built).unwrap();
        assert!(packs.texts.contains("the second") && packs.help.contains("Why."), "{packs:?}");
        assert_eq!(read(&fs::read_to_string(&kept).unwrap(), &state(&rules)), Some(packs.clone()));
        assert_eq!(now(&built), Some(packs), "what was kept is what was compiled");

        write("\"");
        assert_eq!(now(&built), None, "a file that is not YAML");
        fs::remove_dir_all(&folder).unwrap();
    }
}
