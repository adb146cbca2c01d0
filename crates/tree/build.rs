//! Compiles the grammar of JSONPath.

fn main() {
    proofmark_build::grammar("jsonpath.pest", &["path"]);
}
