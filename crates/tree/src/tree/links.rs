//! Where the values lead that stand for other values of the tree.

use foldhash::{HashMap, HashMapExt};

/// Links between the numbers of nodes.
#[derive(Debug)]
pub(super) struct Links {
    /// From the value that refers to the value that it names.
    direct: HashMap<u32, u32>,
    /// From the value that refers to the value where the chain ends. Links that lead in a circle are left out.
    end: HashMap<u32, u32>,
}

impl Links {
    pub(super) fn new(direct: HashMap<u32, u32>) -> Self {
        let end = ends(&direct);
        Self { direct, end }
    }

    /// Whether no value stands for another one.
    pub(super) fn is_empty(&self) -> bool {
        self.direct.is_empty()
    }

    /// The values that others name; one for each of those.
    pub(super) fn named(&self) -> impl Iterator<Item = u32> {
        self.direct.values().copied()
    }

    /// The values that name others, each with the one that it names.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (u32, u32)> {
        self.direct.iter().map(|(from, to)| (*from, *to))
    }

    /// The value at the end of the chain of links that begins at a value.
    pub(super) fn end(&self, from: u32) -> Option<u32> {
        self.end.get(&from).copied()
    }
}

/// The end of the chain that begins at each link. Every link is looked at once.
fn ends(direct: &HashMap<u32, u32>) -> HashMap<u32, u32> {
    let mut known: HashMap<u32, Option<u32>> = HashMap::with_capacity(direct.len());
    for start in direct.keys() {
        let (mut chain, mut at) = (Vec::new(), *start);
        let end = loop {
            if let Some(end) = known.get(&at) {
                break *end;
            }
            let Some(next) = direct.get(&at) else { break Some(at) };
            // Until the end is known. A chain that comes back here has none.
            known.insert(at, None);
            chain.push(at);
            at = *next;
        };
        known.extend(chain.into_iter().map(|link| (link, end)));
    }
    known.into_iter().filter_map(|(link, end)| Some((link, end?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_have_an_end_unless_they_are_circles() {
        let long = (0..1000).map(|link| (link, link + 1));
        let circle = [(2000, 2001), (2001, 2002), (2002, 2001)];
        let links = Links::new(long.chain(circle).collect());
        assert_eq!((links.end(0), links.end(999), links.end(1000)), (Some(1000), Some(1000), None));
        assert_eq!((links.end(2000), links.end(2001)), (None, None));
    }
}
