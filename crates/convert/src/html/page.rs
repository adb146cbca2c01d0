//! The page around the content of a document.

use std::fmt::Write as _;

use serde_json::Value;

use super::{
    about, appendix, axe,
    blocks::{Writer, has_column, is_script, section_of},
    css, dark, dashboard,
    escape::escape,
    logo,
    site::{Parts, Site},
};
use crate::{
    brand::Brand,
    formats::{self, Format},
    metadata::{Metadata, scalar},
    model::{Attr, Block, Inline, plain},
    people::{Author, authors},
};

const STYLE: &str = include_str!("page.css");

const SCRIPT: &str = include_str!("page.js");

/// The style of menus and of lists of pages.
const SITE: &str = include_str!("site.css");

/// The style of web pages, for pages that share it.
pub(crate) fn style() -> String {
    format!("{STYLE}{SITE}")
}

/// The script of web pages, for pages that share it.
pub(crate) fn script() -> &'static str {
    SCRIPT
}

/// A document as one page.
#[allow(clippy::too_many_lines, reason = "the parts of a page in their order")]
pub(crate) fn page(
    blocks: &[Block],
    metadata: &Metadata,
    brand: &Brand,
    site: &Site,
    format: &Format,
    image: &dyn Fn(&str) -> Option<String>,
) -> String {
    let mut writer = Writer::new(image);
    writer.anchors = metadata.is_not_false("anchor-sections");
    writer.configure(metadata);
    writer.columns = format.id == "html";
    let title = site.title.clone().or_else(|| metadata.inlines("title"));
    let mut head = String::new();
    let parts = site.parts(metadata, brand, image);
    head_of(metadata, title.as_deref(), (site.name.as_deref(), site.title()), &mut head);
    head.push_str(&parts.head);
    let is_dashboard = format.id == "dashboard";
    let board = if is_dashboard {
        let logos = logo::of_bar(metadata, brand, image).unwrap_or_default();
        dashboard::body(blocks, metadata, &logos, &mut writer)
    } else {
        String::new()
    };
    let heading = title_block(metadata, title.as_deref(), &mut writer);
    let about = about::applied(blocks, metadata, image);
    let all = about.as_deref().unwrap_or(blocks);
    let (all, works) = without_works(all);
    let (text, sections) = appendix::divided(all);
    if !is_dashboard {
        if sections.is_empty() {
            writer.document(all);
        } else {
            let text: Vec<Block> = text.into_iter().cloned().collect();
            writer.document(&text);
        }
    }
    let content = std::mem::take(&mut writer.out);
    let included = |key: &str| included(metadata, key);
    appendix::write(metadata, &sections, works, &mut writer);
    let appendix = writer.out;
    let links = [
        format_links(metadata, site.stem()),
        listed_links(
            metadata,
            "other-links",
            metadata.words("language.other-links-title").unwrap_or("Other Links"),
        ),
        listed_links(
            metadata,
            "code-links",
            metadata.words("language.code-links-title").unwrap_or("Code Links"),
        ),
    ]
    .concat();
    let toc = |id: &str| {
        if metadata.is_true("toc") { contents(blocks, metadata, image, id) } else { String::new() }
    };
    let in_body = metadata.text("toc-location").is_some_and(|side| side == "body" || side == "left-body");
    let beside = if metadata.text("toc-location") == Some("body") { String::new() } else { toc("TOC") };
    let within = if in_body { toc("TOC-body") } else { String::new() };
    let margin = if beside.is_empty() && links.is_empty() {
        String::new()
    } else {
        format!(
            "<div id=\"quarto-margin-sidebar\" class=\"sidebar margin-sidebar\">\n{beside}{links}</div>\n"
        )
    };
    let Parts {
        header: site_header,
        bar: site_bar,
        sidebar: site_sidebar,
        breadcrumbs,
        neighbors,
        footer: site_footer,
        ..
    } = parts;
    let language = escape(metadata.text("lang").unwrap_or("en"));
    let has_columns = format.id == "html" && blocks.iter().any(|block| has_column(block, 0));
    let has_margin = !margin.is_empty() || has_columns;
    let mut classes = if has_margin { vec![] } else { vec!["fullcontent".to_owned()] };
    let shared = site.shared();
    let around = [("nav-sidebar", &site_sidebar), ("nav-fixed", &site_header)];
    let around = around.iter().filter(|(_, part)| !part.is_empty()).map(|(class, _)| *class);
    classes.extend(around.chain(shared.is_some().then_some("proofmark-site")).map(str::to_owned));
    if is_dashboard {
        classes = vec!["quarto-dashboard".to_owned()];
        if !metadata.is_true("scrolling") {
            classes.push("dashboard-fill".to_owned());
        }
    }
    classes
        .extend(metadata.text("body-classes").into_iter().flat_map(str::split_whitespace).map(str::to_owned));
    let board_style = if is_dashboard { dashboard::STYLE } else { "" };
    let dark = dark::dark(metadata, brand).filter(|_| format.id != "email");
    classes.push(
        if dark.as_ref().is_some_and(|dark| dark.is_default) { "quarto-dark" } else { "quarto-light" }
            .to_owned(),
    );
    let main_class = if has_columns { "content page-columns page-full" } else { "content" };
    let (dark_link, toggle) = dark.map(|dark| (dark.link, dark::TOGGLE)).unwrap_or_default();
    let own_style = if shared.is_some() { "" } else { STYLE };
    let has_menus = !site_header.is_empty() || !site_sidebar.is_empty() || !site_footer.is_empty();
    let site_style = if has_menus && shared.is_none() { SITE } else { "" };
    let style = format!("{own_style}{site_style}{board_style}{}", custom_style(metadata));
    let style = if style.is_empty() { style } else { format!("<style>\n{style}</style>\n") };
    let style = match &shared {
        Some(folder) => {
            format!("<link href=\"{folder}/site.css\" rel=\"stylesheet\">\n{style}{}", site.style_links())
        }
        None => style,
    };
    let parts = [
        "role=\"tablist\"",
        "class=\"code-copy-button\"",
        "data-bs-toggle=",
        "class=\"lightbox\"",
        "code-annotation-anchor",
    ];
    let needs_script =
        !toggle.is_empty() || parts.iter().any(|part| content.contains(part) || board.contains(part));
    let script = if let Some(folder) = &shared {
        format!("<script>\n{}</script>\n<script src=\"{folder}/site.js\"></script>\n", annotations(metadata))
    } else if needs_script && format.id != "email" {
        format!("<script>\n{}{SCRIPT}</script>\n", annotations(metadata))
    } else {
        String::new()
    };
    let script = if format.id == "email" { script } else { script + &axe::check(metadata) };
    // The choice of a reader holds for all pages of a site, before anything is seen.
    let early = if shared.is_some() && !toggle.is_empty() { dark::CHOSEN } else { "" };
    let is_left = metadata.text("toc-location").is_some_and(|side| side.starts_with("left"));
    let (left, right) = if is_left { (margin.as_str(), "") } else { ("", margin.as_str()) };
    // A banner is above the columns of the page.
    let draft = if metadata.is_true("draft") {
        "<div id=\"quarto-draft-alert\" class=\"alert alert-warning\"><i class=\"bi bi-pencil-square\"></i>Draft</div>\n"
    } else {
        ""
    };
    // Where the page is in its menu begins the block with its title.
    let heading = match heading.split_once('\n').filter(|(first, _)| first.starts_with("<header ")) {
        Some((first, rest)) => format!("{first}\n{breadcrumbs}{rest}"),
        None => format!("{breadcrumbs}{heading}"),
    };
    let (banner, heading) =
        if has_banner(metadata) { (heading, String::new()) } else { (String::new(), heading) };
    let main_class = if banner.is_empty() {
        main_class.to_owned()
    } else {
        format!("{main_class} quarto-banner-title-block")
    };
    let body = if is_dashboard {
        board
    } else {
        format!(
            "{banner}<div id=\"quarto-content\" class=\"page-columns page-rows-contents page-layout-article\">\n\
             {site_sidebar}{left}{right}<main class=\"{main_class}\" id=\"quarto-document-content\">\n{heading}{within}{content}{appendix}{neighbors}</main>\n</div>\n"
        )
    };
    format!(
        "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"{language}\" xml:lang=\"{language}\">\n<head>\n\
         <meta charset=\"utf-8\">\n<meta name=\"generator\" content=\"proofmark\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1.0, user-scalable=yes\">\n{head}\
         {style}{dark_link}{}</head>\n<body class=\"{}\">\n{early}{draft}{toggle}{site_header}{site_bar}{}{body}{site_footer}{script}{}</body>\n</html>\n",
        included("include-in-header"),
        escape(&classes.join(" ")),
        included("include-before-body"),
        included("include-after-body"),
    )
}

/// The blocks without the list of works that was added at their end, and that list.
fn without_works(blocks: &[Block]) -> (&[Block], Option<&Block>) {
    match blocks.split_last() {
        Some((Block::Div(attr, inner), rest)) if attr.id == "quarto-bibliography" => (rest, inner.last()),
        _ => (blocks, None),
    }
}

/// What the script does to show the explanations of code.
pub(super) fn annotations(metadata: &Metadata) -> &'static str {
    match metadata.text("code-annotations") {
        Some("select") => "var annotations = { trigger: 'click' };\n",
        Some("hover") => "var annotations = { trigger: 'mouseenter' };\n",
        _ => "var annotations = {};\n",
    }
}

/// Text that the document itself adds to the page.
pub(super) fn included(metadata: &Metadata, key: &str) -> String {
    let text = |value: &Value| value.get("text").and_then(Value::as_str).map(|text| format!("{text}\n"));
    match metadata.at(key) {
        Some(Value::Array(items)) => items.iter().filter_map(text).collect(),
        Some(value) => text(value).unwrap_or_default(),
        None => String::new(),
    }
}

/// Colors and sizes that the metadata sets, as far as they are plain values.
fn custom_style(metadata: &Metadata) -> String {
    let mut out = String::new();
    for (key, property) in [
        ("mainfont", "font-family"),
        ("fontsize", "font-size"),
        ("fontcolor", "color"),
        ("backgroundcolor", "background-color"),
    ] {
        if let Some(value) = metadata.at(key).and_then(scalar).filter(|value| css::is_plain(value)) {
            let _ = writeln!(out, "body {{ {property}: {value}; }}");
        }
    }
    out
}

/// What the head says about the page. `name` is the title of a page whose header has none, `site` that of its project.
fn head_of(
    metadata: &Metadata,
    title: Option<&[Inline]>,
    (name, site): (Option<&str>, Option<&str>),
    out: &mut String,
) {
    let meta = |out: &mut String, name: &str, content: &str| {
        let _ = writeln!(out, "<meta name=\"{name}\" content=\"{}\">", escape(content));
    };
    for author in authors(metadata) {
        meta(out, "author", &author.name);
    }
    if let Some(date) = metadata.text("date-meta").or_else(|| metadata.text("date")) {
        meta(out, "dcterms.date", date);
    }
    if let Some(words) = metadata.at("keywords") {
        let words = match words {
            Value::Array(items) => items.iter().filter_map(scalar).collect::<Vec<_>>().join(", "),
            other => scalar(other).unwrap_or_default(),
        };
        meta(out, "keywords", &words);
    }
    let description = metadata.text("description-meta").or_else(|| metadata.text("description"));
    if let Some(text) = description {
        meta(out, "description", text);
    }
    let shown = metadata.text("pagetitle").map(str::to_owned).or_else(|| title.map(plain));
    let shown = shown.or_else(|| name.map(str::to_owned)).unwrap_or_default();
    let prefix = metadata.text("title-prefix").map(|prefix| format!("{prefix} – ")).unwrap_or_default();
    // The title of the site follows that of its pages.
    let suffix = site.filter(|site| *site != shown).map(|site| format!(" – {site}")).unwrap_or_default();
    let suffix = if shown.is_empty() { suffix.trim_start_matches(" – ").to_owned() } else { suffix };
    let _ = writeln!(out, "<title>{}{}{}</title>", escape(&prefix), escape(&shown), escape(&suffix));
    if let Some(url) = metadata.text("canonical-url") {
        let _ = writeln!(out, "<link rel=\"canonical\" href=\"{}\">", escape(url));
    }
}

/// Whether the title is in a banner above the page.
fn has_banner(metadata: &Metadata) -> bool {
    !matches!(metadata.at("title-block-banner"), None | Some(Value::Bool(false) | Value::Null))
}

/// A heading of the title block with its content.
fn title_part(out: &mut String, heading: &str, content: &str) {
    let _ = writeln!(
        out,
        "<div>\n<div class=\"quarto-title-meta-heading\">{}</div>\n<div class=\"quarto-title-meta-contents\">\n{content}</div>\n</div>",
        escape(heading)
    );
}

/// Title, subtitle, authors, date, abstract and keywords.
fn title_block(metadata: &Metadata, title: Option<&[Inline]>, writer: &mut Writer<'_>) -> String {
    let Some(title) = title else { return String::new() };
    if !metadata.is_not_false("title-block") || metadata.text("title-block-style") == Some("none") {
        return String::new();
    }
    let banner = has_banner(metadata);
    let grid = if banner { " page-columns page-full" } else { "" };
    let _ =
        writeln!(writer.out, "<header id=\"title-block-header\" class=\"quarto-title-block default{grid}\">");
    if banner {
        let own = metadata.text("title-block-banner");
        let is_color = |text: &&str| {
            text.starts_with('#') && text[1..].bytes().all(|byte| byte.is_ascii_hexdigit())
                || text.bytes().all(|byte| byte.is_ascii_alphabetic())
        };
        let style =
            own.filter(is_color).map(|color| format!(" style=\"background: {color};\"")).unwrap_or_default();
        let _ = writeln!(writer.out, "<div class=\"quarto-title-banner{grid}\"{style}>");
    }
    writer.out.push_str(if banner {
        "<div class=\"quarto-title column-body\">\n<h1 class=\"title\">"
    } else {
        "<div class=\"quarto-title\">\n<h1 class=\"title\">"
    });
    writer.inlines(title);
    writer.out.push_str("</h1>\n");
    if let Some(subtitle) = metadata.inlines("subtitle") {
        writer.out.push_str("<p class=\"subtitle lead\">");
        writer.inlines(&subtitle);
        writer.out.push_str("</p>\n");
    }
    let description = |writer: &mut Writer<'_>| {
        if let Some(description) = metadata.inlines("description") {
            writer.out.push_str("<div>\n<div class=\"description\">\n");
            writer.inlines(&description);
            writer.out.push_str("\n</div>\n</div>\n");
        }
    };
    if banner {
        description(writer);
    }
    let shows_categories = metadata.is_not_false("title-block-categories");
    if let Some(Value::Array(categories)) = metadata.at("categories").filter(|_| shows_categories) {
        writer.out.push_str("<div class=\"quarto-categories\">\n");
        for category in categories.iter().filter_map(scalar) {
            let _ = writeln!(writer.out, "<div class=\"quarto-category\">{}</div>", escape(&category));
        }
        writer.out.push_str("</div>\n");
    }
    writer.out.push_str("</div>\n");
    if banner {
        writer.out.push_str("</div>\n");
    } else {
        description(writer);
    }
    title_metadata(metadata, writer);
    writer.out.push_str("</header>\n");
    std::mem::take(&mut writer.out)
}

/// What is below the title: people, dates, abstract and keywords.
fn title_metadata(metadata: &Metadata, writer: &mut Writer<'_>) {
    let people = authors(metadata);
    let named = |keys: &[&str], default: &str| {
        keys.iter().find_map(|key| metadata.text(key)).unwrap_or(default).to_owned()
    };
    let heading = {
        let plural = metadata.text("language.title-block-author-plural").filter(|_| people.len() > 1);
        let default = if people.len() > 1 { "Authors" } else { "Author" };
        plural.map_or_else(
            || named(&["author-title", "language.title-block-author-single"], default),
            str::to_owned,
        )
    };
    let count = people.iter().map(|author| author.affiliations.len()).sum::<usize>();
    if count > 0 {
        let default = if count > 1 { "Affiliations" } else { "Affiliation" };
        let plural = metadata.text("language.title-block-affiliation-plural").filter(|_| count > 1);
        let affiliations = plural.map_or_else(
            || named(&["affiliation-title", "language.title-block-affiliation-single"], default),
            str::to_owned,
        );
        let _ = writeln!(
            writer.out,
            "<div class=\"quarto-title-meta-author\">\n<div class=\"quarto-title-meta-heading\">{}</div>\n<div class=\"quarto-title-meta-heading\">{}</div>",
            escape(&heading),
            escape(&affiliations)
        );
        for author in &people {
            let _ = writeln!(
                writer.out,
                "<div class=\"quarto-title-meta-contents\">\n<p class=\"author\">{}</p>\n</div>\n<div class=\"quarto-title-meta-contents\">",
                person(author)
            );
            for name in &author.affiliations {
                let _ = writeln!(writer.out, "<p class=\"affiliation\">{}</p>", escape(name));
            }
            writer.out.push_str("</div>\n");
        }
        writer.out.push_str("</div>\n");
    }
    writer.out.push_str("<div class=\"quarto-title-meta\">\n");
    if !people.is_empty() && count == 0 {
        let all: String = people.iter().map(|author| format!("<p>{}</p>\n", person(author))).collect();
        title_part(&mut writer.out, &heading, &all);
    }
    for (key, heading, default, class) in [
        ("date", "published", "Published", "date"),
        ("date-modified", "modified", "Modified", "date-modified"),
    ] {
        if let Some(date) = metadata.at(key).and_then(scalar) {
            let (own, language) = (format!("{heading}-title"), format!("language.title-block-{heading}"));
            let heading = named(&[&own, &language], default);
            title_part(&mut writer.out, &heading, &format!("<p class=\"{class}\">{}</p>\n", escape(&date)));
        }
    }
    if let Some(doi) = metadata.text("doi") {
        let heading = named(&["doi-title", "language.title-block-doi"], "Doi");
        let link = format!("<p class=\"doi\"><a href=\"https://doi.org/{0}\">{0}</a></p>\n", escape(doi));
        title_part(&mut writer.out, &heading, &link);
    }
    writer.out.push_str("</div>\n");
    if let Some(text) = metadata.text("abstract") {
        let heading = named(&["abstract-title", "language.section-title-abstract"], "Abstract");
        let _ = writeln!(
            writer.out,
            "<div>\n<div class=\"abstract\">\n<div class=\"block-title\">{}</div>",
            escape(&heading)
        );
        writer.blocks(&crate::reader::read_text(text, true));
        writer.out.push_str("</div>\n</div>\n");
    }
    if let Some(Value::Array(words)) = metadata.at("keywords") {
        let heading = named(&["keywords-title", "language.title-block-keywords"], "Keywords");
        let words: Vec<String> = words.iter().filter_map(scalar).collect();
        let _ = writeln!(
            writer.out,
            "<div>\n<div class=\"keywords\">\n<div class=\"block-title\">{}</div>\n<p>{}</p>\n</div>\n</div>",
            escape(&heading),
            escape(&words.join(", "))
        );
    }
}

fn person(author: &Author) -> String {
    let name = escape(&author.name);
    let name = match &author.url {
        Some(url) if url.starts_with("http") => format!("<a href=\"{}\">{name}</a>", escape(url)),
        _ => name,
    };
    let email = author.email.as_ref().map(|email| {
        format!(" <a href=\"mailto:{0}\" class=\"quarto-title-author-email\">{0}</a>", escape(email))
    });
    let orcid = author.orcid.as_ref().map(|orcid| {
        format!(
            " <a href=\"https://orcid.org/{0}\" class=\"quarto-title-author-orcid\">ORCID</a>",
            escape(orcid.trim_start_matches("https://orcid.org/"))
        )
    });
    format!("{name}{}{}", email.unwrap_or_default(), orcid.unwrap_or_default())
}

/// The table of contents.
fn contents(
    blocks: &[Block],
    metadata: &Metadata,
    image: &dyn Fn(&str) -> Option<String>,
    name: &str,
) -> String {
    let depth = metadata.number("toc-depth").unwrap_or(3);
    let mut headings: Vec<(u8, &Attr, &[Inline])> = Vec::new();
    gather(blocks, &mut headings);
    headings.retain(|(level, attr, _)| u64::from(*level) <= depth && !attr.has_class("unlisted"));
    if headings.is_empty() {
        return String::new();
    }
    let title = metadata.text("toc-title").or_else(|| metadata.text("language.toc-title-document"));
    let title = escape(title.unwrap_or("Table of contents"));
    let mut writer = Writer::new(image);
    let mut open: Vec<u8> = Vec::new();
    for (level, attr, inner) in headings {
        while open.last().is_some_and(|last| *last > level) {
            open.pop();
            writer.out.push_str("</li>\n</ul>");
        }
        match open.last() {
            Some(last) if *last == level => writer.out.push_str("</li>\n"),
            _ => {
                writer.out.push_str("\n<ul>\n");
                open.push(level);
            }
        }
        let id = escape(&attr.id);
        let prefix = name.to_lowercase();
        let _ = write!(
            writer.out,
            "<li><a href=\"#{id}\" id=\"{prefix}-{id}\" class=\"nav-link\" data-scroll-target=\"#{id}\">"
        );
        if let Some(number) = attr.get("number") {
            let _ = write!(writer.out, "<span class=\"header-section-number\">{}</span> ", escape(number));
        }
        writer.inlines(inner);
        writer.out.push_str("</a>");
    }
    for _ in open {
        writer.out.push_str("</li>\n</ul>");
    }
    format!(
        "<nav id=\"{name}\" role=\"doc-toc\" class=\"toc-active\">\n<h2 id=\"{}\">{title}</h2>{}\n</nav>\n",
        name.replace("TOC", "toc-title"),
        writer.out
    )
}

/// Links to other formats of the document: `format-links: [pdf, docx]`.
fn format_links(metadata: &Metadata, stem: &str) -> String {
    let Some(Value::Array(links)) = metadata.at("format-links") else { return String::new() };
    let mut items = String::new();
    for link in links {
        let field = |key: &str| link.get(key).and_then(scalar);
        let named = scalar(link).or_else(|| field("format"));
        let format = named.as_deref().and_then(formats::named);
        let own = format.map(|format| format!("{stem}.{}", format.extension));
        let Some(href) = field("href").or(own).filter(|href| !is_script(href)) else { continue };
        let words = field("text").or_else(|| Some(format?.description.split(',').next()?.to_owned()));
        let words = words.unwrap_or_else(|| href.clone());
        let _ = writeln!(items, "<li><a href=\"{}\">{}</a></li>", escape(&href), escape(&words));
    }
    if items.is_empty() {
        return items;
    }
    format!("<div class=\"quarto-alternate-formats\"><h2>Other Formats</h2><ul>\n{items}</ul></div>\n")
}

/// Links that a document lists, such as to its code.
fn listed_links(metadata: &Metadata, key: &str, title: &str) -> String {
    let mut items = String::new();
    for link in metadata.items(key) {
        let field = |key: &str| link.get(key).and_then(scalar);
        let Some(href) = field("href").filter(|href| !is_script(href)) else { continue };
        let words = field("text").unwrap_or_else(|| href.clone());
        let icon = field("icon").unwrap_or_else(|| "link-45deg".to_owned());
        let more: String = ["rel", "target"]
            .iter()
            .filter_map(|key| Some(format!(" {key}=\"{}\"", escape(&field(key)?))))
            .collect();
        let _ = writeln!(
            items,
            "<li><a href=\"{}\"{more}><i class=\"bi bi-{}\"></i>{}</a></li>",
            escape(&href),
            escape(&icon),
            escape(&words)
        );
    }
    if items.is_empty() {
        return items;
    }
    format!("<div class=\"quarto-{key}\"><h2>{}</h2><ul>\n{items}</ul></div>\n", escape(title))
}

fn gather<'b>(blocks: &'b [Block], out: &mut Vec<(u8, &'b Attr, &'b [Inline])>) {
    for block in blocks {
        match block {
            Block::Header(level, attr, inner) => out.push((*level, attr, inner)),
            // A div that is a section.
            Block::Div(attr, inner) if section_of(attr, inner).is_some() => gather(inner, out),
            _ => {}
        }
    }
}
