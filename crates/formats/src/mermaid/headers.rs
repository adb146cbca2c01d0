//! What diagrams begin with.

use super::prepare::is_space;

/// What a diagram of a type begins with.
pub(super) struct Header {
    pub(super) word: &'static str,
    /// Whether upper and lower case are alike.
    pub(super) any_case: bool,
    /// Where the word may end.
    pub(super) ends: Ends,
    /// Words that make any text a diagram of this type, wherever they are: Mermaid's pattern lacks the
    /// anchor.
    pub(super) elsewhere: &'static [&'static str],
    /// Position of the type among all types; nothing for one that is not read.
    pub(super) diagram: Option<usize>,
}

/// Where a header's word may end.
pub(super) enum Ends {
    /// Anywhere: the word is a prefix.
    Anywhere,
    /// Before anything that is not an ASCII word character.
    Word,
    /// Before whitespace, one of these characters, or the end of the text.
    Space(&'static [char]),
}

impl Header {
    /// Whether a prepared text begins like this.
    pub(super) fn fits(&self, text: &str) -> bool {
        if self.elsewhere.iter().any(|word| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some())
        {
            return true;
        }
        let Some(head) = text.get(..self.word.len()) else { return false };
        if head != self.word && !(self.any_case && head.eq_ignore_ascii_case(self.word)) {
            return false;
        }
        let next = text[self.word.len()..].chars().next();
        match self.ends {
            Ends::Anywhere => true,
            Ends::Word => next.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '_'),
            Ends::Space(others) => next.is_none_or(|c| is_space(c) || others.contains(&c)),
        }
    }
}
