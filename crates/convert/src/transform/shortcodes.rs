//! Shortcodes: what is computed from the document and the project.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Context, LossKind, strings, words};
use crate::budget;
use crate::{
    brand::{Brand, Logo, Mode},
    formats::Family,
    html::escape,
    model::{Attr, Block, Inline, Place, Rewrite, Shortcode, Target, plain, words as text_words},
    reader,
    weight::{made, made_inlines},
};

/// Replaces the shortcodes of blocks.
pub(super) fn expand(blocks: Vec<Block>, context: &mut Context<'_>) -> Vec<Block> {
    Expand { context, depth: 0 }.rewrite(blocks)
}

/// Replaces the shortcodes of a string.
pub(super) fn expand_text(text: &str, context: &mut Context<'_>) -> String {
    Expand { context, depth: 0 }.string(text.to_owned())
}

/// Steps that an expansion takes.
const EXPANSION: u64 = 100;

/// Deepest nesting of values that contain shortcodes again.
const DEPTH: u32 = 4;

struct Expand<'a, 'c> {
    context: &'a mut Context<'c>,
    depth: u32,
}

enum Expanded {
    Inlines(Vec<Inline>),
    Blocks(Vec<Block>),
}

impl Rewrite for Expand<'_, '_> {
    fn blocks(&mut self, blocks: Vec<Block>) -> Vec<Block> {
        let mut out = Vec::with_capacity(blocks.len());
        for block in blocks {
            match block {
                // A shortcode alone in its paragraph can be blocks.
                Block::Para(inlines) | Block::Plain(inlines)
                    if matches!(inlines.as_slice(), [Inline::Shortcode(_)]) =>
                {
                    if let Some(Inline::Shortcode(shortcode)) = inlines.first() {
                        match self.shortcode(shortcode, true) {
                            Expanded::Blocks(blocks) => out.extend(blocks),
                            Expanded::Inlines(inlines) if inlines.is_empty() => {}
                            Expanded::Inlines(inlines) => out.push(Block::Para(inlines)),
                        }
                    }
                }
                Block::Para(inlines) => out.push(Block::Para(self.expanded(inlines))),
                Block::Plain(inlines) => out.push(Block::Plain(self.expanded(inlines))),
                Block::Header(level, mut attr, inlines) => {
                    self.attr(&mut attr);
                    out.push(Block::Header(level, attr, self.expanded(inlines)));
                }
                Block::Code(mut attr, text) => {
                    self.attr(&mut attr);
                    let keep = attr.get("shortcodes") == Some("false");
                    let text = if keep { text } else { self.string(text) };
                    out.push(Block::Code(attr, text));
                }
                Block::Raw { format, text, place } => {
                    out.push(Block::Raw { format, text: self.string(text), place });
                }
                Block::Div(mut attr, inner) => {
                    self.attr(&mut attr);
                    out.push(Block::Div(attr, inner));
                }
                Block::Table(mut table) => {
                    table.caption = self.expanded(std::mem::take(&mut table.caption));
                    out.push(Block::Table(table));
                }
                Block::Figure(attr, caption, inner) => {
                    out.push(Block::Figure(attr, self.expanded(caption), inner));
                }
                other => out.push(other),
            }
        }
        out
    }

    fn inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        let replaced = inlines.into_iter().map(|inline| match inline {
            Inline::Link(mut attr, inner, mut target) => {
                self.attr(&mut attr);
                target.url = self.string(target.url.replace("%20", " ")).replace(' ', "%20");
                Inline::Link(attr, self.expanded(inner), target)
            }
            Inline::Image(mut attr, inner, mut target) => {
                self.attr(&mut attr);
                target.url = self.string(target.url.replace("%20", " ")).replace(' ', "%20");
                Inline::Image(attr, self.expanded(inner), target)
            }
            Inline::Span(mut attr, inner) => {
                self.attr(&mut attr);
                Inline::Span(attr, self.expanded(inner))
            }
            Inline::Code(attr, text) => Inline::Code(attr, self.string(text)),
            Inline::Raw { format, text, place } => Inline::Raw { format, text: self.string(text), place },
            Inline::Math { display, tex, place } => Inline::Math { display, tex: self.string(tex), place },
            other => other,
        });
        let replaced: Vec<Inline> = replaced.collect();
        // A list that is only a shortcode may be blocks; whoever holds it decides.
        if matches!(replaced.as_slice(), [Inline::Shortcode(_)]) { replaced } else { self.expanded(replaced) }
    }
}

impl Expand<'_, '_> {
    fn expanded(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        let mut out = Vec::with_capacity(inlines.len());
        for inline in inlines {
            match inline {
                Inline::Shortcode(shortcode) => match self.shortcode(&shortcode, false) {
                    Expanded::Inlines(inlines) => out.extend(inlines),
                    Expanded::Blocks(blocks) => out.extend(in_line(blocks)),
                },
                other => out.push(other),
            }
        }
        out
    }

    fn attr(&mut self, attr: &mut Attr) {
        for (_, value) in &mut attr.pairs {
            *value = self.string(std::mem::take(value));
        }
    }

    fn string(&mut self, text: String) -> String {
        let expanded = strings::expanded(&text, &mut |mark| {
            let shortcode = reader::shortcode(mark, Place::default())?;
            Some(match self.shortcode(&shortcode, false) {
                Expanded::Inlines(inlines) => match inlines.as_slice() {
                    // An address of a picture, as in `![]({{< placeholder 400 300 >}})`.
                    [Inline::Image(_, _, target)] => target.url.clone(),
                    inlines => plain(inlines),
                },
                Expanded::Blocks(blocks) => crate::model::plain_blocks(&blocks),
            })
        });
        expanded.unwrap_or(text)
    }

    fn shortcode(&mut self, shortcode: &Shortcode, alone: bool) -> Expanded {
        let inlines = Expanded::Inlines;
        if !budget::charge(EXPANSION) {
            return inlines(Vec::new());
        }
        match shortcode.name.as_str() {
            "meta" => self.value(shortcode, alone, |context, path| context.metadata.at(path).cloned()),
            "var" => self.value(shortcode, alone, |context, path| at(context.variables, path).cloned()),
            "env" => {
                // The environment of the process is not the document's to read.
                let default = shortcode.arguments.get(1).cloned();
                if default.is_none() {
                    self.lose(shortcode);
                }
                inlines(text_words(default.unwrap_or_default().as_str()))
            }
            "pagebreak" => Expanded::Blocks(self.page_break()),
            "kbd" => inlines(vec![self.keys(shortcode)]),
            "video" => self.video(shortcode),
            "placeholder" => inlines(vec![placeholder(shortcode)]),
            "lipsum" => Expanded::Blocks(made(words::lipsum(shortcode))),
            "brand" => self.brand(shortcode),
            "version" => inlines(text_words(env!("CARGO_PKG_VERSION"))),
            "contents" => inlines(vec![]),
            "include" | "embed" => {
                self.context.lose(LossKind::Dropped, shortcode.place, shortcode.name.clone());
                inlines(vec![])
            }
            _ if self.context.format.id == "hugo-md" => {
                let (format, text) = ("markdown".to_owned(), shortcode.text.clone());
                inlines(vec![Inline::Raw { format, text, place: shortcode.place }])
            }
            _ => {
                self.lose(shortcode);
                inlines(vec![Inline::Strong(text_words(&format!("?{}", shortcode.name)))])
            }
        }
    }

    fn lose(&mut self, shortcode: &Shortcode) {
        let what = format!("shortcode {}", shortcode.name);
        self.context.lose(LossKind::Unresolved, shortcode.place, what);
    }

    /// A value of the metadata or of the variables.
    fn value(
        &mut self,
        shortcode: &Shortcode,
        alone: bool,
        find: impl Fn(&Context<'_>, &str) -> Option<Value>,
    ) -> Expanded {
        let path = shortcode.arguments.join(" ");
        let Some(value) = find(self.context, &path) else {
            let what = format!("{} {path}", shortcode.name);
            self.context.lose(LossKind::Unresolved, shortcode.place, what);
            return Expanded::Inlines(vec![Inline::Strong(text_words(&format!(
                "?{}:{path}",
                shortcode.name
            )))]);
        };
        let text = match &value {
            Value::String(text) => text.clone(),
            Value::Array(items) => {
                let items: Vec<String> = items
                    .iter()
                    .map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned))
                    .collect();
                items.join(", ")
            }
            Value::Null => String::new(),
            other => other.to_string(),
        };
        // The value was copied, and is read again.
        if !budget::charge(text.len() as u64) || !budget::allocate(text.len()) {
            return Expanded::Inlines(Vec::new());
        }
        if self.depth >= DEPTH {
            return Expanded::Inlines(made_inlines(text_words(&text)));
        }
        self.depth += 1;
        let out = if alone && text.contains('\n') {
            Expanded::Blocks(self.rewrite(reader::read_text(&text, true)))
        } else {
            let inlines = reader::read_inlines(&text, true);
            let inlines = self.rewrite_inlines(inlines);
            Expanded::Inlines(self.expanded(inlines))
        };
        self.depth -= 1;
        out
    }

    fn page_break(&self) -> Vec<Block> {
        let raw = |format: &str, text: &str| {
            vec![Block::Raw { format: format.to_owned(), text: text.to_owned(), place: Place::default() }]
        };
        match self.context.family() {
            Family::Html | Family::Epub => raw("html", "<div style=\"page-break-after: always;\"></div>"),
            Family::Latex => raw("tex", "\\newpage{}"),
            Family::Typst => raw("typst", "#pagebreak()"),
            Family::Docx => raw("openxml", "<w:p><w:r><w:br w:type=\"page\"/></w:r></w:p>"),
            Family::Context => raw("context", "\\page"),
            Family::Man => raw("ms", ".bp"),
            Family::Asciidoc => raw("asciidoc", "<<<"),
            Family::Odt => raw("opendocument", "<text:p text:style-name=\"Pagebreak\"/>"),
            Family::Pptx => vec![Block::Rule],
            Family::Markdown | Family::Ipynb => {
                raw("html", "<div style=\"page-break-after: always;\"></div>")
            }
            _ => vec![Block::Para(vec![Inline::Str("\u{c}".to_owned())])],
        }
    }

    /// Keys to press, possibly different ones for each system.
    fn keys(&self, shortcode: &Shortcode) -> Inline {
        let keys = shortcode.arguments.join(" ");
        let mut systems = shortcode.options.clone();
        for (name, _) in &mut systems {
            if name == "win" {
                "windows".clone_into(name);
            }
        }
        systems.sort_by_key(|(name, _)| match name.as_str() {
            "linux" => 0,
            "mac" => 1,
            _ => 2,
        });
        let mut title = keys.clone();
        if !systems.is_empty() {
            let listed: Vec<String> = systems.iter().map(|(name, keys)| format!("{name}: {keys}")).collect();
            title =
                if title.is_empty() { listed.join(", ") } else { format!("{title}, {}", listed.join(", ")) };
        }
        let shown = if keys.is_empty() {
            systems.first().map(|(_, keys)| keys.clone()).unwrap_or_default()
        } else {
            keys
        };
        if self.context.family() == Family::Html {
            let attr = Attr::class("kbd").with("title", title);
            let mut text = String::from("<kbd");
            let _ =
                write!(text, " title=\"{}\" aria-hidden=\"true\">", escape(attr.get("title").unwrap_or("")));
            let _ = write!(text, "{}</kbd><span class=\"visually-hidden\">{0}</span>", escape(&shown));
            return Inline::Raw { format: "html".to_owned(), text, place: shortcode.place };
        }
        if self.context.family() == Family::Asciidoc {
            let text = format!("kbd:[{}]", shown.replace('-', "+"));
            return Inline::Raw { format: "asciidoc".to_owned(), text, place: shortcode.place };
        }
        Inline::code(Attr::class("kbd"), shown)
    }

    fn video(&mut self, shortcode: &Shortcode) -> Expanded {
        let url = shortcode.arguments.first().map(String::as_str).or_else(|| shortcode.option("src"));
        let Some(url) = url else {
            self.lose(shortcode);
            return Expanded::Inlines(vec![]);
        };
        if self.context.family() == Family::Html {
            let (url, frame) = player(url);
            let title = escape(shortcode.option("title").unwrap_or(""));
            let size = |key: &str| {
                shortcode.option(key).map(|value| format!(" {key}=\"{}\"", escape(value))).unwrap_or_default()
            };
            let size = [size("width"), size("height")].concat();
            let text = if frame {
                format!(
                    "<div class=\"quarto-video ratio ratio-16x9\"><iframe data-external=\"1\" src=\"{}\"{size} title=\"{title}\" frameborder=\"0\" allowfullscreen=\"\"></iframe></div>",
                    escape(&url)
                )
            } else {
                format!(
                    "<div class=\"quarto-video\"><video{size} controls=\"\"><source src=\"{}\"></video></div>",
                    escape(&url)
                )
            };
            let raw = Block::Raw { format: "html".to_owned(), text, place: shortcode.place };
            return Expanded::Blocks(vec![raw]);
        }
        if self.context.family() == Family::Asciidoc {
            let (address, _) = player(url);
            let id = address.rsplit('/').next().unwrap_or(&address);
            let text = if address.contains("youtube.com/embed/") {
                format!("video::{id}[youtube]")
            } else if address.contains("player.vimeo.com") {
                format!("video::{id}[vimeo]")
            } else {
                format!("video::{url}[]")
            };
            let raw = Block::Raw { format: "asciidoc".to_owned(), text, place: shortcode.place };
            return Expanded::Blocks(vec![raw]);
        }
        let target = Target { url: url.to_owned(), ..Target::default() };
        if self.context.family() == Family::Markdown && !player(url).1 && !url.contains("://") {
            return Expanded::Inlines(vec![Inline::image(Attr::default(), vec![], target)]);
        }
        let words = vec![Inline::Str(url.to_owned())];
        Expanded::Inlines(vec![Inline::link(Attr::default(), words, target)])
    }

    fn brand(&mut self, shortcode: &Shortcode) -> Expanded {
        let (kind, name) = (shortcode.arguments.first(), shortcode.arguments.get(1));
        let (Some(kind), Some(name)) = (kind.map(String::as_str), name.map(String::as_str)) else {
            self.lose(shortcode);
            return Expanded::Inlines(vec![]);
        };
        let brand = self.context.brand;
        let of_document = self.context.metadata.text("brand-mode").unwrap_or("light");
        let mode = shortcode.arguments.get(2).map(String::as_str);
        // Only web pages have two modes.
        let mode = mode.or((self.context.family() != Family::Html).then_some(of_document));
        match kind {
            "color" => {
                let mode = if mode == Some("dark") { Mode::Dark } else { Mode::Light };
                if let Some(color) = brand.color(mode, name) {
                    return Expanded::Inlines(text_words(color));
                }
            }
            "logo" => {
                let logos = brand_logos(brand, name, mode);
                if !logos.is_empty() {
                    return Expanded::Inlines(logos);
                }
            }
            _ => {}
        }
        self.lose(shortcode);
        Expanded::Inlines(vec![Inline::Strong(text_words(&format!("?brand:{kind} {name}")))])
    }
}

/// The images of a logo: one for both modes, or one for each.
fn brand_logos(brand: &Brand, name: &str, mode: Option<&str>) -> Vec<Inline> {
    let image = |logo: Logo, class: Option<&str>| {
        let is_relative = !logo.path.contains(':') && !logo.path.starts_with(['/', '.']);
        let url = if is_relative { format!("./{}", logo.path) } else { logo.path };
        let attr = class.map_or_else(Attr::default, Attr::class);
        Inline::image(attr, text_words(&logo.alt.unwrap_or_default()), Target { url, ..Target::default() })
    };
    let (light, dark) = (brand.logo(Mode::Light, name), brand.logo(Mode::Dark, name));
    match (mode, light, dark) {
        (Some("dark"), light, dark) => dark.or(light).into_iter().map(|logo| image(logo, None)).collect(),
        (Some(_), light, dark) => light.or(dark).into_iter().map(|logo| image(logo, None)).collect(),
        (None, Some(light), Some(dark)) if light != dark => {
            vec![image(light, Some("light-content")), image(dark, Some("dark-content"))]
        }
        (None, light, dark) => light.or(dark).into_iter().map(|logo| image(logo, None)).collect(),
    }
}

/// The value of a path such as `a.b.c`.
pub(super) fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    crate::metadata::at(value, path)
}

/// Blocks where only inlines can be.
fn in_line(blocks: Vec<Block>) -> Vec<Inline> {
    let mut out = Vec::new();
    for block in blocks {
        match block {
            Block::Para(inlines) | Block::Plain(inlines) => {
                if !out.is_empty() {
                    out.push(Inline::Space);
                }
                out.extend(inlines);
            }
            Block::Raw { format, text, place } => out.push(Inline::Raw { format, text, place }),
            _ => {}
        }
    }
    out
}

/// The address of a video's player, and whether it is a page of its own.
fn player(url: &str) -> (String, bool) {
    let youtube = url
        .split_once("youtube.com/watch?v=")
        .or_else(|| url.split_once("youtu.be/"))
        .or_else(|| url.split_once("youtube.com/embed/"));
    if let Some((_, id)) = youtube {
        let id = id.split(['&', '?']).next().unwrap_or(id);
        return (format!("https://www.youtube.com/embed/{id}"), true);
    }
    if let Some((_, id)) = url.split_once("vimeo.com/") {
        return (format!("https://player.vimeo.com/video/{id}"), true);
    }
    let file =
        [".mp4", ".webm", ".ogg", ".mov"].iter().any(|ending| url.to_ascii_lowercase().ends_with(ending));
    (url.to_owned(), url.contains("://") && !file)
}

/// A gray picture of a size.
fn placeholder(shortcode: &Shortcode) -> Inline {
    let size = |at: usize| {
        let text = shortcode.arguments.get(at)?;
        text.parse::<u32>().ok().map(|size| size.clamp(1, 4000))
    };
    let width = size(0).unwrap_or(100);
    let height = size(1).unwrap_or(width);
    let svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' font-family='sans-serif' text-anchor='middle'>\
         <rect width='100%' height='100%' style='fill:%23ccc'/>\
         <text x='50%' y='50%' dy='0.35em' style='fill:%23777'>{width} x {height}</text></svg>"
    );
    let url =
        format!("data:image/svg+xml,{}", svg.replace('<', "%3C").replace('>', "%3E").replace(' ', "%20"));
    let attr = Attr::default().with("width", width.to_string()).with("height", height.to_string());
    Inline::image(attr, text_words("Placeholder"), Target { url, ..Target::default() })
}
