//! Quarto documents as pages: what the template for Typst makes of them. `PROOFMARK_BLESS=1` rewrites the looks.

use std::{
    collections::BTreeMap,
    env,
    ffi::OsString,
    fs,
    io::{self, Write as _},
    path::Path,
    process::Command,
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
        let files = BTreeMap::from([("assets/field.svg".to_owned(), picture.clone())]);
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
