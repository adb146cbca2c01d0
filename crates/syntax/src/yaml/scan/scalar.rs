use super::{Lexeme, Scanner, Token, break_length};
use crate::{
    text::Span,
    yaml::{
        event::{Style, Text},
        fault::{Fault, Problem},
    },
};

/// Bytes that end a run of a plain scalar or need a closer look: whitespace, line breaks, `:` and, in flow
/// collections, their indicators.
const PLAIN_STOPS: [bool; 256] = stops(b"\0 \t\n\r:\xC2\xE2,[]{}?");
/// Bytes that end a run of a quoted scalar or need a closer look.
const QUOTED_STOPS: [bool; 256] = stops(b"\0 \t\n\r\xC2\xE2'\"\\");

/// The table of these bytes.
pub(in super::super) const fn stops(bytes: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] = true;
        at += 1;
    }
    table
}

/// Text that is assembled piece by piece: a slice of the source as long as the two agree.
struct Assembled<'t> {
    source: &'t str,
    start: usize,
    /// End of the part that equals the source from `start`; unused once there is a copy.
    end: usize,
    copy: Option<String>,
}

impl<'t> Assembled<'t> {
    fn new(source: &'t str, start: usize) -> Self {
        Self { source, start, end: start, copy: None }
    }

    /// Appends the source from `start` to `end`.
    fn extend(&mut self, start: usize, end: usize) {
        match &mut self.copy {
            Some(copy) => copy.push_str(&self.source[start..end]),
            None => self.end = end,
        }
    }

    /// The text as a mutable copy.
    fn copy(&mut self) -> &mut String {
        self.copy.get_or_insert_with(|| self.source[self.start..self.end].to_owned())
    }

    fn finish(self) -> Text {
        self.copy.map_or(Text::Slice(Span::new(self.start, self.end)), Text::Copy)
    }
}

/// Line breaks between two lines of a scalar that are folded into one.
#[derive(Default)]
struct Breaks {
    /// The first line break: a line feed for those of YAML 1.2, `'\0'` for an escaped one, otherwise the character
    /// itself.
    leading: Option<char>,
    trailing: String,
}

impl Breaks {
    fn add(&mut self, broken: char) {
        if self.leading.is_none() {
            self.leading = Some(broken);
        } else {
            self.trailing.push(broken);
        }
    }

    /// Writes the breaks as in a folded scalar: a single line feed becomes a space; of several, the first is
    /// dropped.
    fn fold_into(&mut self, text: &mut String) {
        match self.leading.take() {
            Some('\n') if self.trailing.is_empty() => text.push(' '),
            Some('\n') => text.push_str(&self.trailing),
            leading => {
                text.extend(leading);
                text.push_str(&self.trailing);
            }
        }
        self.trailing.clear();
    }
}

impl<'t> Scanner<'t> {
    pub(super) fn fetch_plain(&mut self) -> Result<(), Fault> {
        self.save_key()?;
        self.key_allowed = false;
        let token = self.plain()?;
        let start = token.span.start as usize;
        self.tokens.push_back(token);
        self.fetch_value_of(start)
    }

    /// Reads a plain scalar.
    fn plain(&mut self) -> Result<Token, Fault> {
        let indent = self.indent + 1;
        let start = self.pos;
        let mut end = start;
        let mut text = Assembled::new(self.text, start);
        let mut breaks = Breaks::default();
        loop {
            if (self.pos == self.line_start && self.is_document_mark()) || self.at(0) == b'#' {
                break;
            }
            let run = self.pos;
            self.pass_plain(start)?;
            if self.pos > run {
                if breaks.leading.is_some() {
                    breaks.fold_into(text.copy());
                    text.extend(run, self.pos);
                } else {
                    text.extend(end, self.pos);
                }
                end = self.pos;
            }
            let space = self.at(0) == b' ' || (self.at(0) == b'\t' && !self.is_python());
            if !space && !self.is_break(0) {
                break;
            }
            self.pass_plain_spaces(indent, start, &mut breaks)?;
            if self.flow() == 0 && self.column() < indent {
                break;
            }
        }
        // The remaining breaks ended a line, so a key may follow.
        if breaks.leading.is_some() {
            self.key_allowed = true;
        }
        Ok(Token { what: Lexeme::Scalar(text.finish(), Style::Plain), span: Span::new(start, end) })
    }

    /// Reads a plain scalar up to the next whitespace.
    fn pass_plain(&mut self, start: usize) -> Result<(), Fault> {
        let flow = self.flow() > 0;
        loop {
            let rest = &self.bytes[self.pos..];
            let run = rest.iter().position(|byte| PLAIN_STOPS[*byte as usize]).unwrap_or(rest.len());
            self.pos += run;
            match self.at(0) {
                b':' if self.is_space_or_end(1) => return Ok(()),
                b':' if flow && matches!(self.at(1), b',' | b'[' | b']' | b'{' | b'}') => {
                    return self.flow_colon(start);
                }
                b':' if flow && self.at(1) == b'?' && !self.is_python() => return self.flow_colon(start),
                b',' | b'[' | b']' | b'{' | b'}' if flow => return Ok(()),
                b'?' if flow && self.is_python() => return Ok(()),
                b':' | b',' | b'[' | b']' | b'{' | b'}' | b'?' => self.pos += 1,
                0xC2 | 0xE2 if !self.is_break(0) => self.pos += 1,
                _ => return Ok(()),
            }
        }
    }

    /// A colon before a flow indicator, which `PyYAML` reads as the end of a key.
    fn flow_colon(&self, start: usize) -> Result<(), Fault> {
        if self.is_python() { Ok(()) } else { Err(Fault::inside(Problem::FlowColon, start, self.pos)) }
    }

    /// Reads whitespace and line breaks inside or after a plain scalar.
    fn pass_plain_spaces(&mut self, indent: i32, start: usize, breaks: &mut Breaks) -> Result<(), Fault> {
        loop {
            match self.at(0) {
                b' ' => self.pos += 1,
                b'\t' if self.is_python() => return Ok(()),
                b'\t' => {
                    if breaks.leading.is_some() && self.column() < indent {
                        return Err(Fault::inside(Problem::TabInPlain, start, self.pos));
                    }
                    self.pos += 1;
                }
                _ if self.is_break(0) => breaks.add(self.take_break()),
                _ => return Ok(()),
            }
        }
    }

    /// Skips the line break here and returns its character in a scalar.
    fn take_break(&mut self) -> char {
        let broken = match &self.bytes[self.pos..] {
            [0xE2, _, 0xA8, ..] => '\u{2028}',
            [0xE2, _, _, ..] => '\u{2029}',
            _ => '\n',
        };
        self.skip_break();
        broken
    }

    pub(super) fn fetch_quoted(&mut self) -> Result<(), Fault> {
        self.save_key()?;
        self.key_allowed = false;
        let token = self.quoted()?;
        let start = token.span.start as usize;
        self.tokens.push_back(token);
        self.fetch_value_of(start)
    }

    /// Reads a quoted scalar.
    fn quoted(&mut self) -> Result<Token, Fault> {
        let start = self.pos;
        let quote = self.at(0);
        self.pos += 1;
        let mut text = Assembled::new(self.text, self.pos);
        loop {
            if self.pos == self.line_start && self.is_document_mark() {
                return Err(Fault::inside(Problem::DocumentMarkInQuotes, start, self.pos));
            }
            if self.at(0) == 0 {
                return Err(Fault::inside(Problem::UnclosedQuote, start, self.pos));
            }
            let continued = self.pass_quoted(quote, start, &mut text)?;
            if self.at(0) == quote {
                break;
            }
            self.pass_quoted_spaces(continued, &mut text);
        }
        self.pos += 1;
        if start < self.line_start {
            self.long_quote = Some(Span::new(start, self.pos));
        }
        let style = if quote == b'"' { Style::DoubleQuoted } else { Style::SingleQuoted };
        Ok(Token { what: Lexeme::Scalar(text.finish(), style), span: Span::new(start, self.pos) })
    }

    /// Reads the scalar at a position outside of brackets, in a line that starts at `line_start` and a block collection
    /// at column `indent`. Returns its token, the position after it and the whitespace below it, and the start of the
    /// line of that position.
    pub(in super::super) fn scalar_at(
        &mut self,
        at: usize,
        line_start: usize,
        indent: i32,
    ) -> Result<(Token, usize, usize), Fault> {
        self.pos = at;
        self.line_start = line_start;
        self.measured = (line_start, 0);
        self.indent = indent;
        let token = match self.at(0) {
            b'|' | b'>' => self.block_scalar()?,
            b'\'' | b'"' => self.quoted()?,
            _ => self.plain()?,
        };
        Ok((token, self.pos, self.line_start))
    }

    /// Reads quoted text up to the next whitespace or the closing quote. Returns whether a backslash at the end
    /// of a line ended it.
    fn pass_quoted(&mut self, quote: u8, start: usize, text: &mut Assembled<'t>) -> Result<bool, Fault> {
        loop {
            let run = self.pos;
            let rest = &self.bytes[self.pos..];
            self.pos += rest.iter().position(|byte| QUOTED_STOPS[*byte as usize]).unwrap_or(rest.len());
            text.extend(run, self.pos);
            match self.at(0) {
                b'\'' if quote == b'\'' && self.at(1) == b'\'' => {
                    text.copy().push('\'');
                    self.pos += 2;
                }
                byte if byte == quote => return Ok(false),
                b'\\' if quote == b'"' => {
                    text.copy();
                    if self.is_break(1) {
                        self.pos += 1;
                        self.skip_break();
                        return Ok(true);
                    }
                    let escaped = self.escape(start)?;
                    text.copy().push(escaped);
                }
                b'\'' | b'"' | b'\\' => {
                    text.extend(self.pos, self.pos + 1);
                    self.pos += 1;
                }
                0xC2 | 0xE2 if !self.is_break(0) => {
                    let width = if self.at(0) == 0xC2 { 2 } else { 3 };
                    text.extend(self.pos, self.pos + width);
                    self.pos += width;
                }
                _ => return Ok(false),
            }
        }
    }

    /// Reads whitespace and line breaks inside quotes; `continued` after an escaped line break.
    fn pass_quoted_spaces(&mut self, continued: bool, text: &mut Assembled<'t>) {
        let mut folded = continued;
        let spaces = self.pos;
        let mut end = self.pos;
        // After an escaped line break, all further ones count as trailing.
        let mut breaks = Breaks { leading: continued.then_some('\0'), trailing: String::new() };
        loop {
            match self.at(0) {
                b' ' | b'\t' => {
                    self.pos += 1;
                    if !folded {
                        end = self.pos;
                    }
                }
                _ if self.is_break(0) => {
                    breaks.add(self.take_break());
                    folded = true;
                }
                _ => break,
            }
        }
        if folded {
            breaks.leading = breaks.leading.filter(|leading| *leading != '\0');
            breaks.fold_into(text.copy());
        } else {
            text.extend(spaces, end);
        }
    }

    /// Reads the escape here.
    fn escape(&mut self, start: usize) -> Result<char, Fault> {
        let escaped = match self.at(1) {
            b'0' => '\0',
            b'a' => '\x07',
            b'b' => '\x08',
            b't' | b'\t' => '\t',
            b'n' => '\n',
            b'v' => '\x0B',
            b'f' => '\x0C',
            b'r' => '\r',
            b'e' => '\x1B',
            b' ' => ' ',
            b'"' => '"',
            b'/' => '/',
            b'\\' => '\\',
            b'N' => '\u{85}',
            b'_' => '\u{A0}',
            b'L' => '\u{2028}',
            b'P' => '\u{2029}',
            b'x' => return self.numeric_escape(2, start),
            b'u' => return self.numeric_escape(4, start),
            b'U' => return self.numeric_escape(8, start),
            _ => return Err(Fault::inside(Problem::Escape, start, self.pos)),
        };
        self.pos += 2;
        Ok(escaped)
    }

    fn numeric_escape(&mut self, digits: usize, start: usize) -> Result<char, Fault> {
        let from = self.pos + 2;
        let code = self
            .text
            .get(from..from + digits)
            .filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|code| u32::from_str_radix(code, 16).ok())
            .and_then(|code| match code {
                // Python strings can have lone surrogates.
                0xD800..=0xDFFF if self.is_python() => Some(char::REPLACEMENT_CHARACTER),
                code => char::from_u32(code),
            });
        let fault = Fault::inside(Problem::EscapeDigits, start, self.pos);
        self.pos = from + digits;
        code.ok_or(fault)
    }

    pub(super) fn fetch_block_scalar(&mut self) -> Result<(), Fault> {
        self.drop_key()?;
        self.key_allowed = true;
        let token = self.block_scalar()?;
        self.tokens.push_back(token);
        Ok(())
    }

    /// Reads a literal or folded scalar.
    fn block_scalar(&mut self) -> Result<Token, Fault> {
        let start = self.pos;
        let literal = self.at(0) == b'|';
        self.pos += 1;
        let (keep, increment) = self.block_header(start)?;
        let mut indent = match increment {
            0 => 0,
            increment => increment + self.indent.max(0),
        };
        let mut end = start + self.text[start..self.pos].trim_end().len();
        let mut text = String::new();
        let mut leading = None;
        let mut trailing = String::new();
        let mut leading_space = false;
        self.pass_block_breaks(&mut indent, start, &mut trailing)?;
        while self.column() == indent && self.at(0) != 0 {
            let space = matches!(self.at(0), b' ' | b'\t');
            if !literal && leading == Some('\n') && !leading_space && !space {
                if trailing.is_empty() {
                    text.push(' ');
                }
            } else {
                text.extend(leading);
            }
            text.push_str(&trailing);
            trailing.clear();
            leading_space = space;
            let line = self.pos;
            while !self.is_break_or_end(0) {
                self.pos += self.plain_run();
            }
            text.push_str(&self.text[line..self.pos]);
            end = self.pos;
            leading = (break_length(&self.bytes[self.pos..]) > 0).then(|| self.take_break());
            self.pass_block_breaks(&mut indent, start, &mut trailing)?;
        }
        if keep != Some(false) {
            text.extend(leading);
        }
        if keep == Some(true) {
            text.push_str(&trailing);
        }
        let style = if literal { Style::Literal } else { Style::Folded };
        Ok(Token { what: Lexeme::Scalar(Text::Copy(text), style), span: Span::new(start, end) })
    }

    /// Reads the header after `|` or `>`: whether trailing line breaks are kept (`+`) or dropped (`-`), and the
    /// indentation of the text, 0 if its first line determines it.
    fn block_header(&mut self, start: usize) -> Result<(Option<bool>, i32), Fault> {
        let mut keep = None;
        let mut increment = 0;
        for _ in 0..2 {
            match self.at(0) {
                sign @ (b'+' | b'-') if keep.is_none() => keep = Some(sign == b'+'),
                digit @ b'1'..=b'9' if increment == 0 => increment = i32::from(digit - b'0'),
                _ => break,
            }
            self.pos += 1;
        }
        let header = self.pos;
        while self.at(0) == b' ' || (self.at(0) == b'\t' && !self.is_python()) {
            self.pos += 1;
        }
        if self.pos > header || !self.is_python() {
            self.skip_comment();
        }
        if !self.is_break_or_end(0) {
            return Err(Fault::inside(Problem::BlockScalarHeader, start, self.pos));
        }
        if self.at(0) != 0 {
            self.skip_break();
        }
        Ok((keep, increment))
    }

    /// Skips empty lines and the indentation of the next line of a block scalar, and determines the
    /// indentation if it is not known yet.
    fn pass_block_breaks(
        &mut self,
        indent: &mut i32,
        start: usize,
        breaks: &mut String,
    ) -> Result<(), Fault> {
        let mut deepest = 0;
        loop {
            let mut column = self.column();
            while (*indent == 0 || column < *indent) && self.at(0) == b' ' {
                self.pos += 1;
                column += 1;
            }
            deepest = deepest.max(column);
            let shallow = *indent == 0 || column < *indent;
            if shallow && self.at(0) == b'\t' && !self.is_python() {
                return Err(Fault::inside(Problem::BlockScalarTab, start, self.pos));
            }
            if !self.is_break(0) {
                break;
            }
            breaks.push(self.take_break());
        }
        if *indent == 0 {
            *indent = deepest.max(self.indent + 1).max(1);
        }
        Ok(())
    }
}
