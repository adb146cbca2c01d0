/// What `---` lines mean in a Markdown document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Front matter at the start of the text, then CommonMark: every other `---` line is a thematic break or
    /// the underline of a heading.
    CommonMark,
    /// Versions 0.1.1 – 0.1.20 of the QUILL/SCOPE dialect: a block has no blank line, begins wherever `---`
    /// ends a line, and its fields may share no name with a collection.
    Seed,
    /// Versions 0.8.2 – 0.19.1 of the QUILL/SCOPE dialect: a block may have blank lines and begins at the
    /// start of a line, and a field that is a sequence is joined with the collection of its name.
    C2,
    /// Versions 0.20 – 0.81 of Quillmark: items of collections are blocks with CARD, and since 0.79 fences with the
    /// language `card` and the name of the collection. Quills have versions, `name@1.0`.
    Cards,
    /// Versions 0.82 and later of Quillmark: blocks are fences of tildes at the start of a line, with `$quill` in the first
    /// and `$kind` in others.
    Tildes,
}

/// The dialect that is found out from the text.
const AUTO: &str = "auto";

impl Dialect {
    /// The names that can be asked for.
    pub const NAMES: [&str; 6] = [AUTO, "commonmark", "c2", "seed", "cards", "tildes"];

    /// The dialects that documents can be translated to.
    pub const WITH_BLOCKS: [Self; 4] = [Self::Seed, Self::C2, Self::Cards, Self::Tildes];

    /// The dialect of this name; nothing for [`AUTO`] and for names of no dialect.
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::WITH_BLOCKS.into_iter().chain([Self::CommonMark]);
        all.find(|dialect| dialect.name() == name)
    }

    /// Its name in the tree and in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Self::CommonMark => "commonmark",
            Self::Seed => "seed",
            Self::C2 => "c2",
            Self::Cards => "cards",
            Self::Tildes => "tildes",
        }
    }

    /// Whether quills have versions in it, and collections do not share names with fields.
    pub fn is_later(self) -> bool {
        matches!(self, Self::Cards | Self::Tildes)
    }

    /// Whether metadata blocks can appear anywhere in the text.
    pub fn has_blocks(self) -> bool {
        self != Self::CommonMark
    }
}
