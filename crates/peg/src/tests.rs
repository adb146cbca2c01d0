//! The runtime reads what pest's own interpreter reads, and grammars that cannot be used are refused at
//! their place.

use pest_vm::Vm;
use proptest::prelude::*;

use super::{
    Ahead, Continuation, Grammar, Match, Options, Problem, Reading, Trials, compile,
    mapping::{self, compile_names, names},
};
use crate::budget::Budget;

fn grammar(text: &str) -> Grammar {
    let options = Options { starts: &["start"], errors: &["err_"] };
    compile(text, options).unwrap_or_else(|faults| panic!("{text}\n{faults:?}"))
}

/// Name, start and end of every match, outer ones first; nothing where the text does not fit.
type Matches = Option<Vec<(String, usize, usize)>>;

fn ours(grammar: &Grammar, text: &str) -> Matches {
    grammar.read("start", text).ok().map(|matches| named(grammar, &matches))
}

/// What the steps read, without the machine.
fn by_steps(grammar: &Grammar, text: &str) -> Matches {
    grammar.read_by_steps(grammar.start("start")?, text).ok().map(|matches| named(grammar, &matches))
}

fn named(grammar: &Grammar, matches: &[Match]) -> Vec<(String, usize, usize)> {
    matches
        .iter()
        .map(|found| {
            (grammar.name(found.rule).to_owned(), found.span.start as usize, found.span.end as usize)
        })
        .collect()
}

fn theirs(vm: &Vm, text: &str) -> Matches {
    let pairs = vm.parse("start", text).ok()?;
    let all = pairs.flatten();
    Some(all.map(|p| (p.as_rule().to_owned(), p.as_span().start(), p.as_span().end())).collect())
}

/// Grammars that use every part of the notation, and the characters of the strings that they are tried with.
const CASES: &[(&str, &str)] = &[
    (r#"start = { SOI ~ (a | b)* ~ EOI } a = { "a" } b = @{ "b"+ }"#, "abc"),
    (r#"start = { a{2} ~ b{,2} ~ c{1,} ~ d{1,2} } a = { "a" } b = { "b" } c = { "c" } d = { "d" }"#, "abcd"),
    (r#"start = { !"b" ~ ANY ~ &"a" ~ ("ab" | "a" ~ "c")+ }"#, "abc"),
    (r#"start = ${ word ~ " " ~ word } word = { ^"ab" | 'x'..'z'+ }"#, "aAbBxz "),
    (r#"WHITESPACE = _{ " " } start = { word ~ word* ~ ";"? } word = @{ ASCII_ALPHA ~ "-"? }"#, "ab- ;"),
    (r#"WHITESPACE = _{ " " } start = { word+ ~ "." } word = { "a" ~ "b" }"#, "ab ."),
    (r#"WHITESPACE = _{ " " } start = { a{2,3} ~ b{,2} ~ "." } a = { "a" } b = { "b" }"#, "ab ."),
    (
        r##"WHITESPACE = _{ " " } COMMENT = { "#" ~ (!"#" ~ ANY)* ~ "#" } start = { a ~ ("," ~ a)* } a = { "a" }"##,
        "a,# ",
    ),
    (r##"COMMENT = _{ "#" ~ "x" } start = { a ~ a ~ a } a = ${ "a" ~ b? } b = !{ "b" ~ "b" }"##, "abx#"),
    (r#"WHITESPACE = { " " } start = @{ outer } outer = { mid } mid = !{ a ~ a } a = { "a" }"#, "a "),
    (r#"WHITESPACE = _{ " " } start = { &(a ~ a) ~ c ~ a } a = { "a" } c = ${ a }"#, "a "),
    (r#"start = { PUSH("a"+) ~ "," ~ (PEEK ~ ",")* ~ POP }"#, "a,"),
    (r#"start = { (PUSH(a | b))* ~ "," ~ PEEK_ALL ~ ";" ~ POP_ALL } a = { "a" } b = { "b" }"#, "ab,;"),
    (
        r#"start = { PUSH(a) ~ PUSH(b) ~ PEEK[0..1] ~ PEEK[-1..] ~ DROP ~ POP } a = { "a"+ } b = { "b"+ }"#,
        "ab",
    ),
    (r#"start = { (PUSH("a") ~ "c" | PUSH("a") ~ "b") ~ POP ~ "!" }"#, "abc!"),
    (r"start = { (PUSH(LETTER) ~ !(PEEK ~ PEEK))* ~ ANY* }", "aäb"),
    (r"start = { line* ~ EOI } line = { (!NEWLINE ~ ANY)+ ~ NEWLINE } ", "ab\r\n"),
    (
        r#"start = { list } list = { "[" ~ (item ~ ("," ~ item)*)? ~ "]" } item = _{ list | n } n = @{ ASCII_DIGIT+ }"#,
        "[],12",
    ),
    (r"start = { ALPHABETIC+ ~ UPPERCASE_LETTER? ~ ASCII_HEX_DIGIT{2} ~ ASCII_NONZERO_DIGIT }", "aÄF19"),
    (
        r#"start = { (err_pair | pair)* } pair = { k ~ "=" ~ v } err_pair = { k ~ "=" ~ !v } k = { "a" } v = { "b" }"#,
        "a=b",
    ),
];

fn agree(case: usize, text: &str) -> Result<(), TestCaseError> {
    let (source, _) = CASES[case];
    let (_, rules) = pest_meta::parse_and_optimize(source).unwrap();
    let (ours, theirs) = (ours(&grammar(source), text), theirs(&Vm::new(rules), text));
    prop_assert_eq!(ours, theirs, "{} on {:?}", source, text);
    Ok(())
}

/// A string of a case's characters, by the digits of a number.
fn text(case: usize, mut number: usize) -> String {
    let letters: Vec<char> = CASES[case].1.chars().collect();
    let mut text = String::new();
    while number > 0 {
        text.push(letters[number % letters.len()]);
        number /= letters.len();
    }
    text
}

#[test]
fn short_strings_are_read_as_pest_reads_them() {
    for (case, (source, _)) in CASES.iter().enumerate() {
        let (_, rules) = pest_meta::parse_and_optimize(source).unwrap();
        let (grammar, vm) = (grammar(source), Vm::new(rules));
        let mut fitting = 0;
        for number in 0..6_000 {
            let text = text(case, number);
            let (ours, theirs) = (ours(&grammar, &text), theirs(&vm, &text));
            fitting += usize::from(theirs.is_some());
            assert_eq!(ours, theirs, "{source} on {text:?}");
            assert_eq!(by_steps(&grammar, &text), theirs, "{source} on {text:?}, by steps");
        }
        assert!(fitting > 0, "nothing matches {source}");
    }
}

proptest! {
    #[test]
    fn random_strings_are_read_as_pest_reads_them(
        (case, letters) in (0..CASES.len()).prop_flat_map(|case| {
            let letters: Vec<char> = CASES[case].1.chars().collect();
            (Just(case), prop::collection::vec(prop::sample::select(letters), 0..24))
        })
    ) {
        agree(case, &letters.into_iter().collect::<String>())?;
    }
}

/// What is wrong with a grammar, and the text at its place.
fn faults(text: &str) -> Vec<(Problem, &str)> {
    let options = Options { starts: &["start"], errors: &[] };
    let faults = compile(text, options).unwrap_err();
    faults.into_iter().map(|fault| (fault.problem, fault.span.of(text))).collect()
}

#[test]
fn a_rule_that_does_not_exist_is_reported_where_it_is_used() {
    let found = faults("start = { a ~ b }\na = { c }");
    let unknown = |name: &str| Problem::UnknownRule(name.into());
    assert_eq!(found, [(unknown("b"), "b"), (unknown("c"), "c")]);
    assert_eq!(faults("other = { \"a\" }"), [(Problem::NoStart("start".into()), "")]);
}

#[test]
fn left_recursion_is_reported_with_the_way_back() {
    let found = faults("start = { a }\na = { b? ~ a | \"x\" }\nb = { \"b\" }");
    assert!(found.contains(&(Problem::LeftRecursion("a → a".into()), "a")), "{found:?}");
}

#[test]
fn a_repetition_of_nothing_is_reported() {
    assert_eq!(faults("start = { (\"a\"?)* }"), [(Problem::EndlessRepetition, "(\"a\"?)*")]);
}

#[test]
fn an_error_of_the_notation_is_reported_where_it_is() {
    let found = faults("start = { \"a\" ~ }");
    assert!(matches!(&found[..], [(Problem::Syntax(_), _)]), "{found:?}");
}

#[test]
fn a_grammar_that_is_too_large_is_reported() {
    let nested = format!("start = {{ {}\"a\"{} }}", "(".repeat(1200), ")".repeat(1200));
    assert!(matches!(faults(&nested)[..], [(Problem::TooLarge(_), "(")]));
    let counted = "WHITESPACE = { \" \" }\nstart = { \"ab\" ~ long }\nlong = { \"ab\"{70000} }";
    assert!(matches!(faults(counted)[..], [(Problem::TooLarge(_), "long")]));
}

#[test]
fn grammars_without_the_stack_become_instructions() {
    for (source, _) in CASES {
        let uses_stack = source.contains("PUSH");
        assert_eq!(grammar(source).program.ops.is_empty(), uses_stack, "{source}");
    }
    assert!(grammar(r#"start = { ("ab" ~ "c"?){200} }"#).program.ops.is_empty(), "too many turns");
}

#[test]
fn what_is_too_deep_for_the_machine_is_read_by_steps() {
    let grammar = grammar(r#"start = { a } a = { "(" ~ a ~ ")" | "x" }"#);
    for depth in [0, 1, 10, 300, 600, 900, 990, 2_000] {
        let text = format!("{}x{}", "(".repeat(depth), ")".repeat(depth));
        assert_eq!(ours(&grammar, &text), by_steps(&grammar, &text), "{depth}");
        assert_eq!(ours(&grammar, &text).is_some(), depth < 1_000, "{depth}");
    }
}

#[test]
fn exponential_backtracking_is_stopped() {
    let text = r#"start = { SOI ~ a ~ EOI } a = { "x" ~ a ~ "1" | "x" ~ a ~ "2" | "x" ~ a ~ "3" | "x" }"#;
    let stuck = grammar(text).read("start", &"x".repeat(60)).unwrap_err();
    assert!(stuck.exhausted);
}

#[test]
fn deep_nesting_is_stopped() {
    let grammar = grammar(r#"start = { a } a = { "(" ~ a ~ ")" | "x" }"#);
    assert!(grammar.read("start", &format!("{}x{}", "(".repeat(100), ")".repeat(100))).is_ok());
    let stuck = grammar.read("start", &"(".repeat(100_000)).unwrap_err();
    assert!(stuck.exhausted);
}

#[test]
fn what_would_fit_is_named_by_rules_and_strings() {
    let grammar = grammar(
        r#"start = { SOI ~ (item ~ "\n")* ~ EOI } item = { code ~ ":" ~ price ~ ("," ~ tag)* }
           code = @{ ASCII_ALPHA ~ ASCII_DIGIT+ } price = @{ ASCII_DIGIT+ } tag = @{ ASCII_ALPHA+ }"#,
    );
    let expected = |text| {
        let (at, mut names) = grammar.expected("start", text);
        names.sort();
        (at, names.join(" or "))
    };
    assert_eq!(expected("A1:2\n?"), (5, "item or the end of the text".into()));
    assert_eq!(expected("A1 2\n"), (2, "`:`".into()));
    assert_eq!(expected("A1:x\n"), (3, "price".into()));
    assert_eq!(expected("A1:2 \n"), (4, "`,` or the end of the line".into()));
}

#[test]
fn the_rules_inside_a_rule_are_known() {
    let grammar =
        grammar(r#"start = { a ~ _b } _b = _{ b* } a = { c | &d } b = { "b" } c = { "c" } d = { "d" }"#);
    let names = |rule: &str| {
        let inside = &grammar.inside()[usize::from(grammar.rule(rule).unwrap())];
        let names: Vec<&str> = inside.iter().map(|rule| grammar.name(*rule)).collect();
        names.join(" ")
    };
    assert_eq!((names("start"), names("a"), names("b")), ("a b".into(), "c".into(), String::new()));
}

/// A grammar of lines such as `node a`, `link a -> b` and `all a, b`.
const LINES: &str = r#"start = { SOI ~ (line ~ "\n" | err_line ~ "\n")* ~ EOI } line = _{ node | link | all }
    node = { "node" ~ " "+ ~ id } link = { "link" ~ " "+ ~ id ~ " "+ ~ "->" ~ " "+ ~ id } all = { "all" ~ " "+ ~ list }
    id = @{ ASCII_ALPHA+ } list = @{ (ASCII_ALPHA | "," | " ")+ } err_line = { "nodes" ~ (!"\n" ~ ANY)* }"#;

#[test]
fn what_may_come_next_is_known_by_strings_and_rules() {
    let grammar = grammar(LINES);
    let next = |text: &str| -> Vec<String> {
        let name = |rule: u16| grammar.name(rule).to_owned();
        let show = |found| match found {
            Continuation::Text(text) => format!("`{text}`"),
            Continuation::Rule { rule, within } => {
                format!("{}/{}", within.map(name).unwrap_or_default(), name(rule))
            }
            Continuation::Rest { rule, .. } => format!("…{}", name(rule)),
        };
        Ahead::new(&grammar, "start", text, None).found().iter().cloned().map(show).collect()
    };
    let words: Vec<String> = next("node a\n").into_iter().filter(|found| found.starts_with('`')).collect();
    assert_eq!(words, ["`node`", "`link`", "`all`"], "error productions are not offered");
    assert!(next("link ").contains(&"link/id".to_owned()));
    assert!(next("all a,").contains(&"…list".to_owned()));
    assert_eq!(next("link a ").iter().filter(|found| *found == "`->`").count(), 1);
}

#[test]
fn nothing_follows_what_no_rule_reads() {
    let grammar = grammar(
        r#"start = { SOI ~ (word ~ " "? | unread)* ~ EOI } word = { "one" | "two" } unread = { "?"+ }"#,
    );
    let one = Continuation::Text("one".to_owned());
    let may_follow = |unread| Ahead::new(&grammar, "start", "two ?", unread).found().contains(&one);
    assert!(may_follow(None) && !may_follow(grammar.rule("unread")));
}

/// A grammar of lines and blocks, which can be nested, with words for what is wrong.
const BLOCKS: &str = r#"start = { SOI ~ line* ~ EOI } line = _{ " " | "\n" | block | err_open | call | words | unread }
    block = { "(\n" ~ line* ~ ")\n" } err_open = { "(\n" ~ line* ~ EOI } call = { "call" ~ " "+ ~ word ~ (" "* ~ "->" ~ " "* ~ word)+ ~ "\n" }
    words = { word ~ ("," ~ word)* ~ &"\n" ~ !("\n" ~ "!") ~ "\n" } word = @{ 'a'..'z'+ } unread = { (!("\n" | ")") ~ ANY)+ ~ "\n" }"#;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn texts_that_differ_in_one_place_are_read_as_by_themselves(
        mut lines in prop::collection::vec(prop::sample::select(vec!["a,b,c\n", "(\n", ")\n", "call a -> b\n", "!\n", "? ?\n", "abcdefgh\n", " \n", "é\n"]), 8..80),
        place in any::<prop::sample::Index>(),
        others in prop::collection::vec(prop::sample::select(vec!["", "x", "call", "call a ->", "(\n", ")\n", "?", "\n", "!", "é", ",d", "call a -> b\n("]), 1..6),
        is_wanted in any::<bool>(),
    ) {
        let grammar = grammar(BLOCKS);
        // Each block that is not closed is read twice.
        let mut blocks = 0;
        lines.retain(|line| {
            blocks += u32::from(*line == "(\n");
            *line != "(\n" || blocks < 4
        });
        let text = lines.concat();
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let (before, after) = text.split_at(*place.get(&places));
        let wanted = |rule: &str| is_wanted || rule == "unread";
        let mut trials = Trials::new(&grammar, "start", wanted);
        let ahead = Ahead::new(&grammar, "start", before, None);
        for other in others {
            let text = format!("{before}{other}{after}");
            let found = trials.read(&text).map(|matches| named(&grammar, &matches));
            let all = ours(&grammar, &text);
            prop_assert_eq!(found, all.map(|all| all.into_iter().filter(|(rule, ..)| wanted(rule)).collect()));
            let begun = format!("{before}{other}");
            prop_assert_eq!(ahead.goes_on_after(other), grammar.expected("start", &begun).0 >= begun.len());
        }
    }
}

#[test]
fn text_before_and_after_a_difference_is_not_read_again() {
    let grammar = grammar(BLOCKS);
    let many = " call a -> b\n".repeat(2_000);
    let steps = |work: &mut dyn FnMut()| Budget::default().spend(work).1.steps;
    let mut trials = Trials::new(&grammar, "start", |_| true);
    let mut read = |word: &str| {
        let text = format!("(\n{many}{word}\n{many})\n{many}");
        steps(&mut || assert!(trials.read(&text).is_some()))
    };
    let (first, second) = (read("a"), read("call a -> bc"));
    assert!(first > 10_000 && second < first / 100, "{first}, {second}");
}

#[test]
fn words_of_the_language_are_those_that_matched() {
    let grammar = grammar(LINES);
    let text = "node node\nlink a -> link\nnodes x\n";
    let words: Vec<&str> = grammar.words("start", text).into_iter().map(|span| span.of(text)).collect();
    assert_eq!(words, ["node", "link"]);
}

#[test]
fn names_are_the_matches_that_a_description_says() {
    let grammar = grammar(LINES);
    let raw = r#"{"node": ["node/id", {"rule": "list", "separator": ","}], "end": "link/id"}"#;
    let rules = compile_names(&serde_json::from_str(raw).unwrap(), &grammar).unwrap();
    let text = "node a\nlink a -> b\nall a, b\n";
    let reading = Reading::new(&grammar, "start", text).unwrap();
    let found: Vec<(&str, &str)> =
        names(&rules, &reading).into_iter().map(|(of, span)| (of, span.of(text))).collect();
    assert_eq!(found, [("node", "a"), ("end", "a"), ("end", "b"), ("node", "a"), ("node", "b")]);
    let wrong = serde_json::from_str(r#"{"node": "vertex/id"}"#).unwrap();
    let faults = compile_names(&wrong, &grammar).unwrap_err();
    assert_eq!(faults[0].problem, mapping::Problem::UnknownRule("vertex".to_owned()));
}
