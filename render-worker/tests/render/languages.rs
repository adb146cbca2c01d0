//! Documents in many languages: all fixed words and the days are there in the same languages.

use std::{collections::BTreeSet, fs, path::Path};

use proofmark::internals::render::Format;
use serde_json::Value;

use super::{ROOT, builtin, render_as};

/// The languages of the table `_words` of a layout: a line each.
fn languages_of(layout: &str) -> BTreeSet<String> {
    let lines =
        layout.lines().skip_while(|line| *line != "#let _words = (").skip(1).take_while(|line| *line != ")");
    lines.filter_map(|line| Some(line.split_once(": (")?.0.trim().to_owned())).collect()
}

#[test]
fn fixed_words_are_there_in_the_same_languages() {
    let words: Value = serde_json::from_str(include_str!("../../typst/words.json")).unwrap();
    let keys =
        |entries: &Value| -> BTreeSet<String> { entries.as_object().unwrap().keys().cloned().collect() };
    let languages = keys(&words["fixed"]);
    assert!(languages.len() >= 29, "{languages:?}");
    for (table, entries) in words.as_object().unwrap() {
        assert_eq!(keys(entries), languages, "{table}");
        for language in &languages {
            assert_eq!(keys(&entries[language]), keys(&entries["en"]), "{table}, {language}");
        }
    }
    for quill in ["article", "certificate", "minutes"] {
        let layout = fs::read_to_string(Path::new(ROOT).join(format!("quills/{quill}/words.typ"))).unwrap();
        assert_eq!(languages_of(&layout), languages, "{quill}");
    }
    let days: Value = serde_json::from_str(include_str!("../../typst/dates.json")).unwrap();
    assert!(languages.is_subset(&keys(&days)), "no days for some of {languages:?}");
}

#[test]
fn a_letter_has_the_words_and_the_date_of_its_language() {
    let renderer = builtin();
    for (language, expected) in [
        ("en", ["19 March 2026", "Enclosed"]),
        ("en-US", ["March 19, 2026", "Yours sincerely"]),
        ("de-AT", ["19. März 2026", "Mit freundlichen Grüßen"]),
        ("pl", ["19 marca 2026", "Szanowni Państwo"]),
        ("pt-BR", ["19 de março de 2026", "Anexos"]),
        ("uk", ["19 березня 2026", "Додатки"]),
        ("zh-Hans-CN", ["2026年3月19日", "附件"]),
        ("no", ["19. mars 2026", "Vedlegg"]),
        ("he", ["19 במרץ 2026", "נספחים"]),
        ("bg", ["19 март 2026", "Приложения"]),
        ("hr", ["19. ožujka 2026", "Prilozi"]),
        ("vi", ["19 tháng 3 2026", "Tài liệu kèm theo"]),
        ("hi", ["19 मार्च, 2026", "संलग्नक"]),
        ("th", ["19 มีนาคม ค.ศ. 2026", "สิ่งที่ส่งมาด้วย"]),
        // What has no words of its own gets the English ones, but its dates.
        ("is", ["19. mars 2026", "Enclosed"]),
    ] {
        let text = super::LETTER.replace(
            "subject:",
            &format!("lang: {language}\ndate: 2026-03-19\nenclosures: [A list]\nsubject:"),
        );
        let rendered = render_as(&renderer, &text, Format::Html);
        let html = rendered
            .artifacts
            .first()
            .map(|page| String::from_utf8_lossy(&page.bytes).replace('\u{a0}', " "));
        let html = html.unwrap_or_else(|| panic!("{language}: {:?}", super::messages(&rendered.diagnostics)));
        for words in expected {
            assert!(html.contains(words), "{language}: {words} is not in {html}");
        }
    }
}
