//! Changes of Org headlines: the edits fit the document, and it keeps its headlines.

#![no_main]

use libfuzzer_sys::fuzz_target;
use proofmark::internals::org;

fuzz_target!(|input: (u8, u8, &str, &str)| {
    let (headline, change, words, text) = input;
    let Some(edited) = org::edited(text, headline.into(), change, words) else { return };
    let edited = edited.unwrap();
    let added = match change % 5 {
        // Text of a body may have headlines below the one it is for.
        3 => org::headlines(words.trim_end()),
        4 => 1,
        _ => 0,
    };
    assert_eq!(org::headlines(&edited), org::headlines(text) + added, "{edited:?}");
});
