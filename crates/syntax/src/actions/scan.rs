//! The actions in text.

use memchr::{memchr2, memmem};

use crate::{budget, text::Span};

/// Whose actions are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Engine {
    /// The engine whose actions the text shows.
    #[default]
    Any,
    /// Go's `text/template`, as Helm uses it.
    Go,
    /// Jinja, Nunjucks, Liquid.
    Jinja,
    /// Embedded Ruby.
    Erb,
    /// Terraform: `${ … }` and `%{ … }`.
    Terraform,
}

/// What an action does to the text around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It leaves text.
    Output,
    /// It leaves nothing, and belongs to no block.
    Silent,
    /// It begins a block.
    Open,
    /// It begins a block that is written for another place: a definition, a comment.
    OpenElsewhere,
    /// It begins the next arm of a block.
    Arm,
    /// It ends a block.
    Close,
}

/// An action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Action {
    /// Where the action is, with its marks.
    pub span: Span,
    /// What it does.
    pub role: Role,
}

/// Most bytes of an action that is not a comment.
const LONGEST: usize = 8 * 1024;

/// The actions in text, in their order. An action that is not closed is not one.
pub fn actions(text: &str, engine: Engine) -> Vec<Action> {
    if engine == Engine::Terraform {
        return terraform(text);
    }
    let mut found = Vec::new();
    let has_percent = || text.contains("{%");
    let braces = engine != Engine::Erb;
    let percent = braces && engine != Engine::Go && has_percent();
    let notes = engine == Engine::Jinja || percent;
    let erb = matches!(engine, Engine::Any | Engine::Erb);
    let mut at = 0;
    // What is not closed is not read again and again to the end.
    let [mut braces_end, mut triple_end, mut percent_end, mut slash_end, mut dash_end] =
        ["}}", "}}}", "%}", "*/", "--"].map(Mark::new);
    let last_end = memmem::rfind(text.as_bytes(), b"}}").unwrap_or(0);
    let mut ends_of_tags = ["endraw", "endverbatim", "endcomment"].map(Mark::new);
    while let Some(next) = memchr2(b'{', b'<', &text.as_bytes()[at..]) {
        if !budget::charge(1) {
            break;
        }
        let start = at + next;
        let rest = &text[start..];
        if let Some(inner) = rest.strip_prefix("{{") {
            let inner = inner.trim_start_matches('{').trim_start_matches(['-', '~']).trim_start();
            let may_close = match inner {
                _ if inner.starts_with("/*") => slash_end.after(text, start).is_some_and(|at| at < last_end),
                _ if inner.starts_with("!--") => dash_end.after(text, start).is_some_and(|at| at < last_end),
                _ if inner.starts_with('!') => start < last_end,
                _ => braces_end.is_near(text, start),
            };
            if !may_close {
                // The last two of many braces may begin an action.
                at = start + (rest.len() - rest.trim_start_matches('{').len()).saturating_sub(2).max(1);
                continue;
            }
        }
        if rest.starts_with("{%") && !percent_end.is_near(text, start) {
            at = start + 1;
            continue;
        }
        let read = match rest.as_bytes().get(1) {
            // `${{ … }}` belongs to whoever reads the document, such as GitHub.
            Some(b'{') if braces && engine != Engine::Go && text[..start].ends_with('$') => {
                close(rest, 2, "}}").map(|end| (end, None))
            }
            Some(b'{') if braces => double(rest, triple_end.is_near(text, start)),
            Some(b'%') if percent && rest.starts_with('{') => tag(rest, |closing| {
                let known = ends_of_tags.iter_mut().find(|known| known.mark == closing);
                known.is_none_or(|known| known.after(text, start).is_some())
            }),
            Some(b'#') if notes && rest.starts_with('{') => {
                memmem::find(rest.as_bytes(), b"#}").map(|end| (end + 2, Some(Role::Silent)))
            }
            Some(b'%') if erb && rest.starts_with('<') => ruby(rest),
            _ => None,
        };
        match read {
            Some((length, role)) => {
                let span = Span::new(start, start + length);
                found.extend(role.map(|role| Action { span, role }));
                at = span.end as usize;
            }
            None => at = start + 1,
        }
    }
    found
}

/// The length of what is read, and what it does; nothing for what is not an action after all.
type Read = Option<(usize, Option<Role>)>;

/// A mark that closes something, with the place where it was found last: places are asked for in their order.
struct Mark {
    mark: &'static str,
    /// The end of the text where there is none left.
    found: usize,
}

impl Mark {
    fn new(mark: &'static str) -> Self {
        Self { mark, found: 0 }
    }

    /// The place of the first mark after `start`.
    fn after(&mut self, text: &str, start: usize) -> Option<usize> {
        if self.found <= start {
            let next = text.as_bytes().get(start + 1..).unwrap_or_default();
            let found = memmem::find(next, self.mark.as_bytes());
            self.found = found.map_or(text.len(), |at| start + 1 + at);
        }
        (self.found < text.len()).then_some(self.found)
    }

    /// Whether there is one within the length of an action.
    fn is_near(&mut self, text: &str, start: usize) -> bool {
        self.after(text, start).is_some_and(|at| at - start < LONGEST)
    }
}

/// `{{ … }}`; `may_be_triple` where `}}}` is near.
fn double(rest: &str, may_be_triple: bool) -> Read {
    let triple = may_be_triple && rest.starts_with("{{{");
    let inner = rest[2..].trim_start_matches('{');
    let inner = inner.strip_prefix(['-', '~']).unwrap_or(inner).trim_start();
    let comment = |closing: &str| {
        let inside = memmem::find(rest.as_bytes(), closing.as_bytes())?;
        let end = memmem::find(&rest.as_bytes()[inside..], b"}}")?;
        Some((inside + end + 2, Some(Role::Silent)))
    };
    if inner.starts_with("/*") {
        return comment("*/");
    }
    if inner.starts_with("!--") {
        return comment("--");
    }
    if inner.starts_with('!') {
        return memmem::find(rest.as_bytes(), b"}}").map(|end| (end + 2, Some(Role::Silent)));
    }
    let end = close(rest, 2, if triple { "}}}" } else { "}}" }).or_else(|| close(rest, 2, "}}"))?;
    let role = match inner.as_bytes().first() {
        Some(b'#' | b'^') if inner[1..].trim_start().starts_with("}}") => Role::Arm,
        Some(b'#' | b'^') => Role::Open,
        // `{{/section}}`
        Some(b'/') => Role::Close,
        Some(b'>') => Role::Output,
        _ => match word(inner) {
            "if" | "range" | "with" | "block" => Role::Open,
            "define" => Role::OpenElsewhere,
            "else" => Role::Arm,
            "end" => Role::Close,
            "break" | "continue" => Role::Silent,
            _ if assigns(inner) => Role::Silent,
            _ => Role::Output,
        },
    };
    Some((end, Some(role)))
}

/// Whether an action of Go's templates sets a variable: `$x := 1`.
fn assigns(inner: &str) -> bool {
    let Some(rest) = inner.strip_prefix('$') else { return false };
    let rest = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').trim_start();
    rest.starts_with(":=") || rest.starts_with('=') && !rest.starts_with("==")
}

/// `{% … %}`; `may_end` says whether the word of a closing tag follows.
fn tag(rest: &str, mut may_end: impl FnMut(&str) -> bool) -> Read {
    let end = close(rest, 2, "%}")?;
    let inner = rest[2..end - 2].trim_matches(['-', '+', '~']).trim();
    let name = word(inner);
    let mut until = |closing: &str| {
        if !may_end(closing) {
            return None;
        }
        // What lies in between is text as it is written.
        let mut from = end;
        while let Some(next) = memmem::find(&rest.as_bytes()[from..], b"{%") {
            if !budget::charge(1) {
                return None;
            }
            let start = from + next;
            let end = close(&rest[start..], 2, "%}").map(|length| start + length)?;
            if word(rest[start + 2..end].trim_start_matches(['-', '+', '~']).trim_start()) == closing {
                return Some(end);
            }
            from = start + 2;
        }
        None
    };
    let role = match name {
        "raw" | "verbatim" => {
            let end = until(if name == "raw" { "endraw" } else { "endverbatim" }).unwrap_or(end);
            return Some((end, Some(Role::Output)));
        }
        "comment" => return Some((until("endcomment").unwrap_or(end), Some(Role::Silent))),
        "macro" => Role::OpenElsewhere,
        "if" | "for" | "call" | "filter" | "block" | "with" | "autoescape" | "unless" | "case"
        | "tablerow" | "capture" | "ifchanged" | "trans" => Role::Open,
        "set" if !inner.contains('=') => Role::OpenElsewhere,
        "else" | "elif" | "elsif" | "elseif" | "when" => Role::Arm,
        "include" | "render" => Role::Output,
        _ if name.starts_with("end") => Role::Close,
        _ => Role::Silent,
    };
    Some((end, Some(role)))
}

/// The actions of Terraform's templates. `$${` and `%%{` are text.
fn terraform(text: &str) -> Vec<Action> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = memmem::find(&text.as_bytes()[at..], b"{") {
        if !budget::charge(1) {
            break;
        }
        let brace = at + next;
        at = brace + 1;
        let (mark, before) = match &text.as_bytes()[..brace] {
            [.., before, mark] => (*mark, *before),
            [mark] => (*mark, b' '),
            [] => continue,
        };
        if !matches!(mark, b'$' | b'%') || before == mark {
            continue;
        }
        let Some(end) = balanced(text, brace) else { continue };
        let inner = text[brace + 1..end - 1].trim_matches('~').trim();
        let role = match word(inner) {
            _ if mark == b'$' => Role::Output,
            "if" | "for" => Role::Open,
            "else" => Role::Arm,
            "endif" | "endfor" => Role::Close,
            _ => Role::Silent,
        };
        found.push(Action { span: Span::new(brace - 1, end), role });
        at = end;
    }
    found
}

/// The offset after the brace that closes the one at `open`.
fn balanced(text: &str, open: usize) -> Option<usize> {
    let bytes = &text.as_bytes()[..text.len().min(open + LONGEST)];
    let (mut depth, mut at) = (0_usize, open);
    while at < bytes.len() {
        match bytes[at] {
            b'{' => depth += 1,
            b'}' if depth == 1 => return Some(at + 1),
            b'}' => depth -= 1,
            b'"' => at = string_end(bytes, at)? - 1,
            _ => {}
        }
        at += 1;
    }
    None
}

/// `<% … %>`
fn ruby(rest: &str) -> Read {
    if rest.starts_with("<%%") {
        return Some((3, None));
    }
    let end = memmem::find(rest.as_bytes().get(..LONGEST.min(rest.len()))?, b"%>")? + 2;
    let inner = &rest[2..end - 2];
    let code = inner.trim_matches('-').trim();
    let role = match inner.as_bytes().first() {
        Some(b'=') => Role::Output,
        Some(b'#') => Role::Silent,
        _ => match word(code) {
            "if" | "unless" | "case" | "while" | "until" | "for" | "begin" => Role::Open,
            "else" | "elsif" | "when" | "rescue" | "ensure" => Role::Arm,
            "end" => Role::Close,
            _ if code.starts_with('}') => Role::Close,
            _ if code.ends_with(" do") || code.ends_with('|') || code.ends_with('{') => Role::Open,
            _ => Role::Silent,
        },
    };
    Some((end, Some(role)))
}

/// The first word of an action.
fn word(inner: &str) -> &str {
    let end = inner.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(inner.len());
    &inner[..end]
}

/// Where an action ends: after the first `closing` that is not in a string.
fn close(rest: &str, from: usize, closing: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let most = LONGEST.min(bytes.len());
    let plain = || memmem::find(&bytes[from..most], closing.as_bytes()).map(|end| from + end + closing.len());
    let mut at = from;
    while at < most {
        match bytes[at] {
            quote @ (b'"' | b'\'' | b'`') => {
                // What is not closed on its line is an apostrophe.
                let line = bytes[at + 1..most].iter().position(|byte| *byte == b'\n' && quote != b'`');
                let end = line.map_or(most, |line| at + 1 + line);
                match string_end(&bytes[..end], at) {
                    Some(end) => at = end,
                    None => return plain(),
                }
            }
            _ if bytes[at..most].starts_with(closing.as_bytes()) => return Some(at + closing.len()),
            _ => at += 1,
        }
    }
    plain()
}

/// The offset after a string that starts at `start`.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let quote = bytes[start];
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quote != b'`' => at += 2,
            byte if byte == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}
