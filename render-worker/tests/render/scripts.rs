//! Scripts of the world in every built-in quill: what the built-in fonts have is rendered without a finding, anything
//! else is reported with a font that has it, and with the fonts of the machine nothing is left out.
//!
//! The fonts are those of Debian: `.ci/programs` installs them. Without them the tests that need them
//! say so and end, except where `CI` is set.

use std::{collections::BTreeSet, sync::Arc};

use proofmark::internals::{
    project::config::Render,
    render::{Format, Library, Rendered, Renderer},
};

use super::{builtin, limits, messages, programs, render_as, sheet};

/// Words in a script, and the names that findings have for those of its characters that the built-in fonts do not have.
const SCRIPTS: [(&str, &[&str]); 11] = [
    ("Jede gute Đà-Nẵng-Reise braucht žluťoučký kůň.", &[]),
    ("Ξεσκεπάζω την ψυχοφθόρα βδελυγμία.", &[]),
    ("Съешь же ещё этих мягких французских булок.", &[]),
    ("天地玄黃，宇宙洪荒。", &["Chinese characters", "symbols"]),
    ("いろはにほへと ちりぬるを カタカナ", &["Hiragana", "Katakana"]),
    ("다람쥐 헌 쳇바퀴에 타고파", &["Hangul"]),
    // The font of code has them.
    ("نص حكيم له سر قاطع", &["Arabic"]),
    ("דג סקרן שט בים מאוכזב", &["Hebrew"]),
    ("ऋषियों को सताने वाले दुष्ट", &["Devanagari"]),
    ("เป็นมนุษย์สุดประเสริฐ", &["Thai"]),
    ("🦜 🛶 🪁", &["emoji"]),
];

/// The fonts that the tests need, with the numbers of scripts.
const FONTS: [(usize, &str); 6] = [
    (3, "Noto Sans CJK"),
    (6, "Arabic"),
    (7, "Noto Sans Hebrew"),
    (8, "Noto Sans Devanagari"),
    (9, "Noto Sans Thai"),
    (10, "Noto Color Emoji"),
];

/// The words of scripts, as paragraphs.
fn paragraphs(scripts: &[&(&str, &[&str])]) -> String {
    let words: Vec<&str> = scripts.iter().map(|(words, _)| *words).collect();
    words.join("\n\n")
}

/// The findings on characters without a glyph.
fn missing(rendered: &Rendered) -> Vec<String> {
    assert!(!rendered.artifacts.is_empty(), "{:?}", messages(&rendered.diagnostics));
    let found = rendered.diagnostics.iter().filter(|found| found.id == "RN205");
    found.map(|found| format!("{} {}", found.message, found.fix_hint.clone().unwrap_or_default())).collect()
}

#[test]
fn every_quill_renders_the_scripts_of_its_fonts_and_reports_the_others() {
    let (renderer, library) = (builtin(), Library::builtin());
    let (unknown, known): (Vec<_>, Vec<_>) = SCRIPTS.iter().partition(|(_, names)| !names.is_empty());
    for quill in library.quills().names() {
        let text = sheet::with_body(quill, &paragraphs(&known));
        assert_eq!(missing(&render_as(&renderer, &text, Format::Svg)), [""; 0], "{quill}");
        let text = sheet::with_body(quill, &paragraphs(&unknown));
        let rendered = render_as(&renderer, &text, Format::Svg);
        let found = missing(&rendered);
        for (words, names) in &unknown {
            for name in *names {
                assert!(found.iter().any(|found| found.contains(name)), "{quill}: {name} in {found:?}");
            }
            let line = 1 + text.lines().position(|line| line == *words).unwrap();
            let lines: BTreeSet<usize> =
                rendered.diagnostics.iter().map(|found| found.location.line as usize).collect();
            assert!(lines.contains(&line), "{quill}: {words} in line {line}, {lines:?}");
        }
    }
}

#[test]
fn with_the_fonts_of_the_machine_every_quill_renders_every_script() {
    if !installed() {
        return;
    }
    let limits = Render { system_fonts: true, workers: 1, ..limits() };
    let renderer = Renderer::new(Arc::new(Library::builtin()), &limits, programs::worker());
    let lines: Vec<&str> = SCRIPTS.iter().map(|(words, _)| *words).collect();
    for quill in Library::builtin().quills().names() {
        let rendered = render_as(&renderer, &sheet::with_body(quill, &lines.join("\n\n")), Format::Png);
        assert_eq!(missing(&rendered), [""; 0], "{quill}");
        sheet::show(&format!("{quill}-scripts"), &rendered);
    }
}

#[test]
fn the_fonts_of_the_machine_have_bold_letters() {
    if !installed() {
        return;
    }
    let limits = Render { system_fonts: true, workers: 1, ..limits() };
    let renderer = Renderer::new(Arc::new(Library::builtin()), &limits, programs::worker());
    for (index, _) in FONTS.into_iter().filter(|(_, font)| !font.contains("Emoji")) {
        let words = SCRIPTS[index].0;
        let page = |words: &str| {
            // Faces for emoji are added when the layout turns out to need them, to those that are there already.
            let words = format!("{words} 🦜");
            let rendered = render_as(&renderer, &sheet::with_body("memo", &words), Format::Png);
            assert_eq!(missing(&rendered), [""; 0], "{words}");
            rendered.artifacts[0].bytes.clone()
        };
        assert!(page(words) != page(&format!("**{words}**")), "{words} is not bold");
    }
}

#[test]
fn a_finding_names_the_font_that_has_the_characters() {
    if !installed() {
        return;
    }
    let renderer = builtin();
    for (index, font) in FONTS {
        let words = SCRIPTS[index].0;
        let found = missing(&render_as(&renderer, &sheet::with_body("memo", words), Format::Svg));
        assert!(
            !found.is_empty() && found.iter().all(|found| found.contains(font)),
            "{font} for {words}: {found:?}"
        );
    }
}

/// Whether the fonts are there.
#[expect(clippy::print_stderr, reason = "a test that is left out is seen")]
fn installed() -> bool {
    let listed = std::process::Command::new("fc-list").arg(":").arg("family").output();
    let listed =
        listed.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let missing: Vec<&str> =
        FONTS.into_iter().map(|(_, font)| font).filter(|font| !listed.contains(font)).collect();
    if missing.is_empty() {
        return true;
    }
    let what = format!("NOT TESTED: {} not installed; run .ci/programs", missing.join(", "));
    assert!(std::env::var_os("CI").is_none(), "{what}");
    eprintln!("{what}");
    false
}
