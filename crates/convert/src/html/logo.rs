//! Logos of a brand in pages.

use serde_json::Value;

use super::escape::escape;
use crate::brand::{Brand, Logo, Logos, Mode};
use crate::metadata::Metadata;

/// Sizes of logos in the order in which slides look for them.
const OF_SLIDES: [&str; 3] = ["medium", "small", "large"];
/// Sizes of logos in the order in which bars at the top look for them.
const OF_BARS: [&str; 3] = ["small", "medium", "large"];

/// The logo in the corner of slides.
pub(super) fn of_slides(
    metadata: &Metadata,
    brand: &Brand,
    image: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let logos = brand.logos(metadata, &OF_SLIDES)?;
    let mode = if metadata.text("brand-mode") == Some("dark") { Mode::Dark } else { Mode::Light };
    let logo = logos.of(mode);
    let alt = logo.alt.as_ref().map(|alt| format!(" alt=\"{}\"", escape(alt))).unwrap_or_default();
    Some(format!("<img src=\"{}\"{alt} class=\"slide-logo\">\n", source(logo, image)))
}

/// The logos in the bar at the top of a dashboard.
pub(super) fn of_bar(
    metadata: &Metadata,
    brand: &Brand,
    image: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let pictures = pictures(brand.logos(metadata, &OF_BARS)?, "navbar-logo", image);
    Some(format!("<a href=\"#\" class=\"navbar-brand-logo\">{pictures}</a>\n"))
}

/// The logo of a menu of a site. Its paths begin in the folder of the project.
pub(super) fn of_menu(
    menu: &Value,
    brand: &Brand,
    folder: &str,
    class: &str,
    image: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let spec = menu.get("logo").map(|spec| below(spec, brand, folder));
    let sizes = if class == "navbar-logo" { &OF_BARS } else { &OF_SLIDES };
    let mut logos = brand.logos_of(spec.as_ref(), false, sizes)?;
    for logo in std::iter::once(&mut logos.light).chain(logos.dark.as_mut()) {
        if !logo.path.contains(':') && !logo.path.starts_with(['.', '/']) {
            logo.path.insert_str(0, "./");
        }
    }
    if let Some(alt) = menu.get("logo-alt").and_then(Value::as_str) {
        logos.light.alt = Some(alt.to_owned());
        logos.dark.iter_mut().for_each(|dark| dark.alt = Some(alt.to_owned()));
    }
    Some(pictures(logos, class, image))
}

/// A logo that a project names, with its paths as the page sees them. Names of the brand stay as they are.
fn below(spec: &Value, brand: &Brand, folder: &str) -> Value {
    match spec {
        Value::String(path) => {
            let is_name = [Mode::Light, Mode::Dark].iter().any(|mode| brand.logo(*mode, path).is_some());
            let is_elsewhere = path.contains("://") || path.starts_with('/');
            Value::String(if is_name || is_elsewhere { path.clone() } else { format!("{folder}{path}") })
        }
        Value::Object(map) => {
            let moved = map.iter().map(|(key, value)| {
                let value = if key == "alt" { value.clone() } else { below(value, brand, folder) };
                (key.clone(), value)
            });
            Value::Object(moved.collect())
        }
        other => other.clone(),
    }
}

/// The logos of both modes; the style of the page hides one of them.
fn pictures(logos: Logos, class: &str, image: &dyn Fn(&str) -> Option<String>) -> String {
    let picture = |logo: &Logo, mode: &str| {
        format!(
            "<img src=\"{}\" alt=\"{}\" class=\"{class} {mode}-content d-inline-block\">",
            source(logo, image),
            escape(logo.alt.as_deref().unwrap_or_default())
        )
    };
    let dark = logos.dark.map(|logo| picture(&logo, "dark")).unwrap_or_default();
    format!("{}{dark}", picture(&logos.light, "light"))
}

fn source(logo: &Logo, image: &dyn Fn(&str) -> Option<String>) -> String {
    escape(&image(&logo.path).unwrap_or_else(|| logo.path.clone()))
}
