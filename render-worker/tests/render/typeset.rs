//! Quarto documents as pages: what the template for Typst makes of them. `PROOFMARK_BLESS=1` rewrites the looks.

use std::{
    collections::BTreeMap,
    env,
    ffi::OsString,
    fs,
    io::{self, Write as _},
    path::Path,
    process::Command,
    sync::Arc,
};

use proofmark::internals::render::Format;

use super::{
    ROOT, builtin,
    looks::{PPI, compared, look},
    programs,
};

/// The folders of programs, where pandoc is in one of them.
fn with_pandoc() -> Option<OsString> {
    let programs = Path::new(env!("CARGO_BIN_EXE_proofmark-render")).ancestors().nth(2)?.join("programs");
    let others = env::var_os("PATH")?;
    let path = env::join_paths([programs].into_iter().chain(env::split_paths(&others))).ok()?;
    let found = Command::new("pandoc").arg("--version").env("PATH", &path).output().is_ok();
    let required = env::var_os("PROOFMARK_REQUIRE_PANDOC").is_some();
    assert!(found || !required, "pandoc 3.1 or later is required and is not in PATH");
    if !found {
        let _ = writeln!(io::stderr(), "SKIPPED: pandoc is not installed: run .ci/programs");
    }
    found.then_some(path)
}

#[test]
fn pages_of_quarto_documents_look_as_they_did() {
    let Some(path) = with_pandoc() else { return };
    let picture = fs::read(Path::new(ROOT).join("examples/quarto/field.svg")).unwrap();
    let renderer = builtin();
    let mut changed = Vec::new();
    for (name, pages) in [("report", 4), ("handbook", 9)] {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let source = format!("{}/tests/quarto/{name}.qmd", env!("CARGO_MANIFEST_DIR"));
        fs::copy(source, at("a.qmd")).unwrap();
        fs::write(at("field.svg"), &picture).unwrap();
        let mut command = Command::new(programs::proofmark());
        command.args(["convert", "a.qmd", "-o", "a.typ"]).current_dir(folder.path()).env("PATH", &path);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let files = BTreeMap::from([("assets/field.svg".to_owned(), Arc::from(picture.as_slice()))]);
        let source =
            fs::read_to_string(at("a.typ")).unwrap().replace("\"field.svg\"", "\"assets/field.svg\"");
        let set = renderer.set(source, files, Format::Png, PPI);
        let set = set.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(set.len(), pages, "{name}");
        let looks: Vec<String> = set.iter().map(|page| look(page)).collect();
        changed.extend(compared(&format!("quarto-{name}"), &looks));
    }
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}

/// Converts in a folder, and returns the report.
fn convert(folder: &Path, arguments: &[&str], path: &OsString) -> String {
    let mut command = Command::new(programs::proofmark());
    command.arg("convert").args(arguments).args(["--report", "concise"]);
    command.current_dir(folder).env("PATH", path).env("NO_COLOR", "1");
    command.env("PROOFMARK_RENDER_WORKER", env!("CARGO_BIN_EXE_proofmark-render"));
    let output = command.output().unwrap();
    let report = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{report}");
    report
}

/// Converts to PDF in a folder; the words of the pages, where the program that reads them is installed, and the report.
fn converted(folder: &Path, arguments: &[&str], path: &OsString) -> (Option<String>, String) {
    let report = convert(folder, &[arguments, &["-o", "out.pdf"]].concat(), path);
    let words = Command::new("pdftotext").args(["-layout", "out.pdf", "-"]).current_dir(folder).output();
    (words.ok().map(|words| String::from_utf8(words.stdout).unwrap()), report)
}

#[test]
fn a_book_becomes_one_document_with_numbers_by_chapter() {
    let Some(path) = with_pandoc() else { return };
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("more")).unwrap();
    for (name, text) in [
        (
            "_quarto.yml",
            "project:\n  type: book\nbook:\n  title: On measuring\n  author: Ada Winter\n  chapters:\n    - index.qmd\n    - part: Foundations\n      \
             chapters: [units.qmd, more/errors.qmd]\n    - references.qmd\n  appendices: [tables.qmd]\nbibliography: a.bib\nformat: {pdf: {lof: true}}\n",
        ),
        ("index.qmd", "# Preface {.unnumbered}\n\nSee @sec-units and [more](more/errors.qmd).\n"),
        (
            "units.qmd",
            "# Units {#sec-units}\n\nOne.[^1] @fig-b\n\n| a |\n|---|\n| b |\n\n: Base {#tbl-base}\n\n## Parts\n\n[^1]: First note.\n",
        ),
        (
            "more/errors.qmd",
            "---\ntitle: Errors\nmainfont: Roboto\n---\n\nTwo.[^1] @tbl-base [@a]\n\n![Kinds](dot.svg){#fig-b}\n\n$$\nx\n$$ {#eq-x}\n\n@eq-x @tbl-z\n\n[^1]: Second note.\n",
        ),
        ("references.qmd", "# Works {.unnumbered}\n\n::: {#refs}\n:::\n"),
        ("tables.qmd", "# Tables\n\n| a |\n|---|\n| b |\n\n: Last {#tbl-z}\n"),
        ("a.bib", "@book{a, title = {Title of A}, author = {Moreau, Ines}, year = 2020, publisher = {P}}\n"),
        (
            "more/dot.svg",
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"><rect width=\"9\" height=\"9\"/></svg>",
        ),
    ] {
        fs::write(at(name), text).unwrap();
    }
    let (words, report) = converted(folder.path(), &["."], &path);
    assert_eq!(report.matches("CV011").count(), 1, "{report}");
    assert!(report.contains("errors.qmd:3:1: note: the option `mainfont` has no effect"), "{report}");
    let Some(words) = words else { return };
    let flat = words.split_whitespace().collect::<Vec<_>>().join(" ");
    for wanted in [
        "On measuring",
        "I Foundations",
        "See Chapter 1",
        "1 Units",
        "1.1 Parts",
        "Table 1.1: Base",
        "Figure 2.1: Kinds",
        "First note.",
        "Second note.",
        "Equation (2.1)",
        "A Tables",
        "Table A.1: Last",
        "Table A.1",
        "Moreau, Ines. 2020.",
        "List of Figures",
    ] {
        assert!(flat.contains(wanted), "{wanted}: {flat}");
    }
    let pages: Vec<&str> = words.split('\u{c}').collect();
    let page = |words: &str| pages.iter().position(|page| page.contains(words)).unwrap();
    assert!(page("First note.") < page("Second note.") && page("Second note.") < page("Moreau, Ines. 2020."));
    assert!(page("Moreau, Ines. 2020.") < page("Last"));
}

#[test]
fn equal_headings_of_chapters_have_links_of_their_own() {
    let Some(path) = with_pandoc() else { return };
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        (
            "_quarto.yml",
            "project:\n  type: book\nbook:\n  title: On measuring\n  chapters: [index.qmd, a.qmd, b.qmd]\n",
        ),
        ("index.qmd", "# Preface {.unnumbered}\n\n[second](b.qmd#parts)\n"),
        ("a.qmd", "# A\n\n## Parts\n\n[own](#parts) [next](b.qmd)\n"),
        ("b.qmd", "# B\n\n## Parts\n\n[own](#parts) [other](a.qmd#parts)\n"),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    convert(folder.path(), &[".", "-o", "out.typ"], &path);
    let source = fs::read_to_string(folder.path().join("out.typ")).unwrap();
    let links: Vec<&str> =
        source.split("#link(<").skip(1).filter_map(|rest| rest.split(']').next()).collect();
    let expected = ["parts-1>)[second", "parts>)[own", "b>)[next", "parts-1>)[own", "parts>)[other"];
    assert_eq!(links, expected);
    assert_eq!((source.matches("\n<parts>").count(), source.matches("\n<parts-1>").count()), (1, 1));
}

#[test]
fn standards_and_what_does_not_fit_are_reported_where_they_are_written() {
    let Some(path) = with_pandoc() else { return };
    let folder = tempfile::tempdir().unwrap();
    let words =
        ["Landeshauptstadt", "Mecklenburgvorpommern", "Nordrheinwestfalen", "Niedersachsen", "Brandenburg"];
    let row = format!("| {} |", words.repeat(2).join(" | "));
    let text = format!(
        "---\ntitle: Two\nformat:\n  pdf:\n    pdf-standard: [a-2b, a-1b]\n    columns: 2\n---\n\nText.\n\n{row}\n|{}\n{row}\n",
        "---|".repeat(10)
    );
    fs::write(folder.path().join("a.qmd"), text).unwrap();
    let (_, report) = converted(folder.path(), &["a.qmd"], &path);
    let found: Vec<&str> = report.lines().filter(|line| line.starts_with("a.qmd")).collect();
    assert_eq!(found.len(), 2, "{report}");
    assert!(
        found[0].starts_with("a.qmd:5:5: note: the option `pdf-standard: a-1b` has no effect"),
        "{report}"
    );
    assert!(found[1].starts_with("a.qmd:11:3: warning: the table is too wide"), "{report}");
    let pdf = fs::read(folder.path().join("out.pdf")).unwrap();
    let text = String::from_utf8_lossy(&pdf);
    assert!(text.contains("<pdfaid:part>2</pdfaid:part>") && text.contains("<pdfaid:conformance>B"));
}

#[test]
fn characters_that_no_font_has_are_reported_where_they_are() {
    let Some(path) = with_pandoc() else { return };
    let folder = tempfile::tempdir().unwrap();
    let text = "---\ntitle: Two\n---\n\nText 表 here.\n\n```{mermaid}\nflowchart LR\n  A[水] --> B\n```\n";
    fs::write(folder.path().join("a.qmd"), text).unwrap();
    let (_, report) = converted(folder.path(), &["a.qmd"], &path);
    let found: Vec<&str> = report.lines().filter(|line| line.starts_with("a.qmd")).collect();
    assert!(
        matches!(found[..], [one] if one.starts_with("a.qmd:5:6: warning: ") && one.contains("水 表")),
        "{report}"
    );
}
