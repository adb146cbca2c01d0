//! The example of a quill without what documents may leave out: a layout that needs an optional field works until a document
//! does not have it.

use proofmark_render_protocol::{Layout, WorkerReply};
use serde_json::Value;

use super::{
    Library,
    authoring::{Authored, Located},
    faults,
    pictures::Pictures,
    renderer::{Rendered, Renderer, Request},
};
use crate::{
    engine::Contract,
    kinds::quill::{FieldSchema, Quill},
    project::Project,
    syntax::Observation,
    text::Span,
    tree::{Node, Tree},
};

/// Something that a document need not have.
struct Optional<'q> {
    /// The collection that it is a field of; nothing for the fields of the document.
    collection: Option<&'q str>,
    /// The names that lead to it, through objects and the items of lists; empty for the whole collection.
    names: Vec<&'q str>,
    /// The value of documents without it, where the manifest gives one.
    default: Option<&'q Value>,
}

impl Renderer {
    /// Lays the example of a quill out once for each optional field that it has, without that field, and once without
    /// the blocks of each collection. Reports what the layout cannot do without, at its place in the example.
    /// Nothing is reported where the example itself has errors.
    pub fn try_without_optional(
        &self,
        library: &Library,
        name: &str,
        project: &Project,
        date: &str,
    ) -> Rendered {
        let mut rendered = Rendered::default();
        let Some(quill) = library.quills().get(name) else { return rendered };
        let Some(subject) = library.trial(name).and_then(|trial| project.subject(trial).ok()) else {
            return rendered;
        };
        let request = Request::of_example(&subject, name, date);
        if self.render_with(library, &request).artifacts.is_empty() {
            return rendered;
        }
        let document = subject.validate_against(Contract::Quill(quill)).document;
        let tree = &document.tree;
        let Some(bundle) = self.bundle_for(library, &request, (name, quill), tree, &mut rendered) else {
            return rendered;
        };
        let pictures = Pictures::of(&subject, tree, quill, &bundle, request.assets);
        let authored = Authored::new(tree);
        let (job, blobs) = self.job(&request, quill, &bundle, &authored, &document, pictures);
        for left_out in optional(quill) {
            let Some(place) = left_out.place(tree) else { continue };
            let mut job = job.clone();
            left_out.leave_out(&mut job.layout);
            let Ok((WorkerReply::Failed { errors, .. }, _)) = self.run(&bundle, job, blobs.clone()) else {
                continue;
            };
            let Some(cause) = faults::causes(&errors).into_iter().next() else { continue };
            let position = cause.position.as_ref();
            let fact = Observation::about_file("optional-field-needed")
                .with("quill", quill.name.as_str())
                .with("field", left_out.written())
                .with("is_collection", left_out.names.is_empty())
                .with("place", faults::layout_place(position))
                .with("detail", cause.message.as_str());
            let fact = faults::at(fact, place);
            rendered.add_with_place(&subject, fact, (library, name, &bundle), position);
        }
        rendered.sort();
        rendered
    }
}

/// What documents of a quill need not have.
fn optional(quill: &Quill) -> Vec<Optional<'_>> {
    let mut all = Vec::new();
    let mut path = Vec::new();
    add_fields(&quill.fields, None, &mut path, &mut all);
    for (collection, fields) in &quill.collections {
        all.push(Optional { collection: Some(collection), names: Vec::new(), default: None });
        add_fields(fields, Some(collection), &mut path, &mut all);
    }
    all
}

fn add_fields<'q>(
    fields: &'q [(String, FieldSchema)],
    collection: Option<&'q str>,
    path: &mut Vec<&'q str>,
    all: &mut Vec<Optional<'q>>,
) {
    for (name, schema) in fields {
        path.push(name);
        if !schema.required {
            all.push(Optional { collection, names: path.clone(), default: schema.default.as_ref() });
        }
        let of_items = schema.items.iter().flat_map(|items| &items.properties);
        for property in schema.properties.iter().chain(of_items) {
            add_fields(std::slice::from_ref(property), collection, path, all);
        }
        path.pop();
    }
}

impl Optional<'_> {
    /// The name of the field with those around it: `due`, `products.price`.
    fn written(&self) -> String {
        self.collection.into_iter().chain(self.names.iter().copied()).collect::<Vec<_>>().join(".")
    }

    /// Its first place in a document; nothing where the document does not have it.
    fn place(&self, tree: &Tree) -> Option<Span> {
        let root = tree.root();
        let Some(collection) = self.collection else {
            return place_below(root.get("frontmatter")?, &self.names);
        };
        let items = root.get("scopes")?.get(collection)?;
        match self.names.as_slice() {
            [] => items.items().next().map(|item| Located { node: item, field: String::new() }.span()),
            names => items.items().find_map(|item| place_below(item, names)),
        }
    }

    /// Takes it out of a document that is to be laid out.
    fn leave_out(&self, layout: &mut Layout) {
        match layout {
            Layout::Plate { document, .. } => {
                let names: Vec<&str> = ["fields"].into_iter().chain(self.names.iter().copied()).collect();
                let Some(kind) = self.collection else { return remove(document, &names, None) };
                let Some(cards) = document.get_mut("cards").and_then(Value::as_array_mut) else { return };
                let is_meant = |card: &Value| card.get("kind").and_then(Value::as_str) == Some(kind);
                if self.names.is_empty() {
                    return cards.retain(|card| !is_meant(card));
                }
                for card in cards.iter_mut().filter(|card| is_meant(card)) {
                    remove(card, &names, None);
                }
            }
            // The engine gives a field its default value in the other case.
            Layout::Glue { fields, .. } => {
                let collection = self.collection.into_iter();
                let names: Vec<&str> = collection.chain(self.names.iter().copied()).collect();
                remove(fields, &names, self.default);
            }
        }
    }
}

/// Removes what names lead to, in every item of the lists on the way, or gives it its default value.
fn remove(value: &mut Value, names: &[&str], default: Option<&Value>) {
    match (value, names) {
        (Value::Array(items), _) => {
            for item in items {
                remove(item, names, default);
            }
        }
        (Value::Object(fields), [name]) => match (fields.get_mut(*name), default) {
            (Some(field), Some(default)) => field.clone_from(default),
            _ => {
                fields.remove(*name);
            }
        },
        (Value::Object(fields), [name, rest @ ..]) => {
            if let Some(below) = fields.get_mut(*name) {
                remove(below, rest, default);
            }
        }
        _ => {}
    }
}

/// The first key that names lead to.
fn place_below(node: Node<'_>, names: &[&str]) -> Option<Span> {
    if node.items().next().is_some() {
        return node.items().find_map(|item| place_below(item, names));
    }
    let (name, rest) = names.split_first()?;
    let entry = node.entries().find(|entry| entry.key() == *name && !entry.value().is_null())?;
    if rest.is_empty() { Some(entry.key_span()) } else { place_below(entry.value(), rest) }
}
