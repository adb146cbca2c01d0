//! Logos of a brand in pages.

use super::blocks::escape;
use crate::convert::brand::{Brand, Logo, Logos, Mode};
use crate::convert::metadata::Metadata;

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

/// The bar at the top of a dashboard.
pub(super) fn bar(
    metadata: &Metadata,
    brand: &Brand,
    image: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let Logos { light, dark } = brand.logos(metadata, &OF_BARS)?;
    let picture = |logo: &Logo, mode: &str| {
        format!(
            "<img src=\"{}\" alt=\"{}\" class=\"navbar-logo {mode}-content d-inline-block\">",
            source(logo, image),
            escape(logo.alt.as_deref().unwrap_or_default())
        )
    };
    let dark = dark.map(|logo| picture(&logo, "dark")).unwrap_or_default();
    Some(format!(
        "<header id=\"quarto-header\">\n<nav class=\"navbar\">\n<div class=\"navbar-brand-container\">\n\
         <span class=\"navbar-brand navbar-brand-logo\">{}{dark}</span>\n</div>\n</nav>\n</header>\n",
        picture(&light, "light")
    ))
}

fn source(logo: &Logo, image: &dyn Fn(&str) -> Option<String>) -> String {
    escape(&image(&logo.path).unwrap_or_else(|| logo.path.clone()))
}
