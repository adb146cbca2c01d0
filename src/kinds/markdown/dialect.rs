/// What `---` lines mean in a Markdown document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Front matter at the start of the text, then CommonMark: every other `---` line is a thematic break or
    /// the underline of a heading.
    CommonMark,
    /// Versions 0.1.1 – 0.1.20 of the QUILL/SCOPE dialect: a block has no blank line, begins wherever `---`
    /// ends a line, and its fields may share no name with a collection.
    Seed,
    /// Versions 0.8.2 – 0.19.1 of the QUILL/SCOPE dialect: a block may have blank lines and begins at the
    /// start of a line, and a field that is a sequence is joined with the collection of its name.
    C2,
}

/// The dialect that is found out from the text.
const AUTO: &str = "auto";

impl Dialect {
    /// The names that can be asked for.
    pub(crate) const NAMES: [&str; 4] = [AUTO, "commonmark", "c2", "seed"];

    /// The dialect of this name; nothing for [`AUTO`] and for names of no dialect.
    pub(crate) fn named(name: &str) -> Option<Self> {
        [Self::CommonMark, Self::C2, Self::Seed].into_iter().find(|dialect| dialect.name() == name)
    }

    /// Its name in the tree and in configurations.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::CommonMark => "commonmark",
            Self::Seed => "seed",
            Self::C2 => "c2",
        }
    }

    /// Whether metadata blocks can appear anywhere in the text.
    pub(crate) fn has_blocks(self) -> bool {
        self != Self::CommonMark
    }
}
