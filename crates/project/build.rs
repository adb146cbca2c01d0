//! Compiles the built-in templates.

use proofmark_build::{compiled_in, output};

fn main() {
    output("templates.rs", &compiled_in("templates"));
}
