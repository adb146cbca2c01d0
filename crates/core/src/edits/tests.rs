use minijinja::Value;
use schemars::SchemaGenerator;

use super::{KINDS, RawEdit, Site};
use crate::{
    checks::{
        Compiler, Field, Finding, State, Vocabulary,
        trial::{document, example},
    },
    kinds::Kinds,
    tree::JsonPath,
};

/// A YAML document after an edit, given as YAML, of the node that `given` selects.
pub(super) fn edited(edit: &str, given: &str, text: &str) -> String {
    let edit: RawEdit = serde_json::from_value(document(edit).tree.root().to_json()).unwrap();
    let vocabulary = Vocabulary::default();
    let edit = edit.compile(&Field::at(""), &mut Compiler::new(&vocabulary, true)).unwrap();
    let (document, kinds) = (document(text), Kinds::builtin());
    let state = State::new(&document, &vocabulary, &kinds);
    let node = given.parse::<JsonPath>().unwrap().first(document.tree.root()).unwrap();
    let (finding, values) = (Finding::at(node), Value::UNDEFINED);
    let site = Site { state: &state, finding: &finding, own: finding.span, values: &values };
    let mut changes = edit.changes(&site).expect("the edit can be made");
    changes.sort_by_key(|(span, _)| span.start);
    let mut new = text.to_owned();
    for (span, inserted) in changes.into_iter().rev() {
        new.replace_range(span.start as usize..span.end as usize, &inserted);
    }
    new
}

#[test]
fn the_example_of_every_edit_kind_compiles_and_its_fields_are_those_of_its_form() {
    for kind in KINDS {
        let schema = (kind.schema)(&mut SchemaGenerator::default()).to_value();
        let fields: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(fields, kind.fields, "`FIELDS` of `{}`", kind.name);
        let mut fix = example(&schema)["fix"].clone();
        assert!(fix.get(kind.name).is_some(), "the example of `{}` is of another kind", kind.name);
        fix.as_object_mut().unwrap().remove("applicability");
        let edit: RawEdit = serde_json::from_value(fix).unwrap();
        let vocabulary = Vocabulary::default();
        let mut compiler = Compiler::new(&vocabulary, true);
        assert!(edit.compile(&Field::at(""), &mut compiler).is_some(), "{:?}", compiler.faults);
    }
}

#[test]
fn fields_that_do_not_fit_together_are_reported() {
    let details = |edit: &str| {
        let edit: RawEdit = serde_json::from_value(document(edit).tree.root().to_json()).unwrap();
        let vocabulary = Vocabulary::default();
        let mut compiler = Compiler::new(&vocabulary, true);
        edit.compile(&Field::at(""), &mut compiler);
        let values = compiler.faults.iter().flat_map(|fault| &fault.values);
        let details = values.filter(|(name, _)| *name == "detail");
        details.map(|(_, value)| value.as_str().unwrap().to_owned()).collect::<Vec<_>>().join("; ")
    };
    assert!(
        details("{replace: a, delete: self}")
            .starts_with("it has `replace` and `delete`, which are two edits")
    );
    assert_eq!(
        details("{replace: a, before: self}"),
        "`before` goes with `insert`, not with `replace`; `replace` has `at`"
    );
    assert_eq!(details("{insert: a}"), "`insert` needs either `before` or `after`");
    assert!(details("{itemize: self}").starts_with("`itemize` needs `as`"));
}
