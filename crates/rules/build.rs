//! Makes data of the packs in `rules/`.

fn main() {
    proofmark_build::packs();
}
