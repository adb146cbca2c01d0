/// Generation of the QUILL/SCOPE dialect, named after the behavior of its original parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// Versions 0.1.1 – 0.1.20: a block holds no blank line, begins wherever `---` ends a line, and
    /// its fields may share no name with a collection.
    Seed,
    /// Versions 0.8.2 – 0.19.1: a block may hold blank lines and begins at the start of a line, and a
    /// field that is a sequence is joined with the collection of its name.
    #[default]
    C2,
}

impl Dialect {
    /// The dialect of this name; the default one for an unknown name.
    pub fn named(name: Option<&str>) -> Self {
        match name {
            Some("seed") => Self::Seed,
            _ => Self::C2,
        }
    }

    /// `seed` or `c2`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::C2 => "c2",
        }
    }
}
