//! Lines of JSON-RPC: what is refused has an answer with the id of the message.

#![no_main]

use libfuzzer_sys::fuzz_target;
use proofmark::internals::service::refusal;

fuzz_target!(|line: &[u8]| {
    let Some(answer) = refusal(line) else {
        let message: serde_json::Value = serde_json::from_slice(line).expect("a message is JSON");
        assert_eq!(message["jsonrpc"], "2.0");
        return;
    };
    assert!(answer["error"]["code"].is_i64() && answer.get("id").is_some());
});
