use super::*;
use crate::{
    peg::{Options, compile},
    tree::JsonPath,
};

const PAIRS: &str = r#"
    document = { SOI ~ (line ~ "\n")* ~ EOI }
    line = _{ pair | err_no_value }
    pair = { key ~ "=" ~ value }
    err_no_value = { key ~ "="? }
    key = @{ ASCII_ALPHA+ }
    value = @{ ASCII_DIGIT+ }
"#;

fn kind(grammar: &str) -> GrammarKind {
    let options = Options { starts: &["document"], errors: &[ERROR_PREFIX] };
    GrammarKind::new(Definition {
        name: "pairs".into(),
        description: "Pairs".into(),
        globs: vec!["*.pairs".into()],
        fences: vec!["pairs".into()],
        comment: CommentPattern::new("# {}").unwrap(),
        grammar: compile(grammar, options).unwrap(),
        start: "document".into(),
        tree: None,
        schema: None,
        names: Vec::new(),
    })
}

fn parse(text: &str) -> Document {
    let source = Arc::new(Source::new("t", text));
    let fragment = Fragment::contiguous(source.text(), source.span());
    kind(PAIRS).parse(&source, &fragment, &ParseOptions::default())
}

#[test]
fn matches_become_keys_and_error_productions_syntax_errors() {
    let document = parse("a=1\nb=\nc=3\n");
    assert_eq!(
        document.tree.root().to_json().to_string(),
        r#"{"pair":[{"key":["a"],"value":["1"]},{"key":["c"],"value":["3"]}],"err_no_value":[{"key":["b"]}]}"#
    );
    let error = &document.observations[0];
    assert_eq!((&*error.name, error.span.of("a=1\nb=\nc=3\n")), ("err_no_value", "b="));
    assert_eq!((&*error.places[0].0, error.places[0].1), ("key", Span::new(4, 5)));
    assert_eq!((&*error.values[1].0, error.values[1].1.as_str()), ("key", Some("b")));
}

#[test]
fn text_that_does_not_match_is_one_syntax_error_at_its_position() {
    let document = parse("a=1\n!\n");
    let [error] = &document.observations[..] else { panic!("{:?}", document.observations) };
    assert_eq!((&*error.name, error.span), (SYNTAX_ERROR, Span::new(4, 5)));
    assert_eq!(error.values[1].1, "pair or the end of the text");
}

#[test]
fn error_productions_declare_what_is_inside_them() {
    let kind = kind(PAIRS);
    let declared = kind.observables().iter().find(|known| known.name == "err_no_value").unwrap();
    assert_eq!(declared.values.iter().collect::<Vec<_>>(), ["text", "key"]);
    assert_eq!(declared.places.iter().collect::<Vec<_>>(), ["key"]);
}

#[test]
fn the_schema_rules_out_what_the_grammar_cannot_match() {
    let kind = kind(PAIRS);
    let schema = serde_json::from_str(kind.tree_schema()).unwrap();
    let miss = |path: &str| {
        let path: JsonPath = path.parse().unwrap();
        crate::schema::impossible_name(&schema, &path).map(|miss| miss.name)
    };
    assert_eq!(miss("$.pair[*].key[*]"), None);
    assert_eq!(miss("$.pair[*].kye[*]"), Some("kye".into()));
}

#[test]
fn the_tree_of_an_item_has_its_rule_and_its_indentation() {
    let grammar = r#"
        document = { SOI ~ (" "* ~ (word | number) ~ "\n")* ~ EOI }
        word = @{ ASCII_ALPHA+ }
        number = @{ ASCII_DIGIT+ }
    "#;
    let grammar = compile(grammar, Options { starts: &["document"], errors: &[ERROR_PREFIX] }).unwrap();
    let tree = serde_json::json!({
        "lines": {"list": ["word", "number"], "fields": {"is": {"rule": true}, "depth": {"indent": true}}}
    });
    let tree = mapping::compile(&serde_json::from_value(tree).unwrap(), &grammar).unwrap();
    let definition = Definition { grammar, tree: Some(tree), ..kind(PAIRS).definition };
    let source = Arc::new(Source::new("t", "a\n  7\n"));
    let fragment = Fragment::contiguous(source.text(), source.span());
    let document = GrammarKind::new(definition).parse(&source, &fragment, &ParseOptions::default());
    assert_eq!(
        document.tree.root().to_json().to_string(),
        r#"{"lines":[{"is":"word","depth":0},{"is":"number","depth":2}]}"#
    );
}
