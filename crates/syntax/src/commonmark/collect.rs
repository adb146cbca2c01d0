use std::{cell::RefCell, ops::Range};

use memchr::memmem;
use pulldown_cmark::{BrokenLink, CodeBlockKind, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::{
    fence::Fence,
    heading::Heading,
    link::{self, Definition, Link, LinkKind},
    outline::Outline,
};
use crate::budget;

const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_HEADING_ATTRIBUTES);

/// Bytes that the parser makes a node of.
const MARKS: [bool; 256] = {
    let mut marks = [false; 256];
    let written = b"\n[]*_~`<!&\\|";
    let mut at = 0;
    while at < written.len() {
        marks[written[at] as usize] = true;
        at += 1;
    }
    marks
};

/// Bytes of memory for a mark, and what reading one costs, in steps.
const MARK: usize = 64;
const MARK_STEPS: u64 = 4;

/// Reads `text` as CommonMark that has nothing at the places of `blocks`.
pub fn read(text: &str, blocks: &[Range<usize>]) -> Outline {
    let mut outline = Outline::default();
    let start = blocks.first().filter(|block| block.start == 0).map_or(0, |block| block.end);
    let inner = &blocks[usize::from(start > 0)..];
    if inner.is_empty() {
        collect(text, start..text.len(), &mut outline);
        return outline;
    }
    collect(&without(text, inner), start..text.len(), &mut outline);
    let holds_block = |fence: &Fence| {
        let first = inner.partition_point(|block| block.start < fence.range.start);
        inner.get(first).filter(|block| !fence.closed && block.start < fence.range.end).map(|_| first)
    };
    let unclosed = outline.fences.iter_mut().find_map(|fence| holds_block(fence).map(|first| (fence, first)));
    if let Some((fence, first)) = unclosed {
        // The dialect ends it at the block, so the rest of the document is not lost in it.
        fence.end_at(inner[first].start);
        for (position, block) in inner.iter().enumerate().skip(first) {
            let end = inner.get(position + 1).map_or(text.len(), |next| next.start);
            collect(text, block.end..end, &mut outline);
        }
    }
    outline
}

/// The text with a blank line of the same length in place of each block, so that offsets stay what they
/// are.
fn without(text: &str, blocks: &[Range<usize>]) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut done = 0;
    for block in blocks {
        masked.push_str(&text[done..block.start]);
        let line_end = if text[block.clone()].ends_with('\n') { "\n" } else { "" };
        masked.push_str(&" ".repeat(block.len() - line_end.len()));
        masked.push_str(line_end);
        done = block.end;
    }
    masked.push_str(&text[done..]);
    masked
}

fn collect(text: &str, part: Range<usize>, outline: &mut Outline) {
    let piece = &text[part.clone()];
    let undefined = RefCell::new(Vec::new());
    let broken = |link: BrokenLink<'_>| -> Option<(CowStr<'_>, CowStr<'_>)> {
        if matches!(link.link_type, LinkType::Reference | LinkType::Collapsed) {
            undefined.borrow_mut().push((link.span, link.reference.to_string()));
        }
        None
    };
    // Its blocks and marks are read at once, before it can be interrupted.
    let marks = piece.bytes().filter(|byte| MARKS[usize::from(*byte)]).count();
    if !budget::allocate(marks * MARK) || !budget::charge(marks as u64 * MARK_STEPS) {
        return;
    }
    let parser = Parser::new_with_broken_link_callback(piece, OPTIONS, Some(broken));
    if memmem::find(piece.as_bytes(), b"]:").is_some() {
        let definitions = parser.reference_definitions().iter().map(|(name, definition)| Definition {
            name: name.to_owned(),
            range: shifted(&definition.span, part.start),
            target: definition.dest.to_string(),
        });
        let first = outline.definitions.len();
        outline.definitions.extend(definitions);
        outline.definitions[first..].sort_by_key(|definition| definition.range.start);
    }
    let urls = link::urls(piece);
    let mut collector = Collector {
        text,
        offset: part.start,
        outline,
        heading: None,
        link: Vec::new(),
        fence: None,
        quotes: 0,
        urls,
    };
    for (event, range) in parser.into_offset_iter() {
        if !budget::charge(1) {
            break;
        }
        collector.event(event, range);
    }
    budget::free(marks * MARK);
    let offset = part.start;
    outline
        .undefined
        .extend(undefined.into_inner().into_iter().map(|(range, name)| (shifted(&range, offset), name)));
}

fn shifted(range: &Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

struct Collector<'c> {
    text: &'c str,
    offset: usize,
    outline: &'c mut Outline,
    heading: Option<Heading>,
    /// Open links and images, the innermost last.
    link: Vec<Link>,
    fence: Option<Fence>,
    /// How many quotes are open.
    quotes: u32,
    /// Web addresses of the text not yet passed, the next one last.
    urls: Vec<Range<usize>>,
}

impl Collector<'_> {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        let range = shifted(&range, self.offset);
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.words(&text, range),
            Event::Code(text) => {
                // Shorter code is not a diagram, nor is code in which nothing separates a header from a line.
                if text.len() > 12 && text.contains([';', '\n', ' ']) {
                    budget::push(&mut self.outline.code, range.clone());
                }
                self.words_in_heading(&text, range);
            }
            Event::SoftBreak | Event::HardBreak => self.words_in_heading(" ", range),
            Event::InlineHtml(_) => budget::push(&mut self.outline.html, range),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Heading { level, id, .. } => {
                self.heading = Some(Heading::new(range, level as u8, id.map(|id| id.to_string())));
            }
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => self.fence = Fence::open(self.text, range, &info),
            Tag::HtmlBlock => budget::push(&mut self.outline.html, range),
            Tag::BlockQuote(_) => self.quotes += 1,
            Tag::Paragraph if self.quotes == 0 => budget::push(&mut self.outline.paragraphs, range),
            Tag::Link { link_type, dest_url, id, .. } => {
                self.link(LinkKind::of(link_type, false), range, &dest_url, &id);
            }
            Tag::Image { link_type, dest_url, id, .. } => {
                self.link(LinkKind::of(link_type, true), range, &dest_url, &id);
            }
            _ => {}
        }
    }

    fn link(&mut self, kind: LinkKind, range: Range<usize>, target: &str, name: &str) {
        if let Some(outer) = self.link.last_mut() {
            outer.covers(&range);
        }
        self.link.push(Link::new(kind, range, target, name));
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::BlockQuote(_) => self.quotes -= 1,
            TagEnd::Heading(_) => {
                if let Some(heading) = self.heading.take() {
                    budget::push(&mut self.outline.headings, heading);
                }
            }
            TagEnd::CodeBlock => {
                let text = self.text;
                if let Some(fence) = self.fence.take() {
                    budget::push(&mut self.outline.fences, fence.finished(text));
                }
            }
            TagEnd::Link | TagEnd::Image => {
                let text = self.text;
                if let Some(link) = self.link.pop() {
                    budget::push(&mut self.outline.links, link.finished(text));
                }
            }
            _ => {}
        }
    }

    fn words(&mut self, text: &str, range: Range<usize>) {
        if let Some(fence) = &mut self.fence {
            fence.add(self.text, range);
            return;
        }
        while let Some(url) = self.urls.pop_if(|url| url.start + self.offset < range.end) {
            let url = shifted(&url, self.offset);
            if url.start >= range.start && self.link.is_empty() {
                budget::push(&mut self.outline.bare_urls, url);
            }
        }
        self.words_in_heading(text, range);
    }

    fn words_in_heading(&mut self, text: &str, range: Range<usize>) {
        if let Some(link) = self.link.last_mut() {
            link.covers(&range);
        }
        if let Some(heading) = &mut self.heading {
            heading.add(self.text, text, range);
        }
    }
}
