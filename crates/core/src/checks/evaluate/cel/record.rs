#![expect(clippy::disallowed_types, reason = "these cells belong to one document, which its budget pays for")]

use std::{borrow::Cow, collections::HashMap, fmt::Debug, sync::OnceLock};

use cel::{
    ExecutionError,
    common::{
        traits::{Container, Indexer, Iterable, Iterator as Iterate, Sizer, Zeroer},
        types::{CelInt, CelMap, CelMapKey, CelString, MAP_TYPE, Type},
        value::{Builtin, BuiltinRef, CowVal, Val},
    },
};
use serde_json::{Map, Value};

use super::{Boxed, json_value, node_value};
use crate::{
    budget,
    tree::{Entry, Node},
};

/// Something with named members, looked up one by one.
pub(in crate::checks::evaluate) trait Record<'v>:
    Clone + Debug + Send + Sync
{
    /// The member of this name.
    fn member(&self, name: &str) -> Option<Boxed<'v>>;

    /// Like [`Self::member`], without following a reference: what needs all members at once may look into them without
    /// an end, and references may lead in a circle.
    fn written(&self, name: &str) -> Option<Boxed<'v>> {
        self.member(name)
    }

    /// The names of all members; a name may be there twice.
    fn names(&self) -> Vec<Cow<'v, str>>;
}

impl<'t> Record<'t> for Node<'t> {
    fn member(&self, name: &str) -> Option<Boxed<'t>> {
        self.get(name).map(Node::target).map(node_value)
    }

    fn written(&self, name: &str) -> Option<Boxed<'t>> {
        self.get(name).map(node_value)
    }

    fn names(&self) -> Vec<Cow<'t, str>> {
        self.entries().map(Entry::key).map(Cow::Borrowed).collect()
    }
}

impl<'v> Record<'v> for &'v Map<String, Value> {
    fn member(&self, name: &str) -> Option<Boxed<'v>> {
        self.get(name).map(json_value)
    }

    fn names(&self) -> Vec<Cow<'v, str>> {
        self.keys().map(|name| Cow::Borrowed(name.as_str())).collect()
    }
}

/// Values of an observation by name.
impl<'v> Record<'v> for &'v [(&'v str, Value)] {
    fn member(&self, name: &str) -> Option<Boxed<'v>> {
        let (_, value) = self.iter().rfind(|(known, _)| *known == name)?;
        Some(json_value(value))
    }

    fn names(&self) -> Vec<Cow<'v, str>> {
        self.iter().map(|(name, _)| Cow::Borrowed(*name)).collect()
    }
}

/// A map of CEL whose values are made when an expression asks for them.
#[derive(Debug)]
pub(in crate::checks::evaluate) struct Lazy<'v, R> {
    record: R,
    /// All members, for what needs them at once.
    all: OnceLock<CelMap<'v>>,
}

impl<'v, R: Record<'v>> Lazy<'v, R> {
    pub(in crate::checks::evaluate) fn new(record: R) -> Self {
        Self { record, all: OnceLock::new() }
    }

    fn all(&self) -> &CelMap<'v> {
        self.all.get_or_init(|| {
            let names = self.record.names();
            let charged = budget::charge(names.len() as u64);
            let names = names.into_iter().filter(|_| charged);
            let members = names.filter_map(|name| {
                let value = self.record.written(&name)?;
                Some((CelMapKey::String(CelString::from(name)), value))
            });
            CelMap::from(members.collect::<HashMap<_, _>>())
        })
    }
}

impl<'v, R: Record<'v>> Val for Lazy<'v, R> {
    fn get_type(&self) -> &Type {
        <Self as Val>::cel_type()
    }

    fn cel_type() -> &'static Type {
        &MAP_TYPE
    }

    fn as_container(&self) -> Option<&dyn Container> {
        Some(self)
    }

    fn as_indexer<'b, 'w>(&'b self) -> Option<&'b (dyn Indexer + 'w)>
    where
        Self: 'w,
    {
        Some(self)
    }

    fn into_indexer<'w>(self: Box<Self>) -> Option<Box<dyn Indexer + 'w>>
    where
        Self: 'w,
    {
        Some(self)
    }

    fn as_iterable<'b, 'w>(&'b self) -> Option<&'b (dyn Iterable + 'w)>
    where
        Self: 'w,
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
        if other.downcast_ref::<CelMap<'_>>().is_some() || other.get_type() != self.get_type() {
            return self.all().equals(other);
        }
        match other.clone_as_boxed().into_builtin() {
            Some(Builtin::Map(other)) => self.all().equals(&other),
            _ => false,
        }
    }

    fn clone_as_boxed<'w>(&self) -> Boxed<'w>
    where
        Self: 'w,
    {
        Box::new(Self::new(self.record.clone()))
    }

    /// Not a map of CEL, although it can become one: the interpreter asks each value whose member it reads, and would get
    /// all members each time.
    fn as_builtin<'b, 'w>(&'b self) -> BuiltinRef<'b, 'w>
    where
        Self: 'w,
    {
        BuiltinRef::Other
    }

    fn into_builtin<'w>(self: Box<Self>) -> Option<Builtin<'w>>
    where
        Self: 'w,
    {
        self.all();
        self.all.into_inner().map(Builtin::Map)
    }
}

impl<'v, R: Record<'v>> Container for Lazy<'v, R> {
    fn contains(&self, name: &dyn Val) -> Result<bool, ExecutionError> {
        match name.downcast_ref::<CelString>() {
            Some(name) => Ok(self.record.member(name.inner()).is_some()),
            None => self.all().contains(name),
        }
    }
}

impl<'v, R: Record<'v>> Indexer for Lazy<'v, R> {
    fn get<'b, 'w>(&'b self, name: &dyn Val) -> Result<CowVal<'b, 'w>, ExecutionError>
    where
        Self: 'w,
    {
        let member = name.downcast_ref::<CelString>().and_then(|name| self.record.member(name.inner()));
        match member {
            Some(value) => Ok(CowVal::Owned(value)),
            None => Indexer::get(self.all(), name),
        }
    }

    fn steal<'w>(self: Box<Self>, name: &dyn Val) -> Result<Boxed<'w>, ExecutionError>
    where
        Self: 'w,
    {
        Indexer::get(&*self, name).map(CowVal::into_owned)
    }
}

impl<'v, R: Record<'v>> Iterable for Lazy<'v, R> {
    fn iter<'b, 'w>(&'b self) -> Box<dyn Iterate<'b, 'w> + 'b>
    where
        Self: 'w,
    {
        Iterable::iter(self.all())
    }
}

impl<'v, R: Record<'v>> Sizer for Lazy<'v, R> {
    fn size(&self) -> CelInt {
        self.all().size()
    }
}

impl<'v, R: Record<'v>> Zeroer for Lazy<'v, R> {
    fn is_zero_value(&self) -> bool {
        self.all().is_zero_value()
    }
}
