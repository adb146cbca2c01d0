use std::collections::BTreeMap;

use unicode_script::{Script, UnicodeScript as _};

/// Characters by the name of their script. Those that all scripts share are symbols or emoji.
pub(in super::super) fn by_script(characters: &str) -> BTreeMap<&'static str, Vec<char>> {
    let mut scripts: BTreeMap<&str, Vec<char>> = BTreeMap::new();
    for c in characters.chars() {
        scripts.entry(name(c)).or_default().push(c);
    }
    scripts
}

/// Whether several scripts have a character, such as a full stop.
pub(in super::super) fn is_shared(c: char) -> bool {
    matches!(c.script(), Script::Common | Script::Inherited | Script::Unknown)
}

/// Whether a character is of a script that the text face has.
pub(in super::super) fn is_built_in(c: char) -> bool {
    is_shared(c) || matches!(c.script(), Script::Latin | Script::Greek | Script::Cyrillic)
}

/// Some letters of the script of a language that the text face does not have; none for other languages.
pub(in super::super) fn letters_of(language: &str) -> &'static str {
    match language.split(['-', '_']).next().unwrap_or_default() {
        "ar" | "ckb" | "fa" | "ps" | "sd" | "ug" | "ur" => "اب",
        "he" | "yi" => "אב",
        "hi" | "mr" | "ne" => "अक",
        "ja" => "日あ",
        "ko" => "한국",
        "th" => "กข",
        "zh" => "中文",
        _ => "",
    }
}

fn name(c: char) -> &'static str {
    match c.script() {
        _ if is_shared(c) && is_emoji(c) => "emoji",
        _ if is_shared(c) => "symbols",
        Script::Han => "Chinese characters",
        script => script.full_name(),
    }
}

fn is_emoji(c: char) -> bool {
    matches!(u32::from(c), 0x1F000..=0x1FAFF | 0x2600..=0x27BF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_grouped_by_script() {
        let scripts = by_script("漢字שλ😀⇝");
        let names: Vec<&str> = scripts.keys().copied().collect();
        assert_eq!(names, ["Chinese characters", "Greek", "Hebrew", "emoji", "symbols"]);
        assert_eq!(scripts["Chinese characters"], ['漢', '字']);
    }
}
