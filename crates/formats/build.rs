//! Compiles the grammars of the built-in formats, and the built-in quills.

use proofmark_build::{compiled_in, diagrams, grammar, output};

fn main() {
    let metadata = [
        "block",
        "block_at_end",
        "contiguous_block",
        "contiguous_block_at_end",
        "would_be_block",
        "key_line",
    ];
    grammar("markdown/metadata.pest", &metadata);
    grammar("qtype/type.pest", &["expression"]);
    grammar("surroundings.pest", &["fence_line", "language_line", "entity"]);
    diagrams();
    output("quills.rs", &compiled_in("quills"));
}
