/// A form of text: a type of diagram, a sort of block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// Its name; where documents have a `type` in their tree, that.
    pub name: &'static str,
    /// What it is, in one line; may be empty.
    pub about: &'static str,
    /// Words that text of this form begins with, each on its own.
    pub headers: Vec<&'static str>,
    /// Words that a statement begins with, and how the statement is written.
    pub statements: &'static [(&'static str, &'static str)],
    /// Arrows and other marks between names.
    pub connectors: &'static [&'static str],
}
