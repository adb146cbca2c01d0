//! The command line of Proofmark.

fn main() {}
