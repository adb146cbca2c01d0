//! packet, packet-beta.

use crate::mermaid::{
    syntax::{Part, Syntax},
    tree::TreeWriter,
};

/// Adds `layout`: the first and last bit of each field, and the bit after the field before it.
pub(super) fn write<'t>(syntax: &'t Syntax<'t>, tree: &mut TreeWriter<'_>) {
    tree.list("layout", |tree| {
        let mut next = 0;
        for block in syntax.named("block") {
            let start = number(block, "first").unwrap_or(next);
            let bits = number(block, "bits").unwrap_or(1);
            let end =
                number(block, "last").unwrap_or(start.saturating_add(bits).saturating_sub(1).max(start));
            let place = ["first", "bits"].into_iter().find_map(|rule| block.find(rule)).unwrap_or(block);
            tree.object(place, |tree| {
                for (key, bit) in [("start", start), ("end", end), ("next", next)] {
                    tree.number(key, bit, place);
                }
            });
            next = end.max(start).saturating_add(1);
        }
    });
}

fn number(part: Part<'_>, rule: &str) -> Option<usize> {
    part.find(rule).and_then(|number| number.text().trim().parse().ok())
}
