//! Descriptions of diagram types as they are written.

use serde::Deserialize;

use proofmark_peg::mapping::{Ordered, RawNames, RawTree};

/// A diagram type.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawDiagram {
    /// Name in the tree and in messages.
    pub(super) name: String,
    /// One line on what it shows.
    pub(super) description: String,
    /// Position in lists of types; types without one go last.
    #[serde(default = "last")]
    pub(super) rank: u32,
    /// Position among the types whose statements are recognized in diagrams of other types; absent where
    /// nearly any line is a statement.
    pub(super) recognized: Option<u32>,
    /// What a diagram of this type begins with.
    pub(super) headers: Vec<RawHeader>,
    /// The words that begin a diagram as users write them, the usual one first.
    pub(super) spellings: Vec<String>,
    /// Whether the grammar follows nested brackets by recursion.
    #[serde(default)]
    pub(super) recursive: bool,
    /// Words that begin a statement, with the form of the statement.
    #[serde(default)]
    pub(super) statements: Option<Ordered<String>>,
    /// Arrows and other connectors, for suggestions.
    #[serde(default)]
    pub(super) arrows: Vec<String>,
    /// What the tree has besides what all diagrams have.
    pub(super) tree: Option<RawTree>,
    /// The names in diagrams, by what they are names of: for editors.
    pub(super) names: Option<RawNames>,
}

/// What a diagram of a type begins with.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawHeader {
    pub(super) word: String,
    /// Position among all headers: the first one that fits decides, as in Mermaid.
    pub(super) order: u32,
    /// Whether the word matches in upper and lower case.
    #[serde(default)]
    pub(super) any_case: bool,
    /// What has to follow (default: anything).
    pub(super) ends: Option<RawEnd>,
    /// Characters that may follow besides whitespace.
    #[serde(default)]
    pub(super) or_before: String,
    /// Words that make any text a diagram of this type, wherever they are.
    #[serde(default)]
    pub(super) elsewhere: Vec<String>,
}

/// What has to follow the word of a header.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum RawEnd {
    /// Anything but a word character.
    Word,
    /// Whitespace or the end of the text.
    Space,
}

/// What all diagrams have in their tree, where their grammar has the rule.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawCommon {
    pub(super) tree: Ordered<String>,
}

fn last() -> u32 {
    u32::MAX
}
