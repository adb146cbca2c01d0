//! Raw content that is read as part of the document: Markdown (`{=pandoc-reader-markdown}`), and the types of Pandoc
//! as JSON (`{=pandoc-json}`) or as Pandoc shows them (`{=pandoc-native}`).

use serde_json::Value;

use crate::{
    budget,
    model::{
        Alignment, Attr, Block, Cell, Inline, NumberDelimiter, NumberStyle, Numbering, Place, Rewrite, Table,
        Target,
    },
    reader,
};

/// Reads raw content that is part of the document.
pub(super) fn apply(blocks: Vec<Block>) -> Vec<Block> {
    Interpreted.rewrite(blocks)
}

struct Interpreted;

impl Rewrite for Interpreted {
    fn blocks(&mut self, blocks: Vec<Block>) -> Vec<Block> {
        let read = |block: Block| match block {
            Block::Raw { format, text, place } => match term(&format, &text) {
                Some(Term::Text) => reader::read_text(&text, true),
                Some(Term::Value(value)) => blocks_of(&value),
                None => vec![Block::Raw { format, text, place }],
            },
            other => vec![other],
        };
        blocks.into_iter().flat_map(read).collect()
    }

    fn inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        let read = |inline: Inline| match inline {
            Inline::Raw { format, text, place } => match term(&format, &text) {
                Some(Term::Text) => reader::read_inlines(&text, true),
                Some(Term::Value(value)) => in_line(&value),
                None => vec![Inline::Raw { format, text, place }],
            },
            other => vec![other],
        };
        inlines.into_iter().flat_map(read).collect()
    }
}

enum Term {
    /// The content is Markdown.
    Text,
    /// Values in the shape of Pandoc's JSON.
    Value(Value),
}

fn term(format: &str, text: &str) -> Option<Term> {
    match format {
        "pandoc-reader-markdown"
        | "pandoc-reader-gfm"
        | "pandoc-reader-commonmark"
        | "pandoc-reader-commonmark_x" => Some(Term::Text),
        "pandoc-json" => serde_json::from_str(text).ok().map(Term::Value),
        "pandoc-native" => native(text).map(Term::Value),
        _ => None,
    }
}

/// Most rows or columns that a cell may span.
const SPAN: u32 = 256;

/// Deepest nesting of values.
const DEPTH: u32 = 128;

/// Reads what Pandoc shows as native: constructors become lists that begin with their name.
fn native(text: &str) -> Option<Value> {
    let mut rest = text;
    let value = applied(&mut rest, 0)?;
    rest.trim().is_empty().then_some(value)
}

/// A constructor with its arguments, or a single value.
fn applied(rest: &mut &str, depth: u32) -> Option<Value> {
    *rest = rest.trim_start();
    if !rest.starts_with(|c: char| c.is_ascii_uppercase()) {
        return single(rest, depth);
    }
    let name = word(rest);
    let mut arguments = Vec::new();
    loop {
        *rest = rest.trim_start();
        let starts = |c: char| c == '"' || c == '(' || c == '[' || c == '-' || c.is_ascii_alphanumeric();
        if !rest.starts_with(starts) {
            break;
        }
        arguments.push(single(rest, depth + 1)?);
    }
    Some(constructed(name, arguments))
}

fn word<'t>(rest: &mut &'t str) -> &'t str {
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    *rest = after;
    name
}

/// A constructor as JSON has it.
fn constructed(name: &str, mut arguments: Vec<Value>) -> Value {
    let content = match arguments.len() {
        0 => return serde_json::json!({"t": name}),
        1 => arguments.remove(0),
        _ => Value::Array(arguments),
    };
    // In JSON, these constructors are only their content.
    let plain = [
        "Row",
        "Cell",
        "Caption",
        "TableHead",
        "TableBody",
        "TableFoot",
        "RowSpan",
        "ColSpan",
        "RowHeadColumns",
        "Format",
        "Just",
        "Pandoc",
    ];
    if plain.contains(&name) { content } else { serde_json::json!({"t": name, "c": content}) }
}

fn single(rest: &mut &str, depth: u32) -> Option<Value> {
    if depth > DEPTH || !budget::charge(1) {
        return None;
    }
    *rest = rest.trim_start();
    match rest.chars().next()? {
        '"' => string(rest),
        '[' => list(rest, ']', depth).map(Value::Array),
        '(' => {
            let mut items = list(rest, ')', depth)?;
            Some(if items.len() == 1 { items.remove(0) } else { Value::Array(items) })
        }
        c if c.is_ascii_uppercase() => Some(constructed(word(rest), Vec::new())),
        _ => {
            let end = rest
                .find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '-' | 'e'))
                .unwrap_or(rest.len());
            let (number, after) = rest.split_at(end);
            *rest = after;
            serde_json::from_str(number).ok()
        }
    }
}

fn list(rest: &mut &str, close: char, depth: u32) -> Option<Vec<Value>> {
    *rest = &rest[1..];
    let mut items = Vec::new();
    loop {
        *rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix(close) {
            *rest = after;
            return Some(items);
        }
        if !items.is_empty() {
            *rest = rest.strip_prefix(',')?;
        }
        items.push(applied(rest, depth + 1)?);
    }
}

/// A string of Haskell: its escapes are those of JSON, and numbers in decimals.
fn string(rest: &mut &str) -> Option<Value> {
    let mut out = String::new();
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                *rest = &rest[at + 1..];
                return Some(Value::String(out));
            }
            '\\' => match chars.next()?.1 {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                'r' => out.push('\r'),
                // Nothing, which ends a number before a digit.
                '&' => {}
                digit if digit.is_ascii_digit() => {
                    let mut number = digit.to_digit(10)?;
                    while let Some(next) = chars.peek().and_then(|(_, c)| c.to_digit(10)) {
                        number = number.checked_mul(10)?.checked_add(next)?;
                        chars.next();
                    }
                    out.push(char::from_u32(number)?);
                }
                other => out.push(other),
            },
            other => out.push(other),
        }
    }
    None
}

fn tag(value: &Value) -> &str {
    value.get("t").and_then(Value::as_str).unwrap_or_default()
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn attr(value: &Value) -> Attr {
    let [id, classes, pairs] = items(value) else { return Attr::default() };
    let pair = |pair: &Value| match items(pair) {
        [key, value] => Some((text_of(key), text_of(value))),
        _ => None,
    };
    Attr {
        id: text_of(id),
        classes: items(classes).iter().map(text_of).collect(),
        pairs: items(pairs).iter().filter_map(pair).collect(),
        place: Place::default(),
    }
}

fn number(value: &Value) -> u32 {
    value.as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or(1)
}

/// The inlines of a document, a list, or blocks that are words.
pub(crate) fn in_line(value: &Value) -> Vec<Inline> {
    let list = value.get("blocks").unwrap_or(value);
    let mut out = Vec::new();
    for item in items(list) {
        match inline(item) {
            Some(inline) => out.push(inline),
            None => {
                for block in blocks_of(&Value::Array(vec![item.clone()])) {
                    if let Block::Plain(inner) | Block::Para(inner) = block {
                        out.extend(inner);
                    }
                }
            }
        }
    }
    out
}

fn inline(value: &Value) -> Option<Inline> {
    let content = value.get("c").unwrap_or(&Value::Null);
    let inner = || items(content).iter().filter_map(inline).collect::<Vec<_>>();
    let parts = items(content);
    let words = |at: usize| {
        parts
            .get(at)
            .map(|list| items(list).iter().filter_map(inline).collect::<Vec<_>>())
            .unwrap_or_default()
    };
    let at = |index: usize| parts.get(index).unwrap_or(&Value::Null);
    let place = Place::default();
    Some(match tag(value) {
        "Str" => Inline::Str(text_of(content)),
        "Space" => Inline::Space,
        "SoftBreak" => Inline::SoftBreak,
        "LineBreak" => Inline::LineBreak,
        "Emph" => Inline::Emph(inner()),
        "Strong" => Inline::Strong(inner()),
        "Underline" => Inline::Underline(inner()),
        "Strikeout" => Inline::Strikeout(inner()),
        "Superscript" => Inline::Superscript(inner()),
        "Subscript" => Inline::Subscript(inner()),
        "SmallCaps" => Inline::SmallCaps(inner()),
        "Quoted" => {
            let (open, close) = if tag(at(0)) == "SingleQuote" { ("‘", "’") } else { ("“", "”") };
            let mut all = vec![Inline::Str(open.to_owned())];
            all.extend(words(1));
            all.push(Inline::Str(close.to_owned()));
            Inline::span(Attr::default(), all)
        }
        "Code" => Inline::code(attr(at(0)), text_of(at(1))),
        "Math" => Inline::Math { display: tag(at(0)) == "DisplayMath", tex: text_of(at(1)), place },
        "RawInline" => Inline::Raw { format: text_of(at(0)), text: text_of(at(1)), place },
        "Span" => Inline::span(attr(at(0)), words(1)),
        "Cite" => Inline::span(Attr::default(), words(1)),
        "Note" => Inline::Note(blocks_of(content)),
        name @ ("Link" | "Image") => {
            let target = items(at(2));
            let part = |index: usize| target.get(index).map(text_of).unwrap_or_default();
            let target = Target { url: part(0), title: part(1) };
            let own = attr(at(0));
            if name == "Link" {
                Inline::link(own, words(1), target)
            } else {
                Inline::image(own, words(1), target)
            }
        }
        _ => return None,
    })
}

/// The blocks of a document or of a list.
pub(crate) fn blocks_of(value: &Value) -> Vec<Block> {
    let list = value.get("blocks").unwrap_or(value);
    // The shown form has the metadata before the blocks.
    let list = match items(list) {
        [meta, blocks] if tag(meta) == "Meta" => blocks,
        _ => list,
    };
    let one = std::slice::from_ref(list);
    let all = if list.is_object() { one } else { items(list) };
    let mut out = Vec::new();
    for item in budget::within(all) {
        match block(item) {
            Some(block) => out.push(block),
            // Inlines outside of blocks are a line.
            None => match (inline(item), out.last_mut()) {
                (Some(inline), Some(Block::Plain(inlines))) => inlines.push(inline),
                (Some(inline), _) => out.push(Block::Plain(vec![inline])),
                (None, _) => {}
            },
        }
    }
    out
}

fn block(value: &Value) -> Option<Block> {
    let content = value.get("c").unwrap_or(&Value::Null);
    let parts = items(content);
    let at = |index: usize| parts.get(index).unwrap_or(&Value::Null);
    let words = |value: &Value| items(value).iter().filter_map(inline).collect::<Vec<_>>();
    let lists = |value: &Value| items(value).iter().map(blocks_of).collect::<Vec<_>>();
    let place = Place::default();
    Some(match tag(value) {
        "Plain" => Block::Plain(words(content)),
        "Para" => Block::Para(words(content)),
        "LineBlock" => Block::LineBlock(parts.iter().map(words).collect()),
        "CodeBlock" => Block::Code(attr(at(0)), text_of(at(1))),
        "RawBlock" => Block::Raw { format: text_of(at(0)), text: text_of(at(1)), place },
        "BlockQuote" => Block::Quote(blocks_of(content)),
        "BulletList" => Block::BulletList(lists(content)),
        "OrderedList" => {
            let numbering = items(at(0));
            let name = |index: usize| numbering.get(index).map(tag).unwrap_or_default();
            let style = match name(1) {
                "LowerAlpha" => NumberStyle::LowerAlpha,
                "UpperAlpha" => NumberStyle::UpperAlpha,
                "LowerRoman" => NumberStyle::LowerRoman,
                "UpperRoman" => NumberStyle::UpperRoman,
                "Example" => NumberStyle::Example,
                _ => NumberStyle::Decimal,
            };
            let delimiter = match name(2) {
                "OneParen" => NumberDelimiter::OneParenthesis,
                "TwoParens" => NumberDelimiter::TwoParentheses,
                _ => NumberDelimiter::Period,
            };
            let start = numbering.first().map_or(1, number);
            Block::OrderedList(Numbering { start, style, delimiter }, lists(at(1)))
        }
        "DefinitionList" => {
            let item = |item: &Value| {
                let parts = items(item);
                let term = parts.first().map(words).unwrap_or_default();
                (term, parts.get(1).map(lists).unwrap_or_default())
            };
            Block::DefinitionList(parts.iter().map(item).collect())
        }
        "Header" => Block::Header(number(at(0)).clamp(1, 6) as u8, attr(at(1)), words(at(2))),
        "HorizontalRule" => Block::Rule,
        "Div" => Block::Div(attr(at(0)), blocks_of(at(1))),
        "Figure" => Block::Figure(attr(at(0)), caption(at(1)), blocks_of(at(2))),
        "Table" => table(parts)?,
        _ => return None,
    })
}

/// The words of a caption: its second part.
fn caption(value: &Value) -> Vec<Inline> {
    let long = items(value).get(1).map(blocks_of).unwrap_or_default();
    long.into_iter()
        .find_map(|block| match block {
            Block::Plain(inlines) | Block::Para(inlines) => Some(inlines),
            _ => None,
        })
        .unwrap_or_default()
}

fn table(parts: &[Value]) -> Option<Block> {
    let [own, words, columns, head, bodies, foot] = parts else { return None };
    let alignment = |column: &Value| match items(column).first().map(tag) {
        Some("AlignLeft") => Alignment::Left,
        Some("AlignRight") => Alignment::Right,
        Some("AlignCenter") => Alignment::Center,
        _ => Alignment::Default,
    };
    let width = |column: &Value| items(column).get(1)?.get("c")?.as_f64();
    let cell = |cell: &Value| {
        let parts = items(cell);
        let at = |index: usize| parts.get(index).unwrap_or(&Value::Null);
        Cell {
            attr: attr(at(0)),
            rows: number(at(2)).min(SPAN),
            columns: number(at(3)).min(SPAN),
            blocks: blocks_of(at(4)),
        }
    };
    let row = |row: &Value| {
        items(row).get(1).map(items).unwrap_or_default().iter().map(cell).collect::<Vec<Cell>>()
    };
    let rows = |list: Option<&Value>| list.map(items).unwrap_or_default().iter().map(row).collect::<Vec<_>>();
    let mut all = Vec::new();
    for body in items(bodies) {
        all.extend(rows(items(body).get(2)));
        all.extend(rows(items(body).get(3)));
    }
    all.extend(rows(items(foot).get(1)));
    Some(Block::Table(Box::new(Table {
        attr: attr(own),
        caption: caption(words),
        alignments: items(columns).iter().map(alignment).collect(),
        widths: items(columns).iter().map(width).collect(),
        head: rows(items(head).get(1)),
        rows: all,
    })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pandoc;

    #[test]
    fn both_forms_say_the_same() {
        let shown = "[Para [Str \"a\\8211b\",Space,Emph [Str \"c\"]]\n,Table (\"t\",[],[]) (Caption Nothing [Plain [Str \"Cap\"]]) \
            [(AlignCenter,ColWidthDefault),(AlignDefault,ColWidth 0.25)] (TableHead (\"\",[],[]) [Row (\"\",[],[]) \
            [Cell (\"\",[],[]) AlignDefault (RowSpan 1) (ColSpan 2) [Plain [Str \"H\"]]]]) \
            [TableBody (\"\",[],[]) (RowHeadColumns 0) [] [Row (\"\",[],[]) [Cell (\"\",[],[]) AlignDefault (RowSpan 1) (ColSpan 1) [],\
            Cell (\"\",[],[]) AlignDefault (RowSpan 1) (ColSpan 1) [Plain [Link (\"\",[],[]) [Str \"l\"] (\"u\",\"\")]]]]] (TableFoot (\"\",[],[]) [])]";
        let read = blocks_of(&native(shown).expect("a list of blocks"));
        let [Block::Para(words), Block::Table(table)] = read.as_slice() else { panic!("{read:?}") };
        assert_eq!(words[0], Inline::Str("a–b".to_owned()));
        assert_eq!((table.head[0][0].columns, table.rows[0].len(), table.widths[1]), (2, 2, Some(0.25)));
        assert_eq!(table.caption, vec![Inline::Str("Cap".to_owned())]);
        let json = pandoc::json::blocks(&read);
        assert_eq!(blocks_of(&json), read);
    }

    #[test]
    fn other_text_stays_raw() {
        let raw = |text: &str| {
            vec![Block::Raw {
                format: "pandoc-native".to_owned(),
                text: text.to_owned(),
                place: Place::default(),
            }]
        };
        for text in ["[Para [Str \"a\"", "(((", "[Str \"a\"] x", "\"\\"] {
            assert_eq!(apply(raw(text)), raw(text), "{text}");
        }
        let nested = format!("{}{}", "[".repeat(4_000), "]".repeat(4_000));
        assert_eq!(apply(raw(&nested)), raw(&nested));
    }
}
