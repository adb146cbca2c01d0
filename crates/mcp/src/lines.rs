//! Messages of JSON-RPC, as lines on standard input or bodies over HTTP: each gets an answer, also what is not a valid
//! message.

use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt};

/// The parts of a message by which it is one.
#[derive(Deserialize)]
struct Envelope<'l> {
    #[serde(borrow)]
    jsonrpc: Option<&'l RawValue>,
    #[serde(borrow)]
    id: Option<&'l RawValue>,
    #[serde(borrow)]
    method: Option<&'l RawValue>,
    #[serde(borrow)]
    result: Option<&'l RawValue>,
    #[serde(borrow)]
    error: Option<&'l RawValue>,
}

/// The error that answers a line or a body which is not a valid message; nothing for one that is.
pub fn refusal(line: &[u8]) -> Option<Value> {
    let message = match serde_json::from_slice::<Envelope<'_>>(line) {
        Ok(message) => message,
        Err(error) if error.is_data() && serde_json::from_slice::<Value>(line).is_ok() => {
            return Some(answer(None, -32600, "a message is an object with `jsonrpc`, `method` and `id`"));
        }
        Err(error) => return Some(answer(None, -32700, &format!("the message is not valid JSON: {error}"))),
    };
    // Text may be well-formed JSON and not be text: half of a character written as two escapes.
    if let Err(error) = serde_json::from_slice::<Value>(line) {
        return Some(answer(message.id, -32700, &format!("the message is not valid JSON: {error}")));
    }
    let says = |part: Option<&RawValue>| part.is_some();
    let known = message.jsonrpc.is_some_and(|version| version.get() == "\"2.0\"");
    let named = message.method.is_some_and(|method| method.get().starts_with('"'));
    if !known || !(named || says(message.result) || says(message.error)) {
        return Some(answer(message.id, -32600, "a message is an object with `jsonrpc`, `method` and `id`"));
    }
    None
}

/// The error that answers a line of more than `limit` bytes.
pub(super) fn too_long(limit: usize) -> Value {
    answer(None, -32600, &format!("the line has more than {limit} bytes"))
}

fn answer(id: Option<&RawValue>, code: i32, message: &str) -> Value {
    let id = id.and_then(|id| serde_json::from_str::<Value>(id.get()).ok());
    let id = id.filter(|id| id.is_string() || id.is_number()).unwrap_or(Value::Null);
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

/// A line, or what took its place.
pub(super) enum Line {
    /// The line with its line end.
    Whole(Vec<u8>),
    /// It was longer than the limit, and is left out.
    TooLong,
}

/// Reads a line of at most `limit` bytes; nothing at the end.
pub(super) async fn next(
    input: &mut (impl AsyncBufRead + Unpin),
    limit: usize,
) -> std::io::Result<Option<Line>> {
    let mut line = Vec::new();
    let mut long = false;
    loop {
        let buffer = input.fill_buf().await?;
        if buffer.is_empty() {
            let any = long || !line.is_empty();
            return Ok(any.then_some(if long { Line::TooLong } else { Line::Whole(line) }));
        }
        let end = memchr::memchr(b'\n', buffer);
        let taken = end.map_or(buffer.len(), |end| end + 1);
        long |= line.len() + taken > limit;
        if long {
            line = Vec::new();
        } else {
            line.extend_from_slice(&buffer[..taken]);
        }
        input.consume(taken);
        if end.is_some() {
            return Ok(Some(if long { Line::TooLong } else { Line::Whole(line) }));
        }
    }
}

/// Passes valid messages on, and gives the answers to all other lines to `answer`.
pub(super) async fn sift(
    mut input: impl AsyncBufRead + Unpin,
    mut valid: impl AsyncWrite + Unpin,
    limit: usize,
    answer: tokio::sync::mpsc::Sender<Value>,
) {
    while let Ok(Some(line)) = next(&mut input, limit).await {
        let refused = match line {
            Line::TooLong => Some(too_long(limit)),
            Line::Whole(line) if line.trim_ascii().is_empty() => None,
            Line::Whole(mut line) => {
                let refused = refusal(&line);
                if refused.is_none() {
                    if !line.ends_with(b"\n") {
                        line.push(b'\n');
                    }
                    if valid.write_all(&line).await.is_err() {
                        return;
                    }
                }
                refused
            }
        };
        if let Some(refused) = refused
            && answer.send(refused).await.is_err()
        {
            return;
        }
    }
    let _ = valid.shutdown().await;
}

/// Writes whole lines: the messages of the server, and the answers beside them.
pub(super) async fn write(
    mut messages: impl AsyncBufRead + Unpin,
    mut answers: tokio::sync::mpsc::Receiver<Value>,
    mut output: impl AsyncWrite + Unpin,
) {
    let mut line = Vec::new();
    let mut more = true;
    while more {
        // Reading a line keeps what it has when an answer comes first.
        let written = tokio::select! {
            read = messages.read_until(b'\n', &mut line) => match read {
                Ok(0) | Err(_) => { more = false; Vec::new() }
                Ok(_) if line.ends_with(b"\n") => std::mem::take(&mut line),
                Ok(_) => continue,
            },
            Some(answer) = answers.recv() => format!("{answer}\n").into_bytes(),
        };
        if output.write_all(&written).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
    while let Ok(answer) = answers.try_recv() {
        let _ = output.write_all(format!("{answer}\n").as_bytes()).await;
    }
    let _ = output.flush().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(line: &str) -> Option<(i64, Value)> {
        let refused = refusal(line.as_bytes())?;
        Some((refused["error"]["code"].as_i64().unwrap(), refused["id"].clone()))
    }

    #[test]
    fn every_line_that_is_not_a_message_has_an_answer() {
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#), None);
        assert_eq!(code(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#), None);
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), None);
        assert_eq!(code("nonsense"), Some((-32700, Value::Null)));
        assert_eq!(
            code(r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":"\ud83d"}}"#),
            Some((-32700, json!(7)))
        );
        assert_eq!(code("42"), Some((-32600, Value::Null)));
        assert_eq!(code("[]"), Some((-32600, Value::Null)));
        assert_eq!(code(r#"{"id":"a"}"#), Some((-32600, json!("a"))));
        assert_eq!(code(r#"{"jsonrpc":"1.0","id":2,"method":"x"}"#), Some((-32600, json!(2))));
    }

    #[tokio::test]
    async fn long_lines_are_left_out_without_being_kept() {
        let text = format!("short\n{}\nnext", "x".repeat(100));
        let mut input = tokio::io::BufReader::with_capacity(16, text.as_bytes());
        let mut lines = Vec::new();
        while let Some(line) = next(&mut input, 20).await.unwrap() {
            lines.push(match line {
                Line::Whole(line) => String::from_utf8(line).unwrap(),
                Line::TooLong => "too long".to_owned(),
            });
        }
        assert_eq!(lines, ["short\n", "too long", "next"]);
    }
}
