//! Backgrounds of slides: their pictures become part of the deck, and their text contrasts with them.

use std::fmt::Write as _;

use super::{blocks::is_script, css};
use crate::{metadata::Metadata, model::Attr};

/// Completes the background of a slide: `data-background-color`, `data-background-image` and the like, which reveal.js
/// reads.
pub(super) fn complete(attr: &mut Attr, image: &dyn Fn(&str) -> Option<String>) {
    let mut dark = None;
    attr.pairs.retain(|(key, value)| !(key.starts_with("data-background") && is_script(value)));
    for (key, value) in &mut attr.pairs {
        match key.as_str() {
            "data-background-image" => {
                if let Some(own) = image(value) {
                    *value = own;
                }
            }
            // Either a color or a picture.
            "data-background" => match image(value) {
                Some(own) => *value = own,
                None => dark = is_dark(value).or(dark),
            },
            "data-background-color" => dark = is_dark(value).or(dark),
            "data-background-gradient" => dark = first_color(value).and_then(is_dark).or(dark),
            _ => {}
        }
    }
    attr.classes.extend(contrast(dark).map(str::to_owned));
}

/// The background of all slides, from the header: the style of the page and its class.
pub(super) fn of_all(
    metadata: &Metadata,
    image: &dyn Fn(&str) -> Option<String>,
) -> (String, Option<&'static str>) {
    let value = |key: &str| metadata.text(&format!("background-{key}"));
    let mut style = String::new();
    let color =
        value("color").or_else(|| metadata.text("backgroundcolor")).filter(|color| css::is_plain(color));
    if let Some(color) = color {
        let _ = write!(style, "background:{color};");
    }
    let picture =
        value("image").filter(|path| !is_script(path) && !path.contains(['\'', '"', '\\', '\n', '<']));
    if let Some(path) = picture {
        let source = image(path).unwrap_or_else(|| path.to_owned());
        let of = |key: &str, default: &'static str| {
            value(key).filter(|value| css::is_plain(value)).unwrap_or(default).to_owned()
        };
        let (size, position, repeat) =
            (of("size", "cover"), of("position", "center"), of("repeat", "no-repeat"));
        let _ = write!(
            style,
            "background-image:url('{source}');background-size:{size};background-position:{position};background-repeat:{repeat};"
        );
    }
    (style, contrast(color.and_then(is_dark)))
}

/// The class of what has a dark background or a light one.
fn contrast(dark: Option<bool>) -> Option<&'static str> {
    dark.map(|dark| if dark { "has-dark-background" } else { "has-light-background" })
}

/// The first color in a gradient.
fn first_color(gradient: &str) -> Option<&str> {
    let inside = gradient.split_once('(')?.1;
    let parts = inside.split([',', ' ', ')']).map(str::trim);
    parts.into_iter().find(|part| is_dark(part).is_some())
}

/// Whether a color is dark; nothing for colors that are not written in hexadecimals and have no well-known name.
fn is_dark(color: &str) -> Option<bool> {
    let named = match color {
        "black" | "navy" | "darkblue" | "midnightblue" | "maroon" | "darkred" | "darkgreen" | "indigo"
        | "purple" | "teal" | "darkslategray" | "darkslategrey" => true,
        "white" | "ivory" | "beige" | "lightgray" | "lightgrey" | "aquamarine" | "yellow" | "lightblue"
        | "whitesmoke" => false,
        hex => {
            let digits = hex.strip_prefix('#')?;
            let each = match digits.len() {
                3 | 4 => 1,
                6 | 8 => 2,
                _ => return None,
            };
            let part = |index: usize| {
                let own = digits.get(index * each..(index + 1) * each)?;
                let value = u32::from_str_radix(own, 16).ok()?;
                Some(if each == 1 { value * 17 } else { value })
            };
            part(0)? * 299 + part(1)? * 587 + part(2)? * 114 < 128_000
        }
    };
    Some(named)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::formats;

    fn image(path: &str) -> Option<String> {
        (path == "here.png").then(|| "data:image/png;base64,AA".to_owned())
    }

    fn background(pairs: &[(&str, &str)]) -> Attr {
        let pairs =
            pairs.iter().map(|(key, value)| (format!("data-background{key}"), (*value).to_owned())).collect();
        let mut attr = Attr { pairs, ..Attr::default() };
        complete(&mut attr, &image);
        attr
    }

    #[test]
    fn text_contrasts_with_the_background() {
        assert!(background(&[("-color", "#223344")]).has_class("has-dark-background"));
        assert!(background(&[("-color", "aquamarine")]).has_class("has-light-background"));
        assert!(background(&[("", "#223344")]).has_class("has-dark-background"));
        let gradient = background(&[("-gradient", "linear-gradient(to bottom, #283b95, #17b2c3)")]);
        assert!(gradient.has_class("has-dark-background"));
        assert!(background(&[("-color", "hsl(200 10% 20%)")]).classes.is_empty());
    }

    #[test]
    fn pictures_of_backgrounds_are_in_the_deck() {
        let picture = background(&[("-image", "here.png"), ("-size", "contain")]);
        assert_eq!(picture.get("data-background-image"), Some("data:image/png;base64,AA"));
        assert_eq!(picture.get("data-background-size"), Some("contain"));
        assert_eq!(background(&[("", "here.png")]).get("data-background"), Some("data:image/png;base64,AA"));
        assert!(background(&[("-iframe", "java\tscript:alert(1)")]).pairs.is_empty());
    }

    #[test]
    fn only_colors_and_paths_get_into_the_style() {
        let of =
            |header: Value| of_all(&Metadata::new(Value::Null, header, &[], &formats::all()[1]), &image).0;
        for hostile in [
            json!({"background-color": "red;position:fixed"}),
            json!({"background-image": "a');x:('b"}),
            json!({"background-image": "javascript:a"}),
        ] {
            assert_eq!(of(hostile.clone()), "", "{hostile}");
        }
        let both = of(json!({"background-color": "#123", "background-image": "here.png"}));
        assert!(
            both.starts_with("background:#123;background-image:url('data:image/png;base64,AA');"),
            "{both}"
        );
    }
}
