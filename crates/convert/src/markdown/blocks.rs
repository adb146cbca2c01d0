//! Blocks as Markdown.

use std::fmt::Write as _;

use super::{Writer, escape, is_worth_a_tag, slug};
use crate::budget;
use crate::{
    html,
    math::is_environment,
    model::{Attr, Block, Inline, NumberDelimiter, Numbering, plain},
};

impl Writer {
    /// Blocks, with empty lines between them.
    pub(crate) fn blocks(&mut self, blocks: &[Block]) -> String {
        let mut out = String::new();
        let mut previous: Option<&Block> = None;
        for block in budget::within(blocks) {
            let text = self.block(block);
            budget::charge(text.len() as u64 / 4);
            if text.is_empty() {
                continue;
            }
            if let Some(previous) = previous {
                out.push_str(separator(previous, block));
            }
            out.push_str(&text);
            previous = Some(block);
        }
        out
    }

    fn block(&mut self, block: &Block) -> String {
        match block {
            Block::Plain(inner) | Block::Para(inner) => self.paragraph(inner),
            Block::LineBlock(lines) => {
                let lines: Vec<String> = lines.iter().map(|line| self.line(line)).collect();
                lines.join("\\\n")
            }
            Block::Code(attr, text) => code(attr, text),
            Block::Raw { text, .. } if is_environment(text) => format!("$$\n{}\n$$", text.trim()),
            Block::Raw { text, .. } => text.trim_matches('\n').to_owned(),
            Block::Quote(inner) => quoted(&self.blocks(inner)),
            Block::BulletList(items) => self.list(items, |_| "- ".to_owned()),
            Block::OrderedList(numbering, items) => {
                let numbering = *numbering;
                self.list(items, |index| marker(numbering, index))
            }
            Block::DefinitionList(items) => self.definitions(items),
            Block::Header(level, attr, inner) => self.header(*level, attr, inner),
            Block::Rule => "***".to_owned(),
            Block::Table(table) => self.table(table),
            Block::Figure(attr, caption, inner) => self.figure(attr, caption, inner),
            Block::Div(attr, inner) => {
                let content = self.blocks(inner);
                if is_worth_a_tag(attr) {
                    let attr = Attr { classes: vec![], ..attr.clone() };
                    let content = if content.is_empty() { content } else { format!("{content}\n\n") };
                    format!("<div{}>\n\n{content}</div>", html::attributes(&attr))
                } else {
                    content
                }
            }
        }
    }

    /// A picture has its caption as its words. A picture with another alternative text, and other content, is in a figure.
    fn figure(&mut self, attr: &Attr, caption: &[Inline], inner: &[Block]) -> String {
        let is_its_caption = |image: &Attr| {
            let alternative = image.alternative();
            caption.is_empty() || alternative.is_none_or(|alternative| alternative == plain(caption))
        };
        if let [Block::Plain(inlines) | Block::Para(inlines)] = inner
            && let [Inline::Image(own, words, target)] = inlines.as_slice()
            && is_its_caption(own)
        {
            let id = if own.id.is_empty() { &attr.id } else { &own.id };
            let words = if caption.is_empty() { words.as_slice() } else { caption };
            return self.line(&[Inline::image(own.clone().with_id(id), words.to_vec(), target.clone())]);
        }
        let attr = Attr { classes: vec![], pairs: vec![], ..attr.clone() };
        let content = self.blocks(inner);
        let caption = self.line(caption);
        let caption = if caption.is_empty() {
            String::new()
        } else {
            format!("<figcaption>\n\n{caption}\n\n</figcaption>\n\n")
        };
        format!("<figure{}>\n\n{content}\n\n{caption}</figure>", html::attributes(&attr))
    }

    /// A formula on its own has lines of its own.
    fn paragraph(&mut self, inner: &[Inline]) -> String {
        match inner {
            [Inline::Math { display: true, tex, .. }] => format!("$$\n{}\n$$", tex.trim()),
            inner => self.line(inner),
        }
    }

    fn header(&mut self, level: u8, attr: &Attr, inner: &[Inline]) -> String {
        let number = attr.get("number").map(|number| format!("{number} ")).unwrap_or_default();
        let text = self.line(inner).replace('\n', " ");
        // Number signs at the end would close the heading.
        let text = match text.strip_suffix('#') {
            Some(rest) if !rest.ends_with('\\') => format!("{rest}\\#"),
            _ => text,
        };
        let marks = "#".repeat(usize::from(level.clamp(1, 6)));
        let own = slug(&format!("{number}{}", plain(inner)));
        if attr.id != own && self.targets.contains(&attr.id) {
            let id = html::escape(&attr.id);
            return format!("<a id=\"{id}\"></a>\n\n{marks} {number}{text}");
        }
        format!("{marks} {number}{text}")
    }

    /// A list is loose where an item begins with a paragraph.
    fn list(&mut self, items: &[Vec<Block>], marker: impl Fn(usize) -> String) -> String {
        let is_loose = items.iter().any(|item| matches!(item.first(), Some(Block::Para(_))));
        let mut written = Vec::with_capacity(items.len());
        for (index, item) in budget::within(items).enumerate() {
            let marker = marker(index);
            let text = self.item(item);
            let text = indented(&text, marker.len());
            written.push(if text.is_empty() {
                marker.trim_end().to_owned()
            } else {
                format!("{marker}{text}")
            });
        }
        written.join(if is_loose { "\n\n" } else { "\n" })
    }

    /// An item of a list, with the mark of a task.
    fn item(&mut self, item: &[Block]) -> String {
        let task = if self.dialect.tasks { html::task(item) } else { None };
        let text = self.blocks(item);
        match task {
            Some(done) => {
                let rest = text.trim_start_matches(['☐', '☒']).trim_start();
                format!("[{}] {rest}", if done { 'x' } else { ' ' })
            }
            None => text,
        }
    }

    fn definitions(&mut self, items: &[(Vec<Inline>, Vec<Vec<Block>>)]) -> String {
        let mut out = "<dl>\n".to_owned();
        for (term, definitions) in items {
            let _ = write!(out, "<dt>\n\n{}\n\n</dt>\n", self.line(term));
            for blocks in definitions {
                let _ = write!(out, "<dd>\n\n{}\n\n</dd>\n", self.blocks(blocks));
            }
        }
        out + "</dl>"
    }
}

/// What is between two blocks: in tight lists no empty line where the second one needs none.
fn separator(previous: &Block, next: &Block) -> &'static str {
    let same_list = matches!(
        (previous, next),
        (Block::BulletList(_), Block::BulletList(_)) | (Block::OrderedList(..), Block::OrderedList(..))
    );
    if same_list {
        // Without a comment they would be one list.
        return "\n\n<!-- -->\n\n";
    }
    let interrupts = match next {
        Block::BulletList(_) | Block::Code(..) | Block::Quote(_) => true,
        Block::OrderedList(numbering, _) => numbering.start == 1,
        _ => false,
    };
    if matches!(previous, Block::Plain(_)) && interrupts { "\n" } else { "\n\n" }
}

/// The lines after the first one with spaces before them.
pub(super) fn indented(text: &str, width: usize) -> String {
    let spaces = " ".repeat(width);
    let mut out = String::with_capacity(text.len());
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
            if !line.is_empty() {
                out.push_str(&spaces);
            }
        }
        out.push_str(line);
    }
    out
}

fn quoted(text: &str) -> String {
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| if line.is_empty() { ">".to_owned() } else { format!("> {line}") })
        .collect();
    lines.join("\n")
}

fn marker(numbering: Numbering, index: usize) -> String {
    let number = (numbering.start as usize).saturating_add(index);
    let end = if numbering.delimiter == NumberDelimiter::Period { '.' } else { ')' };
    format!("{number}{end} ")
}

fn code(attr: &Attr, text: &str) -> String {
    // A cell that is shown with its marks has its language in an attribute.
    let language = attr.get("shown").or_else(|| attr.classes.first().map(String::as_str)).unwrap_or_default();
    let language: String = language.chars().filter(|c| !c.is_whitespace() && *c != '`').collect();
    let space = if language.is_empty() { "" } else { " " };
    let fence = "`".repeat(escape::longest_run(text, '`').max(2) + 1);
    let lines = text.trim_end_matches('\n');
    let lines = if lines.is_empty() { String::new() } else { format!("{lines}\n") };
    format!("{fence}{space}{language}\n{lines}{fence}")
}
