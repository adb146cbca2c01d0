//! Grammars as Rust source.

use std::{collections::HashMap, fmt::Write as _, path::Path};

use crate::{descriptions, input, output, read, tables};
use proofmark_peg as peg;

/// Compiles `grammars/FILE`, which reads from the rules `starts`, into `NAME_grammar.rs`.
pub fn grammar(file: &str, starts: &[&str]) {
    let path = input(&format!("grammars/{file}"));
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    output(&format!("{name}_grammar.rs"), &tables::source(&name, &compile(&[&path], starts)));
}

/// Compiles the grammars and descriptions of all diagram types into `mermaid_grammars.rs`.
pub fn diagrams() {
    output("mermaid_grammars.rs", &source(&input("grammars/mermaid")));
}

/// The tables of all diagram types: their grammars, each with what `common.pest` says as well, and their
/// descriptions.
fn source(folder: &Path) -> String {
    let common = folder.join("common.pest");
    let mut source = String::new();
    let mut list = String::new();
    let mut rules = String::new();
    let mut grammars = HashMap::new();
    for path in descriptions::files(folder, "pest") {
        let (name, compiled) =
            (descriptions::stem(&path), compile(&[&common, &path], &["document", "statement"]));
        source += &tables::source(&name, &compiled);
        let _ = write!(list, "({name:?}, &{}), ", name.to_uppercase());
        rules += &tables::rules(&name, &compiled);
        grammars.insert(name, compiled);
    }
    source += &descriptions::source(folder, &grammars).unwrap_or_else(|problems| {
        for problem in problems {
            println!("cargo:warning={problem}");
        }
        std::process::exit(1)
    });
    let rules = format!(
        "/// Numbers of the rules that make matches, by the name of the grammar.\n\
         #[allow(dead_code)]\npub(crate) mod rules {{\n{rules}}}\n"
    );
    format!("{source}{rules}#[cfg(test)]\npub(crate) static ALL: &[(&str, &Grammar)] = &[{list}];\n")
}

/// Compiles a grammar that is written in one file or several.
fn compile(files: &[&Path], starts: &[&str]) -> peg::Grammar {
    let texts: Vec<String> = files.iter().map(|path| read(path) + "\n").collect();
    let options = peg::Options { starts, errors: &["err_", "raw_"] };
    peg::compile(&texts.concat(), options).unwrap_or_else(|faults| {
        for fault in &faults {
            let mut at = fault.span.start as usize;
            let file = texts.iter().position(|text| {
                let inside = at < text.len();
                at -= if inside { 0 } else { text.len() };
                inside
            });
            let file = file.unwrap_or_default();
            let before = texts[file].get(..at).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            println!("cargo:warning={}:{line}: {}", files[file].display(), fault.problem);
        }
        std::process::exit(1)
    })
}
