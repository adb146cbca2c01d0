//! Compiles the documents of `examples/`.

use proofmark_build::{output, texts};

fn main() {
    output("examples.json", &texts("examples"));
}
