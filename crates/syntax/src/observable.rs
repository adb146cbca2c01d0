use std::borrow::Cow;

/// A name that is compiled in, or read from a pack.
pub type Name = Cow<'static, str>;

/// Whether an observation is an error of the syntax or a fact of the semantics: the check kinds
/// `syntax` and `fact`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Layer {
    /// An error production or expectation of a grammar.
    Syntax,
    /// What a semantic pass found.
    Fact,
}

/// What a kind may observe: a name, and the values and places that come with it.
#[derive(Debug, Clone)]
pub struct Observable {
    /// The name, in snake case for error productions and kebab case for facts.
    pub name: Name,
    /// Which check kind it is for.
    pub layer: Layer,
    /// Names of the values that every observation of this name has.
    pub values: Names,
    /// Names of the places that every observation of this name has.
    pub places: Names,
}

impl Observable {
    /// An error of the syntax.
    pub const fn syntax(
        name: &'static str,
        values: &'static [&'static str],
        places: &'static [&'static str],
    ) -> Self {
        Self::fixed(name, Layer::Syntax, values, places)
    }

    /// A fact of the semantics.
    pub const fn fact(
        name: &'static str,
        values: &'static [&'static str],
        places: &'static [&'static str],
    ) -> Self {
        Self::fixed(name, Layer::Fact, values, places)
    }

    const fn fixed(
        name: &'static str,
        layer: Layer,
        values: &'static [&'static str],
        places: &'static [&'static str],
    ) -> Self {
        Self { name: Cow::Borrowed(name), layer, values: Names::Fixed(values), places: Names::Fixed(places) }
    }
}

/// Names of values or places.
#[derive(Debug, Clone)]
pub enum Names {
    /// Names that are compiled in.
    Fixed(&'static [&'static str]),
    /// Names that are read from a pack.
    Read(Vec<String>),
}

impl Names {
    /// The names, in the order in which they were declared.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let (fixed, read) = match self {
            Self::Fixed(names) => (*names, &[][..]),
            Self::Read(names) => (&[][..], names.as_slice()),
        };
        fixed.iter().copied().chain(read.iter().map(String::as_str))
    }
}
