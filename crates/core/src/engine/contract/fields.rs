use std::{cell::LazyCell, fmt};

use serde_json::Value;

use crate::{
    budget,
    calendar::is_date,
    kinds::{
        Observation,
        quill::{FieldSchema, FieldType, Quill, padded_date},
    },
    text::{Span, nearest},
    tree::{Entry, KeyType, Node, NodeType, Tree},
};

/// What in a Markdown document does not fit the fields and collections of a quill.
pub(super) fn check(quill: &Quill, tree: &Tree) -> Vec<Observation> {
    let root = tree.root();
    let mut check = Check { quill, observations: Vec::new() };
    let scopes = root.get("scopes");
    let frontmatter = root.get("frontmatter");
    let name = tree.at_pointer("/quill/name").or_else(|| root.get("quill"));
    let known: Vec<&str> = quill.known_fields();
    let present = |field: &str| scopes.is_some_and(|scopes| scopes.get(field).is_some());
    let anchor = Anchor { place: name.or(frontmatter), block: frontmatter };
    check.mapping(frontmatter, &quill.fields, &known, &Path::Document, &anchor, &present);
    for collection in scopes.into_iter().flat_map(Node::entries) {
        check.collection(collection);
    }
    check.observations
}

/// Where a value is, as findings name it. Most values are right, so the text is made only for what is not.
enum Path<'p> {
    Document,
    Field(&'p Path<'p>, &'p str),
    Item(&'p Path<'p>, usize),
}

impl<'p> Path<'p> {
    /// The name of a field.
    fn name(&self) -> &'p str {
        if let Self::Field(_, name) = self { name } else { "" }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Document => Ok(()),
            Self::Field(Path::Document, name) => f.write_str(name),
            Self::Field(owner, name) => write!(f, "{owner}.{name}"),
            Self::Item(list, index) => write!(f, "{list}[{index}]"),
        }
    }
}

/// Where a missing field is reported, and the mapping that would contain it.
struct Anchor<'t> {
    place: Option<Node<'t>>,
    block: Option<Node<'t>>,
}

impl Anchor<'_> {
    /// The end of the last entry of the mapping: a new line goes after it.
    fn after(&self) -> Option<Span> {
        // Keys that the document's kind adds, such as `body`, are outside of the block.
        let written = |entry: &Entry<'_>| entry.key_span() != entry.value().span();
        let entries = self.block?.entries().filter(written);
        let end = |entry: Entry<'_>| entry.key_span().cover(deepest(entry.value()));
        entries.map(end).max_by_key(|span| span.end)
    }
}

/// The bytes of a value with all it holds.
fn deepest(node: Node<'_>) -> Span {
    node.children().map(deepest).fold(node.span(), Span::cover)
}

struct Check<'q> {
    quill: &'q Quill,
    observations: Vec<Observation>,
}

impl Check<'_> {
    fn mapping(
        &mut self,
        node: Option<Node<'_>>,
        fields: &[(String, FieldSchema)],
        known: &[&str],
        owner: &Path<'_>,
        anchor: &Anchor<'_>,
        elsewhere: &dyn Fn(&str) -> bool,
    ) {
        let mut meant: Vec<&str> = Vec::new();
        let unused = LazyCell::new(|| -> Vec<&str> {
            let absent = |name: &&str| node.and_then(|node| node.get(name)).is_none();
            known.iter().copied().filter(absent).collect()
        });
        for entry in budget::within(node.into_iter().flat_map(Node::entries)) {
            let declared = fields.iter().find(|(name, _)| name == entry.key());
            let path = Path::Field(owner, entry.key());
            match declared {
                Some((_, field)) => {
                    self.deprecated(entry, field, &path);
                    self.value(entry.value(), field, &path);
                }
                None if known.contains(&entry.key()) || entry.key_type() != KeyType::String => {}
                None if known.is_empty() => {}
                None => meant.extend(self.unknown(entry, &unused, known, &path)),
            }
        }
        let absent = |name: &str| node.and_then(|node| node.get(name)).is_none() && !elsewhere(name);
        for (name, field) in fields.iter().filter(|(name, field)| field.required && absent(name)) {
            if !meant.contains(&name.as_str()) {
                self.missing(field, &Path::Field(owner, name), anchor);
            }
        }
    }

    /// Adds an observation, which is made where the document does not have very many of its name.
    fn observe(&mut self, name: &'static str, observation: impl FnOnce(&str) -> Observation) {
        if budget::describe(name) {
            self.observations.push(observation(&self.quill.name));
        }
    }

    /// Gives the field that was meant, which is one of those that the document does not use.
    fn unknown<'k>(
        &mut self,
        entry: Entry<'_>,
        unused: &[&'k str],
        known: &[&'k str],
        path: &Path<'_>,
    ) -> Option<&'k str> {
        let near = nearest(entry.key(), unused.iter().copied());
        let kind = if near.is_some() { "misspelt-field" } else { "unknown-field" };
        self.observe(kind, |quill| {
            let whole = entry.key_span().cover(deepest(entry.value()));
            let observation =
                Observation::new(kind, entry.key_span()).on(entry.value().id()).at("entry", whole);
            let mut observation = observation.with("field", path.to_string()).with("quill", quill);
            if near.is_some() {
                observation = observation.with("nearest", near);
            }
            observation.with("known", known.to_vec())
        });
        near
    }

    fn missing(&mut self, field: &FieldSchema, path: &Path<'_>, anchor: &Anchor<'_>) {
        let span = anchor.place.map_or(Span::at(0), Node::span);
        let mut observation = Observation::new("missing-field", span)
            .with("field", path.to_string())
            .with("name", path.name())
            .with("quill", self.quill.name.as_str())
            .with("type", field.field_type.map(FieldType::name))
            .with("description", field.description.clone())
            .with("sample", field.sample().map(|sample| sample.to_string()));
        observation.node = anchor.place.map(Node::id);
        if let Some(after) = anchor.after() {
            observation = observation.at("after", after);
        }
        self.observations.push(observation);
    }

    fn deprecated(&mut self, entry: Entry<'_>, field: &FieldSchema, path: &Path<'_>) {
        let Some(detail) = &field.deprecated else { return };
        self.observe("deprecated-field", |quill| {
            let whole = entry.key_span().cover(deepest(entry.value()));
            let observation = Observation::new("deprecated-field", entry.key_span()).on(entry.value().id());
            let observation = observation.with("field", path.to_string()).with("quill", quill);
            let observation = observation.with("detail", detail.as_str()).at("entry", whole);
            observation.with("replaced_by", field.replaced_by.clone())
        });
    }

    fn value(&mut self, node: Node<'_>, field: &FieldSchema, path: &Path<'_>) {
        let Some(field_type) = field.field_type else { return };
        // An empty optional field says that there is nothing.
        if node.is_null() && !field.required {
            return;
        }
        if !field_type.takes(node.node_type()) {
            self.wrong_type(node, field_type, path);
            return;
        }
        match field_type {
            FieldType::Enum => self.enumerated(node, field, path),
            FieldType::Date | FieldType::Datetime => self.date(node, field_type, path),
            FieldType::Array => {
                if let Some(items) = &field.items {
                    for (index, item) in node.items().enumerate() {
                        self.value(item, items, &Path::Item(path, index));
                    }
                }
            }
            FieldType::Object if !field.properties.is_empty() => {
                let known: Vec<&str> = field.properties.iter().map(|(name, _)| name.as_str()).collect();
                let anchor = Anchor { place: Some(node), block: None };
                self.mapping(Some(node), &field.properties, &known, path, &anchor, &|_| false);
            }
            _ => {}
        }
    }

    /// Like [`Self::observe`], for an observation on the value of a field.
    fn about(
        &mut self,
        name: &'static str,
        node: Node<'_>,
        path: &Path<'_>,
        with: impl FnOnce(Observation) -> Observation,
    ) {
        self.observe(name, |quill| {
            let observation = Observation::new(name, node.span()).on(node.id());
            with(observation.with("field", path.to_string()).with("quill", quill))
        });
    }

    fn wrong_type(&mut self, node: Node<'_>, expected: FieldType, path: &Path<'_>) {
        self.about("field-type", node, path, |observation| {
            let observation = observation.with("expected", expected.name());
            let observation = observation.with("actual", node.node_type().name());
            let observation = observation.with("value", node.scalar_text().map(String::from));
            observation.with("replacement", converted(node, expected))
        });
    }

    fn enumerated(&mut self, node: Node<'_>, field: &FieldSchema, path: &Path<'_>) {
        let Some(text) = node.as_str() else { return };
        if field.values.is_empty() || field.values.iter().any(|value| value == text) {
            return;
        }
        self.about("field-not-in-enum", node, path, |observation| {
            let near = nearest(text, field.values.iter().map(String::as_str));
            let observation = observation.with("value", text);
            observation.with("nearest", near).with("expected", field.values.clone())
        });
    }

    fn date(&mut self, node: Node<'_>, expected: FieldType, path: &Path<'_>) {
        let Some(text) = node.as_str() else { return };
        let day = text.split(['T', 't', ' ']).next().unwrap_or_default();
        let whole = expected == FieldType::Date && day.len() != text.len();
        if is_date(day) && !whole {
            return;
        }
        self.about("field-date", node, path, |observation| {
            let observation = observation.with("expected", expected.name()).with("value", text);
            let replacement = if is_date(day) { Some(day.to_owned()) } else { padded_date(text) };
            observation.with("replacement", replacement)
        });
    }

    fn collection(&mut self, collection: Entry<'_>) {
        let Some(fields) = self.quill.collection(collection.key()) else {
            self.undeclared(collection);
            return;
        };
        let known: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).chain(["body"]).collect();
        let path = Path::Field(&Path::Document, collection.key());
        for (index, item) in collection.value().items().enumerate() {
            let anchor = Anchor { place: Some(item), block: Some(item) };
            self.mapping(Some(item), fields, &known, &Path::Item(&path, index), &anchor, &|_| false);
        }
    }

    /// A collection that the quill does not declare: reported when it declares others, or when its
    /// name is like a field's.
    fn undeclared(&mut self, collection: Entry<'_>) {
        let known = self.quill.known_fields();
        if known.contains(&collection.key()) {
            return;
        }
        let declared = self.quill.collections.iter().map(|(name, _)| name.as_str());
        let candidates: Vec<&str> = declared.chain(known).collect();
        let near = nearest(collection.key(), candidates.iter().copied());
        if near.is_none() && self.quill.collections.is_empty() {
            return;
        }
        for item in collection.value().items() {
            self.observe("unknown-collection", |quill| {
                let observation = Observation::new("unknown-collection", item.span()).on(item.id());
                let observation = observation.with("collection", collection.key());
                let observation = observation.with("quill", quill).with("nearest", near);
                observation.with("known", candidates.clone())
            });
        }
    }
}

/// How a value of another type would be written to be of the wanted one, where that is evident.
fn converted(node: Node<'_>, expected: FieldType) -> Option<String> {
    let text = node.scalar_text()?;
    match (expected, node.node_type()) {
        (_, NodeType::Null) => None,
        (FieldType::Number, NodeType::String) => {
            text.trim().parse::<f64>().ok().map(|_| text.trim().to_owned())
        }
        (FieldType::Integer, NodeType::String) => {
            text.trim().parse::<i64>().ok().map(|_| text.trim().to_owned())
        }
        (FieldType::Boolean, NodeType::String) => match text.to_ascii_lowercase().as_str() {
            "yes" | "true" | "on" | "y" => Some("true".to_owned()),
            "no" | "false" | "off" | "n" => Some("false".to_owned()),
            _ => None,
        },
        // What was written counts, not what it was read as: `1.10` stays `1.10`.
        (FieldType::String | FieldType::Text | FieldType::Richtext, _) => {
            Some(Value::String(node.raw().to_owned()).to_string())
        }
        (FieldType::Array, _) => Some(format!("[{}]", node.raw())),
        _ => None,
    }
}
