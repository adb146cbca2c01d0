//! Generated files are as the program would write them now.

use std::process::Command;

fn is_current(generator: &str) {
    let output = Command::new(env!("CARGO_BIN_EXE_proofmark"))
        .args(["rules", generator, "--check", "--isolated"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "run `cargo run -- rules {generator}`:\n{report}");
}

#[test]
fn the_json_schemas() {
    is_current("schema");
}

#[test]
fn the_pages_about_rules() {
    is_current("docs");
}
