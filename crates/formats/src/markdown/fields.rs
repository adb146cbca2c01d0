use serde_json::{Map, Value};

use crate::{
    Document,
    tree::{KeyType, Node},
};

/// The one flat mapping that the dialect makes of a document: the fields of its frontmatter and QUILL
/// block, every collection, and the body. Empty for a document of another kind.
///
/// What it is worth is for the caller to know: a document with errors has no fields in the dialect.
pub fn fields(document: &Document) -> Value {
    own_fields(document).unwrap_or_else(|| Value::Object(Map::new()))
}

/// Like [`fields`]; nothing for a document of another kind.
pub fn own_fields(document: &Document) -> Option<Value> {
    if document.kind != super::NAME {
        return None;
    }
    let root = document.tree.root();
    let mut fields = Map::new();
    let keeps_all = root.get("dialect").and_then(Node::as_str) == Some("seed");
    if let Some(frontmatter) = root.get("frontmatter") {
        insert(&mut fields, frontmatter, keeps_all);
    }
    for collection in root.get("scopes").into_iter().flat_map(Node::entries) {
        let items = collection.value().items().map(|item| {
            let mut fields = Map::new();
            insert(&mut fields, item, keeps_all);
            Value::Object(fields)
        });
        if let Some(Value::Array(present)) = fields.get_mut(collection.key()) {
            present.extend(items);
        } else {
            let items = Value::Array(items.collect());
            fields.insert(collection.key().to_owned(), items);
        }
    }
    if let Some(body) = root.get("body") {
        fields.insert("body".to_owned(), body.to_json());
    }
    Some(Value::Object(fields))
}

fn insert(fields: &mut Map<String, Value>, mapping: Node<'_>, keeps_all: bool) {
    for entry in mapping.entries() {
        if keeps_all || entry.key_type() == KeyType::String {
            fields.insert(entry.key().to_owned(), entry.value().to_json());
        }
    }
}
