//! The kinds of what can be referred to, and what they are called.

use std::collections::HashMap;

use super::Context;
use crate::{metadata::short, model::Attr};

/// Most kinds that a document defines.
const CUSTOM: usize = 200;

/// A kind, by the prefix of its labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KindOf {
    pub(super) name: String,
    class: Class,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Float,
    Theorem,
    Callout,
    /// Sections and equations, which have no caption.
    Other,
}

impl KindOf {
    pub(super) fn is_float(&self) -> bool {
        self.class == Class::Float
    }

    pub(super) fn is_theorem(&self) -> bool {
        self.class == Class::Theorem
    }

    pub(super) fn is_callout(&self) -> bool {
        self.class == Class::Callout
    }
}

/// Prefix, class, title.
const KINDS: [(&str, Class, &str); 23] = [
    ("fig", Class::Float, "Figure"),
    ("tbl", Class::Float, "Table"),
    ("lst", Class::Float, "Listing"),
    ("vid", Class::Float, "Video"),
    ("eq", Class::Other, "Equation"),
    ("sec", Class::Other, "Section"),
    ("apx", Class::Other, "Appendix"),
    ("thm", Class::Theorem, "Theorem"),
    ("lem", Class::Theorem, "Lemma"),
    ("cor", Class::Theorem, "Corollary"),
    ("prp", Class::Theorem, "Proposition"),
    ("cnj", Class::Theorem, "Conjecture"),
    ("def", Class::Theorem, "Definition"),
    ("exm", Class::Theorem, "Example"),
    ("exr", Class::Theorem, "Exercise"),
    ("alg", Class::Theorem, "Algorithm"),
    ("sol", Class::Theorem, "Solution"),
    ("rem", Class::Theorem, "Remark"),
    ("nte", Class::Callout, "Note"),
    ("tip", Class::Callout, "Tip"),
    ("wrn", Class::Callout, "Warning"),
    ("imp", Class::Callout, "Important"),
    ("cau", Class::Callout, "Caution"),
];

/// The class of a theorem's div.
pub(super) fn theorem_name(kind: &str) -> &'static str {
    match kind {
        "lem" => "lemma",
        "cor" => "corollary",
        "prp" => "proposition",
        "cnj" => "conjecture",
        "def" => "definition",
        "exm" => "example",
        "exr" => "exercise",
        "alg" => "algorithm",
        "sol" => "solution",
        "rem" => "remark",
        "prf" => "proof",
        _ => "theorem",
    }
}

/// What a div without a label is by its class: a proof, a remark, a solution.
pub(super) fn theorem_class(attr: &Attr) -> Option<&'static str> {
    [("proof", "prf"), ("remark", "rem"), ("solution", "sol")]
        .into_iter()
        .find_map(|(class, kind)| attr.has_class(class).then_some(kind))
}

/// What kinds are called, in captions and in references.
pub(super) struct Names {
    titles: HashMap<String, String>,
    prefixes: HashMap<String, String>,
    custom: Vec<String>,
    delimiter: String,
}

impl Names {
    pub(super) fn of(context: &Context<'_>) -> Self {
        let mut names = Self {
            titles: KINDS.iter().map(|(kind, _, title)| ((*kind).to_owned(), (*title).to_owned())).collect(),
            prefixes: HashMap::from([("alg".to_owned(), "alg.".to_owned())]),
            custom: Vec::new(),
            delimiter: context.metadata.words("crossref.title-delim").unwrap_or(":").to_owned(),
        };
        names.titles.insert("prf".to_owned(), "Proof".to_owned());
        // Pages of a book; no label has this prefix.
        names.titles.insert("ch".to_owned(), "Chapter".to_owned());
        let kinds: Vec<String> = names.titles.keys().cloned().collect();
        for kind in kinds {
            let language = context.metadata.words(&format!("language.crossref-{kind}-title"));
            let own = context.metadata.words(&format!("crossref.{kind}-title"));
            if let Some(title) = own.or(language) {
                names.titles.insert(kind.clone(), title.to_owned());
            }
            let prefix = context.metadata.words(&format!("crossref.{kind}-prefix"));
            let prefix =
                prefix.or_else(|| context.metadata.words(&format!("language.crossref-{kind}-prefix")));
            if let Some(prefix) = prefix {
                names.prefixes.insert(kind, prefix.to_owned());
            }
        }
        let custom = context.metadata.at("crossref.custom").and_then(serde_json::Value::as_array);
        for item in custom.into_iter().flatten().take(CUSTOM) {
            let field = |key: &str| item.get(key).and_then(serde_json::Value::as_str).map(short);
            let Some(key) = field("key") else { continue };
            let title = field("reference-prefix").or_else(|| field("caption-prefix")).unwrap_or(key);
            names.titles.insert(key.to_owned(), field("caption-prefix").unwrap_or(title).to_owned());
            names.prefixes.insert(key.to_owned(), title.to_owned());
            names.custom.push(key.to_owned());
        }
        names
    }

    /// The kind of a label.
    pub(super) fn kind_of(&self, label: &str) -> Option<KindOf> {
        let (prefix, rest) = label.split_once('-')?;
        if rest.is_empty() {
            return None;
        }
        if self.custom.iter().any(|custom| custom == prefix) {
            return Some(KindOf { name: prefix.to_owned(), class: Class::Float });
        }
        let (name, class, _) = KINDS.iter().find(|(name, ..)| *name == prefix)?;
        Some(KindOf { name: (*name).to_owned(), class: *class })
    }

    /// What captions begin with.
    pub(super) fn title(&self, kind: &str) -> String {
        self.titles.get(kind).cloned().unwrap_or_else(|| kind.to_owned())
    }

    /// What references begin with.
    pub(super) fn prefix(&self, kind: &str) -> String {
        self.prefixes.get(kind).cloned().unwrap_or_else(|| self.title(kind))
    }

    /// What is between the number and the text of a caption.
    pub(super) fn delimiter(&self) -> &str {
        &self.delimiter
    }
}
