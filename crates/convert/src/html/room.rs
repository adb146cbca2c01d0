//! How much of a slide for browsers its content takes, estimated from the sizes of the style: text is about half as wide as
//! it is high.

use crate::{
    metadata::Metadata,
    model::{Attr, Block, Inline, Table, plain},
};

/// The size of text, in pixels.
const TEXT: i64 = 40;

/// The size of a deck that its header does not set, in pixels.
const SIZE: (i64, i64) = (1050, 700);

/// Most pixels of code: more of it scrolls within the slide.
const CODE: i64 = 500;

/// A picture whose height is not known: what it takes at least where text leaves little.
const PICTURE: i64 = 120;

/// Where blocks are: a width and a size of text in pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Space {
    pub(super) width: i64,
    pub(super) height: i64,
    text: i64,
}

impl Space {
    /// The space of the slides of a deck.
    pub(super) fn of(metadata: &Metadata) -> Self {
        let size = |key: &str, usual: i64| {
            metadata.number(key).and_then(|size| i64::try_from(size).ok()).unwrap_or(usual).clamp(100, 10_000)
        };
        let space = Self { width: size("width", SIZE.0), height: size("height", SIZE.1), text: TEXT };
        if metadata.is_true("smaller") { space.smaller() } else { space }
    }

    /// The space of a slide with the class `smaller`.
    pub(super) fn smaller(self) -> Self {
        self.scaled(70)
    }

    fn scaled(self, percent: i64) -> Self {
        Self { text: (self.text * percent / 100).max(1), ..self }
    }

    fn indented(self, ems: i64) -> Self {
        Self { width: (self.width - ems * self.text).max(self.text), ..self }
    }

    /// The height of a line.
    fn line(self) -> i64 {
        self.text * 13 / 10
    }

    fn ems(self, hundredths: i64) -> i64 {
        self.text * hundredths / 100
    }

    /// The height of a title of a level, with its margin.
    pub(super) fn title(self, level: u8, words: &[Inline]) -> i64 {
        if words.is_empty() {
            return 0;
        }
        let percent = match level {
            1 => 250,
            2 => 160,
            3 => 130,
            _ => 100,
        };
        let own = self.scaled(percent);
        // Lines of titles are closer.
        own.count(words) * own.text * 12 / 10 + 20
    }

    /// How many lines words take.
    fn count(self, words: &[Inline]) -> i64 {
        let lines = words.split(|inline| matches!(inline, Inline::LineBreak));
        let of_line = |line: &[Inline]| {
            let count = i64::try_from(plain(line).chars().count()).unwrap_or(i64::MAX / 1_000);
            (count * self.text / (2 * self.width) + 1).max(1)
        };
        lines.map(of_line).sum()
    }

    /// The height of a paragraph without its margin.
    fn words(self, words: &[Inline]) -> i64 {
        let is_display = |inline: &Inline| matches!(inline, Inline::Math { display: true, .. });
        if let [Inline::Image(attr, ..)] = words {
            return picture(attr);
        }
        let formulas = words.iter().filter(|inline| is_display(inline)).count() as i64;
        if formulas > 0 && words.len() == 1 {
            return self.line() * 2;
        }
        self.count(words) * self.line() + formulas * self.line() * 2
    }

    /// The height of blocks below each other.
    pub(super) fn blocks<'b>(self, blocks: impl IntoIterator<Item = &'b Block>) -> i64 {
        blocks.into_iter().map(|block| self.block(block)).sum()
    }

    /// The height of a block with its margin.
    pub(super) fn block(self, block: &Block) -> i64 {
        match block {
            Block::Plain(words) => self.words(words),
            Block::Para(words) if plain(words) == ". . ." => 0,
            Block::Para(words) => self.words(words) + self.ems(50),
            Block::LineBlock(lines) => lines.len() as i64 * self.line() + self.ems(50),
            Block::Code(_, text) => {
                let code = self.scaled(55);
                let lines = text.lines().count().max(1) as i64;
                (lines * code.text * 135 / 100 + code.ems(120)).min(CODE) + self.ems(50)
            }
            Block::Raw { .. } | Block::Rule => 0,
            Block::Quote(inner) => self.indented(1).blocks(inner) + self.ems(50),
            Block::BulletList(items) | Block::OrderedList(_, items) => {
                self.list(items.iter().map(Vec::as_slice))
            }
            Block::DefinitionList(items) => {
                let of_item = |(term, definitions): &(Vec<Inline>, Vec<Vec<Block>>)| {
                    let inner = self.indented(1);
                    self.words(term) + definitions.iter().map(|blocks| inner.blocks(blocks)).sum::<i64>()
                };
                items.iter().map(of_item).sum::<i64>() + self.ems(40)
            }
            Block::Header(level, _, words) => self.title(*level, words),
            Block::Table(table) => self.table(table),
            Block::Figure(_, caption, inner) => self.blocks(inner) + self.caption(caption),
            Block::Div(attr, inner) => self.div(attr, inner),
        }
    }

    fn list<'b>(self, items: impl Iterator<Item = &'b [Block]>) -> i64 {
        let inner = self.indented(2);
        let nested = inner.scaled(90);
        let of_item = |blocks: &[Block]| {
            let of_block = |block: &Block| match block {
                Block::BulletList(_) | Block::OrderedList(..) => nested.block(block),
                Block::Para(words) | Block::Plain(words) => inner.words(words),
                other => inner.block(other),
            };
            blocks.iter().map(of_block).sum::<i64>() + self.ems(20)
        };
        items.map(of_item).sum::<i64>() + self.ems(40)
    }

    fn caption(self, caption: &[Inline]) -> i64 {
        let own = self.scaled(60);
        if caption.is_empty() { 0 } else { own.count(caption) * own.line() + own.ems(60) }
    }

    fn table(self, table: &Table) -> i64 {
        let own = self.scaled(70);
        let columns = table.alignments.len().max(1) as i64;
        let space = Self { width: (self.width / columns).max(own.text), ..own };
        let of_row = |row: &Vec<crate::model::Cell>| {
            let highest = row.iter().map(|cell| space.blocks(&cell.blocks)).max().unwrap_or(0);
            highest.max(own.line()) + own.ems(40)
        };
        table.head.iter().chain(&table.rows).map(of_row).sum::<i64>()
            + own.ems(120)
            + self.caption(&table.caption)
    }

    fn div(self, attr: &Attr, inner: &[Block]) -> i64 {
        let has = |names: &[&str]| names.iter().any(|name| attr.has_class(name));
        if has(&["notes", "absolute", "hidden", "footer", "r-stretch"]) {
            return 0;
        }
        if has(&["columns", "quarto-layout-row"]) {
            let count = inner.iter().filter(|block| matches!(block, Block::Div(..))).count().max(1) as i64;
            let of_column = |block: &Block| {
                let share = match block {
                    Block::Div(attr, _) => attr.get("width").and_then(percent),
                    _ => None,
                };
                let width = share.map_or(self.width / count, |share| self.width * share / 100);
                Self { width: width.max(self.text), ..self }.block(block)
            };
            return inner.iter().map(of_column).max().unwrap_or(0);
        }
        if has(&["tab-content", "r-stack"]) {
            return inner.iter().map(|block| self.block(block)).max().unwrap_or(0);
        }
        if has(&["panel-tabset"]) {
            let is_title = |block: &&Block| !matches!(block, Block::Plain(_));
            return self.scaled(70).line() * 2 + self.blocks(inner.iter().filter(is_title));
        }
        if has(&["r-fit-text"]) {
            return PICTURE;
        }
        if has(&["callout"]) {
            let own = self.scaled(70).indented(2);
            return own.blocks(inner) + own.ems(110) + self.ems(50);
        }
        if has(&["smaller"]) {
            return self.smaller().blocks(inner);
        }
        if has(&["column-margin"]) {
            return self.scaled(70).blocks(inner);
        }
        self.blocks(inner)
    }
}

/// A share such as `60%`.
fn percent(text: &str) -> Option<i64> {
    text.strip_suffix('%')?.trim().parse().ok().filter(|share| (1..=100).contains(share))
}

/// The height of a picture: the one that it is given, or what it takes at least.
fn picture(attr: &Attr) -> i64 {
    if attr.has_class("absolute") {
        return 0;
    }
    let height = attr.get("height").map(|height| height.trim_end_matches("px"));
    height
        .and_then(|height| height.parse().ok())
        .filter(|height| (1..=5_000).contains(height))
        .unwrap_or(PICTURE)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{formats, reader};

    fn height(header: Value, text: &str) -> i64 {
        let metadata = Metadata::new(Value::Null, header, &[], formats::named("revealjs").unwrap());
        Space::of(&metadata).blocks(&reader::read_text(text, true))
    }

    #[test]
    fn content_takes_its_lines() {
        let plain = json!({});
        assert!(height(plain.clone(), &"- item\n".repeat(5)) < 400);
        assert!(height(plain.clone(), &"- item\n".repeat(13)) > 700);
        // Columns are beside each other, notes and pauses take nothing.
        let columns = ":::: columns\n::: column\n- a\n- b\n:::\n::: column\n- a\n:::\n::::\n";
        assert_eq!(height(plain.clone(), columns), height(plain.clone(), "- a\n- b\n"));
        assert_eq!(height(plain.clone(), "::: notes\nSay it.\n:::\n\n. . .\n"), 0);
        assert!(height(plain.clone(), &format!("```r\n{}```\n", "x\n".repeat(100))) < 600);
        assert!(height(json!({"smaller": true}), "a\n") < height(plain, "a\n"));
    }
}
