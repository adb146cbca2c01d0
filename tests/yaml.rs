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

struct Rng(u64);
impl Rng {
    fn next(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }
}

const TOKENS: &[&str] = &[
    "a",
    "b",
    "key",
    "a b",
    "x",
    "1",
    "-1",
    "true",
    "null",
    "~",
    ": ",
    ":",
    ":\n",
    " ",
    "  ",
    "\n",
    "\n",
    "\n",
    "\n  ",
    "\n    ",
    "\n- ",
    "- ",
    "-",
    "\n  - ",
    "? ",
    "?",
    "[",
    "]",
    "{",
    "}",
    ",",
    ", ",
    "\"",
    "'",
    "\"a\"",
    "'b'",
    "#",
    " # c",
    "#c\n",
    "&a ",
    "*a",
    "&b ",
    "*b",
    "!t ",
    "!!str ",
    "!!int ",
    "! ",
    "|\n",
    ">\n",
    "|-\n",
    ">+\n",
    "|2\n",
    "  x\n",
    "---\n",
    "...\n",
    "--- ",
    "%YAML 1.2\n",
    "%",
    "@",
    "`",
    "\t",
    "\r\n",
    "\\n",
    "\\",
    "\\x41",
    "é",
    "<<: ",
    ".inf",
    "0x1F",
    "a: 1\n",
    "b: 2\n",
    "  c: 3\n",
    "- a\n",
    "  - b\n",
    "=",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "\u{7f}",
];

#[test]
fn explore() {
    let seed: u64 = std::env::var("SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(88172645463325252);
    let n: usize = std::env::var("N").ok().and_then(|s| s.parse().ok()).unwrap_or(20000);
    let max: usize = std::env::var("LEN").ok().and_then(|s| s.parse().ok()).unwrap_or(10);
    let mut rng = Rng(seed);
    let (mut both, mut neither, mut only_us, mut only_them, mut differ) = (0, 0, 0, 0, 0);
    let mut seen: std::collections::BTreeMap<String, Vec<String>> = Default::default();
    for _ in 0..n {
        let len = rng.next(max) + 1;
        let text: String = (0..len).map(|_| TOKENS[rng.next(TOKENS.len())]).collect();
        let options = yaml::YamlOptions { report_traps: false, depth: 128, ..Default::default() };
        if std::env::var("TRACE").is_ok() {
            std::fs::write("/tmp/last.txt", &text).unwrap();
        }
        let (tree, observations) = read_with(&text, &options);
        let oracle = serde_yaml::from_str::<serde_yaml::Value>(&text);
        match (observations.is_empty(), &oracle) {
            (true, Ok(value)) => {
                let Ok(json) = serde_json::to_value(value) else { continue };
                both += 1;
                if json != tree.root().to_json() {
                    differ += 1;
                    seen.entry("differ".into())
                        .or_default()
                        .push(format!("{text:?}\n   them {json}\n   us   {}", tree.root().to_json()));
                }
            }
            (false, Err(_)) => neither += 1,
            (true, Err(e)) => {
                only_us += 1;
                let e = e.to_string();
                let e = e.split(" at line").next().unwrap().to_string();
                seen.entry(format!("we accept; they: {e}"))
                    .or_default()
                    .push(format!("{text:?} us {}", tree.root().to_json()));
            }
            (false, Ok(v)) => {
                only_them += 1;
                let o = &observations[0];
                let k = o.values.first().map(|v| v.1.to_string()).unwrap_or_default();
                seen.entry(format!("they accept; we: {} {}", o.name, k))
                    .or_default()
                    .push(format!("{text:?} them {v:?}"));
            }
        }
    }
    println!("both {both} neither {neither} only_us {only_us} only_them {only_them} differ {differ}");
    for (k, mut v) in seen {
        v.sort_by_key(String::len);
        println!("== {} x {k}", v.len());
        for e in v.iter().take(4) {
            println!("   {e}");
        }
    }
}

#[test]
fn export() {
    use std::io::Write;
    let seed: u64 = std::env::var("SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(88172645463325252);
    let n: usize = std::env::var("N").ok().and_then(|s| s.parse().ok()).unwrap_or(20000);
    let max: usize = std::env::var("LEN").ok().and_then(|s| s.parse().ok()).unwrap_or(10);
    let mut rng = Rng(seed);
    let mut out = std::io::BufWriter::new(std::fs::File::create("/tmp/export.jsonl").unwrap());
    for _ in 0..n {
        let len = rng.next(max) + 1;
        let text: String = (0..len).map(|_| TOKENS[rng.next(TOKENS.len())]).collect();
        let options = yaml::YamlOptions {
            dialect: yaml::Dialect::PyYaml,
            schema: yaml::Schema::Yaml11,
            report_traps: false,
            depth: 128,
            merge_keys: true,
            duplicate_keys: yaml::DuplicateKeys::LastWins,
            ..Default::default()
        };
        let (tree, observations) = read_with(&text, &options);
        writeln!(out, "{}", serde_json::json!({"text": text, "ok": observations.is_empty(), "json": tree.root().to_json(), "why": observations.first().map(|o| format!("{} {:?}", o.name, o.values))})).unwrap();
    }
}

#[test]
fn probe() {
    let text = std::fs::read_to_string("/tmp/probe.yaml").unwrap();
    for text in text.split("\n=====\n") {
        println!("----- {text}");
        let (tree, observations) = read_with(text, &yaml::YamlOptions::default());
        println!("  {}", tree.root().to_json());
        for o in observations {
            println!(
                "  !! {} {:?} {:?}",
                o.name,
                o.span.of(text),
                o.values.iter().map(|(n, v)| format!("{n}={v}")).collect::<Vec<_>>()
            );
            println!(
                "     {:?}",
                o.places.iter().map(|(n, s)| format!("{n}={:?}", s.of(text))).collect::<Vec<_>>()
            );
        }
    }
}
