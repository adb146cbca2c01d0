//! Arguments of code blocks: `sh -n :results output :var x=1`.

/// An argument of a code block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header<'t> {
    /// The name with its colon.
    pub(super) name: &'t str,
    /// The trimmed value; empty for an argument without one.
    pub(super) value: &'t str,
}

/// Reads `:name value` pairs. A colon begins a name after whitespace, outside of quotes and brackets.
pub(super) fn headers(text: &str) -> Vec<Header<'_>> {
    let mut starts = Vec::new();
    let mut depth = 0usize;
    let mut quoted = false;
    let mut after_space = true;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b':' if depth == 0 && after_space => starts.push(at),
            _ => {}
        }
        after_space = matches!(byte, b' ' | b'\t');
    }
    let ends = starts.iter().copied().skip(1).chain([text.len()]);
    let header = |(start, end): (usize, usize)| {
        let whole = &text[start..end];
        let name = &whole[..whole.find([' ', '\t']).unwrap_or(whole.len())];
        Header { name, value: whole[name.len()..].trim_matches([' ', '\t']) }
    };
    starts.iter().copied().zip(ends).map(header).filter(|header| header.name.len() > 1).collect()
}

/// The language that the arguments of `#+begin_src` begin with, and the rest.
pub(super) fn language(arguments: &str) -> (Option<&str>, &str) {
    let end = arguments.find([' ', '\t']).unwrap_or(arguments.len());
    let word = &arguments[..end];
    if word.is_empty() || word.starts_with(':') || is_switch(word) {
        return (None, arguments);
    }
    (Some(word), &arguments[end..])
}

/// `-n`, `+n`, `-r`: options of the block itself.
fn is_switch(word: &str) -> bool {
    word.len() == 2 && word.starts_with(['-', '+']) && word.as_bytes()[1].is_ascii_alphabetic()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_may_hold_colons_in_quotes_and_brackets() {
        let text = ":results output :var x='(a :b) y=\"c :d\" :cache";
        let read: Vec<_> = headers(text).iter().map(|header| (header.name, header.value)).collect();
        let expected = [(":results", "output"), (":var", "x='(a :b) y=\"c :d\""), (":cache", "")];
        assert_eq!(read, expected);
    }

    #[test]
    fn the_language_is_the_first_word_that_is_not_an_option() {
        assert_eq!(language("sh -n :x y"), (Some("sh"), " -n :x y"));
        assert_eq!(language(":x y").0, None);
        assert_eq!(language("-n").0, None);
        assert_eq!(language("").0, None);
    }
}
