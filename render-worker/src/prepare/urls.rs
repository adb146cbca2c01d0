//! Web addresses in plain text, as GitHub finds them.

use std::ops::Range;

/// An address at the start of a word.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) range: Range<usize>,
    /// Whether it begins with `www.`.
    pub(super) bare: bool,
}

/// The addresses that begin in a range of the text.
pub(super) fn find(text: &str, within: Range<usize>) -> Vec<Address> {
    let mut found: Vec<Address> = Vec::new();
    let mut from = within.start;
    while from < within.end {
        let part = &text[from..within.end];
        let starts = ["https://", "http://", "www."].map(|start| part.find(start).map(|at| (at, start)));
        let Some((at, start)) = starts.into_iter().flatten().min() else { break };
        let begin = from + at;
        from = begin + start.len();
        let before = text[..begin].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '@' | '-' | '\\' | '<')) {
            continue;
        }
        let end = address_end(text, begin);
        if end > begin + start.len() && text[begin + start.len()..end].contains('.') {
            found.push(Address { range: begin..end, bare: start == "www." });
            from = from.max(end);
        }
    }
    found
}

/// The end of an address: before punctuation that belongs to the sentence.
fn address_end(text: &str, begin: usize) -> usize {
    let rest = &text[begin..];
    let stop = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | '"' | '`' | '|');
    let mut address = &rest[..rest.find(stop).unwrap_or(rest.len())];
    loop {
        let opens = address.matches('(').count();
        let closes = address.matches(')').count();
        address = match address.chars().next_back() {
            Some('?' | '!' | '.' | ',' | ':' | ';' | '*' | '_' | '~' | '\'' | ']') => {
                &address[..address.len() - 1]
            }
            Some(')') if closes > opens => &address[..address.len() - 1],
            _ => break,
        };
    }
    begin + address.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuation_of_the_sentence_is_not_part_of_an_address() {
        let text = "See https://a.example/x_(y), www.b.example. Not xwww.c.example.";
        let found: Vec<&str> = find(text, 0..text.len()).iter().map(|a| &text[a.range.clone()]).collect();
        assert_eq!(found, ["https://a.example/x_(y)", "www.b.example"]);
    }
}
