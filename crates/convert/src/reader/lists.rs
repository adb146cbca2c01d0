//! Lists of all kinds.

use super::{
    cursor::{Blocks, interrupts},
    text::Line,
};
use crate::{
    model::{Block, Inline, NumberDelimiter, NumberStyle, Numbering},
    syntax::pandoc::{indentation, is_rule, list_mark, prefix, run},
};

/// What kind of list a mark begins.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Mark {
    Bullet,
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
    let first = start(blocks.line(blocks.at)?)?;
    let mut items: Vec<Vec<Block>> = Vec::new();
    let mut loose = false;
    let mut examples: Option<u32> = None;
    let mut single: Vec<bool> = Vec::new();
    while blocks.at < blocks.lines.len() {
        let Some(found) = start(blocks.line(blocks.at).unwrap_or_default()) else { break };
        if !same(&first.mark, &found.mark) {
            break;
        }
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
        let (lines, has_blank) = item(blocks, &found);
        let mut content = blocks.reader.read_in(&lines, blocks.depth + 1);
        task(&mut content);
        single.push(!has_blank);
        items.push(content);
        let mut next = blocks.at;
        while next < blocks.lines.len() && blocks.is_blank(next) {
            next += 1;
        }
        let goes_on = blocks.line(next).filter(|_| next < blocks.lines.len()).and_then(start);
        match goes_on.filter(|found| same(&first.mark, &found.mark)) {
            Some(_) => {
                loose |= next > blocks.at;
                blocks.at = next;
            }
            None => break,
        }
    }
    if !loose {
        for (item, tight) in items.iter_mut().zip(&single) {
            let tighten = *tight || item.len() == 1;
            for block in item.iter_mut().filter(|_| tighten) {
                if let Block::Para(inlines) = block {
                    *block = Block::Plain(std::mem::take(inlines));
                }
            }
        }
    }
    Some(match first.mark {
        Mark::Bullet => Block::BulletList(items),
        Mark::Number(numbering, _) => {
            Block::OrderedList(Numbering { start: examples.unwrap_or(numbering.start), ..numbering }, items)
        }
    })
}

fn same(first: &Mark, other: &Mark) -> bool {
    match (first, other) {
        (Mark::Bullet, Mark::Bullet) => true,
        (Mark::Number(a, _), Mark::Number(b, _)) => {
            a.delimiter == b.delimiter
                && (a.style == b.style || b.style != NumberStyle::Decimal && a.style != NumberStyle::Decimal)
        }
        _ => false,
    }
}

/// The mark of an item at the start of a line.
fn start(line: &str) -> Option<ItemStart> {
    let (indent, space) = indentation(line, 0);
    let words = &line[space..];
    if indent >= 4 || is_rule(words) || words.starts_with(':') {
        return None;
    }
    let (width, mark) = match list_mark(words) {
        Some(width) => (width, mark(&words[..width])?),
        None => roman(words)?,
    };
    let after = &words[width..];
    let gap = run(after, b' ').max(usize::from(after.starts_with('\t')));
    let content = if (1..=4).contains(&gap) && gap < after.len() { gap } else { 1.min(after.len()) };
    Some(ItemStart { mark, length: space + width + content, columns: indent + width + content.max(1) })
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
    let period = words.as_bytes()[end] == b'.';
    if !(lower || upper || letter) || spaces < 1 || ((letter || upper) && period && spaces < 2) {
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

/// The lines of an item without its indentation, and whether empty lines are between them.
fn item(blocks: &mut Blocks<'_, '_>, found: &ItemStart) -> (Vec<Line>, bool) {
    let first = blocks.lines[blocks.at];
    let mut lines = vec![Line { start: (first.start + found.length).min(first.end), ..first }];
    let mut has_blank = false;
    let mut fence: Option<(u8, usize)> = fence_mark(blocks.reader.texts.of(lines[0]));
    blocks.at += 1;
    while blocks.at < blocks.lines.len() {
        let line = blocks.line(blocks.at).unwrap_or_default();
        if line.trim().is_empty() {
            let next = (blocks.at..blocks.lines.len()).find(|at| !blocks.is_blank(*at));
            let columns = next.and_then(|at| blocks.line(at)).map_or(0, |line| indentation(line, 0).0);
            if next.is_none() || columns < found.columns.min(4) {
                break;
            }
            let upto = next.unwrap_or(blocks.at);
            if columns < found.columns
                && list_mark(blocks.line(upto).unwrap_or_default().trim_start()).is_some()
            {
                break;
            }
            has_blank |= fence.is_none();
            lines.extend((blocks.at..upto).map(|at| blocks.lines[at]));
            blocks.at = upto;
            continue;
        }
        let (columns, _) = indentation(line, 0);
        let above_blank = blocks.is_blank(blocks.at - 1);
        if columns >= found.columns.min(if above_blank { 4 } else { found.columns }) {
            let cut = prefix(line, found.columns);
            let current = Line { start: blocks.lines[blocks.at].start + cut, ..blocks.lines[blocks.at] };
            fence = after(fence, blocks.reader.texts.of(current));
            lines.push(current);
        } else {
            let words = line.trim_start();
            let ends = above_blank
                || fence.is_some()
                || start(line).is_some()
                || (columns >= 1 && list_mark(words).is_some())
                || interrupts(line)
                || words.starts_with(":::");
            if ends {
                if columns >= 2 && list_mark(words).is_some() && start(line).is_none() {
                    lines.push(blocks.lines[blocks.at]);
                    blocks.at += 1;
                    continue;
                }
                break;
            }
            lines.push(blocks.lines[blocks.at]);
        }
        blocks.at += 1;
    }
    (lines, has_blank)
}

fn fence_mark(line: &str) -> Option<(u8, usize)> {
    let words = line.trim_start();
    let mark = words.bytes().next().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let length = run(words, mark);
    (length >= 3 && !words[length..].contains(char::from(mark))).then_some((mark, length))
}

/// The open fence after a line.
fn after(open: Option<(u8, usize)>, line: &str) -> Option<(u8, usize)> {
    match open {
        Some((mark, length)) => {
            let words = line.trim();
            let closes = run(words, mark) >= length && words.bytes().all(|byte| byte == mark);
            if closes { None } else { open }
        }
        None => fence_mark(line),
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
    let begins = |blocks: &Blocks<'_, '_>, at: usize| {
        let line = blocks.line(at).filter(|_| at < blocks.lines.len())?;
        let (columns, space) = indentation(line, 0);
        let words = &line[space..];
        let is_mark = columns < 4 && words.starts_with([':', '~']) && words[1..].starts_with([' ', '\t']);
        is_mark.then(|| {
            let gap = words[1..].len() - words[1..].trim_start().len();
            (space + 1 + gap.min(4), columns + 1 + gap.min(4))
        })
    };
    let after_term = |blocks: &Blocks<'_, '_>, term: usize| {
        if begins(blocks, term + 1).is_some() {
            return Some(term + 1);
        }
        (blocks.is_blank(term + 1) && begins(blocks, term + 2).is_some()).then_some(term + 2)
    };
    after_term(blocks, blocks.at)?;
    let mut items = Vec::new();
    while blocks.at < blocks.lines.len() && !blocks.is_blank(blocks.at) {
        let Some(mut at) = after_term(blocks, blocks.at) else { break };
        let tight = at == blocks.at + 1;
        let term = blocks.reader.inlines(&[blocks.lines[blocks.at]]);
        let mut definitions = Vec::new();
        while let Some((length, columns)) = begins(blocks, at) {
            blocks.at = at;
            let found = ItemStart { mark: Mark::Bullet, length, columns: columns.min(4) };
            let mut lines = vec![Line { start: blocks.lines[at].start + length, ..blocks.lines[at] }];
            blocks.at += 1;
            while blocks.at < blocks.lines.len() {
                let line = blocks.line(blocks.at).unwrap_or_default();
                let (indent, _) = indentation(line, 0);
                if blocks.is_blank(blocks.at) {
                    let next = (blocks.at..blocks.lines.len()).find(|at| !blocks.is_blank(*at));
                    let deep = next
                        .and_then(|at| blocks.line(at))
                        .is_some_and(|line| indentation(line, 0).0 >= found.columns);
                    if !deep {
                        break;
                    }
                    lines.push(blocks.lines[blocks.at]);
                } else if indent >= found.columns {
                    let cut = prefix(line, found.columns);
                    lines
                        .push(Line { start: blocks.lines[blocks.at].start + cut, ..blocks.lines[blocks.at] });
                } else if begins(blocks, blocks.at).is_some()
                    || blocks.is_blank(blocks.at - 1)
                    || interrupts(line)
                {
                    break;
                } else {
                    lines.push(blocks.lines[blocks.at]);
                }
                blocks.at += 1;
            }
            let mut content = blocks.reader.read_in(&lines, blocks.depth + 1);
            if let (true, [Block::Para(inlines)]) = (tight, content.as_mut_slice()) {
                content = vec![Block::Plain(std::mem::take(inlines))];
            }
            definitions.push(content);
            let mut next = blocks.at;
            while next < blocks.lines.len() && blocks.is_blank(next) {
                next += 1;
            }
            at = if begins(blocks, next).is_some() { next } else { blocks.at };
        }
        items.push((term, definitions));
        let mut next = blocks.at;
        while next < blocks.lines.len() && blocks.is_blank(next) {
            next += 1;
        }
        if next < blocks.lines.len() && after_term(blocks, next).is_some() {
            blocks.at = next;
        } else {
            break;
        }
    }
    Some(Block::DefinitionList(items))
}
