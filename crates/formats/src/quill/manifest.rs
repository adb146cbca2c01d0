use std::{fmt::Write as _, sync::Arc};

use serde_json::{Map, Value};

use super::{FieldSchema, FieldType, field::read_fields};
use crate::tree::{Entry, Node, Tree};

/// A format that documents are rendered with: its name, its fields, its files. Made from a
/// `Quill.toml` or `Quill.yaml` without faults.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Quill {
    /// The name that documents use.
    pub name: String,
    /// What renders it, such as `typst`.
    pub backend: String,
    /// What it is for.
    pub description: String,
    /// Who made it.
    pub author: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Topics.
    pub tags: Vec<String>,
    /// File of its glue template, relative to its folder.
    pub glue_file: Option<String>,
    /// File of its example document.
    pub example_file: Option<String>,
    /// Further keys about the quill, as they are written.
    pub metadata: Map<String, Value>,
    /// The fields it declares, in the order they are written.
    pub fields: Vec<(String, FieldSchema)>,
    /// The collections it declares (SCOPE blocks, cards) with the fields of their items.
    pub collections: Vec<(String, Vec<(String, FieldSchema)>)>,
    /// Names that its glue template reads and its example sets, besides the declared ones.
    pub used: Vec<String>,
}

impl Quill {
    /// The declared field of this name.
    pub fn field(&self, name: &str) -> Option<&FieldSchema> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, field)| field)
    }

    /// The declared fields of a collection's items.
    pub fn collection(&self, name: &str) -> Option<&[(String, FieldSchema)]> {
        self.collections.iter().find(|(known, _)| known == name).map(|(_, fields)| fields.as_slice())
    }

    /// Names of fields that a document may have.
    pub fn known_fields(&self) -> Vec<&str> {
        let declared = self.fields.iter().map(|(name, _)| name.as_str());
        declared.chain(self.used.iter().map(String::as_str)).collect()
    }

    /// Blocks of a document to start from: `frontmatter`, and one for each collection. They have a value for every
    /// field that has an example, a default or values, and for every required one.
    pub fn snippets(&self) -> Vec<(String, String)> {
        let block = |head: String, fields: &[(String, FieldSchema)]| {
            let mut text = format!("---\n{head}\n");
            for (name, field) in fields {
                let needed =
                    || field.required.then(|| field.field_type.map_or("Text".into(), FieldType::any));
                if let Some(value) = field.sample().or_else(needed) {
                    let _ = writeln!(text, "{name}: {value}");
                }
            }
            text + "---\n"
        };
        let own = ("frontmatter".to_owned(), block(format!("QUILL: {}", self.name), &self.fields));
        let collections = self.collections.iter();
        let collections =
            collections.map(|(name, fields)| (name.clone(), block(format!("SCOPE: {name}"), fields)));
        std::iter::once(own).chain(collections).collect()
    }

    /// The quill that a manifest without faults says.
    pub fn read(tree: &Tree) -> Self {
        let root = tree.root();
        let about = about(root);
        let text = |key: &str| about.and_then(|about| about.get(key)?.scalar_text()).map(String::from);
        let tags = about.and_then(|about| about.get("tags")).into_iter().flat_map(Node::items);
        let further = about.into_iter().flat_map(Node::entries).filter(|e| !ABOUT.contains(&e.key()));
        let kinds = collections(root).map(|(entry, fields)| (entry.key().to_owned(), read_fields(fields)));
        let plate =
            || root.get("typst").and_then(|typst| typst.get("plate_file")?.as_str()).map(str::to_owned);
        Self {
            name: text("name").unwrap_or_default(),
            backend: text("backend").unwrap_or_default(),
            description: text("description").unwrap_or_default(),
            author: text("author"),
            version: text("version"),
            tags: tags.filter_map(Node::as_str).map(str::to_owned).collect(),
            glue_file: text("glue_file")
                .or_else(|| text("glue"))
                .or_else(|| text("plate_file"))
                .or_else(plate),
            // `template` is the name of the classic bundles of 2025.
            example_file: text("example_file").or_else(|| text("example")).or_else(|| text("template")),
            metadata: further.map(|entry| (entry.key().to_owned(), entry.value().to_json())).collect(),
            fields: read_fields(fields(root)),
            collections: kinds.collect(),
            used: Vec::new(),
        }
    }

    /// Adds what the glue template and the example document say about fields.
    #[must_use]
    pub fn completed(mut self, glue: Option<&str>, example: &[String]) -> Self {
        let mut names: Vec<String> = glue.map(glue_names).unwrap_or_default();
        names.extend_from_slice(example);
        for name in names {
            if self.field(&name).is_none() && !self.used.contains(&name) {
                self.used.push(name);
            }
        }
        self
    }

    /// The quill in an [`Arc`], to be shared.
    pub fn shared(self) -> Arc<Self> {
        Arc::new(self)
    }
}

/// Keys of `[Quill]` that have a meaning of their own.
const ABOUT: [&str; 12] = [
    "name",
    "backend",
    "description",
    "author",
    "version",
    "tags",
    "glue",
    "glue_file",
    "plate_file",
    "example",
    "example_file",
    "template",
];

/// `[Quill]`, `Quill:` or `quill:`.
pub fn about(root: Node<'_>) -> Option<Node<'_>> {
    root.get("Quill").or_else(|| root.get("quill"))
}

/// `[fields]`, or `main: fields:` of the current generation.
pub fn fields(root: Node<'_>) -> Option<Node<'_>> {
    root.get("fields").or_else(|| root.get("main")?.get("fields"))
}

/// The collections with their fields: `card_kinds` of the current generation, `cards` and `scopes`
/// of those before.
pub fn collections(root: Node<'_>) -> impl Iterator<Item = (Entry<'_>, Option<Node<'_>>)> {
    let sections = ["card_kinds", "cards", "scopes"].into_iter().filter_map(move |key| root.get(key));
    sections.flat_map(Node::entries).map(|entry| (entry, entry.value().get("fields")))
}

/// A quill's name is a file name, a YAML value and a part of a URI: nothing in it needs escaping.
pub fn is_name(name: &str) -> bool {
    let first = name.bytes().next().is_some_and(|b| b.is_ascii_lowercase() || b == b'_');
    let rest = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    first && rest && name.len() <= 64
}

/// Names that a glue template reads: the first words of its expressions and conditions, without
/// those it binds itself.
pub fn glue_names(glue: &str) -> Vec<String> {
    const WORDS: [&str; 18] = [
        "if", "elif", "else", "endif", "for", "endfor", "in", "is", "not", "and", "or", "set", "true",
        "false", "none", "loop", "defined", "endset",
    ];
    let mut names = Vec::new();
    let mut bound: Vec<String> = Vec::new();
    for tag in
        glue.split('{').skip(1).filter_map(|rest| rest.strip_prefix('%').and_then(|r| r.split("%}").next()))
    {
        let mut words = tag.trim_matches(['-', ' ']).split_whitespace();
        if matches!(words.next(), Some("for" | "set")) {
            let targets = words.take_while(|word| *word != "in" && *word != "=");
            bound.extend(targets.map(|word| word.trim_matches([',', '(', ')']).to_owned()));
        }
    }
    for (open, close) in [("{{", "}}"), ("{%", "%}")] {
        for piece in glue.split(open).skip(1).filter_map(|rest| rest.split(close).next()) {
            for word in identifiers(piece) {
                let known = WORDS.contains(&word) || bound.iter().any(|name| name == word);
                if !known && !names.iter().any(|name| name == word) {
                    names.push(word.to_owned());
                }
            }
        }
    }
    names
}

/// Identifiers that are neither attributes, nor filters, nor named arguments, nor in quotes.
fn identifiers(expression: &str) -> impl Iterator<Item = &str> {
    let unquoted = expression.split(['"', '\'']).step_by(2);
    unquoted.flat_map(|part| {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut found = Vec::new();
        let mut rest = part;
        let mut before = ' ';
        while let Some(start) = rest.find(|c: char| word(c)) {
            before = rest[..start].trim_end().chars().next_back().unwrap_or(before);
            let end = rest[start..].find(|c: char| !word(c)).map_or(rest.len(), |end| start + end);
            let name = &rest[start..end];
            let after = rest[end..].trim_start();
            let argument = after.starts_with('=') && !after.starts_with("==");
            let free = !matches!(before, '.' | '|') && !argument && !after.starts_with('(');
            if free && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
                found.push(name);
            }
            before = name.chars().next_back().unwrap_or(' ');
            rest = &rest[end..];
        }
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_everywhere() {
        assert!(is_name("letter") && is_name("_a1") && is_name("product_catalog"));
        for bad in ["", "Letter", "../x", "a/b", "a b", "1a", "a-b", "a\0", &"a".repeat(65)] {
            assert!(!is_name(bad), "{bad:?}");
        }
    }

    #[test]
    fn a_glue_template_shows_the_names_it_reads() {
        let glue = r#"
            #let t = {{ title | String(default="Untitled") }}
            {% for q in quotes %}#quote({{ q.text | Content }}, {{ loop.index }}){% endfor %}
            {% if picture is defined and not (hidden == "x") %}{{ picture | Asset }}{% endif %}
            {%- set local = date -%} {{ local }} {{ body | Content }}
        "#;
        assert_eq!(glue_names(glue), ["title", "picture", "body", "quotes", "hidden", "date"]);
    }
}
