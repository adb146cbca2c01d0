//! Quarto documents through the library: what clients get, with other files and without.

use std::{collections::BTreeMap, io, sync::Arc};

use proofmark::{Diagnostic, ParseOptions, Ruleset, Settings, Source, Validator};

/// The findings in a document with files beside it.
fn findings(text: &str, files: &[(&str, &str)]) -> Vec<Diagnostic> {
    let files: BTreeMap<&str, &str> = files.iter().copied().collect();
    let read = |path: &str| {
        let text = files.get(path).map(|text| text.as_bytes().to_vec());
        text.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    };
    let options = ParseOptions { read: Some(&read), ..ParseOptions::default() };
    validate("docs/test.qmd", text, &options)
}

fn validate(name: &str, text: &str, options: &ParseOptions<'_>) -> Vec<Diagnostic> {
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let kind = Arc::clone(validator.ruleset().kind("quarto").unwrap());
    validator.validate(&Arc::new(Source::new(name, text)), kind.as_ref(), options).diagnostics
}

fn brief(found: &[Diagnostic]) -> Vec<String> {
    found.iter().map(|d| format!("{} {}:{} {}", d.id, d.location.file, d.location.line, d.message)).collect()
}

#[test]
fn labels_of_included_files_are_targets() {
    let main = "{{< include parts/_a.qmd >}}\n\nSee @fig-a, @sec-b and @tbl-c.\n";
    let a = "![A](https://example.org/a.png){#fig-a}\n\n{{< include _b.qmd >}}\n\n```{r}\n#| label: tbl-c\n1\n```\n";
    let files = [("parts/_a.qmd", a), ("parts/_b.qmd", "## B {#sec-b}\n")];
    assert_eq!(brief(&findings(main, &files)), [""; 0]);
    let without = brief(&findings(main, &files[..1]));
    assert_eq!(
        without,
        [
            "QD401 docs/test.qmd:3 no label `sec-b` is defined",
            "QD701 docs/parts/_a.qmd:3 there is no file `_b.qmd` to include"
        ]
    );
}

#[test]
fn references_of_included_files_are_checked_where_they_are_included() {
    let found = findings("{{< include _a.qmd >}}\n", &[("_a.qmd", "Text.\n\nSee @fig-nowhere.\n")]);
    assert_eq!(brief(&found), ["QD401 docs/_a.qmd:3 no label `fig-nowhere` is defined"]);
    let partial = validate("_a.qmd", "See @fig-nowhere.\n", &ParseOptions::default());
    assert_eq!(brief(&partial), [""; 0]);
}

#[test]
fn paths_from_the_root_are_those_of_the_project() {
    let project = "project:\n  type: website\nbibliography: refs.bib\n";
    let files = [("../_quarto.yml", project), ("../parts/_a.qmd", "Hello.\n"), ("../img/a.png", "")];
    let text = "{{< include /parts/_a.qmd >}}\n\n![A](/img/a.png) [@knuth1984]\n";
    assert_eq!(brief(&findings(text, &files)), [""; 0]);
    assert_eq!(brief(&findings(text, &files[..2])), ["QD712 docs/test.qmd:3 there is no image `/img/a.png`"]);
}

#[test]
fn errors_of_diagrams_and_yaml_are_at_their_lines() {
    let text = "---\ntitle: A: b\n---\n\n```{mermaid}\n%%| label: fig-a\nflowchart LR\n  A[Start (now)] --> B\n```\n";
    let found = validate("a.qmd", text, &ParseOptions::default());
    assert_eq!(
        brief(&found[..1]),
        ["YM101 a.qmd:2 the value of `title` contains a colon followed by a space and is not quoted: `A: b`"]
    );
    let diagram = found.iter().find(|d| d.id.starts_with("MM")).expect("the diagram has an error");
    assert_eq!(diagram.location.line, 8);
}
