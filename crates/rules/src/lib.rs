//! The built-in rule packs as data, made of `rules/` when this crate is built.
//!
//! In the profile `dev`, rules that changed since then are read from the folder: a changed rule compiles nothing.

/// Data that is compiled in.
macro_rules! built {
    ($file:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/", $file))
    };
}

#[cfg(live)]
mod live;

/// The packs as JSON. What selects their rules, and everything else, is in [`texts`].
pub fn packs() -> &'static str {
    #[cfg(live)]
    if let Some(live) = live::packs() {
        return &live.packs;
    }
    built!("packs.json")
}

/// Heads of rules, rules, fix groups, and the files of packs, one after the other. [`packs`] has the first and the last byte of each.
pub fn texts() -> &'static str {
    #[cfg(live)]
    if let Some(live) = live::packs() {
        return &live.texts;
    }
    built!("packs.txt")
}

/// The fingerprint of the version, [`packs`] and [`texts`]: hashing them would take longer than reading them.
pub fn fingerprint() -> &'static str {
    #[cfg(live)]
    if let Some(live) = live::packs() {
        return &live.fingerprint;
    }
    built!("fingerprint.txt")
}

/// Explanations and examples as JSON: `{id: {explain, examples}}`.
pub fn help() -> &'static str {
    #[cfg(live)]
    if let Some(live) = live::packs() {
        return &live.help;
    }
    built!("help.json")
}
