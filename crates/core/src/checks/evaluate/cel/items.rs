#![expect(clippy::disallowed_types, reason = "these cells belong to one document, which its budget pays for")]

use std::sync::OnceLock;

use cel::{
    ExecutionError,
    common::{
        traits::{Adder, Container, Indexer, Iterable, Iterator as Iterate, Sizer, Zeroer},
        types::{CelInt, CelList, LIST_TYPE, Type},
        value::{Builtin, BuiltinRef, CowVal, Val},
    },
};

use super::{Boxed, node_value};
use crate::{budget, tree::Node};

/// A sequence of the tree; its items are made when an expression asks for them.
#[derive(Debug)]
pub(super) struct Items<'t> {
    node: Node<'t>,
    /// All of them as they are written, for what needs them at once.
    all: OnceLock<CelList<'t>>,
    /// What they stand for, for what looks at them one by one.
    meant: OnceLock<CelList<'t>>,
}

impl<'t> Items<'t> {
    pub(super) fn new(node: Node<'t>) -> Self {
        Self { node, all: OnceLock::new(), meant: OnceLock::new() }
    }

    fn all(&self) -> &CelList<'t> {
        self.all.get_or_init(|| self.list(|node| node))
    }

    fn meant(&self) -> &CelList<'t> {
        if self.node.tree().has_links() {
            self.meant.get_or_init(|| self.list(Node::target))
        } else {
            self.all()
        }
    }

    fn list(&self, of: impl Fn(Node<'t>) -> Node<'t>) -> CelList<'t> {
        let items = if budget::charge(self.node.len() as u64) { self.node.len() } else { 0 };
        CelList::from(self.node.items().take(items).map(of).map(node_value).collect::<Vec<_>>())
    }
}

impl Val for Items<'_> {
    fn get_type(&self) -> &Type {
        <Self as Val>::cel_type()
    }

    fn cel_type() -> &'static Type {
        &LIST_TYPE
    }

    fn as_adder<'b, 'v>(&'b self) -> Option<&'b (dyn Adder + 'v)>
    where
        Self: 'v,
    {
        self.all().as_adder()
    }

    fn as_container(&self) -> Option<&dyn Container> {
        self.all().as_container()
    }

    fn as_indexer<'b, 'v>(&'b self) -> Option<&'b (dyn Indexer + 'v)>
    where
        Self: 'v,
    {
        Some(self)
    }

    fn into_indexer<'v>(self: Box<Self>) -> Option<Box<dyn Indexer + 'v>>
    where
        Self: 'v,
    {
        Some(self)
    }

    fn as_iterable<'b, 'v>(&'b self) -> Option<&'b (dyn Iterable + 'v)>
    where
        Self: 'v,
    {
        Some(self)
    }

    fn as_sizer(&self) -> Option<&dyn Sizer> {
        Some(self)
    }

    fn as_zeroer(&self) -> Option<&dyn Zeroer> {
        Some(self)
    }

    fn equals(&self, other: &dyn Val) -> bool {
        self.all().equals(other)
    }

    fn clone_as_boxed<'v>(&self) -> Boxed<'v>
    where
        Self: 'v,
    {
        Box::new(Self::new(self.node))
    }

    fn as_builtin<'b, 'v>(&'b self) -> BuiltinRef<'b, 'v>
    where
        Self: 'v,
    {
        BuiltinRef::List(self.all())
    }

    fn into_builtin<'v>(self: Box<Self>) -> Option<Builtin<'v>>
    where
        Self: 'v,
    {
        self.all();
        self.all.into_inner().map(Builtin::List)
    }
}

impl Indexer for Items<'_> {
    fn get<'b, 'v>(&'b self, index: &dyn Val) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        let position = index.downcast_ref::<CelInt>().and_then(|index| usize::try_from(*index.inner()).ok());
        match position.and_then(|position| self.node.items().nth(position).map(Node::target)) {
            Some(item) => Ok(CowVal::Owned(node_value(item))),
            None => Indexer::get(self.all(), index),
        }
    }

    fn steal<'v>(self: Box<Self>, index: &dyn Val) -> Result<Boxed<'v>, ExecutionError>
    where
        Self: 'v,
    {
        Indexer::get(&*self, index).map(CowVal::into_owned)
    }
}

impl Iterable for Items<'_> {
    fn iter<'b, 'v>(&'b self) -> Box<dyn Iterate<'b, 'v> + 'b>
    where
        Self: 'v,
    {
        Iterable::iter(self.meant())
    }
}

impl Sizer for Items<'_> {
    fn size(&self) -> CelInt {
        (self.node.len() as i64).into()
    }
}

impl Zeroer for Items<'_> {
    fn is_zero_value(&self) -> bool {
        self.node.is_empty()
    }
}
