use std::fmt::Write as _;

use proofmark_render_protocol::{DocumentPath, Root, Step};
use serde_json::{Map, Value, json};

use crate::{
    text::Span,
    tree::{Node, Tree},
};

/// A document as the engine takes it, `{fields, body, cards}`, with the way back to its text.
#[derive(Debug)]
pub(super) struct Authored<'t> {
    pub(super) document: Value,
    tree: &'t Tree,
    /// The items of collections, in the order of the text, which is that of the cards.
    cards: Vec<Node<'t>>,
}

impl<'t> Authored<'t> {
    /// Reads the tree of a Markdown document.
    pub(super) fn new(tree: &'t Tree) -> Self {
        let root = tree.root();
        let collections = root.get("scopes").into_iter().flat_map(Node::entries);
        let mut cards: Vec<(Node<'t>, &'t str)> = collections
            .flat_map(|collection| collection.value().items().map(move |item| (item, collection.key())))
            .collect();
        cards.sort_by_key(|(item, _)| item.span().start);
        let written: Vec<Value> = cards
            .iter()
            .map(|(item, kind)| json!({"kind": kind, "fields": fields(Some(*item)), "body": body(*item)}))
            .collect();
        let document =
            json!({"fields": fields(root.get("frontmatter")), "body": body(root), "cards": written});
        Self { document, tree, cards: cards.into_iter().map(|(item, _)| item).collect() }
    }

    /// The node at a path. What is deeper than the document goes to the nearest node above.
    pub(super) fn locate(&self, path: &DocumentPath) -> Option<Located<'t>> {
        let root = self.tree.root();
        let (mut node, mut field) = match &path.root {
            Root::Main => (root.get("frontmatter").unwrap_or(root), String::new()),
            Root::Card { kind, index } => {
                let card = *self.cards.get(*index)?;
                let name = kind.as_deref().unwrap_or_default();
                (card, format!("{name}[{}]", card.position().unwrap_or_default()))
            }
        };
        for step in &path.steps {
            let below = match step {
                Step::Body => {
                    field.push_str(if field.is_empty() { "body" } else { ".body" });
                    let of_document = node.parent().is_none_or(|parent| parent.id() == root.id());
                    if of_document { root.get("body") } else { node.get("body") }
                }
                Step::Item(index) => {
                    let _ = write!(field, "[{index}]");
                    node.item(*index as i64)
                }
                Step::Field(name) => {
                    if !field.is_empty() {
                        field.push('.');
                    }
                    field.push_str(name);
                    node.get(name)
                }
            };
            match below {
                Some(below) => node = below,
                None => break,
            }
        }
        Some(Located { node, field })
    }

    /// The node whose text is `content`.
    pub(super) fn find(&self, content: &str) -> Option<Located<'t>> {
        let root = self.tree.root();
        let mut parts = ["body", "frontmatter", "scopes"].into_iter().filter_map(|part| root.get(part));
        let node = parts.find_map(|part| text_below(part, content))?;
        let pointer = node.pointer();
        let field = pointer.trim_start_matches("/frontmatter").trim_start_matches("/scopes");
        Some(Located { node, field: field.trim_start_matches('/').replace('/', ".") })
    }

    /// The place of the first image in a part of the text.
    pub(super) fn image_in(&self, span: Span) -> Option<Span> {
        let links = self.tree.root().get("links")?;
        let is_image = |link: &Node<'_>| link.get("kind").and_then(Node::as_str) == Some("image");
        links.items().filter(is_image).map(Node::span).find(|image| span.contains(*image))
    }

    /// The place of an image or link to `path`.
    pub(super) fn link(&self, path: &str) -> Option<Span> {
        let links = self.tree.root().get("links")?;
        let leads = |link: &Node<'t>| {
            let target = link.get("target").and_then(Node::as_str).unwrap_or_default();
            target.trim_start_matches("./").trim_start_matches('/') == path.trim_start_matches('/')
        };
        let link = links.items().find(leads)?;
        Some(link.get("target").unwrap_or(link).span())
    }
}

/// A place of a document.
#[derive(Debug, Clone)]
pub(super) struct Located<'t> {
    pub(super) node: Node<'t>,
    /// What the field is called, such as `products[0].price`.
    pub(super) field: String,
}

impl Located<'_> {
    /// The place to point at: a value, or the first line of some text.
    pub(super) fn span(&self) -> Span {
        let span = self.node.span();
        let text = span.of(self.node.source().text());
        let blank = text.len() - text.trim_start().len();
        let line = text.trim_start().lines().next().unwrap_or_default();
        Span::new(span.range().start + blank, span.range().start + blank + line.len())
    }
}

fn fields(mapping: Option<Node<'_>>) -> Value {
    let entries = mapping.into_iter().flat_map(Node::entries);
    let own = entries.filter(|entry| entry.key() != "body" && !entry.value().is_null());
    Value::Object(own.map(|entry| (entry.key().to_owned(), entry.value().to_json())).collect::<Map<_, _>>())
}

fn body(node: Node<'_>) -> Value {
    node.get("body").and_then(Node::as_str).unwrap_or_default().into()
}

fn text_below<'t>(node: Node<'t>, content: &str) -> Option<Node<'t>> {
    if node.as_str() == Some(content) {
        return Some(node);
    }
    node.children().find_map(|child| text_below(child, content))
}
