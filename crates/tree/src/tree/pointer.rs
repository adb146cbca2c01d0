use std::{borrow::Cow, fmt::Write as _};

use super::node::{Node, Tree};

impl Tree {
    /// The node at a JSON Pointer (RFC 6901); `""` is the root.
    pub fn at_pointer(&self, pointer: &str) -> Option<Node<'_>> {
        if pointer.is_empty() {
            return Some(self.root());
        }
        pointer.strip_prefix('/')?.split('/').try_fold(self.root(), |node, token| {
            let token = unescape(token);
            if node.is_sequence() { node.item(index(&token)?) } else { node.get(&token) }
        })
    }
}

impl Node<'_> {
    /// The JSON Pointer (RFC 6901) to this node; empty for the root.
    pub fn pointer(self) -> String {
        let chain: Vec<Node<'_>> = self.ancestors().collect();
        let mut out = String::new();
        for node in chain.into_iter().rev() {
            if let Some(key) = node.key() {
                out.push('/');
                out.push_str(&escape(key));
            } else if let Some(position) = node.position() {
                let _ = write!(out, "/{position}");
            }
        }
        out
    }
}

/// A name as a token of a JSON Pointer.
pub(crate) fn escape(name: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'~', b'/', name.as_bytes()).is_none() {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.replace('~', "~0").replace('/', "~1"))
}

fn unescape(token: &str) -> Cow<'_, str> {
    if token.contains('~') { token.replace("~1", "/").replace("~0", "~").into() } else { token.into() }
}

/// RFC 6901 §4: digits without a leading zero.
fn index(token: &str) -> Option<i64> {
    let digits = token.bytes().all(|b| b.is_ascii_digit()) && (token == "0" || !token.starts_with('0'));
    token.parse().ok().filter(|_| digits)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{KeyType, Scalar, TreeBuilder};
    use crate::text::{Source, Span};

    #[test]
    fn pointers_round_trip() {
        let source = Arc::new(Source::new("t", "a/b ~ x"));
        let mut builder = TreeBuilder::new(source);
        builder.open_mapping(Span::new(0, 7));
        builder.key_slice(Span::new(0, 3), KeyType::String);
        builder.open_sequence(Span::new(4, 7));
        builder.scalar(Scalar::Integer(1), Span::new(4, 5));
        builder.scalar(Scalar::Slice, Span::new(6, 7));
        let tree = builder.finish();
        let node = tree.at_pointer("/a~1b/1").unwrap();
        assert_eq!(node.as_str(), Some("x"));
        assert_eq!(node.pointer(), "/a~1b/1");
        assert!(tree.at_pointer("/a~1b/01").is_none());
        assert_eq!(tree.root().to_json().to_string(), r#"{"a/b":[1,"x"]}"#);
    }
}
