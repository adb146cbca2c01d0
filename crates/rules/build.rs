//! Makes data of the packs in `rules/`.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-check-cfg=cfg(live)");
    let is_live = env::var("PROFILE").is_ok_and(|profile| profile == "debug")
        && env::var_os("CARGO_FEATURE_DISK").is_some()
        && env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family != "wasm");
    if is_live {
        println!("cargo:rustc-cfg=live");
    }
    proofmark_build::packs(is_live);
}
