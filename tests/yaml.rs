//! YAML fragments become spanned trees.

use std::sync::Arc;

use proofmark::{
    kinds::{Observation, yaml},
    text::{Fragment, Source},
    tree::{Tree, TreeBuilder},
};

fn read_with(text: &str, options: &yaml::YamlOptions) -> (Tree, Vec<Observation>) {
    let source = Arc::new(Source::new("t.yaml", text));
    let mut builder = TreeBuilder::new(Arc::clone(&source));
    let mut observations = Vec::new();
    let fragment = Fragment::contiguous(source.text(), source.span());
    yaml::read(&mut builder, &fragment, options, &mut observations);
    (builder.finish(), observations)
}

fn read(text: &str) -> (Tree, Vec<Observation>) {
    read_with(text, &yaml::YamlOptions { report_traps: false, ..Default::default() })
}

#[test]
fn values_have_the_types_and_places_of_their_text() {
    let text = "title: Hello World # c\nn: 0x1F\nlist:\n- a\n- [x, {y: 1}]\n";
    let (tree, observations) = read(text);
    assert!(observations.is_empty(), "{observations:?}");
    assert_eq!(
        tree.root().to_json().to_string(),
        r#"{"title":"Hello World","n":31,"list":["a",["x",{"y":1}]]}"#
    );
    assert_eq!(tree.at_pointer("/list/1/1/y").unwrap().raw(), "1");
    assert_eq!(tree.at_pointer("/title").unwrap().raw(), "Hello World");
}

#[test]
fn aliases_are_copies_that_stand_where_the_alias_does() {
    let (tree, _) = read("a: &x {k: 1}\nb: *x\n");
    let copy = tree.at_pointer("/b").unwrap();
    assert_eq!((copy.raw(), copy.get("k").unwrap().as_i64()), ("*x", Some(1)));
}
