//! Changes to XML of others at the places of its elements: everything else stays as it was written.

use std::ops::Range;

use roxmltree::Node;

/// A range of bytes, and what replaces it.
pub(crate) type Change = (Range<usize>, String);

/// Takes an element out.
pub(crate) fn removed(node: Node<'_, '_>) -> Change {
    (node.range(), String::new())
}

/// Puts elements in place of one.
pub(crate) fn replaced(node: Node<'_, '_>, xml: String) -> Change {
    (node.range(), xml)
}

/// Puts elements after one.
pub(crate) fn after(node: Node<'_, '_>, xml: String) -> Change {
    let end = node.range().end;
    (end..end, xml)
}

/// Puts elements at the end of one. `text` is that of the whole document.
pub(crate) fn appended(text: &str, node: Node<'_, '_>, xml: &str) -> Change {
    let Range { start, end } = node.range();
    let own = &text[start..end];
    if own.ends_with("/>") {
        let name = own[1..].split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
        return (end - 2..end, format!(">{xml}</{name}>"));
    }
    let at = own.rfind("</").map_or(end, |at| start + at);
    (at..at, xml.to_owned())
}

/// The text with its changes. Those that overlap an earlier one are left out.
pub(crate) fn changed(text: &str, mut changes: Vec<Change>) -> String {
    changes.sort_by_key(|(range, _)| (range.start, range.end));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, xml) in changes {
        if range.start < at {
            continue;
        }
        out.push_str(&text[at..range.start]);
        out.push_str(&xml);
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(text: &str, edit: impl Fn(Node<'_, '_>) -> Vec<Change>) -> String {
        let read = crate::xml::parse(text).unwrap();
        changed(text, edit(read.root_element()))
    }

    #[test]
    fn elements_are_added_replaced_and_taken_out_where_they_are() {
        let text = "<a:b xmlns:a='u'> <c x='/>'/>\n<d>t</d></a:b>";
        let made = edited(text, |root| {
            let (Some(first), Some(last)) = (root.first_element_child(), root.last_element_child()) else {
                return vec![];
            };
            vec![appended(text, root, "<e/>"), removed(last), replaced(first, "<f/>".to_owned())]
        });
        assert_eq!(made, "<a:b xmlns:a='u'> <f/>\n<e/></a:b>");
        let added = |root: Node<'_, '_>| root.first_element_child().map(|one| after(one, "<g/>".to_owned()));
        let made = edited(text, |root| added(root).into_iter().collect());
        assert_eq!(made, "<a:b xmlns:a='u'> <c x='/>'/><g/>\n<d>t</d></a:b>");
        let alone = "<r x='1'/>";
        assert_eq!(edited(alone, |root| vec![appended(alone, root, "<s/>")]), "<r x='1'><s/></r>");
    }
}
