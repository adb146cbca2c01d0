//! The public API: what the root of the crate exports, compared with a list that is read in review.
//!
//! `PROOFMARK_BLESS=1 cargo test --test repository public_api` writes the list anew. A name or a signature that goes is a
//! breaking change.

mod items;

use std::{collections::BTreeSet, env, fs, path::Path};

use regex::Regex;

use self::items::{Item, exported};
use crate::modules::{Modules, Name};

/// Foreign types that signatures have: values of JSON.
const FOREIGN: [&str; 2] = ["serde_json::Map", "serde_json::Value"];

#[test]
fn the_public_names_are_those_of_the_list() {
    let items = exported(&Modules::of_workspace());
    let list: String = items.iter().map(ToString::to_string).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/public-api.txt");
    if env::var_os("PROOFMARK_BLESS").is_some() {
        fs::write(&path, &list).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    let (now, then): (BTreeSet<&str>, BTreeSet<&str>) = (list.lines().collect(), committed.lines().collect());
    let gone = then.difference(&now).map(|line| format!("- {line}\n"));
    let new = now.difference(&then).map(|line| format!("+ {line}\n"));
    assert!(
        list == committed,
        "the public API differs from tests/data/public-api.txt:\n{}if this is what you want, run \
         `PROOFMARK_BLESS=1 cargo test --test repository public_api` and add a line to CHANGELOG.md",
        gone.chain(new).collect::<String>()
    );
}

#[test]
fn the_public_api_stays_small() {
    let items = exported(&Modules::of_workspace());
    let types = items.iter().filter(|item| item.keyword != "fn").count();
    assert!((50..=85).contains(&types), "{types} public types");
}

#[test]
fn signatures_have_only_public_and_standard_types() {
    let modules = Modules::of_workspace();
    let items = exported(&modules);
    let files = items::files();
    let public: BTreeSet<(&Name, &str)> = items.iter().map(|item| (&item.module, item.name())).collect();
    let path = Regex::new(r"\b[A-Za-z_]\w*(?:::\w+)*").unwrap();
    let mut wrong = Vec::new();
    for item in &items {
        for (module, member) in &item.members {
            // The name of a variant is not a type.
            let types = member.trim_start_matches(|c: char| item.keyword == "enum" && c.is_alphanumeric());
            for found in path.find_iter(types) {
                let parts: Vec<String> = found.as_str().split("::").map(str::to_owned).collect();
                let last = parts.last().unwrap();
                if !last.starts_with(|c: char| c.is_ascii_uppercase()) {
                    continue;
                }
                let written = modules.imported(module, &parts[0]);
                let full = [written.unwrap_or(&parts[..1]), &parts[1..]].concat();
                let is_local = || {
                    let own =
                        Regex::new(&format!(r"(?m)^pub[^\n]* (?:struct|enum|trait|type) {last}\b")).unwrap();
                    parts.len() == 1 && files.iter().any(|(name, text)| name == module && own.is_match(text))
                };
                let origin =
                    modules.definition(module, &parts).or_else(|| is_local().then(|| module.clone()));
                let problem = match origin {
                    Some(origin) if !public.contains(&(&origin, last.as_str())) => "is not public",
                    None if is_foreign(&full) => "is foreign",
                    _ => continue,
                };
                wrong.push(format!("{}: `{}` {problem}: {member}", item.path, full.join("::")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether a path leads into another crate that is not allowed.
fn is_foreign(path: &[String]) -> bool {
    let own = ["std", "core", "alloc", "crate", "self", "super", "Self"];
    path.len() > 1
        && !own.contains(&path[0].as_str())
        && path[0].starts_with(|c: char| c.is_ascii_lowercase())
        && !FOREIGN.contains(&path.join("::").as_str())
}

#[test]
fn members_are_read_from_the_source() {
    let text = "/// A thing.\n#[non_exhaustive]\npub struct Thing<'a> {\n    /// A field.\n    pub field: Vec<&'a str>,\n    \
                hidden: u8,\n}\n\nimpl<'a> Thing<'a> {\n    /// Makes one.\n    pub fn new(\n        field: &'a str,\n    \
                ) -> Self {\n        todo()\n    }\n\n    #[doc(hidden)]\n    pub fn inner(&self) {}\n\n    \
                fn own(&self) {}\n}\n";
    let modules = Modules::of(&[("app", "mod a;\npub use a::Thing;"), ("app/a", text)]);
    let files = [(vec!["app".to_owned(), "a".to_owned()], text.to_owned())];
    let item = Item::read("Thing", &modules, &["app".to_owned(), "a".to_owned(), "Thing".to_owned()], &files);
    assert_eq!(
        item.to_string(),
        "struct Thing (non-exhaustive)\n  pub field: Vec<&'a str>\n  pub fn new(field: &'a str) -> Self\n"
    );
}
