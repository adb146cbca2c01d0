//! Tables that are written in HTML, for formats that are not: Quarto reads them as tables of the document.

use super::Context;
use crate::{
    formats::Family,
    model::{Alignment, Attr, Block, Cell, Inline, Place, Rewrite, Table},
    reader,
};

/// Makes tables of raw blocks that consist of one.
pub(super) fn apply(blocks: Vec<Block>, context: &Context<'_>) -> Vec<Block> {
    let reads_html = matches!(
        context.family(),
        Family::Html | Family::Epub | Family::Markdown | Family::Ipynb | Family::Wiki
    );
    if reads_html { blocks } else { HtmlTables.rewrite(blocks) }
}

struct HtmlTables;

impl Rewrite for HtmlTables {
    fn blocks(&mut self, blocks: Vec<Block>) -> Vec<Block> {
        let read = |block: Block| match &block {
            Block::Raw { format, text, place } if format == "html" => table(text, *place).unwrap_or(block),
            _ => block,
        };
        blocks.into_iter().map(read).collect()
    }
}

/// Most columns that a cell may span.
const COLUMNS: u32 = 256;

/// The tags of a table that its structure consists of.
const STRUCTURE: [&str; 8] = ["table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"];

/// A tag: its name, whether it closes, and its attributes.
struct Tag<'t> {
    name: &'t str,
    closes: bool,
    attributes: &'t str,
}

/// The next tag of the structure: the text before it, the tag, and what follows.
fn next_tag(text: &str) -> Option<(&str, Tag<'_>, &str)> {
    let mut from = 0;
    loop {
        let open = from + text[from..].find('<')?;
        let close = open + text[open..].find('>')?;
        // The last opening before the end is that of the tag.
        let open = text[open..close].rfind('<').map_or(open, |last| open + last);
        let inner = &text[open + 1..close];
        let closes = inner.starts_with('/');
        let inner = inner.trim_start_matches('/').trim_end_matches('/');
        let end = inner.find(|c: char| c.is_whitespace()).unwrap_or(inner.len());
        let (name, attributes) = inner.split_at(end);
        if STRUCTURE.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            return Some((&text[..open], Tag { name, closes, attributes }, &text[close + 1..]));
        }
        from = close + 1;
    }
}

impl Tag<'_> {
    fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    fn is_cell(&self) -> bool {
        self.is("td") || self.is("th")
    }

    /// Its attributes, of which formats other than HTML keep some.
    fn attr(&self) -> Attr {
        reader::tag_attr(&format!("<{}{}>", self.name, self.attributes), Place::default())
    }

    /// The number of rows or columns that a cell spans.
    fn span(&self, key: &str) -> u32 {
        let value = self.attributes.split(key).nth(1).and_then(|rest| rest.trim_start().strip_prefix('='));
        let digits: Option<String> = value.map(|value| {
            let value = value.trim_start().trim_start_matches(['"', '\'']);
            value.chars().take_while(char::is_ascii_digit).collect()
        });
        digits.and_then(|digits| digits.parse().ok()).unwrap_or(1).clamp(1, COLUMNS)
    }
}

/// A raw block as a table, where it consists of one without tables in it.
fn table(text: &str, place: Place) -> Option<Block> {
    let body = text.trim();
    let is_table = body.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("<table"));
    let is_one = body.to_ascii_lowercase().matches("<table").count() == 1;
    if !is_table || !is_one || !body.to_ascii_lowercase().ends_with("</table>") {
        return None;
    }
    let (mut head, mut rows): (Vec<Vec<Cell>>, Vec<Vec<Cell>>) = (Vec::new(), Vec::new());
    let mut caption = Vec::new();
    let mut row: Vec<Cell> = Vec::new();
    let mut in_head = false;
    let mut only_headings = true;
    let mut open: Option<Cell> = None;
    let mut attr = Attr { place, ..Attr::default() };
    let mut rest = body;
    while let Some((before, tag, after)) = next_tag(rest) {
        if let Some(cell) = open.take() {
            let inlines = content(before);
            let blocks = if inlines.is_empty() { vec![] } else { vec![Block::Plain(inlines)] };
            row.push(Cell { blocks, ..cell });
        }
        if tag.is("table") && !tag.closes {
            attr = Attr { place, ..tag.attr() };
        }
        if tag.is("caption") && tag.closes {
            caption = content(before);
        }
        if tag.is("thead") {
            in_head = !tag.closes;
        }
        let ends_row = tag.is("tr") || tag.closes && (tag.is("thead") || tag.is("tbody") || tag.is("table"));
        if ends_row && !row.is_empty() {
            let is_first = head.is_empty() && rows.is_empty();
            let made = std::mem::take(&mut row);
            if in_head || tag.is("thead") || is_first && only_headings {
                head.push(made);
            } else {
                rows.push(made);
            }
            only_headings = true;
        }
        if tag.is_cell() && !tag.closes {
            only_headings &= tag.is("th");
            let mut attr = tag.attr();
            attr.pairs.retain(|(key, _)| !matches!(key.as_str(), "colspan" | "rowspan"));
            let (columns, rows) = (tag.span("colspan"), tag.span("rowspan"));
            open = Some(Cell { attr, columns, rows, ..Cell::default() });
        }
        rest = after;
    }
    let columns =
        head.iter().chain(&rows).map(|row| row.iter().map(|cell| cell.columns).sum::<u32>()).max()?;
    let columns = columns.min(COLUMNS) as usize;
    Some(Block::Table(Box::new(Table {
        attr,
        caption,
        alignments: vec![Alignment::Default; columns],
        widths: vec![None; columns],
        head,
        rows,
    })))
}

/// The text of a cell with the marks that HTML and Markdown share.
fn content(html: &str) -> Vec<Inline> {
    let text: Vec<&str> = html.split_whitespace().collect();
    let inlines = reader::read_inlines(&text.join(" "), false);
    Marks.rewrite_inlines(inlines)
}

/// Tags that are marks of Markdown.
const MARKS: [&str; 9] = ["em", "i", "strong", "b", "code", "sup", "sub", "s", "del"];

/// Deepest nesting of marks.
const DEEPEST: usize = 32;

/// Tags around words as the marks that they are.
struct Marks;

impl Rewrite for Marks {
    fn inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        let mut out: Vec<Inline> = Vec::new();
        let mut open: Vec<(String, usize)> = Vec::new();
        for inline in inlines {
            let Inline::Raw { format, text, .. } = &inline else {
                out.push(inline);
                continue;
            };
            if format != "html" {
                out.push(inline);
                continue;
            }
            let name = text.trim_matches(['<', '>', '/']).split_whitespace().next().unwrap_or_default();
            let name = name.to_ascii_lowercase();
            if name == "br" {
                out.push(Inline::LineBreak);
            } else if text.starts_with("</") {
                let Some(at) = open.iter().rposition(|(known, _)| *known == name) else { continue };
                let (_, start) = open.remove(at);
                let inner = out.split_off(start.min(out.len()));
                out.extend(marked(&name, inner));
            } else if MARKS.contains(&name.as_str()) && open.len() < DEEPEST {
                open.push((name, out.len()));
            }
        }
        out
    }
}

fn marked(name: &str, inner: Vec<Inline>) -> Vec<Inline> {
    match name {
        "em" | "i" => vec![Inline::Emph(inner)],
        "strong" | "b" => vec![Inline::Strong(inner)],
        "code" => vec![Inline::code(Attr::default(), crate::model::plain(&inner))],
        "sup" => vec![Inline::Superscript(inner)],
        "sub" => vec![Inline::Subscript(inner)],
        "s" | "del" => vec![Inline::Strikeout(inner)],
        _ => inner,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::plain_blocks;

    fn read(text: &str) -> Option<Box<Table>> {
        match table(text, Place::default()) {
            Some(Block::Table(table)) => Some(table),
            _ => None,
        }
    }

    #[test]
    fn rows_captions_and_spans_are_read() {
        let text = "<table class=\"x\">\n<caption>Years</caption>\n<thead><tr><th colspan=\"2\">A &amp; B</th></tr></thead>\n\
                    <tbody><tr><td>1</td><td><b>2</b></td></tr></tbody>\n</table>";
        let table = read(text).unwrap();
        assert_eq!((table.head.len(), table.rows.len(), table.alignments.len()), (1, 1, 2));
        assert_eq!(table.head[0][0].columns, 2);
        assert_eq!(plain_blocks(&table.head[0][0].blocks), "A & B");
        assert!(
            matches!(table.rows[0][1].blocks[0], Block::Plain(ref inner) if matches!(inner[0], Inline::Strong(_)))
        );
        assert_eq!(crate::model::plain(&table.caption), "Years");
    }

    #[test]
    fn marks_are_nested_up_to_a_limit() {
        let text =
            format!("<table><tr><td>{}x{}</td></tr></table>", "<b>".repeat(50_000), "</b>".repeat(50_000));
        assert_eq!(plain_blocks(&read(&text).unwrap().rows[0][0].blocks), "x");
    }

    #[test]
    fn what_is_not_one_table_stays_as_it_is() {
        for text in ["<p>x</p>", "<table><tr><td><table></table></td></tr></table>", "<table", "<table><tr>"]
        {
            assert!(read(text).is_none(), "{text}");
        }
    }
}
