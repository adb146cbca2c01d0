use crate::text::Fingerprint;

/// The hash of a document, as `expect_hash` has it.
pub fn hash(text: &str) -> String {
    Fingerprint::new().add(text).hex()
}
