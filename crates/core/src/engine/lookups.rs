//! What templates look up of other documents.

use std::sync::Arc;

use minijinja::{Value as Template, value::Object};

use crate::{
    checks::{State, table_slot},
    kinds::SharedNames,
};

/// The symbol tables of a pack, in the project.
#[derive(Debug, Clone)]
pub(super) struct LookupTables {
    project: Arc<SharedNames>,
    own: Option<Arc<SharedNames>>,
    /// The file of the document.
    file: Arc<str>,
    pack: Arc<str>,
    shown: bool,
    convert: Convert,
}

/// Makes a value of templates of JSON; shown to people or not.
type Convert = fn(&serde_json::Value, bool) -> Template;

/// One of the symbol tables of [`LookupTables`].
#[derive(Debug)]
struct Table {
    tables: LookupTables,
    name: String,
}

impl LookupTables {
    /// The symbol tables of a state's pack; nothing where the other documents are not known. `shown` text is made safe
    /// and short for people.
    pub(super) fn of(state: &State<'_>, shown: bool, convert: Convert) -> Option<Self> {
        let document = state.document;
        Some(Self {
            project: document.project.clone()?,
            own: document.own_names.clone(),
            file: document.source().key().into(),
            pack: state.vocabulary.pack.as_str().into(),
            shown,
            convert,
        })
    }
}

impl Object for LookupTables {
    fn get_value(self: &Arc<Self>, key: &Template) -> Option<Template> {
        Some(Template::from_object(Table { tables: (**self).clone(), name: key.as_str()?.to_owned() }))
    }
}

impl Object for Table {
    fn get_value(self: &Arc<Self>, key: &Template) -> Option<Template> {
        let LookupTables { project, own, file, pack, shown, convert } = &self.tables;
        let (slot, name) = (table_slot(pack, &self.name), key.to_string());
        let others = project.others(&slot, &name, file);
        let entries = others.chain(own.iter().flat_map(|own| own.all(&slot, &name)));
        let values: Vec<Template> = entries.map(|entry| convert(entry.values(), *shown)).collect();
        (!values.is_empty()).then(|| Template::from(values))
    }
}
