//! Generated files are as the program would write them now. Set `PROOFMARK_BLESS=1` to rewrite them.

use std::{env, fs, path::Path};

use proofmark::{config, diagnostic, rules};

fn is_current(path: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if env::var_os("PROOFMARK_BLESS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let current = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        current == text,
        "{} is out of date: run `PROOFMARK_BLESS=1 cargo test --test generated`",
        path.display()
    );
}

fn pretty(schema: &serde_json::Value) -> String {
    serde_json::to_string_pretty(schema).unwrap() + "\n"
}

#[test]
fn the_schemas_of_rule_files_and_packs() {
    is_current("schemas/rule-file.schema.json", &pretty(&rules::rule_file_schema()));
    is_current("schemas/pack.schema.json", &pretty(&rules::pack_schema()));
    for path in ["rules/rulefile/document.schema.json", "schemas/tree/rulefile.schema.json"] {
        is_current(path, &pretty(&rules::document_schema()));
    }
}

#[test]
fn the_schemas_of_reports_and_of_the_configuration() {
    is_current("schemas/diagnostic.schema.json", &pretty(&diagnostic::schema().to_value()));
    is_current("schemas/config.schema.json", &pretty(config::schema()));
}
