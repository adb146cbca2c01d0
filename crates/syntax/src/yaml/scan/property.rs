use super::{Lexeme, Scanner, TagParts, Token, is_word};
use crate::{
    text::Span,
    yaml::fault::{Fault, Problem},
};

impl Scanner<'_> {
    /// An anchor `&name` or an alias `*name`.
    pub(super) fn fetch_anchor(&mut self) -> Result<(), Fault> {
        self.save_key()?;
        self.key_allowed = false;
        let start = self.pos;
        let alias = self.at(0) == b'*';
        self.pos += 1;
        while is_word(self.at(0)) {
            self.pos += 1;
        }
        let ends = self.is_space_or_end(0)
            || matches!(self.at(0), b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`');
        if self.pos == start + 1 || !ends {
            let problem = if alias { Problem::AliasName } else { Problem::AnchorName };
            return Err(Fault::inside(problem, start, self.pos));
        }
        let what = if alias { Lexeme::Alias } else { Lexeme::Anchor };
        self.tokens.push_back(Token { what, span: Span::new(start, self.pos) });
        Ok(())
    }

    pub(super) fn fetch_tag(&mut self) -> Result<(), Fault> {
        self.save_key()?;
        self.key_allowed = false;
        let start = self.pos;
        let parts = if self.at(1) == b'<' {
            self.verbatim_tag(start)?
        } else if self.is_python() {
            self.python_tag(start)?
        } else {
            self.shorthand_tag(start)?
        };
        let ends = match self.at(0) {
            b',' => self.flow() > 0 && !self.is_python(),
            b'\t' => !self.is_python() || self.pos == start + 1,
            _ => self.is_space_or_end(0),
        };
        if !ends {
            return Err(Fault::inside(Problem::Tag, start, self.pos));
        }
        let what = Lexeme::Tag(Box::new(parts));
        self.tokens.push_back(Token { what, span: Span::new(start, self.pos) });
        Ok(())
    }

    /// `!<uri>`.
    fn verbatim_tag(&mut self, start: usize) -> Result<TagParts, Fault> {
        self.pos += 2;
        let suffix = self.tag_uri(true, "", start, Problem::Tag)?;
        if self.at(0) != b'>' {
            return Err(Fault::inside(Problem::Tag, start, self.pos));
        }
        self.pos += 1;
        Ok(TagParts { handle: String::new(), suffix })
    }

    /// `!suffix`, `!!suffix`, `!handle!suffix` or `!`.
    fn shorthand_tag(&mut self, start: usize) -> Result<TagParts, Fault> {
        let handle = self.tag_handle(false, start)?;
        if handle.len() > 1 && handle.ends_with('!') {
            let suffix = self.tag_uri(false, "", start, Problem::Tag)?;
            return Ok(TagParts { handle, suffix });
        }
        let suffix = self.tag_uri(false, &handle, start, Problem::Tag)?;
        if suffix.is_empty() {
            return Ok(TagParts { handle: String::new(), suffix: "!".into() });
        }
        Ok(TagParts { handle: "!".into(), suffix })
    }

    /// The shorthand tag as `PyYAML` reads it: the text before another `!` is a handle.
    fn python_tag(&mut self, start: usize) -> Result<TagParts, Fault> {
        if self.is_space_or_end(1) {
            self.pos += 1;
            return Ok(TagParts { handle: String::new(), suffix: "!".into() });
        }
        let rest = &self.bytes[start + 1..];
        let end = rest.iter().position(|byte| matches!(byte, b' ' | b'\r' | b'\n')).unwrap_or(rest.len());
        let handle = if rest[..end].contains(&b'!') {
            self.tag_handle(true, start)?
        } else {
            self.pos += 1;
            "!".to_owned()
        };
        let suffix = self.tag_uri(true, "", start, Problem::Tag)?;
        Ok(TagParts { handle, suffix })
    }

    fn tag_handle(&mut self, directive: bool, start: usize) -> Result<String, Fault> {
        let problem = if directive { Problem::Directive } else { Problem::Tag };
        let from = self.pos;
        if self.at(0) != b'!' {
            return Err(Fault::inside(problem, start, self.pos));
        }
        self.pos += 1;
        while is_word(self.at(0)) {
            self.pos += 1;
        }
        if self.at(0) == b'!' {
            self.pos += 1;
        } else if directive && self.pos > from + 1 {
            return Err(Fault::inside(problem, start, self.pos));
        }
        Ok(self.text[from..self.pos].to_owned())
    }

    /// The rest of a tag; `head` is a supposed handle that is part of it, with its `!`.
    fn tag_uri(
        &mut self,
        brackets: bool,
        head: &str,
        start: usize,
        problem: Problem,
    ) -> Result<String, Fault> {
        let mut uri = head.get(1..).unwrap_or_default().as_bytes().to_vec();
        let from = self.pos;
        loop {
            match self.at(0) {
                b'%' => self.uri_escape(&mut uri, start, problem)?,
                b',' | b'[' | b']' if !brackets => break,
                byte if is_word(byte) || b";/?:@&=+$.!~*'(),[]".contains(&byte) => {
                    uri.push(byte);
                    self.pos += 1;
                }
                _ => break,
            }
        }
        if head.is_empty() && self.pos == from {
            return Err(Fault::inside(problem, start, self.pos));
        }
        String::from_utf8(uri).map_err(|_| Fault::inside(problem, start, self.pos))
    }

    /// The bytes of one character, each written as `%` and two digits.
    fn uri_escape(&mut self, uri: &mut Vec<u8>, start: usize, problem: Problem) -> Result<(), Fault> {
        let fault = Fault::inside(problem, start, self.pos);
        let mut left = 0;
        loop {
            let digits = self.text.get(self.pos + 1..self.pos + 3).filter(|_| self.at(0) == b'%');
            let octet = digits
                .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
                .and_then(|digits| u8::from_str_radix(digits, 16).ok())
                .ok_or(fault)?;
            left = match (left, octet) {
                (0, 0x00..=0x7F) => 0,
                (0, 0xC0..=0xDF) => 1,
                (0, 0xE0..=0xEF) => 2,
                (0, 0xF0..=0xF7) => 3,
                (1.., 0x80..=0xBF) => left - 1,
                _ => return Err(fault),
            };
            uri.push(octet);
            self.pos += 3;
            if left == 0 {
                return Ok(());
            }
        }
    }

    pub(super) fn fetch_directive(&mut self) -> Result<(), Fault> {
        self.unroll(-1);
        self.drop_key()?;
        self.key_allowed = false;
        let start = self.pos;
        let fault = |at| Fault::inside(Problem::Directive, start, at);
        self.pos += 1;
        let name = self.pos;
        while is_word(self.at(0)) {
            self.pos += 1;
        }
        if !self.is_space_or_end(0) {
            return Err(fault(self.pos));
        }
        let what = match &self.text[name..self.pos] {
            "YAML" => self.version(start)?,
            "TAG" => self.tag_directive(start)?,
            _ if self.is_python() && self.pos > name => {
                self.unknown_directive();
                return Ok(());
            }
            _ => return Err(fault(start)),
        };
        let span = Span::new(start, self.pos);
        self.skip_spaces();
        self.skip_comment();
        if !self.is_break_or_end(0) {
            return Err(fault(self.pos));
        }
        if self.at(0) != 0 {
            self.skip_break();
        }
        self.tokens.push_back(Token { what, span });
        Ok(())
    }

    /// `PyYAML` ignores unknown directives.
    fn unknown_directive(&mut self) {
        let start = self.pos;
        while !self.is_break_or_end(0) {
            self.pos += self.plain_run();
        }
        let what = Lexeme::UnknownDirective;
        self.tokens.push_back(Token { what, span: Span::new(start, self.pos) });
    }

    fn skip_spaces(&mut self) {
        while self.at(0) == b' ' || (self.at(0) == b'\t' && !self.is_python()) {
            self.pos += 1;
        }
    }

    fn version(&mut self, start: usize) -> Result<Lexeme, Fault> {
        self.skip_spaces();
        let major = self.version_number(start)?;
        if self.at(0) != b'.' {
            return Err(Fault::inside(Problem::Directive, start, self.pos));
        }
        self.pos += 1;
        let minor = self.version_number(start)?;
        Ok(Lexeme::Version { major, minor })
    }

    fn version_number(&mut self, start: usize) -> Result<u32, Fault> {
        let from = self.pos;
        while self.at(0).is_ascii_digit() {
            self.pos += 1;
        }
        let digits = &self.text[from..self.pos];
        let number = if digits.len() > 9 { None } else { digits.parse().ok() };
        number.ok_or(Fault::inside(Problem::Directive, start, from))
    }

    fn tag_directive(&mut self, start: usize) -> Result<Lexeme, Fault> {
        self.skip_spaces();
        let handle = self.tag_handle(true, start)?;
        let fault = Fault::inside(Problem::Directive, start, self.pos);
        if !matches!(self.at(0), b' ' | b'\t') {
            return Err(fault);
        }
        self.skip_spaces();
        let suffix = self.tag_uri(true, "", start, Problem::Directive)?;
        if !self.is_space_or_end(0) {
            return Err(fault);
        }
        Ok(Lexeme::TagDirective(Box::new(TagParts { handle, suffix })))
    }
}
