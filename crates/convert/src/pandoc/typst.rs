//! What the template for Typst (`template.typ`) is filled with: the page, the fonts, the authors and the brand.

use serde_json::{Map, Value, json};

use super::json;
use crate::{
    brand::{Brand, Mode},
    metadata::{Metadata, scalar, strings},
    model::{Block, Inline},
    people::authors,
    reader,
    transform::typst_values as values,
};

/// The template, with what it has in common with the layouts of quills.
pub(super) const TEMPLATE: &str = concat!(
    include_str!("../../../../typst/tables.typ"),
    "\n",
    include_str!("../../../../typst/tasks.typ"),
    "\n",
    include_str!("template.typ")
);

/// Classes of documents with a title page and chapters.
const LONG: [&str; 5] = ["book", "memoir", "report", "scrbook", "scrreprt"];

/// What only this program sets, whatever the header of a document has by these names.
pub(super) const OWN: [&str; 9] = [
    "accent",
    "has-parts",
    "heading",
    "ink-color",
    "is-book",
    "is-long",
    "list",
    "number-levels",
    "paper-color",
];

/// Lists after the contents: the option, the kind of figure, the option and the word of the title, and the title.
const LISTS: [(&str, &str, &str, &str); 2] =
    [("lof", "fig", "lof-title", "List of Figures"), ("lot", "tbl", "lot-title", "List of Tables")];

/// Text of Typst as a value of the metadata.
fn code(text: impl Into<String>) -> Value {
    json!({"t": "MetaInlines", "c": [{"t": "RawInline", "c": ["typst", text.into()]}]})
}

fn words(text: &str) -> Value {
    json!({"t": "MetaInlines", "c": json::inlines(&reader::read_inlines(text, true))})
}

/// The values of a document's metadata, in place of those that other formats get.
pub(super) fn meta(metadata: &Metadata, brand: &Brand, blocks: &[Block]) -> Map<String, Value> {
    let mut out = Map::new();
    let people = authors(metadata);
    if !people.is_empty() {
        let people = people.iter().map(|author| {
            let field = |text: Option<&str>| words(text.unwrap_or_default());
            json!({"t": "MetaMap", "c": {
                "name": words(&author.name),
                "affiliation": words(&author.affiliations.join(", ")),
                "email": field(author.email.as_deref()),
            }})
        });
        out.insert("author".to_owned(), json!({"t": "MetaList", "c": people.collect::<Vec<_>>()}));
    }
    if let Some(listed) = metadata.at("keywords") {
        let listed: Vec<String> = match listed {
            Value::Array(items) => items.iter().filter_map(scalar).collect(),
            other => scalar(other).into_iter().collect(),
        };
        // The template puts them into code.
        let listed: Vec<Value> = listed.iter().map(|word| code(values::quoted(word))).collect();
        out.insert("keywords".to_owned(), json!({"t": "MetaList", "c": listed}));
    }
    let mode = mode_of(metadata);
    let fonts = Fonts { metadata, brand, mode };
    for (key, value) in [
        ("font-list", fonts.list("mainfont", "base")),
        (
            "codefont-list",
            fonts.list("codefont", "monospace").or_else(|| fonts.list("monofont", "monospace")),
        ),
        ("fontsize", fonts.size()),
        ("abstract-title", None),
    ] {
        if let Some(value) = value {
            out.insert(key.to_owned(), code(value));
        }
    }
    let headings = fonts.headings();
    if !headings.is_empty() {
        let headings: Map<String, Value> =
            headings.into_iter().map(|(key, value)| (key.to_owned(), code(value))).collect();
        out.insert("heading".to_owned(), json!({"t": "MetaMap", "c": headings}));
    }
    let title =
        metadata.words("abstract-title").or_else(|| metadata.words("language.section-title-abstract"));
    out.insert("abstract-title".to_owned(), words(title.unwrap_or("Abstract")));
    if metadata.is_true("toc") {
        let title = metadata.words("toc-title").or_else(|| metadata.words("language.toc-title-document"));
        out.insert("toc-title".to_owned(), words(title.unwrap_or("Table of contents")));
    }
    if metadata.at("page-numbering").is_none() {
        out.insert("page-numbering".to_owned(), code("1"));
    }
    out.extend(look(metadata, brand));
    out.extend(margins(metadata));
    out.extend(structure(metadata));
    if has_margin(metadata, blocks) {
        out.insert("margin-geometry".to_owned(), json!({"t": "MetaBool", "c": true}));
    }
    out
}

/// The colors of the pages.
fn look(metadata: &Metadata, brand: &Brand) -> Vec<(String, Value)> {
    let mode = mode_of(metadata);
    let colors = [("accent", "primary"), ("paper-color", "background"), ("ink-color", "foreground")];
    let found = colors.into_iter().filter_map(|(key, role)| {
        let color = brand.color(mode, role).and_then(values::color)?;
        Some((key.to_owned(), code(color)))
    });
    found.collect()
}

/// The margins of the pages, where `margin` does not name the sides as Typst does: those of `geometry`, as for LaTeX, and
/// `margin-left` and the like.
fn margins(metadata: &Metadata) -> Option<(String, Value)> {
    let all = metadata.at("margin");
    if all.is_some_and(Value::is_object) {
        return None;
    }
    let mut found: Vec<(&str, String)> = all.and_then(scalar).map(|all| ("rest", all)).into_iter().collect();
    let entries = strings(metadata.at("geometry"));
    for (name, value) in
        entries.iter().flat_map(|entry| entry.split(',')).filter_map(|entry| entry.split_once('='))
    {
        let side = match name.trim() {
            "margin" => "rest",
            "hmargin" => "x",
            "vmargin" => "y",
            "top" | "tmargin" => "top",
            "bottom" | "bmargin" => "bottom",
            "left" | "lmargin" | "inner" => "left",
            "right" | "rmargin" | "outer" => "right",
            _ => continue,
        };
        found.push((side, value.to_owned()));
    }
    for side in ["top", "right", "bottom", "left"] {
        found.extend(metadata.at(&format!("margin-{side}")).and_then(scalar).map(|value| (side, value)));
    }
    // The last of each side counts.
    let sides: Map<String, Value> = found
        .into_iter()
        .filter_map(|(side, value)| Some((side.to_owned(), code(values::length(value.trim())?))))
        .collect();
    (!sides.is_empty()).then(|| ("margin".to_owned(), json!({"t": "MetaMap", "c": sides})))
}

/// Numbers, chapters, and lists of figures.
fn structure(metadata: &Metadata) -> Vec<(String, Value)> {
    let mut out = Vec::new();
    let mut set = |key: &str, value| out.push((key.to_owned(), value));
    if metadata.is_true("number-sections") && metadata.at("section-numbering").is_none() {
        set("section-numbering", code("1.1"));
    }
    if let Some(depth) = metadata.number("number-depth") {
        set("number-levels", code(depth.clamp(1, 6).to_string()));
    }
    if metadata.is_book {
        set("is-book", json!({"t": "MetaBool", "c": true}));
    }
    let top = metadata.text("top-level-division");
    let is_long = metadata.text("documentclass").is_some_and(|class| LONG.contains(&class));
    let has_parts = top == Some("part");
    if is_long || has_parts || top == Some("chapter") {
        set("is-long", json!({"t": "MetaBool", "c": true}));
        set("has-parts", json!({"t": "MetaBool", "c": has_parts}));
    }
    let lists = LISTS.into_iter().filter(|(option, ..)| metadata.is_true(option)).map(|(_, kind, key, usual)| {
        let own = metadata.words(&format!("crossref.{key}"));
        let title = own.or_else(|| metadata.words(&format!("language.crossref-{key}"))).unwrap_or(usual);
        json!({"t": "MetaMap", "c": {"kind": code(format!("quarto-float-{kind}")), "title": words(title)}})
    });
    let lists: Vec<Value> = lists.collect();
    if !lists.is_empty() {
        set("list", json!({"t": "MetaList", "c": lists}));
    }
    out
}

/// The logo of the pages, by the path that it has.
pub(super) fn page(metadata: &Metadata, brand: &Brand, path: Option<&str>) -> Map<String, Value> {
    let mut out = Map::new();
    if let Some(logo) = path.and_then(|path| logo(metadata, brand, mode_of(metadata), path)) {
        out.insert("logo".to_owned(), json!({"t": "MetaMap", "c": logo}));
    }
    out
}

/// The files that Typst resolves citations with, as the document names them.
pub(super) fn bibliography(metadata: &Metadata) -> Map<String, Value> {
    let mut out = Map::new();
    let paths: Vec<&str> = match metadata.at("bibliography") {
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        other => other.and_then(Value::as_str).into_iter().collect(),
    };
    let path = |path: &str| code(path.replace(['"', '\\'], ""));
    if !paths.is_empty() {
        let paths: Vec<Value> = paths.into_iter().map(path).collect();
        out.insert("bibliography".to_owned(), json!({"t": "MetaList", "c": paths}));
    }
    for key in ["csl", "bibliographystyle"] {
        if let Some(value) = metadata.text(key) {
            out.insert(key.to_owned(), path(value));
        }
    }
    let hidden =
        metadata.is_true("suppress-bibliography") || metadata.text("citation-location") == Some("margin");
    out.insert("suppress-bibliography".to_owned(), json!({"t": "MetaBool", "c": hidden}));
    out
}

/// Blocks of code as wide as the text, in the color of the brand.
pub(super) fn with_code_blocks(
    bytes: Vec<u8>,
    metadata: &Metadata,
    brand: &Brand,
    highlighting: &super::Highlighting,
) -> Vec<u8> {
    let Ok(text) = String::from_utf8(bytes) else { return Vec::new() };
    let mut text = text.replacen(
        "block(fill: bgcolor, blocks)",
        "block(fill: bgcolor, width: 100%, inset: 8pt, radius: 2pt, blocks)",
        1,
    );
    let mode = mode_of(metadata);
    let own = brand
        .typography(mode, "monospace-block", "background-color")
        .and_then(|named| values::color(brand.color(mode, &named).unwrap_or(&named)));
    if own.is_none() && brand.color(mode, "background").is_some() {
        // The colors of code are those for a light ground, whatever the page has.
        text = text.replacen("   block(fill: bgcolor", "   set text(fill: black)\n   block(fill: bgcolor", 1);
    }
    let is_default = matches!(highlighting, super::Highlighting::Default);
    let color = own.or_else(|| is_default.then(|| "rgb(\"#f1f3f5\")".to_owned()));
    let found = text.find("let bgcolor = ").map(|at| at + "let bgcolor = ".len());
    if let (Some(color), Some(at)) = (color, found) {
        let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
        text.replace_range(at..end, &color);
    }
    if metadata.is_true("code-line-numbers") {
        text = text.replace("#Skylighting((", "#Skylighting(number: true, (");
    }
    text.into_bytes()
}

fn mode_of(metadata: &Metadata) -> Mode {
    if metadata.text("brand-mode") == Some("dark") { Mode::Dark } else { Mode::Light }
}

/// The path of the logo of a document in its folder, and whether it is that of the brand.
pub(in super::super) fn logo_path(metadata: &Metadata, brand: &Brand) -> Option<(String, bool)> {
    let logos = brand.logos(metadata, &["medium", "small", "large"])?;
    let path = logos.of(mode_of(metadata)).path.clone();
    let spec = metadata.at("logo");
    let names =
        |value: &Value| value.as_str().map(str::to_owned).or_else(|| value.get("path").and_then(scalar));
    let own = spec.and_then(|spec| {
        let mode = if mode_of(metadata) == Mode::Dark { "dark" } else { "light" };
        names(spec).or_else(|| spec.get(mode).and_then(names))
    });
    let of_brand = own.is_none_or(|own| own != path);
    Some((path, of_brand))
}

/// Whether anything is in the margin.
fn has_margin(metadata: &Metadata, blocks: &[Block]) -> bool {
    let keys =
        ["reference-location", "citation-location", "fig-cap-location", "tbl-cap-location", "cap-location"];
    keys.iter().any(|key| metadata.text(key) == Some("margin")) || calls_margin(blocks)
}

fn calls_margin(blocks: &[Block]) -> bool {
    let is_call = |inlines: &[Inline]| {
        inlines.iter().any(|inline| {
            matches!(inline, Inline::Raw { format, text, .. } if format == "typst"
                && ["#note(", "#notefigure(", "#wideblock(", "#column-", "=> note("].iter().any(|call| text.contains(call)))
        })
    };
    blocks.iter().any(|block| match block {
        Block::Plain(inlines) | Block::Para(inlines) => is_call(inlines),
        Block::Div(_, inner) | Block::Quote(inner) | Block::Figure(_, _, inner) => calls_margin(inner),
        Block::BulletList(items) | Block::OrderedList(_, items) => {
            items.iter().any(|item| calls_margin(item))
        }
        _ => false,
    })
}

/// The fonts of a document: its own, else those of the brand.
struct Fonts<'f> {
    metadata: &'f Metadata,
    brand: &'f Brand,
    mode: Mode,
}

impl Fonts<'_> {
    fn list(&self, key: &str, role: &str) -> Option<String> {
        let own = match self.metadata.at(key) {
            Some(Value::Array(items)) => {
                Some(items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","))
            }
            other => other.and_then(scalar),
        };
        let family = own.or_else(|| self.brand.typography(self.mode, role, "family"))?;
        Some(values::fonts(&family))
    }

    fn size(&self) -> Option<String> {
        let own = self.metadata.at("fontsize").and_then(scalar);
        own.or_else(|| self.brand.typography(self.mode, "base", "size"))
            .and_then(|size| values::length(&size))
    }

    /// What the template calls `heading-…`: for the title.
    fn headings(&self) -> Vec<(&'static str, String)> {
        let of = |key: &str| {
            self.brand
                .typography(self.mode, "headings", key)
                .or_else(|| self.brand.typography(self.mode, "base", key))
        };
        let own = self.metadata.at("mainfont").and_then(scalar);
        let family = self.brand.typography(self.mode, "headings", "family").or(own).or_else(|| of("family"));
        let color = self.color("headings").or_else(|| {
            let found = self.brand.color(self.mode, "foreground")?;
            values::color(found)
        });
        [
            ("color", color),
            ("family", family.map(|family| values::fonts(&family))),
            ("line-height", of("line-height").and_then(|height| leading(&height))),
            ("style", of("style").map(|style| values::quoted(&style))),
            ("weight", of("weight").and_then(|weight| values::weight(&weight))),
        ]
        .into_iter()
        .filter_map(|(key, value)| Some((key, value?)))
        .collect()
    }

    fn color(&self, role: &str) -> Option<String> {
        let named = self.brand.typography(self.mode, role, "color")?;
        values::color(self.brand.color(self.mode, &named).unwrap_or(&named))
    }
}

/// The distance of lines from the height of a line.
fn leading(height: &str) -> Option<String> {
    height.parse::<f64>().ok().map(|height| format!("{}em", values::number(height - 0.75)))
}

/// The lines that a brand adds to the head of the document.
pub(super) fn head(metadata: &Metadata, brand: &Brand) -> Vec<String> {
    let mode = mode_of(metadata);
    let fonts = Fonts { metadata, brand, mode };
    let colors = brand.colors(mode);
    let has_background = colors.iter().any(|(name, _)| name == "background");
    let dictionary = |entries: Vec<String>| {
        if entries.is_empty() { "(:)".to_owned() } else { format!("(\n  {}\n)", entries.join(",\n  ")) }
    };
    let known: Vec<(&String, String)> =
        colors.iter().filter_map(|(name, value)| Some((name, values::color(value)?))).collect();
    let plain = known.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    let share = if mode == Mode::Dark { 50 } else { 15 };
    let pale = known.iter().map(|(name, _)| {
        if has_background {
            let rest = 100 - share;
            format!("{name}: color.mix((brand-color.{name}, {share}%), (brand-color.background, {rest}%))")
        } else {
            format!("{name}: brand-color.{name}.lighten(85%)")
        }
    });
    let pale = pale.collect();
    let mut out = vec![
        format!("#let brand-color = {}", dictionary(plain)),
        format!("#let brand-color-background = {}", dictionary(pale)),
    ];
    if has_background {
        out.push("#set page(fill: brand-color.background)".to_owned());
    }
    if known.iter().any(|(name, _)| *name == "foreground") {
        out.push("#set text(fill: brand-color.foreground)".to_owned());
        out.push("#set table.hline(stroke: (paint: brand-color.foreground))".to_owned());
        out.push("#set line(stroke: (paint: brand-color.foreground))".to_owned());
    }
    out.extend(logos(brand, mode));
    let of = |role: &str, key: &str| brand.typography(mode, role, key);
    let weight = |role: &str| of(role, "weight").and_then(|weight| values::weight(&weight));
    let color = |role: &str, key: &str| {
        let named = of(role, key)?;
        let found = brand.color(mode, &named).unwrap_or(&named).to_owned();
        values::color(&found)
    };
    let entries = |parts: Vec<(&str, Option<String>)>| -> String {
        parts.into_iter().filter_map(|(key, value)| Some(format!("{key}: {}, ", value?))).collect()
    };
    if let Some(weight) = weight("base") {
        out.push(format!("#set text(weight: {weight}, )"));
    }
    let line_height = |role: &str| of(role, "line-height").and_then(|height| leading(&height));
    out.extend(line_height("base").map(|leading| format!("#set par(leading: {leading})")));
    let headings = entries(vec![
        ("font", of("headings", "family").map(|family| values::fonts(&family))),
        ("weight", weight("headings")),
        ("style", of("headings", "style").map(|style| values::quoted(&style))),
        ("fill", fonts.color("headings")),
    ]);
    if !headings.is_empty() {
        out.push(format!("#show heading: set text({headings})"));
    }
    out.extend(line_height("headings").map(|leading| format!("#show heading: set par(leading: {leading})")));
    for (role, block) in [("monospace-inline", false), ("monospace-block", true)] {
        let parts = entries(vec![
            ("weight", weight(role)),
            ("size", of(role, "size").and_then(|size| values::length(&size))),
            ("fill", color(role, "color")),
        ]);
        let at = format!("#show raw.where(block: {block}):");
        if !parts.is_empty() {
            out.push(format!("{at} set text({parts})"));
        }
        if let Some(fill) = color(role, "background-color") {
            out.push(if block {
                format!("{at} set block(fill: {fill})")
            } else {
                format!("{at} content => highlight(fill: {fill}, content)")
            });
        }
        if block {
            out.extend(line_height(role).map(|leading| format!("{at} set par(leading: {leading})")));
        }
    }
    let link = color("link", "color").or_else(|| brand.color(mode, "primary").and_then(values::color));
    let link_text = entries(vec![("weight", weight("link")), ("fill", link)]);
    if !link_text.is_empty() {
        out.push(format!("#show link: set text({link_text})"));
    }
    if of("link", "decoration").as_deref() == Some("underline") {
        out.push("#show link: content => underline(content)".to_owned());
    }
    if let Some(fill) = color("link", "background-color") {
        out.push(format!("#show link: content => highlight(fill: {fill}, content)"));
    }
    out
}

/// The logos of a brand, for templates and raw content.
fn logos(brand: &Brand, mode: Mode) -> Vec<String> {
    let entry = |(name, logo): (String, crate::brand::Logo)| {
        let alt = logo.alt.map(|alt| format!("alt: {}, ", values::quoted(&alt))).unwrap_or_default();
        format!("{name}: ({alt}path: {})", values::quoted(&logo.path))
    };
    let images: Vec<String> = brand.images(mode).into_iter().map(entry).collect();
    let sizes: Vec<String> = ["large", "medium", "small"]
        .into_iter()
        .filter_map(|size| Some((size.to_owned(), brand.logo(mode, size)?)))
        .map(entry)
        .collect();
    let mut out = Vec::new();
    if !images.is_empty() {
        out.push(format!("#let brand-logo-images = (\n  {},\n)", images.join(",\n  ")));
    }
    out.push(if sizes.is_empty() {
        "#let brand-logo = (:)".to_owned()
    } else {
        format!("#let brand-logo = (\n  {},\n)", sizes.join(",\n  "))
    });
    out
}

/// The logo in the corner of the pages.
fn logo(metadata: &Metadata, brand: &Brand, mode: Mode, path: &str) -> Option<Map<String, Value>> {
    let logos = brand.logos(metadata, &["medium", "small", "large"])?;
    let logo = logos.of(mode);
    let spec = metadata.at("logo");
    let option = |key: &str| spec.and_then(|spec| spec.get(key)).and_then(scalar);
    let location = option("location").and_then(|text| {
        let (across, down) = text.split_once('-')?;
        let across = ["left", "center", "right"].into_iter().find(|known| *known == across)?;
        let down = [("top", "top"), ("middle", "horizon"), ("bottom", "bottom")]
            .into_iter()
            .find_map(|(css, typst)| (css == down).then_some(typst))?;
        Some(format!("{across}+{down}"))
    });
    let width = option("width").and_then(|width| values::length(&width));
    let mut out = Map::new();
    for (key, value) in [
        ("path", path.replace('"', "")),
        ("location", location.unwrap_or_else(|| "left+top".to_owned())),
        ("width", width.unwrap_or_else(|| "1.5in".to_owned())),
        ("inset", inset(&option).unwrap_or_else(|| "0.75in".to_owned())),
    ] {
        out.insert(key.to_owned(), code(value));
    }
    if let Some(alt) = &logo.alt {
        out.insert("alt".to_owned(), code(values::quoted(alt)));
    }
    Some(out)
}

/// The distance of a logo from the edges of the page.
fn inset(option: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let listed: Vec<String> = option("padding")
        .map(|text| text.split_whitespace().filter_map(values::length).collect())
        .unwrap_or_default();
    let side = |name: &str, at: usize| {
        option(&format!("padding-{name}")).and_then(|text| values::length(&text)).or_else(|| {
            let index = match (listed.len(), at) {
                (1, _) => 0,
                (2, at) => at % 2,
                (3, 3) => 1,
                (_, at) => at,
            };
            listed.get(index).cloned()
        })
    };
    let [top, right, bottom, left] =
        [("top", 0), ("right", 1), ("bottom", 2), ("left", 3)].map(|(name, at)| side(name, at));
    if top.is_none() && right.is_none() && bottom.is_none() && left.is_none() {
        return None;
    }
    if top == right && right == bottom && bottom == left {
        return top;
    }
    let entries = if top == bottom && left == right {
        vec![("x", left), ("y", top)]
    } else {
        vec![("bottom", bottom), ("left", left), ("right", right), ("top", top)]
    };
    let entries: Vec<String> =
        entries.into_iter().filter_map(|(key, value)| Some(format!("{key}: {}", value?))).collect();
    Some(format!("({})", entries.join(", ")))
}
