//! The brand of a project or of a document: its colors and logos, for light and for dark pages.
//!
//! What a document says is `brand: {logo: …, color: …}`, one brand for each mode (`brand: {light: …, dark: …}`),
//! or the path of a file. Within a brand, each value may have a `light` and a `dark` variant.

use serde_json::Value;

use super::{
    metadata::{Metadata, at, scalar},
    project_files::{self, ReadFile},
};
use crate::kinds::Limits;

/// What a page is shown on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Light,
    Dark,
}

impl Mode {
    fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// A picture that stands for a brand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Logo {
    pub path: String,
    /// The alternative text; absent where the document gives none.
    pub alt: Option<String>,
}

/// The logo of a document in each mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Logos {
    pub light: Logo,
    /// Absent for documents without a dark mode.
    pub dark: Option<Logo>,
}

impl Logos {
    /// The logo of a mode.
    pub(crate) fn of(&self, mode: Mode) -> &Logo {
        match (mode, &self.dark) {
            (Mode::Dark, Some(dark)) => dark,
            _ => &self.light,
        }
    }
}

/// The values of a brand, and the folder that its paths begin in.
#[derive(Debug, Clone, PartialEq, Default)]
struct Values {
    values: Value,
    folder: String,
}

/// The brand of a document.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Brand {
    light: Option<Values>,
    dark: Option<Values>,
}

/// Files that hold the brand of a project.
const FILES: [&str; 2] = ["_brand.yml", "_brand.yaml"];

impl Brand {
    /// The brand that a document or its project names, or else that of a `_brand.yml`.
    pub(crate) fn find(metadata: &Metadata, read: ReadFile<'_>, limits: Limits) -> Self {
        let named = |value: &Value| match value {
            Value::String(path) => {
                let bytes = read(path)?;
                let folder = path.rfind('/').map_or("", |at| &path[..=at]).to_owned();
                Some(Values { values: project_files::value(project_files::text(&bytes)?, limits), folder })
            }
            Value::Object(_) => Some(Values { values: value.clone(), folder: String::new() }),
            _ => None,
        };
        let both = |values: Option<Values>| Self { light: values.clone(), dark: values };
        match metadata.at("brand") {
            Some(Value::Bool(false)) => Self::default(),
            Some(Value::Object(map))
                if !map.is_empty() && map.keys().all(|key| matches!(key.as_str(), "light" | "dark")) =>
            {
                Self { light: map.get("light").and_then(named), dark: map.get("dark").and_then(named) }
            }
            Some(value) if value.is_object() || value.is_string() => both(named(value)),
            _ => both(
                project_files::find_in(&FILES, read, limits)
                    .map(|(values, folder)| Values { values, folder }),
            ),
        }
    }

    fn values(&self, mode: Mode) -> Option<&Values> {
        match mode {
            Mode::Light => self.light.as_ref(),
            Mode::Dark => self.dark.as_ref(),
        }
    }

    /// The value of a path in a mode; a value without variants counts for both.
    fn value(&self, mode: Mode, path: &str) -> Option<&Value> {
        let value = at(&self.values(mode)?.values, path)?;
        match value.as_object().filter(|map| map.contains_key("light") || map.contains_key("dark")) {
            Some(variants) => variants.get(mode.name()),
            None => Some(value),
        }
    }

    /// A color by its role or its name in the palette.
    pub(crate) fn color(&self, mode: Mode, name: &str) -> Option<&str> {
        let named = |name: &str| {
            let role = self.value(mode, &format!("color.{name}"));
            role.or_else(|| self.value(mode, &format!("color.palette.{name}")))
        };
        let found = named(name)?.as_str()?;
        // A role may be given by the name of a color of the palette.
        Some(named(found).and_then(Value::as_str).unwrap_or(found))
    }

    /// All colors by their roles and their names in the palette, sorted by name.
    pub(crate) fn colors(&self, mode: Mode) -> Vec<(String, String)> {
        let Some(values) = self.values(mode) else { return Vec::new() };
        let names = |path: &str| {
            let map = at(&values.values, path).and_then(Value::as_object);
            map.into_iter().flat_map(|map| map.keys()).filter(|name| *name != "palette").take(NAMES)
        };
        let mut all: Vec<&String> = names("color").chain(names("color.palette")).collect();
        all.sort_unstable();
        all.dedup();
        let is_word = |name: &&String| {
            name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        };
        let found = all
            .into_iter()
            .filter(is_word)
            .filter_map(|name| Some((name.clone(), self.color(mode, name)?.to_owned())));
        found.collect()
    }

    /// The images by their names, sorted.
    pub(crate) fn images(&self, mode: Mode) -> Vec<(String, Logo)> {
        let images = self.values(mode).and_then(|values| at(&values.values, "logo.images")?.as_object());
        let is_word = |name: &&String| {
            name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        };
        let mut names: Vec<&String> =
            images.into_iter().flat_map(|map| map.keys()).filter(is_word).take(NAMES).collect();
        names.sort_unstable();
        names.into_iter().filter_map(|name| Some((name.clone(), self.logo(mode, name)?))).collect()
    }

    /// A property of the fonts of a role, such as the family of `headings`. A family alone may stand for the role.
    pub(crate) fn typography(&self, mode: Mode, role: &str, key: &str) -> Option<String> {
        let own = self.value(mode, &format!("typography.{role}"));
        let value = match own {
            Some(Value::String(family)) => (key == "family").then(|| family.clone()),
            Some(map) => map.get(key).and_then(scalar),
            None => None,
        };
        match role {
            "monospace-inline" | "monospace-block" => {
                value.or_else(|| self.typography(mode, "monospace", key))
            }
            _ => value,
        }
    }

    /// A logo by its size or by its name among the images.
    pub(crate) fn logo(&self, mode: Mode, name: &str) -> Option<Logo> {
        let image = |name: &str| self.value(mode, &format!("logo.images.{name}"));
        let sized = self.value(mode, &format!("logo.{name}")).filter(|_| name != "images");
        let found = sized.or_else(|| image(name))?;
        self.picture(mode, found.as_str().and_then(image).unwrap_or(found))
    }

    fn picture(&self, mode: Mode, value: &Value) -> Option<Logo> {
        let path = value.as_str().or_else(|| value.get("path")?.as_str())?;
        let alt = value.get("alt").and_then(Value::as_str).map(str::to_owned);
        let folder = self.values(mode).map_or("", |values| values.folder.as_str());
        let is_relative = !path.contains("://") && !path.starts_with('/') && !path.starts_with("data:");
        let path = if is_relative { format!("{folder}{path}") } else { path.to_owned() };
        Some(Logo { path, alt })
    }

    /// The logo that a document shows: what its `logo` says, or else the first of the sizes that the brand has.
    pub(crate) fn logos(&self, metadata: &Metadata, sizes: &[&str]) -> Option<Logos> {
        self.logos_of(metadata.at("logo"), metadata.at("theme.dark").is_some(), sizes)
    }

    /// Like [`Self::logos`], for the logo of a menu; `has_dark_mode` is whether its page is also shown dark.
    pub(crate) fn logos_of(
        &self,
        spec: Option<&Value>,
        has_dark_mode: bool,
        sizes: &[&str],
    ) -> Option<Logos> {
        if spec == Some(&Value::Bool(false)) {
            return None;
        }
        let found = |mode: Mode| match spec {
            None | Some(Value::Null) => sizes.iter().find_map(|size| self.logo(mode, size)),
            Some(Value::Object(map)) if !map.contains_key("path") => match map.get(mode.name()) {
                Some(own) => self.specified(mode, own),
                None => sizes.iter().find_map(|size| self.logo(mode, size)),
            },
            Some(own) => self.specified(mode, own),
        };
        let (light, dark) = (found(Mode::Light), found(Mode::Dark));
        let has_dark_mode = has_dark_mode || self.has_variant(Mode::Dark);
        let fallback = light.clone().filter(|_| has_dark_mode);
        let dark_logo = dark.clone().or(fallback);
        Some(Logos { light: light.or(dark)?, dark: dark_logo })
    }

    /// A logo that a document names: an image of the brand, or a file.
    fn specified(&self, mode: Mode, value: &Value) -> Option<Logo> {
        let path = value.as_str().or_else(|| value.get("path")?.as_str())?;
        let named = self.logo(mode, path).unwrap_or_else(|| Logo { path: path.to_owned(), alt: None });
        let alt = value.get("alt").and_then(Value::as_str).map(str::to_owned);
        Some(Logo { alt: alt.or(named.alt), ..named })
    }

    /// Whether any value has a variant for a mode.
    fn has_variant(&self, mode: Mode) -> bool {
        let (Some(light), Some(dark)) = (&self.light, &self.dark) else {
            return self.values(mode).is_some();
        };
        light != dark || has_key(&dark.values, mode.name(), 0)
    }
}

/// Most colors and images of a brand.
const NAMES: usize = 500;

/// Deepest level at which variants are looked for.
const DEPTH: u32 = 8;

fn has_key(value: &Value, key: &str, depth: u32) -> bool {
    let Some(map) = value.as_object().filter(|_| depth < DEPTH) else { return false };
    map.contains_key(key) || map.values().any(|inner| has_key(inner, key, depth + 1))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::formats;

    const SIZES: [&str; 3] = ["small", "medium", "large"];

    fn logos(header: Value) -> Option<(String, Option<String>)> {
        let metadata = Metadata::new(Value::Null, header, &[], &formats::all()[0]);
        let brand = Brand::find(&metadata, &|_| None, Limits::default());
        let shown = |logo: &Logo| match &logo.alt {
            Some(alt) => format!("{} ({alt})", logo.path),
            None => logo.path.clone(),
        };
        brand.logos(&metadata, &SIZES).map(|logos| (shown(&logos.light), logos.dark.as_ref().map(shown)))
    }

    #[test]
    fn logo_is_the_first_size_of_the_brand() {
        let images = json!({"sun": {"path": "sun.png", "alt": "Sun"}, "moon": "moon.png"});
        let brand = json!({"logo": {"images": images, "medium": {"light": "sun", "dark": "moon"}}});
        assert_eq!(
            logos(json!({"brand": brand})),
            Some(("sun.png (Sun)".to_owned(), Some("moon.png".to_owned())))
        );
        let only_light = json!({"logo": {"medium": {"light": "a.png"}}});
        assert_eq!(logos(json!({"brand": only_light})), Some(("a.png".to_owned(), None)));
    }

    #[test]
    fn logo_of_the_document_wins_over_the_brand() {
        let brand = json!({"logo": {"images": {"sun": {"path": "sun.png", "alt": "Sun"}}, "large": "sun"}});
        let with = |logo: Value| logos(json!({"brand": brand, "logo": logo}));
        assert_eq!(with(json!(false)), None);
        assert_eq!(with(json!("own.svg")), Some(("own.svg".to_owned(), Some("own.svg".to_owned()))));
        let named = Some(("sun.png (Own)".to_owned(), Some("sun.png (Own)".to_owned())));
        assert_eq!(with(json!({"path": "large", "alt": "Own"})), named);
    }

    #[test]
    fn missing_mode_falls_back_to_the_other_one() {
        let header = json!({"theme": {"light": "a", "dark": "b"}, "logo": {"dark": "dark.png"}});
        assert_eq!(logos(header), Some(("dark.png".to_owned(), Some("dark.png".to_owned()))));
    }

    #[test]
    fn paths_begin_in_the_folder_of_the_brand() {
        let metadata =
            Metadata::new(Value::Null, json!({"brand": "styles/acme.yml"}), &[], &formats::all()[0]);
        let read =
            |path: &str| (path == "styles/acme.yml").then(|| Arc::from(&b"logo:\n  small: a.png\n"[..]));
        let brand = Brand::find(&metadata, &read, Limits::default());
        let found = brand.logo(Mode::Light, "small").map(|logo| logo.path);
        assert_eq!(found.as_deref(), Some("styles/a.png"));
    }
}
