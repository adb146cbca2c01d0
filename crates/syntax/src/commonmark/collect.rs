use std::{cell::RefCell, ops::Range};

use memchr::memmem;
use pulldown_cmark::{BrokenLink, CodeBlockKind, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::{
    fence::Fence,
    heading::Heading,
    link::{self, Definition, Link, LinkKind},
    outline::Outline,
    short::{Places, Short},
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
    let short = Short::new(&text[part.clone()]);
    collect_short(text, part, &short, outline);
}

/// Reads a part of the text, of which the parser gets what is left of it in short.
fn collect_short(text: &str, part: Range<usize>, short: &Short<'_>, outline: &mut Outline) {
    let piece: &str = &short.text;
    let undefined = RefCell::new(Vec::new());
    let broken = |link: BrokenLink<'_>| -> Option<(CowStr<'_>, CowStr<'_>)> {
        if matches!(link.link_type, LinkType::Reference | LinkType::Collapsed) {
            undefined.borrow_mut().push((link.span, link.reference.to_string()));
        }
        None
    };
    // Its blocks and marks are read at once, before it can be interrupted.
    let marks = piece.bytes().filter(|byte| MARKS[usize::from(*byte)]).count();
    let bytes = marks * MARK + short.bytes();
    if !budget::allocate(bytes) || !budget::charge(marks as u64 * MARK_STEPS) {
        return;
    }
    let parser = Parser::new_with_broken_link_callback(piece, OPTIONS, Some(broken));
    if memmem::find(piece.as_bytes(), b"]:").is_some() {
        let mut places = short.places(part.start);
        let definitions = parser.reference_definitions().iter().map(|(name, definition)| Definition {
            name: name.to_owned(),
            range: places.range(&definition.span),
            target: definition.dest.to_string(),
        });
        let first = outline.definitions.len();
        outline.definitions.extend(definitions);
        outline.definitions[first..].sort_by_key(|definition| definition.range.start);
    }
    let urls = link::urls(text, part.clone());
    let mut collector = Collector {
        text,
        places: short.places(part.start),
        outline,
        heading: None,
        link: Vec::new(),
        fence: None,
        quotes: 0,
        urls,
        end: part.end,
    };
    for (event, range) in parser.into_offset_iter() {
        if !budget::charge(1) {
            break;
        }
        collector.event(event, range);
    }
    let Collector { outline, mut places, .. } = collector;
    let undefined = undefined.into_inner().into_iter();
    outline.undefined.extend(undefined.map(|(range, name)| (places.range(&range), name)));
    budget::free(bytes);
}

struct Collector<'c> {
    text: &'c str,
    /// Where in the text the places are that the parser gives.
    places: Places<'c>,
    outline: &'c mut Outline,
    heading: Option<Heading>,
    /// Open links and images, the innermost last.
    link: Vec<Link>,
    fence: Option<Fence>,
    /// How many quotes are open.
    quotes: u32,
    /// Where web addresses may begin in the text not yet passed, the next one last.
    urls: Vec<usize>,
    /// The end of the part of the text that is read.
    end: usize,
}

impl Collector<'_> {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.words(&text, range),
            Event::Code(text) => {
                let range = self.places.range(&range);
                // Shorter code is not a diagram, nor is code in which nothing separates a header from a line.
                if text.len() > 12 && text.contains([';', '\n', ' ']) {
                    budget::push(&mut self.outline.code, range.clone());
                }
                self.words_in_heading(&text, range);
            }
            Event::SoftBreak | Event::HardBreak if self.is_in_words() => {
                let range = self.places.range(&range);
                self.words_in_heading(" ", range);
            }
            Event::InlineHtml(_) => {
                let range = self.places.range(&range);
                budget::push(&mut self.outline.html, range);
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Heading { level, id, .. } => {
                let range = self.places.range(&range);
                self.heading = Some(Heading::new(range, level as u8, id.map(|id| id.to_string())));
            }
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => {
                let range = self.places.range(&range);
                self.fence = Fence::open(self.text, range, &info);
            }
            Tag::HtmlBlock => {
                let range = self.places.range(&range);
                budget::push(&mut self.outline.html, range);
            }
            Tag::BlockQuote(_) => self.quotes += 1,
            Tag::Paragraph if self.quotes == 0 => {
                for paragraph in self.places.paragraphs(self.text, &range) {
                    budget::push(&mut self.outline.paragraphs, paragraph);
                }
            }
            Tag::Link { link_type, dest_url, id, .. } => {
                let range = self.places.range(&range);
                self.link(LinkKind::of(link_type, false), range, &dest_url, &id);
            }
            Tag::Image { link_type, dest_url, id, .. } => {
                let range = self.places.range(&range);
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
            let range = self.places.range(&range);
            fence.add(self.text, range);
            return;
        }
        if self.urls.is_empty() && !self.is_in_words() {
            return;
        }
        let range = self.places.range(&range);
        while let Some(start) = self.urls.pop_if(|start| *start < range.end) {
            if start >= range.start
                && self.link.is_empty()
                && let Some(url) = link::url(&self.text[..self.end], start)
            {
                budget::push(&mut self.outline.bare_urls, url);
            }
        }
        self.words_in_heading(text, range);
    }

    /// Whether a heading or a link is open, which consists of words.
    fn is_in_words(&self) -> bool {
        self.heading.is_some() || !self.link.is_empty()
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str, short: &Short<'_>) -> String {
        let mut outline = Outline::default();
        collect_short(text, 0..text.len(), short, &mut outline);
        format!("{outline:#?}")
    }

    fn assert_same(text: &str) {
        let short = Short::new(text);
        assert_eq!(shown(text, &short), shown(text, &Short::whole(text)), "{text:?} as {:?}", short.text);
    }

    #[test]
    fn words_of_prose_are_left_out() {
        for (text, short) in [
            ("Some words,\nand more.\n\nText.\n\n\nEnd\n", "S\n"),
            ("Some words.\n\n- an item\n- two *items*\n", "S\n\n- a\n- t\n"),
            ("Érable et frêne\n", "É\n"),
            ("Words before `longer code of it`.\nMore\n", "W`longer code of it`.\nMore\n"),
            ("Words before `code` and after.\n`More`\n\n- `x` y\n", "W\n`More`\n\n- `x` y\n"),
            ("A link, `x`, [a](b), after.\n\nText.\n\nText.\n\n[a](b)\n", "A[a](b), after.\n\n[a](b)\n"),
            ("An image !\\![a](b)", "A!\\![a](b)"),
        ] {
            assert_eq!(Short::new(text).text, short, "{text:?}");
        }
    }

    #[test]
    fn what_may_be_more_than_prose_is_whole() {
        for text in [
            "Title of it\n=====\n",
            "Title of it\n---\n",
            "# Heading\n",
            "a row | of cells\n---|---\n",
            "the end of HTML -->\n",
            "[name]: target\n\"title of it\"\n",
            "Words\n~~~\ncode of it\n~~~\n",
            "Words\r\nmore words\r\n",
            "!*[name][of it]",
        ] {
            assert_eq!(Short::new(text).text, text);
        }
    }

    #[test]
    fn runs_of_paragraphs_are_paragraphs() {
        let text = "One is\nhere.\n\nTwo is.\n\n\nThree is\n\n```\nOne in\n\ncode is\n```\n\n    a b\n";
        let outline = read(text, &[]);
        let paragraphs: Vec<&str> = outline.paragraphs.iter().map(|range| &text[range.clone()]).collect();
        assert_eq!(paragraphs, ["One is\nhere.\n", "Two is.\n", "Three is\n"]);
        assert_same(text);
    }

    /// What lines consist of that mean something to CommonMark, and words.
    fn line() -> impl Strategy<Value = String> {
        let parts = [
            "",
            " ",
            "    ",
            "\t",
            "- ",
            "* ",
            "+ ",
            "1. ",
            "12) ",
            "> ",
            "# ",
            "## ",
            "words of it",
            "é à",
            "http://a.b/c_d*e",
            "`",
            "``",
            "```",
            "~~~",
            "<!--",
            "-->",
            "<div>",
            "</div>",
            "<script>",
            "</script>",
            "<a",
            "?>",
            "<?x",
            "[",
            "](",
            "](x)",
            "]: ",
            "[a]: b",
            "[a][b]",
            "![",
            "[^1]",
            "[^1]: ",
            "[ ] ",
            "*",
            "**",
            "_",
            "\\",
            "&amp;",
            "|",
            "|-|-|",
            ":-:",
            "===",
            "---",
            "***",
            "\"",
            "'t'",
            "(",
            ")",
            "!",
            "  ",
            "\r",
            "{#id}",
            "a",
            "z y",
        ];
        prop::collection::vec(prop::sample::select(parts.to_vec()), 0..5).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn prose_in_short_has_the_same_outline(lines in prop::collection::vec(line(), 0..12)) {
            assert_same(&lines.join("\n"));
        }

        #[test]
        fn paragraphs_in_short_have_the_same_outline(groups in prop::collection::vec(prop::collection::vec(line(), 1..3), 0..8)) {
            let groups: Vec<String> = groups.iter().map(|lines| lines.join("\n")).collect();
            assert_same(&groups.join("\n\n"));
        }
    }
}
