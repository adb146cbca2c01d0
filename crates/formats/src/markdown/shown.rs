//! What a page shows of a Markdown document, so that two versions of it can be compared.

use std::hash::{DefaultHasher, Hash, Hasher};

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::layout::front_matter;
use crate::budget;

const OPTIONS: Options =
    Options::ENABLE_TABLES.union(Options::ENABLE_FOOTNOTES).union(Options::ENABLE_STRIKETHROUGH);

/// A number that is equal for documents that make the same page: the same blocks, marks and links with the same text. How
/// they are written, and whitespace that no browser shows, do not count.
pub(super) fn digest(text: &str) -> u64 {
    let mut page = Digest { hasher: DefaultHasher::new(), text: String::new(), in_code: false };
    for event in Parser::new_ext(&text[front_matter::find(text).end..], OPTIONS) {
        if !budget::charge(1) {
            break;
        }
        page.event(event);
    }
    page.finish_text();
    page.hasher.finish()
}

struct Digest {
    hasher: DefaultHasher,
    /// Text that is not hashed yet: the parser splits it in several pieces.
    text: String,
    in_code: bool,
}

impl Digest {
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
                self.finish_text();
                self.in_code &= tag != TagEnd::CodeBlock;
                tag.hash(&mut self.hasher);
            }
            Event::Code(code) => {
                self.finish_text();
                ("code", &*code).hash(&mut self.hasher);
            }
            other => {
                self.finish_text();
                format!("{other:?}").hash(&mut self.hasher);
            }
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            // How a link is written is not shown.
            Tag::Link { link_type: LinkType::Email, dest_url, .. } => {
                ("link", &*format!("mailto:{dest_url}"), "").hash(&mut self.hasher);
            }
            Tag::Link { dest_url, title, .. } => ("link", &**dest_url, &**title).hash(&mut self.hasher),
            Tag::Image { dest_url, title, .. } => ("image", &**dest_url, &**title).hash(&mut self.hasher),
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => {
                ("code", info.split_whitespace().next().unwrap_or_default()).hash(&mut self.hasher);
            }
            Tag::CodeBlock(CodeBlockKind::Indented) => ("code", "").hash(&mut self.hasher),
            other => format!("{other:?}").hash(&mut self.hasher),
        }
    }

    fn add(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn finish_text(&mut self) {
        if self.text.is_empty() {
            return;
        }
        let text = std::mem::take(&mut self.text).replace("\r\n", "\n");
        let shown = if self.in_code { text } else { collapsed(&text) };
        shown.hash(&mut self.hasher);
    }
}

/// Text with one space for each run of whitespace, and none at the ends of lines, as browsers show it.
fn collapsed(text: &str) -> String {
    let words = |line: &str| {
        let begins = line.starts_with([' ', '\t']);
        let ends = line.ends_with([' ', '\t']);
        let words: Vec<&str> = line.split([' ', '\t']).filter(|word| !word.is_empty()).collect();
        (begins, words.join(" "), ends)
    };
    let lines: Vec<&str> = text.split('\n').collect();
    let last = lines.len() - 1;
    let mut shown = String::with_capacity(text.len());
    for (index, line) in lines.into_iter().enumerate() {
        let (begins, words, ends) = words(line);
        shown.push_str(if index > 0 {
            "\n"
        } else if begins {
            " "
        } else {
            ""
        });
        shown.push_str(&words);
        shown.push_str(if index == last && ends { " " } else { "" });
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::digest;

    #[test]
    fn the_way_in_which_a_page_is_written_does_not_count() {
        let same = [
            ("# A\n\n* One\n* Two\n", "A\n=\n\n- One\n- Two\n"),
            ("*a* __b__\n", "_a_ **b**\n"),
            ("1. One\n3. Two\n", "1. One\n2. Two\n"),
            ("[a](b)\n", "[a][]\n\n[a]: b\n"),
            ("---\nx: 1\n---\n\nText \n", "---\nx: 2\n---\nText\n"),
            ("| a | b |\n| - | - |\n| c | d |\n", "a|b\n-|-\nc|d\n"),
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
            ("Text  \nMore\n", "Text\nMore\n"),
        ];
        for (one, other) in other {
            assert_ne!(digest(one), digest(other), "{one:?} {other:?}");
        }
    }
}
