//! A work that can be cited, whatever its bibliography is written in.

/// The name of a person, or of an organization, which has a family name only.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Name {
    pub(super) family: String,
    pub(super) given: String,
    /// Words between both that do not count for the order, such as `van der`.
    pub(super) particle: String,
}

impl Name {
    /// Family name first.
    pub(super) fn inverted(&self) -> String {
        let given = [self.given.as_str(), self.particle.as_str()].join(" ");
        match given.trim() {
            "" => self.family.clone(),
            given => format!("{}, {given}", self.family),
        }
    }

    /// The name with the given name first.
    pub(super) fn in_order(&self) -> String {
        let parts = [self.given.as_str(), self.particle.as_str(), self.family.as_str()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// A work, with the variables of the Citation Style Language that the built-in styles show.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Reference {
    pub(super) id: String,
    /// The type as the Citation Style Language names it, such as `article-journal`.
    pub(super) kind: String,
    pub(super) authors: Vec<Name>,
    pub(super) editors: Vec<Name>,
    pub(super) year: Option<String>,
    /// In Markdown.
    pub(super) title: String,
    /// The journal or the book that it is part of, in Markdown.
    pub(super) container: String,
    pub(super) volume: String,
    pub(super) issue: String,
    pub(super) pages: String,
    pub(super) publisher: String,
    pub(super) edition: String,
    /// What kind of thesis or report it is.
    pub(super) genre: String,
    pub(super) number: String,
    pub(super) doi: String,
    pub(super) url: String,
}

impl Reference {
    /// The names that the work is sorted by and cited as: those of the authors, or else of the editors.
    pub(super) fn people(&self) -> &[Name] {
        if self.authors.is_empty() { &self.editors } else { &self.authors }
    }
}
