use std::sync::Arc;

use serde_json::{Map, Value};

use super::{
    FieldSchema, FieldType,
    field::{KEYS, read_fields},
};
use crate::{
    kinds::Observation,
    text::nearest,
    tree::{Entry, Node, Tree},
};

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

    /// The quill that a manifest without faults says.
    pub(crate) fn read(tree: &Tree) -> Self {
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
            example_file: text("example_file").or_else(|| text("example")),
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

    /// The same, to be shared.
    pub fn shared(self) -> Arc<Self> {
        Arc::new(self)
    }
}

/// Keys of `[Quill]` that have a meaning of their own.
const ABOUT: [&str; 11] = [
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
];

/// Backends that render.
const BACKENDS: [&str; 2] = ["typst", "acroform"];

/// `[Quill]`, `Quill:` or `quill:`.
pub(crate) fn about(root: Node<'_>) -> Option<Node<'_>> {
    root.get("Quill").or_else(|| root.get("quill"))
}

/// `[fields]`, or `main: fields:` of the current generation.
pub(crate) fn fields(root: Node<'_>) -> Option<Node<'_>> {
    root.get("fields").or_else(|| root.get("main")?.get("fields"))
}

/// The collections with their fields: `card_kinds` of the current generation, `cards` and `scopes`
/// of those before.
pub(crate) fn collections(root: Node<'_>) -> impl Iterator<Item = (Entry<'_>, Option<Node<'_>>)> {
    let sections = ["card_kinds", "cards", "scopes"].into_iter().filter_map(move |key| root.get(key));
    sections.flat_map(Node::entries).map(|entry| (entry, entry.value().get("fields")))
}

/// Observes what is wrong with a manifest.
pub(super) fn observe(tree: &Tree, observations: &mut Vec<Observation>) {
    let root = tree.root();
    let Some(about) = about(root) else {
        let near = root.entries().find(|entry| nearest(entry.key(), ["Quill"]).is_some());
        let place = near.map_or(root.span(), Entry::key_span);
        let found = near.map(|entry| entry.key().to_owned());
        observations
            .push(Observation::new("quill-section-missing", place).on(root.id()).with("found", found));
        return;
    };
    required(about, observations);
    name(about, observations);
    backend(about, observations);
    if let Some(fields) = fields(root) {
        field_list(fields, observations);
    }
    for (_, fields) in collections(root) {
        if let Some(fields) = fields {
            field_list(fields, observations);
        }
    }
}

fn required(about: Node<'_>, observations: &mut Vec<Observation>) {
    for key in ["name", "backend"] {
        let misspelt = || about.entries().any(|entry| nearest(entry.key(), [key]).is_some());
        if about.get(key).is_none() && !misspelt() {
            observations
                .push(Observation::new("quill-key-missing", about.span()).on(about.id()).with("key", key));
        }
    }
    for entry in about.entries().filter(|entry| !ABOUT.contains(&entry.key())) {
        let absent = ABOUT.into_iter().filter(|known| about.get(known).is_none());
        if let Some(near) = nearest(entry.key(), absent) {
            observations.push(misspelt(entry, near));
        }
    }
    for entry in about.entries().filter(|entry| ABOUT.contains(&entry.key()) && entry.key() != "tags") {
        if entry.value().scalar().is_none() || entry.value().is_null() {
            observations.push(wrong_type(entry, "string"));
        }
    }
}

fn name(about: Node<'_>, observations: &mut Vec<Observation>) {
    let Some(node) = about.get("name") else { return };
    let Some(name) = node.as_str() else { return };
    if !is_name(name) {
        let suggestion = suggested_name(name);
        let observation = Observation::new("quill-bad-name", node.span()).on(node.id()).with("name", name);
        observations.push(observation.with("suggestion", suggestion));
    }
}

fn backend(about: Node<'_>, observations: &mut Vec<Observation>) {
    let Some(node) = about.get("backend") else { return };
    let Some(backend) = node.as_str().filter(|backend| !BACKENDS.contains(backend)) else { return };
    let near = nearest(backend, BACKENDS);
    let observation = Observation::new("quill-unknown-backend", node.span()).on(node.id());
    let observation = observation.with("backend", backend).with("nearest", near);
    observations.push(observation.with("known", BACKENDS.to_vec()));
}

/// A quill's name is a file name, a YAML value and a part of a URI: nothing in it needs escaping.
pub fn is_name(name: &str) -> bool {
    let first = name.bytes().next().is_some_and(|b| b.is_ascii_lowercase() || b == b'_');
    let rest = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    first && rest && name.len() <= 64
}

fn suggested_name(name: &str) -> Option<String> {
    let mut out = String::new();
    for c in name.chars() {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' => out.push(c),
            _ if !out.ends_with('_') => out.push('_'),
            _ => {}
        }
    }
    let out = out.trim_matches('_').to_owned();
    let out = if out.starts_with(|c: char| c.is_ascii_digit()) { format!("_{out}") } else { out };
    is_name(&out).then_some(out)
}

fn field_list(fields: Node<'_>, observations: &mut Vec<Observation>) {
    if !fields.is_mapping() {
        if let Some(entry) = fields.own_entry().filter(|_| !fields.is_null()) {
            observations.push(wrong_type(entry, "object"));
        }
        return;
    }
    for entry in fields.entries() {
        if !is_field_name(entry.key()) {
            let observation = Observation::new("quill-bad-field-name", entry.key_span());
            observations.push(observation.on(entry.value().id()).with("field", entry.key()));
        }
        field(entry, observations);
    }
}

fn is_field_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn field(entry: Entry<'_>, observations: &mut Vec<Observation>) {
    let node = entry.value();
    if let Some(short) = node.as_str() {
        type_name(entry.key(), node, short, observations);
        return;
    }
    if !node.is_mapping() {
        observations.push(wrong_type(entry, "object"));
        return;
    }
    keys(node, observations);
    let word = node.get("type").and_then(|word| Some((word, word.as_str()?)));
    if let Some((word, text)) = word {
        type_name(entry.key(), word, text, observations);
    }
    for (key, expected) in [("required", "boolean"), ("description", "string"), ("tags", "array")] {
        if let Some(entry) = node.entry(key).filter(|entry| entry.value().node_type().name() != expected) {
            observations.push(wrong_type(entry, expected));
        }
    }
    let schema = FieldSchema::read(node);
    if schema.field_type == Some(FieldType::Enum) && schema.values.is_empty() {
        observations.push(
            Observation::new("quill-enum-without-values", entry.key_span())
                .on(node.id())
                .with("field", entry.key()),
        );
    }
    sample_values(entry, &schema, observations);
    if let Some(fields) = node.get("properties") {
        field_list(fields, observations);
    }
}

fn keys(node: Node<'_>, observations: &mut Vec<Observation>) {
    for entry in node.entries().filter(|entry| !KEYS.contains(&entry.key())) {
        let absent = KEYS.into_iter().filter(|known| node.get(known).is_none());
        if let Some(near) = nearest(entry.key(), absent) {
            observations.push(misspelt(entry, near));
        }
    }
}

fn type_name(field: &str, node: Node<'_>, word: &str, observations: &mut Vec<Observation>) {
    if FieldType::named(word.trim_end_matches('?')).is_some() {
        return;
    }
    let observation = Observation::new("quill-unknown-type", node.span()).on(node.id());
    let observation =
        observation.with("field", field).with("type", word).with("nearest", FieldType::nearest(word));
    observations.push(observation.with("known", FieldType::ALL.map(FieldType::name).to_vec()));
}

/// Observes a default or example that is not of the field's type, and a default that is never used.
fn sample_values(entry: Entry<'_>, schema: &FieldSchema, observations: &mut Vec<Observation>) {
    let node = entry.value();
    for key in ["default", "example"] {
        let Some(sample) = node.entry(key).filter(|sample| !sample.value().is_null()) else { continue };
        let value = sample.value();
        let about = |name| {
            let observation = Observation::new(name, value.span()).on(value.id());
            observation.with("field", entry.key()).with("key", key)
        };
        if let Some(expected) = schema.field_type.filter(|known| !known.takes(value.node_type())) {
            let observation = about("quill-sample-type").with("expected", expected.name());
            observations.push(observation.with("actual", value.node_type().name()));
        } else if let Some(text) = value.as_str().filter(|_| !schema.values.is_empty())
            && !schema.values.iter().any(|known| known == text)
        {
            let near = nearest(text, schema.values.iter().map(String::as_str));
            let observation = about("quill-sample-value").with("value", text).with("nearest", near);
            observations.push(observation.with("expected", schema.values.clone()));
        }
    }
    if let Some(default) = node.entry("default").filter(|_| schema.required) {
        let observation = Observation::new("quill-required-default", default.key_span());
        observations.push(observation.on(default.value().id()).with("field", entry.key()));
    }
}

fn misspelt(entry: Entry<'_>, near: &str) -> Observation {
    let observation = Observation::new("quill-misspelt-key", entry.key_span()).on(entry.value().id());
    observation.with("key", entry.key()).with("nearest", near)
}

fn wrong_type(entry: Entry<'_>, expected: &str) -> Observation {
    let value = entry.value();
    let observation = Observation::new("quill-wrong-type", value.span()).on(value.id());
    observation.with("key", entry.key()).with("expected", expected).with("actual", value.node_type().name())
}

/// Names that a glue template reads: the first words of its expressions and conditions, without
/// those it binds itself.
pub(crate) fn glue_names(glue: &str) -> Vec<String> {
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
        assert_eq!(suggested_name("My Letter-2").as_deref(), Some("my_letter_2"));
        assert_eq!(suggested_name("语"), None);
    }

    #[test]
    fn a_glue_template_tells_the_names_it_reads() {
        let glue = r#"
            #let t = {{ title | String(default="Untitled") }}
            {% for q in quotes %}#quote({{ q.text | Content }}, {{ loop.index }}){% endfor %}
            {% if picture is defined and not (hidden == "x") %}{{ picture | Asset }}{% endif %}
            {%- set local = date -%} {{ local }} {{ body | Content }}
        "#;
        assert_eq!(glue_names(glue), ["title", "picture", "body", "quotes", "hidden", "date"]);
    }
}
