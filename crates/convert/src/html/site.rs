//! What a website or a book puts around its pages: navigation, footer, and what search engines and previews read.

use std::fmt::Write as _;

use serde_json::Value;

use super::{
    blocks::{Writer, is_script},
    escape::escape,
    logo,
};
use crate::{
    brand::Brand,
    metadata::{Metadata, scalar},
    model::plain,
    reader,
};

/// The project of a page.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Site {
    /// `website` or `book` of the project.
    values: Value,
    /// The path from the page to the folder of the project, with a slash at its end.
    folder: String,
    /// The path of the page from there, such as `about/index.html`.
    page: String,
}

/// Parts of a page.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Parts {
    pub(super) head: String,
    pub(super) header: String,
    pub(super) sidebar: String,
    pub(super) footer: String,
}

impl Site {
    /// The site that a project describes; nothing for other projects.
    pub(crate) fn of(project: &Value, folder: &str, name: &str) -> Self {
        let values = ["website", "book"].iter().find_map(|key| project.get(key)).cloned();
        let above = folder.matches("../").count();
        let steps: Vec<&str> = name.rsplit(['/', '\\']).take(above + 1).collect();
        let page: Vec<&str> = steps.into_iter().rev().collect();
        let page = page.join("/");
        let page = page.strip_suffix(".qmd").map_or(page.clone(), |stem| format!("{stem}.html"));
        let folder = if folder.is_empty() { "./" } else { folder };
        Self { values: values.unwrap_or_default(), folder: folder.to_owned(), page }
    }

    fn at(&self, path: &str) -> Option<&Value> {
        crate::metadata::at(&self.values, path)
    }

    fn text(&self, path: &str) -> Option<&str> {
        self.at(path).and_then(Value::as_str)
    }

    /// The name of the page without its ending.
    pub(super) fn stem(&self) -> &str {
        let name = self.page.rsplit('/').next().unwrap_or_default();
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }

    /// The title of the site.
    pub(super) fn title(&self) -> Option<&str> {
        self.text("title")
    }

    /// What surrounds a page.
    pub(super) fn parts(
        &self,
        metadata: &Metadata,
        brand: &Brand,
        image: &dyn Fn(&str) -> Option<String>,
    ) -> Parts {
        if !self.values.is_object() {
            return Parts::default();
        }
        Parts {
            head: self.head(metadata, brand, image),
            header: self.navbar(brand, image),
            sidebar: self.sidebar(brand, image),
            footer: self.footer(),
        }
    }

    fn head(&self, metadata: &Metadata, brand: &Brand, image: &dyn Fn(&str) -> Option<String>) -> String {
        let mut out = String::new();
        let own = self.text("favicon").map(|path| format!("{}{path}", self.folder));
        let icon = own.or_else(|| brand.logo(crate::brand::Mode::Light, "small").map(|logo| logo.path));
        if let Some(path) = icon {
            let kind = match path.rsplit('.').next() {
                Some("svg") => "image/svg+xml",
                Some("ico") => "image/x-icon",
                _ => "image/png",
            };
            let source = image(&path).unwrap_or(path);
            let _ = writeln!(out, "<link href=\"{}\" rel=\"icon\" type=\"{kind}\">", escape(&source));
        }
        let address = self.text("site-url").map(|site| {
            let page =
                self.page.strip_suffix("index.html").filter(|rest| rest.is_empty() || rest.ends_with('/'));
            format!("{}/{}", site.trim_end_matches('/'), page.unwrap_or(&self.page))
        });
        let wants =
            metadata.at("canonical-url").or_else(|| self.at("canonical-url")) == Some(&Value::Bool(true));
        if let Some(address) = address.as_ref().filter(|_| wants) {
            let _ = writeln!(out, "<link rel=\"canonical\" href=\"{}\">", escape(address));
        }
        let graph = metadata.at("open-graph").or_else(|| self.at("open-graph"));
        if graph.is_some_and(|graph| *graph != Value::Bool(false)) {
            let own = |key: &str| graph.and_then(|graph| graph.get(key)).and_then(scalar);
            let title = metadata.inlines("title").map(|title| plain(&title));
            let fields = [
                ("title", own("title").or(title)),
                (
                    "description",
                    own("description").or_else(|| metadata.text("description").map(str::to_owned)),
                ),
                ("image", own("image").or_else(|| metadata.text("image").map(str::to_owned))),
                ("image:alt", own("image-alt").or_else(|| metadata.text("image-alt").map(str::to_owned))),
                ("site_name", own("site-name").or_else(|| self.title().map(str::to_owned))),
                ("url", address),
            ];
            for (key, value) in fields {
                if let Some(value) = value {
                    let _ = writeln!(out, "<meta property=\"og:{key}\" content=\"{}\">", escape(&value));
                }
            }
        }
        out
    }

    /// The address of a page or of something elsewhere.
    fn address(&self, href: &str) -> String {
        if href.contains(':') || href.starts_with(['#', '/']) {
            return href.to_owned();
        }
        let (path, rest) = href.split_at(href.find(['#', '?']).unwrap_or(href.len()));
        let stem = [".qmd", ".ipynb", ".md"].iter().find_map(|ending| path.strip_suffix(ending));
        let path = stem.map_or(path.to_owned(), |stem| format!("{stem}.html"));
        format!("{}{path}{rest}", self.folder)
    }

    /// An item of a menu: a path, or a mapping with `text` and `href`.
    fn item(&self, item: &Value, class: &str, words: &str) -> Option<String> {
        let href = item
            .as_str()
            .map(str::to_owned)
            .or_else(|| ["href", "file", "url"].iter().find_map(|key| item.get(key).and_then(scalar)));
        let text = item.get("text").and_then(scalar).or_else(|| {
            let name = href.as_deref()?.rsplit('/').next()?.split('.').next()?.to_owned();
            Some(name.replace(['-', '_'], " "))
        });
        let inner = format!("<span class=\"{words}\">{}</span>", marked(text.as_deref().unwrap_or_default()));
        let Some(href) = href.filter(|href| !is_script(href)) else {
            return text.map(|_| inner);
        };
        let extra: String = ["target", "rel", "aria-label"]
            .iter()
            .filter_map(|key| Some(format!(" {key}=\"{}\"", escape(&item.get(key).and_then(scalar)?))))
            .collect();
        Some(format!("<a class=\"{class}\" href=\"{}\"{extra}>{inner}</a>", escape(&self.address(&href))))
    }

    fn navbar(&self, brand: &Brand, image: &dyn Fn(&str) -> Option<String>) -> String {
        let Some(bar) = self.at("navbar").filter(|bar| **bar != Value::Bool(false)) else {
            return String::new();
        };
        let title = match bar.get("title") {
            Some(Value::Bool(false)) => None,
            Some(Value::String(own)) => Some(own.as_str()),
            _ => self.title(),
        };
        let home = escape(&self.address("index.html"));
        let logos = logo::of_menu(bar, brand, &self.folder, "navbar-logo", image);
        let mut out = String::from(
            "<header id=\"quarto-header\">\n<nav class=\"navbar\">\n<div class=\"navbar-brand-container\">\n",
        );
        if let Some(logos) = logos {
            let _ = writeln!(out, "<a href=\"{home}\" class=\"navbar-brand navbar-brand-logo\">{logos}</a>");
        }
        if let Some(title) = title {
            let _ = writeln!(
                out,
                "<a class=\"navbar-brand\" href=\"{home}\"><span class=\"navbar-title\">{}</span></a>",
                marked(title)
            );
        }
        out.push_str("</div>\n");
        for (side, class) in [("left", "me-auto"), ("right", "ms-auto")] {
            let Some(Value::Array(items)) = bar.get(side) else { continue };
            let _ = writeln!(out, "<ul class=\"navbar-nav {class}\">");
            for item in items {
                let inner = match item.get("menu") {
                    Some(Value::Array(menu)) => {
                        let lines: String = menu
                            .iter()
                            .filter_map(|item| self.item(item, "dropdown-item", "dropdown-text"))
                            .map(|line| format!("<li>{line}</li>\n"))
                            .collect();
                        let text = item.get("text").and_then(scalar).unwrap_or_default();
                        Some(format!(
                            "<details><summary class=\"nav-link\">{}</summary><ul>\n{lines}</ul></details>",
                            marked(&text)
                        ))
                    }
                    _ => self.item(item, "nav-link", "menu-text"),
                };
                if let Some(inner) = inner {
                    let _ = writeln!(out, "<li class=\"nav-item\">{inner}</li>");
                }
            }
            out.push_str("</ul>\n");
        }
        out.push_str("</nav>\n</header>\n");
        out
    }

    /// The sidebar that has the page; the only one, or else the first.
    fn sidebar(&self, brand: &Brand, image: &dyn Fn(&str) -> Option<String>) -> String {
        let bars = match self.at("sidebar") {
            Some(Value::Array(bars)) => bars.as_slice(),
            Some(bar @ Value::Object(_)) => std::slice::from_ref(bar),
            _ => return self.chapters(brand, image),
        };
        let stem = self.page.trim_end_matches(".html");
        let bar = bars.iter().find(|bar| holds(bar, stem, 0)).or(bars.first());
        let Some(bar) = bar else { return String::new() };
        let contents = bar.get("contents").cloned().unwrap_or_default();
        self.menu(bar, &contents, brand, image)
    }

    /// The chapters of a book.
    fn chapters(&self, brand: &Brand, image: &dyn Fn(&str) -> Option<String>) -> String {
        match self.at("chapters") {
            Some(chapters) => self.menu(&self.values, chapters, brand, image),
            None => String::new(),
        }
    }

    fn menu(
        &self,
        bar: &Value,
        contents: &Value,
        brand: &Brand,
        image: &dyn Fn(&str) -> Option<String>,
    ) -> String {
        let home = escape(&self.address("index.html"));
        let mut out = String::from(
            "<nav id=\"quarto-sidebar\" class=\"sidebar sidebar-navigation\">\n<div class=\"sidebar-header\">\n",
        );
        let shows = self.at("navbar").is_none() || bar.get("logo").is_some();
        if let Some(logos) = logo::of_menu(bar, brand, &self.folder, "sidebar-logo", image).filter(|_| shows)
        {
            let _ = writeln!(out, "<a href=\"{home}\" class=\"sidebar-logo-link\">{logos}</a>");
        }
        if let Some(title) = bar.get("title").and_then(Value::as_str) {
            let _ =
                writeln!(out, "<div class=\"sidebar-title\"><a href=\"{home}\">{}</a></div>", marked(title));
        }
        out.push_str("</div>\n");
        self.entries(contents, 0, &mut out);
        out.push_str("</nav>\n");
        out
    }

    fn entries(&self, contents: &Value, depth: u32, out: &mut String) {
        let Some(items) = contents.as_array().filter(|_| depth < DEPTH) else { return };
        out.push_str("<ul class=\"list-unstyled\">\n");
        for item in items {
            out.push_str("<li class=\"sidebar-item\">");
            match item.get("section").or_else(|| item.get("part")).and_then(scalar) {
                Some(section) => {
                    let _ = write!(out, "<span class=\"menu-text\">{}</span>", marked(&section));
                }
                None => out.push_str(
                    &self.item(item, "sidebar-item-text sidebar-link", "menu-text").unwrap_or_default(),
                ),
            }
            if let Some(inner) = item.get("contents").or_else(|| item.get("chapters")) {
                self.entries(inner, depth + 1, out);
            }
            out.push_str("</li>\n");
        }
        out.push_str("</ul>\n");
    }

    fn footer(&self) -> String {
        let Some(footer) = self.at("page-footer").filter(|footer| **footer != Value::Bool(false)) else {
            return String::new();
        };
        let side = |name: &str| match (footer, name) {
            (Value::String(_), "center") => Some(footer),
            (Value::Object(map), name) => map.get(name),
            _ => None,
        };
        let mut out = String::from("<footer class=\"footer\">\n<div class=\"nav-footer\">\n");
        for name in ["left", "center", "right"] {
            let _ = write!(out, "<div class=\"nav-footer-{name}\">");
            match side(name) {
                Some(Value::Array(items)) => {
                    out.push_str("<ul class=\"footer-items list-unstyled\">\n");
                    for item in items.iter().filter_map(|item| self.item(item, "nav-link", "menu-text")) {
                        let _ = writeln!(out, "<li class=\"nav-item\">{item}</li>");
                    }
                    out.push_str("</ul>");
                }
                Some(value) => {
                    if let Some(text) = scalar(value) {
                        let _ = write!(out, "<p>{}</p>", marked(&text));
                    }
                }
                None => out.push_str("&nbsp;"),
            }
            out.push_str("</div>\n");
        }
        out.push_str("</div>\n</footer>\n");
        out
    }
}

/// Deepest menu.
const DEPTH: u32 = 8;

/// Whether a menu has a page.
fn holds(value: &Value, stem: &str, depth: u32) -> bool {
    match value {
        Value::String(path) => path.rsplit_once('.').map_or(path.as_str(), |(stem, _)| stem) == stem,
        Value::Array(items) if depth < DEPTH => items.iter().any(|item| holds(item, stem, depth + 1)),
        Value::Object(map) if depth < DEPTH => {
            map.iter().any(|(key, item)| key != "logo" && holds(item, stem, depth + 1))
        }
        _ => false,
    }
}

/// Text with the marks of Markdown.
fn marked(text: &str) -> String {
    let no_picture = |_: &str| None;
    let mut writer = Writer::new(&no_picture);
    writer.inlines(&reader::read_inlines(text, true));
    writer.out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::formats;

    fn parts(website: Value, header: Value) -> Parts {
        let metadata = Metadata::new(Value::Null, header, &[], &formats::all()[0]);
        let site = Site::of(&json!({"website": website}), "../", "docs/about/index.qmd");
        site.parts(&metadata, &Brand::default(), &|_| None)
    }

    #[test]
    fn page_has_its_address_and_its_preview() {
        let website = json!({"title": "Acme", "site-url": "https://acme.org/", "canonical-url": true, "open-graph": true, "favicon": "a.png"});
        let head = parts(website, json!({"title": "About *us*", "image-alt": "Logo"})).head;
        for expected in [
            "<link href=\"../a.png\" rel=\"icon\" type=\"image/png\">",
            "<link rel=\"canonical\" href=\"https://acme.org/about/\">",
            "<meta property=\"og:title\" content=\"About us\">",
            "<meta property=\"og:image:alt\" content=\"Logo\">",
            "<meta property=\"og:site_name\" content=\"Acme\">",
        ] {
            assert!(head.contains(expected), "{expected} is missing in {head}");
        }
    }

    #[test]
    fn menus_lead_to_the_pages_that_are_written() {
        let website = json!({
            "title": "Acme",
            "navbar": {"left": ["about.qmd", {"text": "Blog", "href": "blog/index.qmd#new", "target": "_blank"}, {"text": "x", "href": "javascript:a"}]},
            "sidebar": {"logo": "l.png", "contents": [{"section": "One", "contents": ["one.qmd"]}]},
            "page-footer": {"left": "© *Acme*", "right": [{"text": "License", "href": "license.qmd"}]},
        });
        let Parts { header, sidebar, footer, .. } = parts(website, json!({}));
        assert!(
            header.contains("href=\"../about.html\"")
                && header.contains("href=\"../blog/index.html#new\" target=\"_blank\""),
            "{header}"
        );
        assert!(!header.contains("javascript"), "{header}");
        assert!(
            sidebar.contains("class=\"sidebar-logo-link\"><img src=\"../l.png\"")
                && sidebar.contains("href=\"../one.html\""),
            "{sidebar}"
        );
        assert!(footer.contains("<em>Acme</em>") && footer.contains("href=\"../license.html\""), "{footer}");
    }
}
