//! Templates of presentations: one part has any content, or there is a further part of any name. Nothing panics; what is made is
//! a template again.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use proofmark::internals::convert;

static PARTS: LazyLock<Vec<String>> = LazyLock::new(convert::template_parts);

fuzz_target!(|input: (u8, &str, &[u8])| {
    let (choice, name, content) = input;
    // One in eight is a file that need not be an archive.
    let template = match usize::from(choice) {
        choice if choice % 8 == 0 => Some(content.to_vec()),
        choice if choice % 8 == 1 => convert::template(name, content),
        choice => convert::template(&PARTS[choice % PARTS.len()], content),
    };
    let Some(template) = template else { return };
    if let Some(deck) = convert::deck(&template) {
        assert!(deck.starts_with(b"PK"));
        assert!(convert::deck(&deck).is_some(), "a presentation is a template");
    }
});
