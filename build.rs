//! How the program is linked.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if loads_at_a_fixed_address() {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}

/// Whether the program for this target is linked for a fixed address.
///
/// The tables of rules and grammars hold 90,000 pointers. In a program that can be loaded anywhere, the loader corrects all of them at
/// each start, and four of five pages that `--version` touches are these. Heap, stack and libraries still have random addresses.
/// Static programs are left alone: whoever asks for one chooses its kind by flags of the compiler, as `tools/dist` does.
fn loads_at_a_fixed_address() -> bool {
    let has = |name: &str, value: &str| {
        env::var(name).is_ok_and(|values| values.split(',').any(|one| one == value))
    };
    has("CARGO_CFG_TARGET_OS", "linux")
        && has("CARGO_CFG_TARGET_ENV", "gnu")
        && !has("CARGO_CFG_TARGET_FEATURE", "crt-static")
}
