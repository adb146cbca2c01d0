//! What a page shows of a Markdown document, so that two versions of it can be compared.

use std::{
    hash::{BuildHasher, Hash, Hasher},
    mem::discriminant,
    ops::Range,
};

use foldhash::quality::{FixedState, FoldHasher};
use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::layout::front_matter;
use crate::budget;

const OPTIONS: Options =
    Options::ENABLE_TABLES.union(Options::ENABLE_FOOTNOTES).union(Options::ENABLE_STRIKETHROUGH);

/// A number that is equal for documents that make the same page: the same blocks, marks and links with the same text. How
/// they are written, and whitespace that no browser shows, do not count.
pub(super) fn digest(text: &str) -> u64 {
    let mut page = Digest::new();
    for event in Parser::new_ext(&text[front_matter::find(text).end..], OPTIONS) {
        if !budget::charge(1) {
            break;
        }
        page.event(event);
    }
    page.finish()
}

/// Where the text of a document can be cut so that both parts are read as they are in the whole: the starts of lines with
/// which a block begins that is in no other one, and the start of the text.
pub(super) fn cuts(text: &str) -> Vec<usize> {
    let start = front_matter::find(text).end;
    let mut cuts = vec![start];
    let mut depth = 0_usize;
    for (event, range) in Parser::new_ext(&text[start..], OPTIONS).into_offset_iter() {
        if !budget::charge(1) {
            return Vec::new();
        }
        if begins(&event, &mut depth) {
            let line = start_of_line(text, start + range.start).max(start);
            if cuts.last() != Some(&line) {
                cuts.push(line);
            }
        }
    }
    cuts
}

/// Whether two versions of a document make the same page, found by reading no more than the blocks around the change.
/// `cuts` are those of the first version. Nothing where that does not decide: where names of links are defined, which count
/// everywhere, and where the change reaches further than the next block.
pub(super) fn is_same(before: &str, cuts: &[usize], after: &str) -> Option<bool> {
    if [before, after].iter().any(|text| memchr::memmem::find(text.as_bytes(), b"]:").is_some()) {
        return None;
    }
    let changed = changed(before, after);
    let first = *cuts.first()?;
    if changed.start < first || front_matter::find(after).end != first {
        return None;
    }
    // The line with which the first block begins is the same in both versions, and nothing but containers that it ends or
    // goes on with is open there.
    let may_begin = |cut: &usize| {
        let end = before[*cut..].find('\n').map_or(before.len(), |end| cut + end + 1);
        *cut == first || (end <= changed.start && is_below_blank(before, *cut))
    };
    let position = cuts.partition_point(|cut| *cut < changed.start);
    let from = *cuts[..position.max(1)].iter().rev().find(|cut| may_begin(cut))?;
    let later = cuts.partition_point(|cut| *cut < changed.end);
    let until = cuts.get(later).copied().unwrap_or(before.len());
    let end = cuts.get(later + 1).copied().unwrap_or(before.len());
    let moved = |at: usize| (at + after.len()) - before.len();
    let one = digest_until(&before[from..end], until - from)?;
    let other = digest_until(&after[from..moved(end)], moved(until) - from)?;
    Some(one == other)
}

/// The part of the first text that the second one has another part for.
fn changed(before: &str, after: &str) -> Range<usize> {
    let (one, other) = (before.as_bytes(), after.as_bytes());
    let shorter = one.len().min(other.len());
    let same = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let rest = one.iter().rev().zip(other.iter().rev()).take(shorter - same);
    let same_rest = rest.take_while(|(one, other)| one == other).count();
    same..one.len() - same_rest
}

/// What the blocks before an offset show, if a block begins there that is in no other one.
fn digest_until(text: &str, until: usize) -> Option<u64> {
    let mut page = Digest::new();
    let mut depth = 0;
    for (event, range) in Parser::new_ext(text, OPTIONS).into_offset_iter() {
        if !budget::charge(1) {
            return None;
        }
        if begins(&event, &mut depth) && until < text.len() {
            let line = start_of_line(text, range.start);
            if line >= until {
                return (line == until).then(|| page.finish());
            }
        }
        page.event(event);
    }
    (until == text.len()).then(|| page.finish())
}

/// Whether an event begins a block that is in no other one.
fn begins(event: &Event<'_>, depth: &mut usize) -> bool {
    let is_first = *depth == 0;
    match event {
        Event::Start(_) => *depth += 1,
        Event::End(_) => {
            *depth = depth.saturating_sub(1);
            return false;
        }
        _ => {}
    }
    is_first
}

fn start_of_line(text: &str, offset: usize) -> usize {
    memchr::memrchr(b'\n', &text.as_bytes()[..offset]).map_or(0, |end| end + 1)
}

/// Whether the line above has nothing but whitespace.
fn is_below_blank(text: &str, line: usize) -> bool {
    let above = text[..line].strip_suffix('\n').map(|above| &above[start_of_line(above, above.len())..]);
    above.is_some_and(|above| above.trim().is_empty())
}

struct Digest {
    hasher: FoldHasher<'static>,
    /// Text that is not hashed yet: the parser splits it in several pieces.
    text: String,
    /// What is shown of it.
    shown: String,
    in_code: bool,
}

impl Digest {
    fn new() -> Self {
        let hasher = FixedState::default().build_hasher();
        Self { hasher, text: String::new(), shown: String::new(), in_code: false }
    }

    fn finish(mut self) -> u64 {
        self.finish_text();
        self.hasher.finish()
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.add(&text),
            Event::SoftBreak => self.add("\n"),
            Event::Start(tag) => {
                self.finish_text();
                self.in_code = matches!(tag, Tag::CodeBlock(_));
                self.start(&tag);
            }
            Event::End(tag) => {
                // The line end of the last line of a block shows nothing, and the last block of a file may have none.
                if matches!(tag, TagEnd::HtmlBlock | TagEnd::CodeBlock) {
                    let last = self.text.strip_suffix("\r\n").or_else(|| self.text.strip_suffix('\n'));
                    let end = last.map_or(self.text.len(), str::len);
                    self.text.truncate(end);
                }
                self.finish_text();
                self.in_code &= tag != TagEnd::CodeBlock;
                tag.hash(&mut self.hasher);
            }
            Event::Code(code) => {
                self.finish_text();
                ("code", &*code).hash(&mut self.hasher);
            }
            Event::FootnoteReference(name) => {
                self.finish_text();
                ("note", &*name).hash(&mut self.hasher);
            }
            // The options leave no others with text.
            other => {
                self.finish_text();
                discriminant(&other).hash(&mut self.hasher);
            }
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        let hasher = &mut self.hasher;
        match tag {
            // How a link is written is not shown.
            Tag::Link { link_type: LinkType::Email, dest_url, .. } => {
                ("link", &*format!("mailto:{dest_url}"), "").hash(hasher);
            }
            Tag::Link { dest_url, title, .. } => ("link", &**dest_url, &**title).hash(hasher),
            Tag::Image { dest_url, title, .. } => ("image", &**dest_url, &**title).hash(hasher),
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => {
                ("code", info.split_whitespace().next().unwrap_or_default()).hash(hasher);
            }
            Tag::CodeBlock(CodeBlockKind::Indented) => ("code", "").hash(hasher),
            Tag::Heading { level, .. } => ("heading", *level as u8).hash(hasher),
            Tag::List(first) => ("list", first).hash(hasher),
            Tag::Table(columns) => {
                "table".hash(hasher);
                for column in columns {
                    discriminant(column).hash(hasher);
                }
            }
            Tag::FootnoteDefinition(name) => ("note", &**name).hash(hasher),
            other => discriminant(other).hash(hasher),
        }
    }

    fn add(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn finish_text(&mut self) {
        if self.text.is_empty() {
            return;
        }
        if memchr::memchr(b'\r', self.text.as_bytes()).is_some() {
            self.text = self.text.replace("\r\n", "\n");
        }
        if self.in_code {
            self.text.hash(&mut self.hasher);
        } else {
            self.shown.clear();
            collapse(&self.text, &mut self.shown);
            self.shown.hash(&mut self.hasher);
        }
        self.text.clear();
    }
}

/// Adds text with one space for each run of whitespace, and none at the ends of lines, as browsers show it.
fn collapse(text: &str, shown: &mut String) {
    let mut lines = text.split('\n').enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        let is_last = lines.peek().is_none();
        if index > 0 {
            shown.push('\n');
        } else if line.starts_with([' ', '\t']) {
            shown.push(' ');
        }
        let mut is_first = true;
        for word in line.split([' ', '\t']).filter(|word| !word.is_empty()) {
            if !std::mem::take(&mut is_first) {
                shown.push(' ');
            }
            shown.push_str(word);
        }
        if is_last && line.ends_with([' ', '\t']) {
            shown.push(' ');
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{cuts, digest, is_same};

    #[test]
    fn the_way_in_which_a_page_is_written_does_not_count() {
        let same = [
            ("# A\n\n* One\n* Two\n", "A\n=\n\n- One\n- Two\n"),
            ("*a* __b__\n", "_a_ **b**\n"),
            ("1. One\n3. Two\n", "1. One\n2. Two\n"),
            ("[a](b)\n", "[a][]\n\n[a]: b\n"),
            ("---\nx: 1\n---\n\nText \n", "---\nx: 2\n---\nText\n"),
            ("| a | b |\n| - | - |\n| c | d |\n", "a|b\n-|-\nc|d\n"),
            ("# A\n\n<div>b</div>", "# A\n\n<div>b</div>\n"),
            ("```\na", "```\na\r\n"),
        ];
        for (one, other) in same {
            assert_eq!(digest(one), digest(other), "{one:?} {other:?}");
        }
    }

    #[test]
    fn what_a_page_shows_counts() {
        let other = [
            ("- One\n- Two\n", "- One\n\n- Two\n"),
            ("- One\n* Two\n", "- One\n- Two\n"),
            ("2. One\n", "1. One\n"),
            ("    code\n", "code\n"),
            ("```\na\n```\n", "```\na \n```\n"),
            ("```\na\n```\n", "```\na\n\n```\n"),
            ("Text  \nMore\n", "Text\nMore\n"),
        ];
        for (one, other) in other {
            assert_ne!(digest(one), digest(other), "{one:?} {other:?}");
        }
    }

    /// What two versions show, found by looking around the change.
    fn near(before: &str, after: &str) -> Option<bool> {
        is_same(before, &cuts(before), after)
    }

    #[test]
    fn a_change_within_a_block_is_compared_with_the_blocks_around_it() {
        let text = "# A\n\nText\n\n* One\n* Two\n\nMore *text*\n\n1. One\n1. Two\n\nEnd\n";
        let change = |old: &str, new: &str| near(text, &text.replacen(old, new, 1));
        assert_eq!(change("* One\n* Two", "- One\n- Two"), Some(true));
        assert_eq!(change("* One", "- One"), Some(false));
        assert_eq!(change("1. Two", "2. Two"), Some(true));
        assert_eq!(change("1. One", "2. One"), Some(false));
        assert_eq!(change("*text*", "_text_"), Some(true));
        assert_eq!(change("End", "end"), Some(false));
        assert_eq!(change("Text\n", "Text\n\n"), Some(true));
    }

    #[test]
    fn nothing_is_said_where_a_change_may_reach_further() {
        let text = "# A\n\nText\n\nMore\n\nEnd\n";
        assert_eq!(near(text, &text.replace("Text", "```")), None, "the rest is code");
        assert_eq!(near(text, &text.replace("Text", "<!-- text")), None, "the rest is a comment");
        assert_eq!(near(text, &text.replace("Text", "[a]: b")), None, "names count everywhere");
        assert_eq!(near("---\na: b\n---\n\nText\n", "---\na: c\n---\n\nText\n"), None, "front matter");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

        #[test]
        fn looking_around_a_change_gives_what_looking_at_all_gives(
            lines in prop::collection::vec(prop::sample::select(LINES), 1..24),
            at in 0..24_usize,
            edit in prop::sample::select(LINES),
            how in 0..4_u8,
        ) {
            let before = lines.join("\n") + "\n";
            let mut changed = lines.clone();
            let at = at % lines.len();
            match how {
                0 => changed[at] = edit,
                1 => changed.insert(at, edit),
                2 => { changed.remove(at); }
                _ => {
                    let joined = format!("{}{edit}", changed[at]);
                    let after = [&changed[..at], &[joined.as_str()], &changed[at + 1..]].concat().join("\n") + "\n";
                    prop_assert!(near(&before, &after).is_none_or(|same| same == (digest(&before) == digest(&after))));
                    return Ok(());
                }
            }
            let after = changed.join("\n") + "\n";
            if let Some(same) = near(&before, &after) {
                prop_assert_eq!(same, digest(&before) == digest(&after), "{:?} {:?}", before, after);
            }
        }
    }

    /// Lines of which documents are made where every construct meets every other one.
    const LINES: &[&str] = &[
        "",
        "",
        "",
        "",
        " ",
        "Text",
        "  Text",
        "    Text",
        "\tText",
        "* One",
        "- One",
        "+ One",
        "- - One",
        "  - Two",
        "    - Two",
        "1. One",
        "2. One",
        "1) One",
        "> Quote",
        "> - One",
        ">",
        "# Title",
        "#Title",
        "===",
        "---",
        "***",
        "```",
        "~~~",
        "  ```",
        "- ```",
        "> ```",
        "| a | b |",
        "| - | - |",
        "a|b",
        "<!-- a",
        "b -->",
        "<pre>",
        "</pre>",
        "<div>",
        "</div>",
        "<b>a",
        "*a",
        "a*",
        "**a**",
        "`a",
        "a`",
        "[a](b",
        ")",
        "[a]",
        "[a]: b",
        "[^1]",
        "[^1]: a",
        "\\",
        "a  ",
        "a\\",
        "+++",
        "{",
        "}",
        "<script>",
        "<?a",
        "?>",
        "a\r",
        "\r",
    ];
}
