//! Slides put into a template.

use std::{
    collections::{BTreeSet, HashMap},
    rc::Rc,
    sync::Arc,
};

use super::{
    edit,
    media::{Picture, Size},
    model::{
        Background, Drawing, Frame, Look, Paragraph, Piece, Placeholder, Rect, Relationship, Shape,
        ShapeKind, Steps, TextSizes,
    },
    package::Package,
    placed::{self, Natural, Placed},
    slides::{self, Slide, is_graphic},
    tables::{self, TableSize},
    template::{Layout, Template},
    text::{TextWriter, Written},
    write as xml_of,
};
use crate::{
    budget, frames,
    html::slide_level,
    metadata::{Metadata, scalar},
    model::{Attr, Block, Inline, Place, Target, plain, words},
    people::{Author, authors},
    transform::{callouts, typst_values::rgb},
    weight::Weight,
};

/// The smallest title, in percent of the size that its template gives it.
const SMALLEST_TITLE: u32 = 40;

/// The size of the text of callouts, in percent of that around them.
const CALLOUT: u32 = 85;

/// Height that a callout takes besides its text, in English Metric Units.
const CALLOUT_SPACE: i64 = 250_000;

/// English Metric Units in a point.
const POINT: i64 = 12_700;

/// Between the sides of a shape and its text.
const INSET: i64 = 91_440;

/// Steps that copying a placeholder takes.
const PLACEHOLDER: u64 = 16;

/// What a deck lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lack {
    /// A layout that the template does not have.
    Layout(String),
    /// Text that does not fit: the slide, and percent of its placeholder.
    Room { slide: usize, percent: u32 },
    /// A picture that is not shown.
    Picture(String),
}

/// A deck, and what it lacks.
pub(crate) struct Deck {
    pub bytes: Vec<u8>,
    pub lacks: Vec<(Place, Lack)>,
}

/// Writes a document as a deck; fails with what is wrong with the template.
pub(crate) fn write(
    blocks: &[Block],
    metadata: &Metadata,
    template: Option<&[u8]>,
    image: &dyn Fn(&str) -> Option<Arc<[u8]>>,
) -> Result<Deck, String> {
    let mut template = Template::read(template)?;
    // A slide has its blocks, the parts of a column, and what fills a placeholder.
    if !Weight::of_blocks(blocks).charge() || !budget::allocate(3 * Weight::of_blocks(blocks).bytes) {
        return Err(String::new());
    }
    let mut all = Vec::new();
    all.extend(title_slide(metadata));
    let level = slide_level(blocks, metadata, false);
    let (room, sizes) = template.content();
    let height = |block: &Block| height_of(block, room, sizes);
    let blocks: &[Block] = &frames::divided(blocks, level, metadata, (room.height, &height));
    let content = slides::slides(blocks, level);
    all.extend(contents(&content, metadata));
    all.extend(content);
    if all.is_empty() {
        all.push(Slide { layout: "Blank", columns: vec![vec![]], ..Slide::default() });
    }
    let package = std::mem::take(&mut template.package);
    let mut builder = Builder {
        package,
        template: &template,
        metadata,
        image,
        lacks: Vec::new(),
        pictures: 0,
        media: HashMap::new(),
        slides: Vec::new(),
        notes: 0,
        reported: BTreeSet::new(),
        labels: Rc::new(labels(&all)),
    };
    builder.remove_slides();
    for slide in budget::within(&all) {
        builder.slide(slide);
    }
    builder.finish(&all)?;
    let lacks = builder.lacks;
    Ok(Deck { bytes: builder.package.write()?, lacks })
}

fn title_slide(metadata: &Metadata) -> Option<Slide> {
    let title = metadata.inlines("title")?;
    let mut lines = Vec::new();
    if let Some(subtitle) = metadata.inlines("subtitle") {
        lines.push(Block::Para(subtitle));
    }
    let people: Vec<String> = authors(metadata).iter().map(Author::described).collect();
    if !people.is_empty() {
        lines.push(Block::Para(words(&people.join("; "))));
    }
    if let Some(date) = metadata.at("date").and_then(scalar) {
        lines.push(Block::Para(words(&date)));
    }
    Some(Slide { layout: "Title Slide", title, columns: vec![lines], ..Slide::default() })
}

/// A slide with links to all slides that have a title.
fn contents(slides: &[Slide], metadata: &Metadata) -> Option<Slide> {
    if !metadata.is_true("toc") {
        return None;
    }
    let depth = metadata.number("toc-depth").unwrap_or(3);
    let listed = slides.iter().filter(|slide| {
        !slide.title.is_empty() && u64::from(slide.level) <= depth && !slide.attr.has_class("unlisted")
    });
    let listed: Vec<&Slide> = listed.collect();
    let top = listed.iter().map(|slide| slide.level).min()?;
    let mut items: Vec<Vec<Block>> = Vec::new();
    for slide in listed {
        let target = Target { url: format!("#{}", slide.attr.id), ..Target::default() };
        let words = slide.title.iter().filter(|inline| !matches!(inline, Inline::Note(_))).cloned().collect();
        let item = vec![Block::Plain(vec![Inline::link(Attr::default(), words, target)])];
        match items.last_mut() {
            Some(last) if slide.level > top => match last.last_mut() {
                Some(Block::BulletList(inner)) => inner.push(item),
                _ => last.push(Block::BulletList(vec![item])),
            },
            _ => items.push(item),
        }
    }
    let title = metadata.inlines("toc-title").or_else(|| metadata.inlines("language.toc-title-document"));
    let title = title.unwrap_or_else(|| words("Table of contents"));
    let columns = vec![vec![Block::BulletList(items)]];
    Some(Slide { layout: "Title and Content", title, columns, ..Slide::default() })
}

/// The numbers of slides by the labels of their titles and of what is on them.
fn labels(slides: &[Slide]) -> HashMap<String, usize> {
    let mut out = HashMap::new();
    for (index, slide) in slides.iter().enumerate() {
        let inner = slide.columns.iter().flatten().filter_map(|block| match block {
            Block::Figure(attr, ..) | Block::Div(attr, _) | Block::Header(_, attr, _) => Some(attr),
            Block::Table(table) => Some(&table.attr),
            _ => None,
        });
        for attr in std::iter::once(&slide.attr).chain(inner).filter(|attr| !attr.id.is_empty()) {
            out.entry(attr.id.clone()).or_insert(index + 1);
        }
    }
    out
}

struct Builder<'b> {
    package: Package,
    template: &'b Template,
    metadata: &'b Metadata,
    image: &'b dyn Fn(&str) -> Option<Arc<[u8]>>,
    lacks: Vec<(Place, Lack)>,
    pictures: usize,
    /// Pictures by their addresses; nothing for those that cannot be shown.
    media: HashMap<String, Option<Media>>,
    /// Names of the slides' parts.
    slides: Vec<String>,
    notes: usize,
    reported: BTreeSet<String>,
    /// The numbers of slides by their labels.
    labels: Rc<HashMap<String, usize>>,
}

/// A picture, and the part of the file that it is when a slide shows it. Then its bytes are there.
struct Media {
    picture: Picture,
    part: Option<String>,
}

/// A slide that is being written.
#[derive(Default)]
struct Page {
    drawing: Drawing,
    relationships: Vec<Relationship>,
    last_id: u32,
    footnotes: Vec<Vec<Inline>>,
    /// Pictures within text, which are shown as their words.
    pictures: Vec<(Place, String)>,
    /// Whether its formulas are text.
    is_plain: bool,
    /// The numbers of slides by their labels.
    labels: Rc<HashMap<String, usize>>,
}

impl Page {
    /// A page with the numbers of slides by their labels. The number 1 is that of its tree of shapes.
    fn new(labels: &Rc<HashMap<String, usize>>) -> Self {
        Self { last_id: 1, labels: Rc::clone(labels), ..Self::default() }
    }

    /// Adds a shape and gives its number.
    fn add(&mut self, kind: ShapeKind) -> u32 {
        self.last_id += 1;
        self.drawing.shapes.push(Shape { id: self.last_id, kind });
        self.last_id
    }

    /// Adds text that is in no placeholder.
    fn add_lines(&mut self, rect: Rect, text: Written) {
        self.add(ShapeKind::Text { rect, look: Look::Lines, text: Frame::new(text.paragraphs) });
    }

    /// Adds a relationship and gives its number.
    fn relate(&mut self, kind: &'static str, target: String, is_external: bool) -> usize {
        self.relationships.push(Relationship { kind, target, is_external });
        self.relationships.len()
    }

    /// Writes text; its links become relationships.
    fn text(
        &mut self,
        incremental: bool,
        size: Option<u32>,
        write: impl FnOnce(&mut TextWriter<'_>),
    ) -> Written {
        let labels = Rc::clone(&self.labels);
        let is_slide = |label: &str| labels.contains_key(label);
        let mut writer = TextWriter::new(self.footnotes.len(), self.relationships.len() + 1)
            .incremental(incremental)
            .within(&is_slide);
        if let Some(size) = size {
            writer = writer.sized(size);
        }
        if self.is_plain {
            writer = writer.without_formulas();
        }
        write(&mut writer);
        let mut found = writer.finish();
        for link in &found.links {
            match link.strip_prefix('#').and_then(|label| labels.get(label)) {
                Some(number) => self.relate("slide", format!("/ppt/slides/slide{number}.xml"), false),
                None => self.relate("hyperlink", link.clone(), true),
            };
        }
        self.footnotes.append(&mut found.notes);
        self.pictures.append(&mut found.pictures);
        found
    }
}

impl Builder<'_> {
    /// Takes the slides of the template out, with their notes.
    fn remove_slides(&mut self) {
        let gone = |name: &String| edit::OF_SLIDES.iter().any(|folder| name.starts_with(folder));
        self.package.parts.retain(|name, _| !gone(name));
    }

    /// Reports that a slide lacks room: once, with the largest need of its columns.
    fn lacks_room(&mut self, of: &Slide, number: usize, need: u32) {
        for (_, lack) in &mut self.lacks {
            if let Lack::Room { slide, percent } = lack
                && *slide == number
            {
                *percent = need.max(*percent);
                return;
            }
        }
        self.lacks.push((of.place, Lack::Room { slide: number, percent: need }));
    }

    /// The layout of a name, or the one that is most like it.
    fn layout(&mut self, name: &str) -> Layout {
        if let Some(found) = self.template.layout(name) {
            return found.clone();
        }
        if self.reported.insert(name.to_owned()) {
            self.lacks.push((Place::default(), Lack::Layout(name.to_owned())));
        }
        let neighbors: &[&str] = match name {
            "Title Slide" => &["Section Header", "Title Only"],
            "Section Header" => &["Title Slide", "Title Only"],
            "Comparison" => &["Two Content", "Title and Content"],
            "Two Content" => &["Comparison", "Title and Content"],
            "Blank" => &["Title Only", "Title and Content"],
            _ => &["Content with Caption", "Title and Text", "Two Content"],
        };
        if let Some(found) = neighbors.iter().find_map(|name| self.template.layout(name)) {
            return found.clone();
        }
        let layouts = &self.template.layouts;
        let usable = layouts.iter().find(|layout| {
            layout.placeholders.iter().any(Placeholder::is_title)
                && layout.placeholders.iter().any(Placeholder::takes_content)
        });
        usable.or(layouts.first()).cloned().unwrap_or(Layout {
            part: String::new(),
            name: String::new(),
            placeholders: Vec::new(),
        })
    }

    fn slide(&mut self, slide: &Slide) {
        let layout = self.layout(slide.layout);
        budget::charge(layout.placeholders.len() as u64 * PLACEHOLDER);
        let number = self.slides.len() + 1;
        let part = format!("ppt/slides/slide{number}.xml");
        let mut page = Page::new(&self.labels);
        page.relate("slideLayout", format!("/{}", layout.part), false);
        self.background(slide, &mut page);
        let title = layout.placeholders.iter().find(|placeholder| placeholder.is_title());
        if !slide.title.is_empty() {
            let text = self.title(slide, number, title, &mut page);
            match title {
                Some(title) => {
                    let (placeholder, text) = (title.clone(), Frame::new(text.paragraphs));
                    page.add(ShapeKind::Filled { placeholder, rect: None, text });
                }
                None => page.add_lines(self.area(0.05, 0.12), text),
            }
        }
        let content: Vec<&Placeholder> = layout
            .placeholders
            .iter()
            .filter(|placeholder| placeholder.takes_content() || placeholder.kind == "subTitle")
            .collect();
        let areas = self.areas(&content, slide, &layout);
        for (blocks, (placeholder, rect)) in slide.columns.iter().zip(areas) {
            self.column(blocks, placeholder.as_ref(), rect, (number, slide), &mut page);
        }
        for placed in &slide.placed {
            self.placed(placed, slide, &mut page);
        }
        self.footnotes(&mut page);
        let missing = std::mem::take(&mut page.pictures);
        self.lacks.extend(missing.into_iter().map(|(place, name)| (place, Lack::Picture(name))));
        for placeholder in layout.placeholders.iter().filter(|placeholder| placeholder.kind == "sldNum") {
            if slide.layout != "Title Slide" && self.metadata.is_not_false("slide-number") {
                let has_own_ground = page.drawing.is_dark.is_some();
                let pieces = vec![Piece::SlideNumber { number, has_own_ground }];
                let number = Paragraph { pieces, ..Paragraph::default() };
                let (placeholder, text) = (placeholder.clone(), Frame::new(vec![number]));
                page.add(ShapeKind::Filled { placeholder, rect: None, text });
            }
        }
        if !slide.notes.is_empty() {
            self.speaker_notes(slide, number, &mut page);
        }
        self.package.put(part.clone(), xml_of::slide(&page.drawing));
        let relationships = xml_of::relationships(&page.relationships);
        self.package.put(format!("ppt/slides/_rels/slide{number}.xml.rels"), relationships);
        self.slides.push(part);
    }

    /// The title of a slide, smaller where it would not fit.
    fn title(
        &mut self,
        slide: &Slide,
        number: usize,
        placeholder: Option<&Placeholder>,
        page: &mut Page,
    ) -> Written {
        let Some(placeholder) = placeholder.filter(|placeholder| placeholder.rect.height > 0) else {
            return page.text(false, None, |writer| writer.line(&slide.title));
        };
        let (rect, sizes) = (placeholder.rect, placeholder.sizes);
        let length = [(plain(&slide.title).chars().count(), 0)];
        let percent = |scale: &u32| needed(&length, rect, sizes.scaled(*scale));
        let scale = (SMALLEST_TITLE..=100).rev().step_by(5).find(|scale| percent(scale) <= 100);
        let scale = scale.unwrap_or(SMALLEST_TITLE);
        // Titles that are a little smaller are usual.
        if scale < 60 {
            self.lacks_room(slide, number, needed(&length, rect, sizes));
        }
        let size = (scale < 100).then(|| sizes.scaled(scale).of(0));
        page.text(false, size, |writer| writer.line(&slide.title))
    }

    /// A part of the slide, by shares of its height.
    fn area(&self, top: f64, height: f64) -> Rect {
        let (width, total) = (self.template.width, self.template.height);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "sizes are far below the limits of integers"
        )]
        let of = |share: f64| (total as f64 * share) as i64;
        Rect { x: width / 20, y: of(top), width: width * 9 / 10, height: of(height) }
    }

    /// Where each column goes.
    fn areas(
        &self,
        content: &[&Placeholder],
        slide: &Slide,
        layout: &Layout,
    ) -> Vec<(Option<Placeholder>, Rect)> {
        let whole = self.area(0.27, 0.63);
        let columns = slide.columns.len();
        let mut usable: Vec<&Placeholder> = content.to_vec();
        if layout.name.eq_ignore_ascii_case("Comparison") && usable.len() >= 4 {
            // Its captions are above its contents; a column fills the larger one.
            usable = vec![usable[1], usable[3]];
        }
        if columns > 1 && usable.len() < columns {
            let around = usable.first().map_or(whole, |placeholder| placeholder.rect);
            let gap = self.template.width / 50;
            let width = (around.width - gap * (columns as i64 - 1)) / columns as i64;
            return (0..columns)
                .map(|column| {
                    let rect = Rect { x: around.x + (width + gap) * column as i64, width, ..around };
                    (usable.get(column).map(|found| (*found).clone()), rect)
                })
                .collect();
        }
        (0..columns)
            .map(|column| match usable.get(column) {
                Some(placeholder) => {
                    let rect = if placeholder.rect == Rect::default() { whole } else { placeholder.rect };
                    (Some((*placeholder).clone()), rect)
                }
                None => (None, whole),
            })
            .collect()
    }

    /// Text, pictures and tables of a column, one below the other.
    fn column(
        &mut self,
        blocks: &[Block],
        placeholder: Option<&Placeholder>,
        rect: Rect,
        (number, slide): (usize, &Slide),
        page: &mut Page,
    ) {
        let blocks = unfolded(blocks);
        let blocks: Vec<Block> = blocks.iter().filter_map(|block| self.with_pictures(block, slide)).collect();
        let mut groups: Vec<(bool, Vec<&Block>)> = Vec::new();
        for block in &blocks {
            let is_alone = is_graphic(block) || callout(block).is_some();
            match groups.last_mut() {
                Some((false, last)) if !is_alone => last.push(block),
                _ => groups.push((is_alone, vec![block])),
            }
        }
        let incremental = self.metadata.is_true("incremental");
        let is_subtitle = placeholder.is_some_and(|placeholder| placeholder.kind == "subTitle");
        let sizes = placeholder.map_or(TextSizes::USUAL, |placeholder| placeholder.sizes);
        let mut boxes = 0;
        let parts: Vec<Part> = groups
            .into_iter()
            .map(|(is_alone, blocks)| {
                if let Some((kind, inner)) = callout(blocks[0]) {
                    let size = sizes.scaled(CALLOUT).of(0);
                    let text = page.text(incremental, Some(size), |writer| writer.blocks(inner));
                    return Part::Callout(kind, text);
                }
                if is_alone {
                    return Part::Graphic(blocks[0]);
                }
                let blocks: Vec<Block> = blocks.into_iter().cloned().collect();
                boxes += 1;
                // Text in further boxes is as large as that in the placeholder.
                let own = (boxes > 1).then(|| sizes.of(0));
                Part::Text(page.text(incremental, own, |writer| {
                    if !is_subtitle {
                        return writer.blocks(&blocks);
                    }
                    for block in &blocks {
                        if let Block::Para(inlines) | Block::Plain(inlines) = block {
                            writer.line(inlines);
                        }
                    }
                }))
            })
            .collect();
        let weights = shares(&parts, rect, sizes);
        let is_own = |part: &Part| matches!(part, Part::Callout(..) | Part::Graphic(Block::Table(_)));
        // Callouts and tables are as high as their text, and what follows is below them.
        let total: i64 = weights.iter().sum::<i64>().max(if parts.iter().any(is_own) { 80 } else { 1 });
        let mut top = rect.y;
        let mut used = false;
        let mut most = 0;
        for (part, weight) in parts.into_iter().zip(weights) {
            let height = rect.height * weight / total;
            let own = Rect { y: top, height, ..rect };
            top += height;
            let text = match part {
                Part::Graphic(block) => {
                    most = most.max(self.graphic(block, own, page, slide));
                    continue;
                }
                Part::Callout(kind, text) => {
                    most = most.max(boxed(kind, text, own, sizes, page));
                    continue;
                }
                Part::Text(text) => text,
            };
            let percent = needed(&text.lengths, own, sizes);
            let scale = (percent > 100).then(|| (10_000 / percent).clamp(40, 99));
            most = most.max(percent);
            let count = text.paragraphs.len();
            let text_frame = Frame { paragraphs: text.paragraphs, scale };
            let shape = page.add(match placeholder.filter(|_| !used) {
                Some(placeholder) => ShapeKind::Filled {
                    placeholder: placeholder.clone(),
                    rect: (own != placeholder.rect).then_some(own),
                    text: text_frame,
                },
                None => ShapeKind::Text { rect: own, look: Look::Content, text: text_frame },
            });
            used = true;
            if !text.steps.is_empty() && page.drawing.steps.is_none() {
                page.drawing.steps = Some(Steps { shape, starts: text.steps, paragraphs: count });
            }
        }
        if most > 100 {
            self.lacks_room(slide, number, most);
        }
    }

    /// Puts what has a position of its own on a slide.
    fn placed(&mut self, placed: &Placed, slide: &Slide, page: &mut Page) {
        let blocks: Vec<Block> =
            placed.blocks.iter().filter_map(|block| self.with_pictures(block, slide)).collect();
        let size = (self.template.width, self.template.height);
        if let [block] = blocks.as_slice()
            && is_graphic(block)
        {
            let image = match block {
                Block::Figure(_, _, inner) => pictures(inner).first().map(|(image, _)| *image),
                block => only_image(block),
            };
            let found = match image {
                Some(Inline::Image(_, _, target)) => {
                    self.found(&target.url).map(|media| media.picture.size())
                }
                _ => None,
            };
            let half = |width: i64| width / 2;
            let natural = found.map_or(Natural::Text(size.0, &half), Natural::Picture);
            let rect = placed::rect(&placed.attr, size, &natural);
            self.graphic(block, rect, page, slide);
            return;
        }
        let sizes = self.template.content().1;
        let text = page.text(false, Some(sizes.of(0)), |writer| writer.blocks(&blocks));
        let whole = Rect { width: size.0, height: size.1, ..Rect::default() };
        let height = |width: i64| text_height(&text.lengths, Rect { width, ..whole }, sizes);
        let longest = text.lengths.iter().map(|(length, level)| {
            (*length as i64 + 2) * i64::from(sizes.of(*level)) * POINT * 6 / 1000 + 2 * INSET
        });
        let natural = Natural::Text(longest.max().unwrap_or(0), &height);
        let rect = placed::rect(&placed.attr, size, &natural);
        let text = Frame::new(text.paragraphs);
        page.add(ShapeKind::Text { rect, look: Look::Content, text });
    }

    /// Gives how many percent of the rectangle's height it takes.
    fn graphic(&mut self, block: &Block, rect: Rect, page: &mut Page, slide: &Slide) -> u32 {
        match block {
            Block::Table(table) => {
                let caption = table.caption.clone();
                let below = if caption.is_empty() { 0 } else { 400_000.min(rect.height / 4) };
                let size = TableSize::fitting(table, Rect { height: rect.height - below, ..rect });
                let height = size.height();
                let drawn = tables::drawn(table, rect.width, &size, &mut |blocks| {
                    page.text(false, Some(size.text), |writer| writer.blocks(blocks)).paragraphs
                });
                page.add(ShapeKind::Table { rect: Rect { height, ..rect }, table: drawn });
                Self::caption(&caption, Rect { y: rect.y + height, height: below, ..rect }, page);
                return u32::try_from((height + below) * 100 / rect.height.max(1)).unwrap_or(u32::MAX);
            }
            Block::Figure(_, caption, inner) => {
                let images = pictures(inner);
                let below = if caption.is_empty() { 0 } else { 400_000.min(rect.height / 4) };
                let gap = if images.len() > 1 { rect.width / 40 } else { 0 };
                let count = images.len().max(1) as i64;
                let width = (rect.width - gap * (count - 1)) / count;
                let mut end = rect.y;
                for (index, (image, caption)) in images.iter().enumerate() {
                    let x = rect.x + (width + gap) * index as i64;
                    let own = Rect { x, width, height: rect.height - below, ..rect };
                    let under = if caption.is_empty() { 0 } else { 300_000.min(own.height / 4) };
                    let bottom = self.picture(image, Rect { height: own.height - under, ..own }, page, slide);
                    Self::caption(caption, Rect { y: bottom, height: under, ..own }, page);
                    end = end.max(bottom + under);
                }
                let y = end.min(rect.y + rect.height - below);
                Self::caption(caption, Rect { y, height: below, ..rect }, page);
            }
            block => {
                if let Some(image) = only_image(block) {
                    self.picture(image, rect, page, slide);
                }
            }
        }
        0
    }

    fn caption(caption: &[Inline], rect: Rect, page: &mut Page) {
        if caption.is_empty() {
            return;
        }
        let text = page.text(false, Some(1200), |writer| writer.centered(caption));
        page.add_lines(rect, text);
    }

    /// Puts a picture or its words into a rectangle, and gives where it ends.
    fn picture(&mut self, image: &Inline, rect: Rect, page: &mut Page, slide: &Slide) -> i64 {
        let Inline::Image(attr, words, target) = image else { return rect.y };
        let place = if attr.place == Place::default() { slide.place } else { attr.place };
        let Some((relationship, picture)) = self.media(&target.url, page) else {
            let shown = if target.url.starts_with("data:") { "inline picture" } else { target.url.as_str() };
            self.lacks.push((place, Lack::Picture(shown.to_owned())));
            let text = page.text(false, None, |writer| writer.line(words));
            page.add_lines(rect, text);
            return rect.y + rect.height;
        };
        let (width, height) = (i64::from(picture.width), i64::from(picture.height));
        let wide = width * rect.height > height * rect.width;
        let (mut fit_width, mut fit_height) = if wide {
            (rect.width, rect.width * height / width)
        } else {
            (rect.height * width / height, rect.height)
        };
        let pixel = placed::pixel((self.template.width, self.template.height)).2;
        let asked = placed::length(attr.get("width"), rect.width, pixel).or_else(|| {
            placed::length(attr.get("height"), rect.height, pixel).map(|asked| asked * width / height)
        });
        // Pictures are as large as there is room for, unless the author wants them smaller.
        if let Some(asked) = asked.filter(|asked| (1..fit_width).contains(asked)) {
            (fit_width, fit_height) = (asked, asked * height / width);
        }
        let own = Rect {
            x: rect.x + (rect.width - fit_width) / 2,
            y: rect.y + (rect.height - fit_height) / 2,
            width: fit_width.max(1),
            height: fit_height.max(1),
        };
        let alternative = attr.alternative().map_or_else(|| plain(words), str::to_owned);
        page.add(ShapeKind::Picture { rect: own, relationship, alternative });
        own.y + own.height
    }

    /// A block whose pictures can be shown. Words stand for a picture that cannot, so that it takes the room of
    /// its words and not that of a picture; nothing where there are no words.
    fn with_pictures(&mut self, block: &Block, slide: &Slide) -> Option<Block> {
        let mut missing = |image: &Inline| match image {
            Inline::Image(_, _, target) => self.found(&target.url).is_none(),
            _ => false,
        };
        let images: Vec<&Inline> = match block {
            Block::Figure(_, _, inner) => pictures(inner).into_iter().map(|(image, _)| image).collect(),
            block => only_image(block).into_iter().collect(),
        };
        if images.is_empty() || !images.iter().all(|image| missing(image)) {
            return Some(block.clone());
        }
        let mut shown = Vec::new();
        for image in images {
            let Inline::Image(attr, words, target) = image else { continue };
            let place = if attr.place == Place::default() { slide.place } else { attr.place };
            let name = if target.url.starts_with("data:") { "inline picture" } else { target.url.as_str() };
            self.lacks.push((place, Lack::Picture(name.to_owned())));
            shown.clone_from(words);
        }
        if let Block::Figure(_, caption, _) = block
            && !caption.is_empty()
        {
            shown.clone_from(caption);
        }
        (!shown.is_empty()).then(|| Block::Para(vec![Inline::Emph(shown)]))
    }

    /// Puts a picture into the file; gives its relationship.
    fn media(&mut self, url: &str, page: &mut Page) -> Option<(usize, Size)> {
        let number = self.pictures + 1;
        let found = self.found(url)?;
        let size = found.picture.size();
        let part = match &found.part {
            Some(part) => part.clone(),
            None => {
                let part = format!("ppt/media/picture{number}.{}", found.picture.extension);
                found.part = Some(part.clone());
                let bytes = Arc::clone(&found.picture.bytes);
                self.package.put_shared(part.clone(), bytes);
                self.pictures = number;
                part
            }
        };
        Some((page.relate("image", format!("/{part}"), false), size))
    }

    /// The picture of an address, which is read once.
    fn found(&mut self, url: &str) -> Option<&mut Media> {
        if !self.media.contains_key(url) {
            let picture = (self.image)(url).and_then(Picture::read);
            let media = picture.map(|picture| Media { picture, part: None });
            self.media.insert(url.to_owned(), media);
        }
        self.media.get_mut(url)?.as_mut()
    }

    /// The background that the heading of a slide sets.
    fn background(&mut self, slide: &Slide, page: &mut Page) {
        if let Some(color) = slide.attr.get("background-color").and_then(rgb) {
            page.drawing.is_dark = Some(is_dark(color));
            page.drawing.background = Some(Background::Color(color));
            return;
        }
        let Some(url) = slide.attr.get("background-image").map(str::to_owned) else { return };
        match self.media(&url, page) {
            Some((relationship, _)) => page.drawing.background = Some(Background::Picture(relationship)),
            None => self.lacks.push((slide.place, Lack::Picture(url))),
        }
    }

    /// The notes of a slide's text, at its bottom.
    fn footnotes(&mut self, page: &mut Page) {
        let notes = std::mem::take(&mut page.footnotes);
        if notes.is_empty() {
            return;
        }
        let text = page.text(false, Some(1000), |writer| {
            for (index, note) in notes.iter().enumerate() {
                let mut line = words(&format!("{}.", index + 1));
                line.push(Inline::Space);
                line.extend(note.iter().cloned());
                writer.line(&line);
            }
        });
        let height = 180_000 * notes.len().min(5) as i64 + 90_000;
        let bottom = self.template.height * 93 / 100;
        let rect = Rect {
            x: self.template.width / 20,
            y: bottom - height,
            width: self.template.width * 9 / 10,
            height,
        };
        page.add_lines(rect, text);
    }

    fn speaker_notes(&mut self, slide: &Slide, number: usize, page: &mut Page) {
        let master = &self.template.notes_master;
        self.notes += 1;
        let part = format!("ppt/notesSlides/notesSlide{}.xml", self.notes);
        let mut own = Page { is_plain: true, ..Page::default() };
        own.relate("notesMaster", format!("/{master}"), false);
        own.relate("slide", format!("/ppt/slides/slide{number}.xml"), false);
        let text = own.text(false, None, |writer| writer.blocks(&slide.notes));
        self.package.put(part.clone(), xml_of::notes(&text.paragraphs));
        let name = format!("ppt/notesSlides/_rels/notesSlide{}.xml.rels", self.notes);
        self.package.put(name, xml_of::relationships(&own.relationships));
        page.relate("notesSlide", format!("/{part}"), false);
    }

    /// Lists the slides in the presentation and in the list of content types.
    fn finish(&mut self, slides: &[Slide]) -> Result<(), String> {
        let main = self.template.presentation.clone();
        edit::list_slides(&mut self.package, &main, &self.slides)?;
        edit::list_types(&mut self.package, self.slides.len(), self.notes)?;
        let title = slides.first().map(|slide| plain(&slide.title)).unwrap_or_default();
        let people: Vec<String> = authors(self.metadata).into_iter().map(|author| author.name).collect();
        edit::set_properties(&mut self.package, &title, &people.join("; "));
        Ok(())
    }
}

/// The image that a block consists of.
fn only_image(block: &Block) -> Option<&Inline> {
    let (Block::Para(inlines) | Block::Plain(inlines)) = block else { return None };
    match inlines.as_slice() {
        [image @ Inline::Image(..)] => Some(image),
        [Inline::Link(_, inner, _)] => match inner.as_slice() {
            [image @ Inline::Image(..)] => Some(image),
            _ => None,
        },
        _ => None,
    }
}

/// Blocks in which figures without pictures, such as those of code or tables, are their content and their caption.
fn unfolded(blocks: &[Block]) -> Vec<Block> {
    let mut out = Vec::new();
    for block in blocks {
        match block {
            Block::Figure(_, caption, inner) if pictures(inner).is_empty() => {
                out.extend(unfolded(inner));
                out.extend((!caption.is_empty()).then(|| Block::Para(caption.clone())));
            }
            other => out.push(other.clone()),
        }
    }
    out
}

/// A picture of a figure, with its own caption.
type Captioned<'b> = (&'b Inline, &'b [Inline]);

/// The pictures of a figure, also those of figures in it.
fn pictures(blocks: &[Block]) -> Vec<Captioned<'_>> {
    let mut out = Vec::new();
    for block in blocks {
        match block {
            Block::Figure(_, caption, inner) => {
                let mut found = pictures(inner);
                if let [(_, own)] = found.as_mut_slice() {
                    *own = caption;
                }
                out.extend(found);
            }
            Block::Div(_, inner) => out.extend(pictures(inner)),
            block => out.extend(only_image(block).map(|image| (image, [].as_slice()))),
        }
    }
    out
}

/// The kind and the content of a callout.
fn callout(block: &Block) -> Option<(&str, &[Block])> {
    let Block::Div(attr, inner) = block else { return None };
    attr.has_class(callouts::BOX).then(|| (attr.get("callout").unwrap_or_default(), inner.as_slice()))
}

/// The rectangle of the text of a callout.
fn inside(rect: Rect) -> Rect {
    Rect { width: rect.width - 2 * xml_of::CALLOUT_MARGIN, height: rect.height - CALLOUT_SPACE, ..rect }
}

/// Draws a callout at the top of a rectangle, as high as its text; gives how many percent of the rectangle it takes.
fn boxed(kind: &str, text: Written, rect: Rect, sizes: TextSizes, page: &mut Page) -> u32 {
    let percent = needed(&text.lengths, inside(rect), sizes.scaled(CALLOUT));
    let scale = (percent > 100).then(|| (10_000 / percent).clamp(40, 99));
    let gap = (rect.height / 10).min(CALLOUT_SPACE / 2);
    let height =
        (inside(rect).height * i64::from(percent) / 100 + CALLOUT_SPACE / 2).min(rect.height - gap).max(1);
    let (line, ground) = callouts::colors(kind);
    page.add(ShapeKind::Text {
        rect: Rect { y: rect.y + gap / 2, height, ..rect },
        look: Look::Callout { line, ground },
        text: Frame { paragraphs: text.paragraphs, scale },
    });
    percent
}

/// A part of a column: text, a callout, or a table, picture or diagram.
enum Part<'b> {
    Text(Written),
    Callout(&'b str, Written),
    Graphic(&'b Block),
}

impl Part<'_> {
    /// The share of the height of a column that it needs, in percent; pictures take what text leaves.
    fn need(&self, column: Rect, sizes: TextSizes) -> i64 {
        match self {
            Part::Text(text) => i64::from(needed(&text.lengths, column, sizes)).clamp(5, 400),
            Part::Callout(_, text) => {
                let percent = i64::from(needed(&text.lengths, inside(column), sizes.scaled(CALLOUT)));
                (percent + CALLOUT_SPACE * 100 / column.height.max(1)).clamp(5, 400)
            }
            Part::Graphic(Block::Table(table)) => {
                let height = TableSize::preferred(table, column.width).height();
                let caption = if table.caption.is_empty() { 0 } else { 10 };
                (height * 100 / column.height.max(1) + caption).clamp(5, 400)
            }
            Part::Graphic(_) => 70,
        }
    }

    /// The share below which it cannot be read.
    fn least(&self, column: Rect) -> i64 {
        match self {
            Part::Graphic(Block::Table(table)) => {
                let height = TableSize::legible(table, column.width).height();
                let caption = if table.caption.is_empty() { 0 } else { 10 };
                height * 100 / column.height.max(1) + 1 + caption
            }
            Part::Graphic(_) | Part::Text(_) | Part::Callout(..) => 0,
        }
    }
}

/// The shares of the height of a column that its parts get. Where there is too little of it, text becomes small before
/// tables cannot be read.
fn shares(parts: &[Part<'_>], column: Rect, sizes: TextSizes) -> Vec<i64> {
    let needs: Vec<i64> = parts.iter().map(|part| part.need(column, sizes)).collect();
    let total: i64 = needs.iter().sum();
    if total <= 100 {
        return needs;
    }
    let least: Vec<i64> = parts.iter().map(|part| part.least(column)).collect();
    let kept: i64 = least.iter().sum();
    if kept == 0 || kept > 70 {
        return needs;
    }
    let rest: i64 = needs.iter().zip(&least).map(|(need, least)| (need - least).max(0)).sum();
    let share = |(need, least): (&i64, &i64)| least + (need - least).max(0) * (100 - kept) / rest.max(1);
    needs.iter().zip(&least).map(share).collect()
}

/// Whether white text has more contrast with a color than black text has (WCAG 2.2, relative luminance).
fn is_dark(color: [u8; 3]) -> bool {
    let part = |value: u8| {
        let value = f64::from(value) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    let [red, green, blue] = color.map(part);
    let luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05
}

/// The height that a block takes in a column, in English Metric Units; what a slide has beside its columns takes none.
fn height_of(block: &Block, column: Rect, sizes: TextSizes) -> i64 {
    let written = |blocks: &[Block]| {
        let mut writer = TextWriter::new(0, 1);
        writer.blocks(blocks);
        writer.finish()
    };
    if let Some((kind, inner)) = callout(block) {
        return Part::Callout(kind, written(inner)).need(column, sizes) * column.height / 100;
    }
    match block {
        Block::Div(attr, _) if attr.has_class("notes") => 0,
        Block::Div(attr, inner) if attr.has_class("columns") => {
            let half = Rect { width: column.width / 2, ..column };
            inner.iter().map(|block| height_of(block, half, sizes)).max().unwrap_or(0)
        }
        Block::Div(_, inner) => inner.iter().map(|block| height_of(block, column, sizes)).sum(),
        block if is_graphic(block) => Part::Graphic(block).need(column, sizes) * column.height / 100,
        block => text_height(&written(std::slice::from_ref(block)).lengths, column, sizes),
    }
}

/// Percent of a rectangle's height that text needs.
fn needed(lengths: &[(usize, u32)], rect: Rect, sizes: TextSizes) -> u32 {
    u32::try_from(text_height(lengths, rect, sizes) * 100 / rect.height.max(1)).unwrap_or(u32::MAX)
}

/// The height of text in a rectangle, in English Metric Units.
fn text_height(lengths: &[(usize, u32)], rect: Rect, sizes: TextSizes) -> i64 {
    lengths
        .iter()
        .map(|(length, level)| {
            let size = i64::from(sizes.of(*level) / 100);
            let width = (rect.width / POINT - i64::from(*level) * 36 - 40).max(40);
            let per_line = (width * 2 / size).max(1);
            let lines = (*length as i64).div_euclid(per_line) + 1;
            lines * size * POINT * 12 / 10 + 5 * POINT
        })
        .sum()
}

#[cfg(test)]
mod tests;
