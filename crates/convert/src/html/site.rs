//! What a website or a book puts around its pages: navigation, footer, and what search engines and previews read.

use std::{fmt::Write as _, sync::Arc};

use serde_json::Value;

use super::{
    escape::escape,
    logo,
    navigation::{self, Entry, Kind, Navigation, Sidebar, Unknown, marked},
};
use crate::{
    brand::Brand,
    metadata::{Metadata, scalar},
    model::{Inline, plain},
};

/// A page in its project.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Site {
    /// `website` or `book` of the project.
    values: Arc<Value>,
    navigation: Arc<Navigation>,
    /// The path from the page to the folder of the project, with a slash at its end.
    folder: String,
    /// The path of the page from there, such as `about/index.html`.
    page: String,
    /// Its source, such as `about/index.qmd`.
    source: String,
    /// Whether all pages of the project are converted together and share their style and script.
    is_whole: bool,
    /// The title of a chapter with its number, where the document has it in its text.
    pub(crate) title: Option<Vec<Inline>>,
    /// The title of the page where its header has none.
    pub(crate) name: Option<String>,
    /// Files of the project with styles, by their paths from its folder.
    pub(crate) styles: Vec<String>,
}

/// Parts of a page.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Parts {
    pub(super) head: String,
    pub(super) header: String,
    /// The button that shows the sidebar on narrow screens.
    pub(super) bar: String,
    pub(super) sidebar: String,
    pub(super) breadcrumbs: String,
    /// Links to the page before and the page after it.
    pub(super) neighbors: String,
    pub(super) footer: String,
}

/// The folder of what pages of a project share.
pub(crate) const SHARED: &str = "site_libs/proofmark";

impl Site {
    /// The site that a project describes, for a page that is converted without the others.
    pub(crate) fn of(project: &Value, folder: &str, name: &str) -> Self {
        let values = ["website", "book"].iter().find_map(|key| project.get(key)).cloned();
        let above = folder.matches("../").count();
        let steps: Vec<&str> = name.rsplit(['/', '\\']).take(above + 1).collect();
        let page: Vec<&str> = steps.into_iter().rev().collect();
        let values = values.unwrap_or_default();
        let navigation = Navigation::of(&values, &Unknown);
        let within = Self::within(Arc::new(values), Arc::new(navigation), &page.join("/"));
        let folder = if folder.is_empty() { "./" } else { folder };
        Self { is_whole: false, folder: folder.to_owned(), ..within }
    }

    /// A page of a project that is converted as a whole, by the path of its source from the project's folder.
    pub(crate) fn within(values: Arc<Value>, navigation: Arc<Navigation>, source: &str) -> Self {
        let page = source.strip_suffix(".qmd").or_else(|| source.strip_suffix(".md"));
        let page = page.map_or(source.to_owned(), |stem| format!("{stem}.html"));
        let above = source.matches('/').count();
        let folder = if above == 0 { "./".to_owned() } else { "../".repeat(above) };
        Self {
            values,
            navigation,
            folder,
            page,
            source: source.to_owned(),
            is_whole: true,
            ..Self::default()
        }
    }

    fn at(&self, path: &str) -> Option<&Value> {
        crate::metadata::at(&self.values, path)
    }

    fn text(&self, path: &str) -> Option<&str> {
        self.at(path).and_then(Value::as_str)
    }

    /// The folder of what the pages of the project share, where they are converted together.
    pub(super) fn shared(&self) -> Option<String> {
        self.is_whole.then(|| format!("{}{SHARED}", self.folder))
    }

    /// Links to the styles that the project has.
    pub(super) fn style_links(&self) -> String {
        let link = |path: &String| {
            format!("<link href=\"{}\" rel=\"stylesheet\">\n", escape(&format!("{}{path}", self.folder)))
        };
        self.styles.iter().map(link).collect()
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
        let sidebar = self.navigation.sidebar(&self.source, metadata.at("sidebar"));
        let first = || self.navigation.sidebars.first().filter(|_| !self.is_whole);
        let sidebar = sidebar.or_else(first);
        let wants = |key: &str, default: bool| metadata.at(key).and_then(Value::as_bool).unwrap_or(default);
        let trail = sidebar.map(|sidebar| self.trail(sidebar)).unwrap_or_default();
        let breadcrumbs = if wants("bread-crumbs", self.navigation.breadcrumbs) && self.is_whole {
            self.breadcrumbs(&trail)
        } else {
            String::new()
        };
        let between = wants("page-navigation", self.navigation.between_pages) && self.is_whole;
        Parts {
            head: self.head(metadata, brand, image),
            header: self.navbar(brand, image),
            bar: sidebar.map(|_| self.bar(&trail)).unwrap_or_default(),
            sidebar: sidebar.map(|sidebar| self.menu(sidebar, brand, image)).unwrap_or_default(),
            neighbors: sidebar.filter(|_| between).map(|bar| self.neighbors(bar)).unwrap_or_default(),
            breadcrumbs,
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

    /// An entry of a menu as a link, or its words.
    fn link(&self, entry: &Entry, class: &str, words: &str) -> String {
        let inner = format!("<span class=\"{words}\">{}</span>", entry.html);
        let Some(href) = &entry.href else { return inner };
        let is_here = *href == self.source;
        let (class, here) = if is_here && self.is_whole {
            (format!("{class} active"), " aria-current=\"page\"")
        } else {
            (class.to_owned(), "")
        };
        let (href, more) = (escape(&self.address(href)), entry.attributes());
        format!("<a class=\"{class}\" href=\"{href}\"{more}{here}>{inner}</a>")
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
        out.push_str(
            "</div>\n<button type=\"button\" class=\"navbar-toggler\" aria-controls=\"navbarCollapse\" aria-expanded=\"false\" \
             aria-label=\"Toggle navigation\"></button>\n<div class=\"navbar-collapse\" id=\"navbarCollapse\">\n",
        );
        for (entries, class) in self.navigation.bar.iter().zip(["me-auto", "ms-auto"]) {
            if entries.is_empty() {
                continue;
            }
            let _ = writeln!(out, "<ul class=\"navbar-nav {class}\">");
            for entry in entries {
                let inner = match &entry.kind {
                    Kind::Section(menu) => self.dropdown(entry, menu),
                    _ => self.link(entry, "nav-link", "menu-text"),
                };
                let _ = writeln!(out, "<li class=\"nav-item\">{inner}</li>");
            }
            out.push_str("</ul>\n");
        }
        out.push_str("</div>\n</nav>\n</header>\n");
        out
    }

    /// A menu that opens below an entry of the bar at the top.
    fn dropdown(&self, entry: &Entry, menu: &[Entry]) -> String {
        let lines: String = menu
            .iter()
            .map(|entry| match entry.kind {
                Kind::Separator => "<li><hr class=\"dropdown-divider\"></li>\n".to_owned(),
                _ => format!("<li>{}</li>\n", self.link(entry, "dropdown-item", "dropdown-text")),
            })
            .collect();
        let is_here = menu.iter().any(|entry| entry.holds(&self.source)) && self.is_whole;
        let active = if is_here { " active" } else { "" };
        format!(
            "<details class=\"dropdown\"><summary class=\"nav-link{active}\">{}</summary><ul class=\"dropdown-menu\">\n{lines}</ul></details>",
            entry.html
        )
    }

    fn menu(&self, sidebar: &Sidebar, brand: &Brand, image: &dyn Fn(&str) -> Option<String>) -> String {
        let home = escape(&self.address("index.html"));
        let bar = &sidebar.values;
        let mut out = String::from(
            "<nav id=\"quarto-sidebar\" class=\"sidebar sidebar-navigation\">\n<div class=\"sidebar-header\">\n",
        );
        // The logo is in the bar at the top, unless that has none.
        let has_bar = self.at("navbar").is_some_and(|bar| bar.get("logo") != Some(&Value::Bool(false)));
        let shows = !has_bar || bar.get("logo").is_some();
        if let Some(logos) = logo::of_menu(bar, brand, &self.folder, "sidebar-logo", image).filter(|_| shows)
        {
            let _ = writeln!(out, "<a href=\"{home}\" class=\"sidebar-logo-link\">{logos}</a>");
        }
        // A site without a bar at its top has its title here.
        let title = bar.get("title").and_then(Value::as_str);
        let title = title.or_else(|| self.title().filter(|_| self.at("navbar").is_none() && self.is_whole));
        if let Some(title) = title {
            let _ =
                writeln!(out, "<div class=\"sidebar-title\"><a href=\"{home}\">{}</a></div>", marked(title));
        }
        out.push_str("</div>\n<div class=\"sidebar-menu-container\">\n");
        let collapse = bar.get("collapse-level").and_then(Value::as_u64).unwrap_or(2);
        let is_long = count(&sidebar.entries) > SHOWN;
        out.push_str("<ul class=\"list-unstyled\">\n");
        Tree { site: self, collapse, is_long, sections: 0, out: &mut out }.entries(&sidebar.entries, 1);
        out.push_str("</ul>\n</div>\n</nav>\n");
        out
    }

    /// The entries from the menu to the page, the page last.
    fn trail<'e>(&self, sidebar: &'e Sidebar) -> Vec<&'e Entry> {
        let mut trail = Vec::new();
        let mut entries = sidebar.entries.as_slice();
        while let Some(found) = entries.iter().find(|entry| entry.holds(&self.source)) {
            trail.push(found);
            match &found.kind {
                Kind::Section(inner) if found.href.as_deref() != Some(&self.source) => entries = inner,
                _ => break,
            }
        }
        trail
    }

    /// The sections that the page is in.
    fn breadcrumbs(&self, trail: &[&Entry]) -> String {
        if trail.len() < 2 {
            return String::new();
        }
        format!(
            "<nav class=\"quarto-page-breadcrumbs quarto-title-breadcrumbs\" aria-label=\"breadcrumb\">{}</nav>\n",
            self.steps(trail)
        )
    }

    fn steps(&self, trail: &[&Entry]) -> String {
        let steps: String = trail
            .iter()
            .map(|entry| {
                // A section without a page leads to its first one.
                let href = entry.href.as_deref().or_else(|| first_page(entry));
                let words = match href {
                    Some(href) => format!("<a href=\"{}\">{}</a>", escape(&self.address(href)), entry.html),
                    None => entry.html.clone(),
                };
                format!("<li class=\"breadcrumb-item\">{words}</li>")
            })
            .collect();
        format!("<ol class=\"breadcrumb\">{steps}</ol>")
    }

    /// What narrow screens show instead of the sidebar: the button that opens it, and where the page is.
    fn bar(&self, trail: &[&Entry]) -> String {
        if !self.is_whole {
            return String::new();
        }
        let steps = if trail.is_empty() { String::new() } else { self.steps(trail) };
        format!(
            "<div class=\"quarto-secondary-nav\"><button type=\"button\" class=\"quarto-btn-toggle btn\" aria-controls=\"quarto-sidebar\" \
             aria-expanded=\"false\" aria-label=\"Toggle sidebar navigation\"><i class=\"bi bi-layout-text-sidebar-reverse\" aria-hidden=\"true\"></i></button>\
             <nav class=\"quarto-page-breadcrumbs\" aria-label=\"breadcrumb\">{steps}</nav></div>\n"
        )
    }

    fn neighbors(&self, sidebar: &Sidebar) -> String {
        let mut all = Vec::new();
        flat(&sidebar.entries, &mut all);
        let Some(at) = all
            .iter()
            .position(|entry| entry.is_some_and(|entry| entry.href.as_deref() == Some(&self.source)))
        else {
            return String::new();
        };
        let side = |entry: Option<&Entry>, side: &str| {
            let Some((entry, href)) = entry.and_then(|entry| Some((entry, entry.href.as_deref()?))) else {
                return format!("<div class=\"nav-page nav-page-{side}\"></div>\n");
            };
            let arrow =
                |side: &str| format!("<i class=\"bi bi-arrow-{side}-short\" aria-hidden=\"true\"></i>");
            let words = format!("<span class=\"nav-page-text\">{}</span>", entry.html);
            let words = if side == "previous" {
                format!("{} {words}", arrow("left"))
            } else {
                format!("{words} {}", arrow("right"))
            };
            let href = escape(&self.address(href));
            format!(
                "<div class=\"nav-page nav-page-{side}\"><a href=\"{href}\" class=\"pagination-link\" rel=\"{}\">{words}</a></div>\n",
                if side == "previous" { "prev" } else { side }
            )
        };
        // A line between entries ends a row of pages.
        let previous = at.checked_sub(1).and_then(|at| all[at]);
        let next = all.get(at + 1).copied().flatten();
        format!(
            "<nav class=\"page-navigation\" aria-label=\"Pages\">\n{}{}</nav>\n",
            side(previous, "previous"),
            side(next, "next")
        )
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
                    for entry in navigation::entries(&Value::Array(items.clone()), &Unknown, 0) {
                        let link = self.link(&entry, "nav-link", "menu-text");
                        let _ = writeln!(out, "<li class=\"nav-item\">{link}</li>");
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

/// Most entries of a sidebar that shows the entries of all of its sections.
const SHOWN: usize = 400;

fn count(entries: &[Entry]) -> usize {
    let inner = entries.iter().map(|entry| match &entry.kind {
        Kind::Section(inner) => count(inner),
        _ => 0,
    });
    entries.len() + inner.sum::<usize>()
}

/// The pages of a menu in their order; nothing where a line is between them.
fn flat<'e>(entries: &'e [Entry], out: &mut Vec<Option<&'e Entry>>) {
    for entry in entries {
        match &entry.kind {
            Kind::Separator => out.push(None),
            Kind::Section(inner) => {
                out.extend(entry.href.as_deref().filter(|href| is_page(href)).map(|_| Some(entry)));
                flat(inner, out);
            }
            Kind::Link => out.extend(entry.href.as_deref().filter(|href| is_page(href)).map(|_| Some(entry))),
        }
    }
}

fn is_page(href: &str) -> bool {
    !href.contains(':') && !href.contains('#')
}

fn first_page(entry: &Entry) -> Option<&str> {
    match &entry.kind {
        Kind::Section(inner) => {
            inner.iter().find_map(|entry| entry.href.as_deref().or_else(|| first_page(entry)))
        }
        _ => None,
    }
}

/// Writes the entries of a sidebar.
struct Tree<'t, 's> {
    site: &'s Site,
    /// Sections deeper than this are closed unless they have the page.
    collapse: u64,
    /// Whether only sections with the page have their entries.
    is_long: bool,
    sections: u32,
    out: &'t mut String,
}

impl Tree<'_, '_> {
    fn entries(&mut self, entries: &[Entry], depth: u64) {
        for entry in entries {
            match &entry.kind {
                Kind::Separator => {
                    self.out.push_str("<li class=\"px-0\"><hr class=\"sidebar-divider hi\"></li>\n");
                }
                Kind::Section(inner) => self.section(entry, inner, depth),
                Kind::Link => {
                    let link = self.site.link(entry, "sidebar-item-text sidebar-link", "menu-text");
                    let _ = writeln!(
                        self.out,
                        "<li class=\"sidebar-item\"><div class=\"sidebar-item-container\">{link}</div></li>"
                    );
                }
            }
        }
    }

    fn section(&mut self, entry: &Entry, inner: &[Entry], depth: u64) {
        let is_here = entry.holds(&self.site.source);
        let link = self.site.link(entry, "sidebar-item-text sidebar-link text-start", "menu-text");
        if self.is_long && !is_here {
            // Its entries are on its own pages.
            let own = first_page(entry).filter(|_| entry.href.is_none());
            let link = own.map_or(link.clone(), |href| {
                let href = escape(&self.site.address(href));
                format!("<a class=\"sidebar-item-text sidebar-link text-start\" href=\"{href}\">{link}</a>")
            });
            let _ = writeln!(
                self.out,
                "<li class=\"sidebar-item sidebar-item-section\"><div class=\"sidebar-item-container\">{link}</div></li>"
            );
            return;
        }
        self.sections += 1;
        let id = format!("quarto-sidebar-section-{}", self.sections);
        let is_open = is_here || depth < self.collapse;
        let (show, collapsed) = if is_open { (" show", "") } else { ("", " collapsed") };
        let _ = writeln!(
            self.out,
            "<li class=\"sidebar-item sidebar-item-section\"><div class=\"sidebar-item-container\">{link}\
             <a class=\"sidebar-item-toggle text-start{collapsed}\" data-bs-toggle=\"collapse\" data-bs-target=\"#{id}\" aria-expanded=\"{is_open}\" \
             aria-label=\"Toggle section\"><i class=\"bi bi-chevron-right ms-2\" aria-hidden=\"true\"></i></a></div>\n\
             <ul id=\"{id}\" class=\"collapse list-unstyled sidebar-section depth{depth}{show}\">"
        );
        self.entries(inner, depth + 1);
        self.out.push_str("</ul></li>\n");
    }
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
