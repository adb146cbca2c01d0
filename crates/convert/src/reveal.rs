//! reveal.js: its files, which are part of each deck, and the options of headers that are its settings.
//!
//! The files are those of `reveal/` in the folder of this crate.

use std::{io::Read as _, ops::Range};

use flate2::read::DeflateDecoder;
use serde_json::Value;

use crate::budget::Lazy;

/// All files of reveal.js, one after the other, compressed.
const COMPRESSED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/reveal.deflate"));

/// Where each file is in the files of reveal.js.
#[allow(clippy::unreadable_literal, reason = "the build script writes them")]
const FILES: &[(&str, Range<usize>)] = include!(concat!(env!("OUT_DIR"), "/reveal.rs"));

static CONTENT: Lazy<String> = Lazy::new(|| {
    let mut content = String::new();
    let read = DeflateDecoder::new(COMPRESSED).read_to_string(&mut content);
    if read.is_ok() { content } else { String::new() }
});

/// The content of a file, by its path below `reveal/`.
pub(crate) fn file(name: &str) -> Option<&'static str> {
    let (_, range) = FILES.iter().find(|(own, _)| *own == name)?;
    CONTENT.get(range.clone())
}

/// The names of themes in headers, and the themes that they name.
const THEMES: [(&str, &str); 16] = [
    ("default", "white"),
    ("dark", "black"),
    ("beige", "beige"),
    ("black", "black"),
    ("black-contrast", "black-contrast"),
    ("blood", "blood"),
    ("dracula", "dracula"),
    ("league", "league"),
    ("moon", "moon"),
    ("night", "night"),
    ("serif", "serif"),
    ("simple", "simple"),
    ("sky", "sky"),
    ("solarized", "solarized"),
    ("white", "white"),
    ("white-contrast", "white-contrast"),
];

/// The themes with a dark background.
const DARK: [&str; 7] = ["black", "black-contrast", "blood", "dracula", "league", "moon", "night"];

/// A theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Theme {
    pub(crate) name: &'static str,
    pub(crate) is_dark: bool,
}

/// The names in the value of `theme`.
fn theme_names(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        value => value.as_str().into_iter().collect(),
    }
}

/// The theme that a header names.
pub(crate) fn theme(value: Option<&Value>) -> Theme {
    let names = value.map(theme_names).unwrap_or_default();
    let known = |name: &&str| THEMES.iter().find(|(own, _)| own == name).map(|(_, theme)| *theme);
    let name = names.iter().find_map(known).unwrap_or("white");
    Theme { name, is_dark: DARK.contains(&name) }
}

/// The names in the value of `theme` that are not those of themes.
pub(crate) fn unknown_themes(value: &Value) -> Vec<String> {
    if value.is_object() {
        return vec!["theme".to_owned()];
    }
    let unknown = theme_names(value).into_iter().filter(|name| THEMES.iter().all(|(own, _)| own != name));
    unknown.map(|name| format!("theme: {name}")).collect()
}

/// The values that a setting takes.
#[derive(Debug, Clone, Copy)]
enum Accepts {
    Flag,
    /// A number from 0 to a largest one.
    Number(f64),
    /// One of some words.
    Words(&'static [&'static str]),
    /// A boolean, or one of some words.
    FlagOr(&'static [&'static str]),
    /// A number above 0, or `false`.
    NumberOrOff(f64),
    /// A length in pixels, or a percentage.
    Size,
    /// The name of a function of CSS for the speed of a transition.
    Easing,
    /// Two lengths or percentages.
    Sizes,
}

/// An option of a header that is a setting of reveal.js.
struct Setting {
    key: &'static str,
    name: &'static str,
    accepts: Accepts,
    /// What is written where the header does not say it. Nothing is written where this is empty.
    default: &'static str,
}

const fn setting(key: &'static str, name: &'static str, accepts: Accepts, default: &'static str) -> Setting {
    Setting { key, name, accepts, default }
}

const TRANSITIONS: &[&str] = &["none", "fade", "slide", "convex", "concave", "zoom"];

/// The settings in the order in which they are written. The defaults are those of Quarto 1.8.
const SETTINGS: [Setting; 53] = {
    use Accepts::{Easing, Flag, FlagOr, Number, NumberOrOff, Size, Sizes, Words};
    [
        setting("width", "width", Size, "1050"),
        setting("height", "height", Size, "700"),
        setting("margin", "margin", Number(0.9), "0.1"),
        setting("min-scale", "minScale", Number(100.0), ""),
        setting("max-scale", "maxScale", Number(100.0), ""),
        setting("center", "center", Flag, "false"),
        setting("rtl", "rtl", Flag, ""),
        setting("disable-layout", "disableLayout", Flag, ""),
        setting("embedded", "embedded", Flag, ""),
        setting("controls", "controls", FlagOr(&["auto", "speaker-only"]), ""),
        setting("controls-layout", "controlsLayout", Words(&["edges", "bottom-right"]), "'edges'"),
        setting("controls-tutorial", "controlsTutorial", Flag, "false"),
        setting("controls-back-arrows", "controlsBackArrows", Words(&["faded", "hidden", "visible"]), ""),
        setting("progress", "progress", Flag, "true"),
        setting("slide-number", "slideNumber", FlagOr(&["h.v", "h/v", "c", "c/t"]), ""),
        setting("show-slide-number", "showSlideNumber", Words(&["all", "print", "speaker"]), ""),
        setting("hash", "hash", Flag, "true"),
        setting("hash-one-based-index", "hashOneBasedIndex", Flag, ""),
        setting("respond-to-hash-changes", "respondToHashChanges", Flag, ""),
        setting("history", "history", Flag, "true"),
        setting("fragment-in-url", "fragmentInURL", Flag, "false"),
        setting("keyboard", "keyboard", Flag, ""),
        setting("overview", "overview", Flag, ""),
        setting("touch", "touch", Flag, ""),
        setting("mouse-wheel", "mouseWheel", Flag, ""),
        setting(
            "navigation-mode",
            "navigationMode",
            Words(&["linear", "vertical", "default", "grid"]),
            "'linear'",
        ),
        setting("jump-to-slide", "jumpToSlide", Flag, ""),
        setting("help", "help", Flag, ""),
        setting("pause", "pause", Flag, ""),
        setting("loop", "loop", Flag, ""),
        setting("shuffle", "shuffle", Flag, ""),
        setting("fragments", "fragments", Flag, ""),
        setting("show-notes", "showNotes", FlagOr(&["separate-page"]), ""),
        setting("preview-links", "previewLinks", Flag, ""),
        setting("auto-play-media", "autoPlayMedia", Flag, ""),
        setting("preload-iframes", "preloadIframes", Flag, ""),
        setting("auto-slide", "autoSlide", NumberOrOff(86_400_000.0), ""),
        setting("auto-slide-stoppable", "autoSlideStoppable", Flag, ""),
        setting("default-timing", "defaultTiming", Number(86_400.0), ""),
        setting("hide-inactive-cursor", "hideInactiveCursor", Flag, ""),
        setting("hide-cursor-time", "hideCursorTime", Number(86_400_000.0), ""),
        setting("transition", "transition", Words(TRANSITIONS), "'none'"),
        setting("transition-speed", "transitionSpeed", Words(&["default", "fast", "slow"]), ""),
        setting("background-transition", "backgroundTransition", Words(TRANSITIONS), "'none'"),
        setting("auto-animate", "autoAnimate", Flag, ""),
        setting("auto-animate-easing", "autoAnimateEasing", Easing, ""),
        setting("auto-animate-duration", "autoAnimateDuration", Number(3_600.0), ""),
        setting("auto-animate-unmatched", "autoAnimateUnmatched", Flag, ""),
        setting("parallax-background-size", "parallaxBackgroundSize", Sizes, ""),
        setting("parallax-background-horizontal", "parallaxBackgroundHorizontal", Number(100_000.0), ""),
        setting("parallax-background-vertical", "parallaxBackgroundVertical", Number(100_000.0), ""),
        setting("pdf-max-pages-per-slide", "pdfMaxPagesPerSlide", Number(1_000.0), ""),
        setting("pdf-separate-fragments", "pdfSeparateFragments", Flag, "false"),
    ]
};

/// Whether an option is a setting of reveal.js.
pub(crate) fn is_setting(key: &str) -> bool {
    SETTINGS.iter().any(|setting| setting.key == key)
}

/// Whether a value of a setting is one that it takes.
pub(crate) fn is_accepted(key: &str, value: &Value) -> bool {
    let setting = SETTINGS.iter().find(|setting| setting.key == key);
    setting.is_some_and(|setting| value.is_null() || literal(setting.accepts, value).is_some())
}

/// A value as JavaScript: nothing where it is not one that the setting takes. Only numbers, booleans and listed
/// characters get into a script.
fn literal(accepts: Accepts, value: &Value) -> Option<String> {
    let word = |words: &[&str]| {
        let own = value.as_str()?;
        words.contains(&own).then(|| format!("'{own}'"))
    };
    let flag = || Some(value.as_bool()?.to_string());
    let number = |largest: f64| {
        let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
        (0.0..=largest).contains(&number).then(|| number.to_string())
    };
    match accepts {
        Accepts::Flag => flag(),
        Accepts::NumberOrOff(_) if value == &Value::Bool(false) => Some("0".to_owned()),
        Accepts::Number(largest) | Accepts::NumberOrOff(largest) => number(largest),
        Accepts::Words(words) => word(words),
        Accepts::FlagOr(words) => flag().or_else(|| word(words)),
        Accepts::Size => {
            if let Some(percent) = value.as_str().and_then(|text| text.strip_suffix('%')) {
                let percent: f64 = percent.parse().ok()?;
                return (1.0..=100.0).contains(&percent).then(|| format!("'{percent}%'"));
            }
            let pixels = value.as_str().and_then(|text| text.strip_suffix("px")).map(str::parse);
            let pixels = pixels.map_or_else(|| value.as_f64(), Result::ok);
            pixels.filter(|pixels| (16.0..=20_000.0).contains(pixels)).map(|pixels| pixels.to_string())
        }
        Accepts::Easing => listed(value, |c| matches!(c, '-' | '(' | ')' | ',' | '.' | ' ')),
        Accepts::Sizes => listed(value, |c| matches!(c, '%' | '.' | ' ')),
    }
}

/// A short string of letters, digits and some further characters.
fn listed(value: &Value, further: fn(char) -> bool) -> Option<String> {
    let text = value.as_str().filter(|text| text.len() < 80)?;
    text.chars().all(|c| c.is_ascii_alphanumeric() || further(c)).then(|| format!("'{text}'"))
}

/// The settings of a header, as lines of an object of JavaScript.
pub(crate) fn settings<'v>(at: &dyn Fn(&str) -> Option<&'v Value>) -> Vec<(&'static str, String)> {
    let is_linear =
        !matches!(at("navigation-mode").and_then(Value::as_str), Some("vertical" | "default" | "grid"));
    let written = |setting: &Setting| {
        let own = at(setting.key).and_then(|value| literal(setting.accepts, value));
        let value = match (setting.key, own.as_deref()) {
            // Arrows are of use where there are two directions.
            ("controls", None | Some("'auto'")) => (!is_linear).to_string(),
            // What Quarto calls vertical is what reveal.js does by itself.
            ("navigation-mode", Some("'vertical'")) => "'default'".to_owned(),
            ("slide-number", Some("true")) if is_linear => "'c/t'".to_owned(),
            (_, Some(own)) => own.to_owned(),
            (_, None) if setting.default.is_empty() => return None,
            (_, None) => setting.default.to_owned(),
        };
        Some((setting.name, value))
    };
    SETTINGS.iter().filter_map(written).collect()
}

#[cfg(test)]
mod tests {
    use std::{fmt::Write as _, fs, path::Path};

    use serde_json::json;
    use sha2::{Digest as _, Sha256};

    use super::*;

    fn folder() -> &'static Path {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/reveal"))
    }

    #[test]
    fn files_have_their_hashes() {
        let sums = fs::read_to_string(folder().join("SHA256SUMS")).unwrap();
        let hash = |bytes: &[u8]| {
            Sha256::digest(bytes).iter().fold(String::new(), |mut out, byte| {
                write!(out, "{byte:02x}").unwrap();
                out
            })
        };
        let mut listed = 0;
        for line in sums.lines() {
            let (sum, name) = line.split_once("  ").unwrap();
            assert_eq!(hash(&fs::read(folder().join(name)).unwrap()), sum, "{name}");
            if let Some(content) = file(name) {
                assert_eq!(hash(content.as_bytes()), sum, "{name} in the program");
                listed += 1;
            }
        }
        assert_eq!(listed, FILES.len(), "each file of the program is listed");
    }

    #[test]
    fn files_fit_into_a_page_and_load_nothing() {
        for (name, _) in FILES {
            let content = file(name).unwrap();
            let is_script = Path::new(name).extension().is_some_and(|end| end == "js");
            let end = if is_script { "</script" } else { "</style" };
            assert!(!content.to_ascii_lowercase().contains(end), "{name} ends the element that it is in");
            // A comment of HTML inside of a script must end before the next tag.
            for (at, _) in content.match_indices("<!--") {
                let rest = &content[at..];
                let tag = rest.find("<script").unwrap_or(rest.len());
                assert!(rest.find("-->").is_some_and(|close| close < tag), "{name}: a comment is open");
            }
            if !is_script {
                assert!(!content.contains("@import"), "{name} imports a style");
                for (at, _) in content.match_indices("url(") {
                    assert!(content[at..].starts_with("url(data:"), "{name} loads something");
                }
            }
        }
    }

    #[test]
    fn every_theme_is_there() {
        for (name, theme) in THEMES {
            assert!(file(&format!("themes/{theme}.css")).is_some(), "{name}");
        }
        for name in DARK {
            let css = file(&format!("themes/{name}.css")).unwrap();
            assert!(css.contains("section.has-light-background"), "{name} is not dark");
        }
        assert_eq!(theme(Some(&json!(["dark", "own.scss"]))), Theme { name: "black", is_dark: true });
        assert_eq!(unknown_themes(&json!(["dark", "own.scss"])), ["theme: own.scss"]);
    }

    fn of(header: &Value) -> String {
        settings(&|key| header.get(key)).iter().fold(String::new(), |mut out, (name, value)| {
            writeln!(out, "{name}: {value},").unwrap();
            out
        })
    }

    #[test]
    fn options_become_settings() {
        let plain = of(&json!({}));
        for line in ["width: 1050,", "transition: 'none',", "navigationMode: 'linear',", "controls: false,"] {
            assert!(plain.contains(line), "{line} is missing in {plain}");
        }
        let own = of(&json!({
            "slide-number": true, "transition": "fade", "auto-slide": 5000, "width": "80%", "height": "540px",
            "navigation-mode": "vertical", "center": true, "margin": 0.04,
        }));
        for line in [
            "slideNumber: true,",
            "transition: 'fade',",
            "autoSlide: 5000,",
            "width: '80%',",
            "height: 540,",
            "navigationMode: 'default',",
            "controls: true,",
            "center: true,",
            "margin: 0.04,",
        ] {
            assert!(own.contains(line), "{line} is missing in {own}");
        }
        assert!(of(&json!({"slide-number": true})).contains("slideNumber: 'c/t',"));
    }

    #[test]
    fn only_known_values_get_into_the_settings() {
        let hostile = "'}; alert(1); //</script>";
        let all: serde_json::Map<String, Value> =
            SETTINGS.iter().map(|setting| (setting.key.to_owned(), json!(hostile))).collect();
        for key in all.keys() {
            assert!(!is_accepted(key, &json!(hostile)), "{key}");
        }
        let all = Value::Object(all);
        assert_eq!(of(&all), of(&json!({})));
        for value in [json!("</script>"), json!(["fade"]), json!({"a": 1}), json!(-1), json!(1e300)] {
            assert!(!is_accepted("transition", &value) && !is_accepted("margin", &value), "{value}");
        }
    }
}
