//! Lists of all kinds.

use super::{cursor::Blocks, text::Line};
use crate::{
    model::{Block, Inline, NumberDelimiter, NumberStyle, Numbering},
    syntax::pandoc::{indentation, is_rule, list_mark, prefix, run},
};

/// What kind of list a mark begins.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Mark {
    Bullet,
    /// `:` or `~` before the definition of a term.
    Definition,
    Number(Numbering, Option<String>),
}

struct ItemStart {
    mark: Mark,
    /// Bytes up to the content.
    length: usize,
    /// Columns up to the content.
    columns: usize,
}

/// The list that begins at the current line.
pub(super) fn list(blocks: &mut Blocks<'_, '_>) -> Option<Block> {
    let first = start(blocks.line(blocks.at)?).filter(|found| found.mark != Mark::Definition)?;
    let mut items: Vec<Vec<Block>> = Vec::new();
    let mut examples: Option<u32> = None;
    while let Some(found) =
        blocks.line(blocks.at).and_then(start).filter(|found| same(&first.mark, &found.mark))
    {
        if let Mark::Number(Numbering { style: NumberStyle::Example, .. }, label) = &found.mark {
            let count = {
                let mut count = blocks.reader.definitions.example_count.borrow_mut();
                *count += 1;
                *count
            };
            examples.get_or_insert(count);
            if let Some(label) = label {
                blocks.reader.definitions.examples.borrow_mut().insert(label.clone(), count);
            }
        }
        let lines = item(blocks, &found);
        let mut content = blocks.reader.read_in(&lines, blocks.depth + 1);
        task(&mut content);
        items.push(content);
    }
    compact(&mut items);
    Some(match first.mark {
        Mark::Number(numbering, _) => {
            Block::OrderedList(Numbering { start: examples.unwrap_or(numbering.start), ..numbering }, items)
        }
        Mark::Bullet | Mark::Definition => Block::BulletList(items),
    })
}

/// The empty line after a list does not make a paragraph of its last item, where no other item has one. Where one has,
/// all have.
fn compact(items: &mut [Vec<Block>]) {
    let is_paragraph = |block: &Block| matches!(block, Block::Para(_));
    let count = items.iter().flatten().filter(|block| is_paragraph(block)).count();
    if let (1, Some(last)) = (count, items.last_mut().and_then(|item| item.last_mut()))
        && let Block::Para(inlines) = last
    {
        *last = Block::Plain(std::mem::take(inlines));
        return;
    }
    for block in items.iter_mut().flatten().filter(|_| count > 0) {
        if let Block::Plain(inlines) = block {
            *block = Block::Para(std::mem::take(inlines));
        }
    }
}

fn same(first: &Mark, other: &Mark) -> bool {
    match (first, other) {
        (Mark::Bullet, Mark::Bullet) | (Mark::Definition, Mark::Definition) => true,
        (Mark::Number(a, _), Mark::Number(b, _)) => {
            a.delimiter == b.delimiter
                && (a.style == b.style || b.style != NumberStyle::Decimal && a.style != NumberStyle::Decimal)
        }
        _ => false,
    }
}

/// Whether a line begins an item of a list of any kind.
pub(super) fn begins(line: &str) -> bool {
    start(line).is_some()
}

/// The mark of an item at the start of a line.
fn start(line: &str) -> Option<ItemStart> {
    let (indent, space) = indentation(line, 0);
    let words = &line[space..];
    if indent >= 4 || is_rule(words) {
        return None;
    }
    let (width, mark) = match list_mark(words) {
        _ if words.starts_with([':', '~']) => (1, Mark::Definition),
        Some(width) => (width, mark(&words[..width])?),
        None => roman(words)?,
    };
    let after = &words[width..];
    let (gap, bytes) = indentation(after, indent + width);
    if gap == 0 && !after.is_empty() {
        return None;
    }
    // Where more than four spaces follow, all but the first belong to the content.
    let (gap, bytes) =
        if gap > 4 || bytes == after.len() { (1.min(gap), prefix(after, 1)) } else { (gap, bytes) };
    Some(ItemStart { mark, length: space + width + bytes, columns: indent + width + gap.max(1) })
}

fn mark(text: &str) -> Option<Mark> {
    let numbering = |start, style, delimiter| Numbering { start, style, delimiter };
    if matches!(text, "-" | "+" | "*") {
        return Some(Mark::Bullet);
    }
    let delimiter = if text.starts_with('(') {
        NumberDelimiter::TwoParentheses
    } else if text.ends_with(')') {
        NumberDelimiter::OneParenthesis
    } else {
        NumberDelimiter::Period
    };
    let inner = text.trim_matches(['(', ')', '.']);
    if let Some(label) = inner.strip_prefix('@') {
        let label = (!label.is_empty()).then(|| label.to_owned());
        return Some(Mark::Number(numbering(1, NumberStyle::Example, delimiter), label));
    }
    if inner == "#" {
        return Some(Mark::Number(numbering(1, NumberStyle::Decimal, delimiter), None));
    }
    if let Ok(start) = inner.parse() {
        return Some(Mark::Number(numbering(start, NumberStyle::Decimal, delimiter), None));
    }
    let only = inner.chars().next().filter(|c| c.is_ascii_alphabetic() && inner.len() == 1)?;
    let (base, style) = match only {
        'i' => return Some(Mark::Number(numbering(1, NumberStyle::LowerRoman, delimiter), None)),
        'a'..='z' => (b'a', NumberStyle::LowerAlpha),
        _ => (b'A', NumberStyle::UpperAlpha),
    };
    Some(Mark::Number(numbering(u32::from(only as u8 - base) + 1, style, delimiter), None))
}

/// Capital letters with two spaces after them, and Roman numbers.
fn roman(words: &str) -> Option<(usize, Mark)> {
    let end = words.bytes().take(7).position(|byte| matches!(byte, b'.' | b')')).filter(|end| *end > 0)?;
    let text = &words[..end];
    let lower = text.bytes().all(|b| matches!(b, b'i' | b'v' | b'x'));
    let upper = text.bytes().all(|b| matches!(b, b'I' | b'V' | b'X'));
    let letter = text.len() == 1 && text.as_bytes()[0].is_ascii_uppercase();
    let spaces = run(&words[end + 1..], b' ');
    let is_end = words[end + 1..].trim_end().is_empty();
    let period = words.as_bytes()[end] == b'.';
    if !(lower || upper || letter) || !is_end && (spaces < 1 || (letter || upper) && period && spaces < 2) {
        return None;
    }
    let delimiter = if period { NumberDelimiter::Period } else { NumberDelimiter::OneParenthesis };
    let value = |c: char| match c.to_ascii_lowercase() {
        'i' => 1,
        'v' => 5,
        _ => 10_u32,
    };
    let (start, style) = if letter && !upper {
        (u32::from(text.as_bytes()[0] - b'A') + 1, NumberStyle::UpperAlpha)
    } else {
        let digits: Vec<u32> = text.chars().map(value).collect();
        let total = digits.iter().enumerate().fold(0_u32, |sum, (at, digit)| {
            if digits.get(at + 1).is_some_and(|next| next > digit) {
                sum.wrapping_sub(*digit)
            } else {
                sum.wrapping_add(*digit)
            }
        });
        (total, if upper { NumberStyle::UpperRoman } else { NumberStyle::LowerRoman })
    };
    Some((end + 1, Mark::Number(Numbering { start, style, delimiter }, None)))
}

/// The lines of an item without its indentation, with the empty lines after it.
fn item(blocks: &mut Blocks<'_, '_>, found: &ItemStart) -> Vec<Line> {
    let first = blocks.lines[blocks.at];
    let mut lines = vec![Line { start: (first.start + found.length).min(first.end), ..first }];
    blocks.at += 1;
    let is_example = matches!(&found.mark, Mark::Number(Numbering { style: NumberStyle::Example, .. }, _));
    let columns = if is_example { 4 } else { found.columns };
    // Lines without indentation belong to an item up to the first empty line.
    while let Some(line) = blocks.text_at(blocks.at) {
        let inner = indentation(line, 0).0 >= columns;
        let ends = blocks.ends_item(line)
            || begins(line)
            || blocks.is_fence(blocks.at)
            || inner && begins(line[prefix(line, columns)..].trim_start_matches([' ', '\t']));
        if ends {
            break;
        }
        lines.push(blocks.cut_line(blocks.at, if inner { columns } else { 0 }));
        blocks.at += 1;
    }
    blanks(blocks, &mut lines);
    while blocks
        .text_at(blocks.at)
        .is_some_and(|line| !blocks.ends_item(line) && indentation(line, 0).0 >= columns)
    {
        lines.push(blocks.cut_line(blocks.at, columns));
        blocks.at += 1;
        while let Some(line) = blocks.text_at(blocks.at) {
            let inner = indentation(line, 0).0 >= columns;
            if blocks.ends_item(line) || !inner && begins(line) {
                break;
            }
            lines.push(blocks.cut_line(blocks.at, if inner { columns } else { 0 }));
            blocks.at += 1;
        }
        blanks(blocks, &mut lines);
    }
    lines
}

/// Takes over the empty lines here.
fn blanks(blocks: &mut Blocks<'_, '_>, lines: &mut Vec<Line>) {
    while blocks.at < blocks.lines.len() && blocks.is_blank(blocks.at) {
        lines.push(blocks.lines[blocks.at]);
        blocks.at += 1;
    }
}

/// `[ ]` and `[x]` at the start of an item.
fn task(content: &mut [Block]) {
    let Some(Block::Para(inlines) | Block::Plain(inlines)) = content.first_mut() else { return };
    match inlines.as_slice() {
        [Inline::Str(open), Inline::Space, Inline::Str(close), ..]
            if open == "[" && close.starts_with(']') =>
        {
            let rest = close[1..].to_owned();
            inlines.drain(..3);
            inlines.insert(0, Inline::Str(format!("☐{rest}")));
        }
        [Inline::Str(mark), ..] if matches!(mark.as_str(), "[x]" | "[X]") => {
            inlines[0] = Inline::Str("☒".to_owned());
        }
        _ => {}
    }
}

/// Terms with definitions after colons.
pub(super) fn definitions(blocks: &mut Blocks<'_, '_>) -> Option<Block> {
    let defines = |blocks: &Blocks<'_, '_>, at: usize| {
        let found = blocks.text_at(at).and_then(start);
        found.is_some_and(|found| found.mark == Mark::Definition)
    };
    // A definition may follow an empty line. What is below a term and above a table is the caption of the table.
    let after_term = |blocks: &mut Blocks<'_, '_>, term: usize| {
        if blocks.is_blank(term) {
            return None;
        }
        if defines(blocks, term + 1) {
            return Some(term + 1);
        }
        let found = blocks.is_blank(term + 1) && defines(blocks, term + 2);
        (found && !captions(blocks, term + 2)).then_some(term + 2)
    };
    after_term(blocks, blocks.at)?;
    let mut items = Vec::new();
    while let Some(at) = after_term(blocks, blocks.at) {
        let is_tight = at == blocks.at + 1;
        let term = blocks.reader.inlines(&[blocks.lines[blocks.at]]);
        let mut definitions = Vec::new();
        blocks.at = at;
        while let Some(found) =
            blocks.text_at(blocks.at).and_then(start).filter(|found| found.mark == Mark::Definition)
        {
            let lines = item(blocks, &found);
            let mut content = blocks.reader.read_in(&lines, blocks.depth + 1);
            for block in content.iter_mut().filter(|_| is_tight) {
                if let Block::Para(inlines) = block {
                    *block = Block::Plain(std::mem::take(inlines));
                }
            }
            definitions.push(content);
        }
        items.push((term, definitions));
    }
    Some(Block::DefinitionList(items))
}

/// Whether text after a colon is the caption of a table below it.
fn captions(blocks: &mut Blocks<'_, '_>, at: usize) -> bool {
    let mut below = at;
    while blocks.text_at(below).is_some() {
        below += 1;
    }
    while below < blocks.lines.len() && blocks.is_blank(below) {
        below += 1;
    }
    let is_like_table = blocks.text_at(below).is_some_and(|line| line.contains(['|', '-', '+']));
    if !is_like_table && !blocks.text_at(below + 1).is_some_and(|line| line.contains("--")) {
        return false;
    }
    let before = std::mem::replace(&mut blocks.at, below);
    let found = super::grid::spanned(blocks).or_else(|| super::tables::any(blocks)).is_some();
    blocks.at = before;
    found
}
