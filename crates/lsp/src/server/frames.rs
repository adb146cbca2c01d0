//! Messages as bytes: a header with a length, and JSON. What cannot be read is skipped and reported, never more.

use std::io::{self, BufRead, Read, Write};

use serde_json::json;

use crate::protocol::{Message, RequestId};

/// Most bytes of one message: those of the largest document that is validated, escaped as JSON.
const LONGEST: u64 = 64 << 20;

/// Most bytes of a line of a header.
const HEADER_LINE: u64 = 8192;

/// What came from the client.
#[derive(Debug)]
pub(super) enum Incoming {
    Message(Box<Message>),
    /// Bytes that are not a message, and why.
    Unreadable(String),
}

/// What goes to the client.
#[derive(Debug)]
pub(super) enum Outgoing {
    Message(Box<Message>),
    /// An answer, which is JSON already.
    Answer {
        id: RequestId,
        result: String,
    },
    /// A notification whose parameters are JSON already.
    Notification {
        method: &'static str,
        params: String,
    },
}

impl From<Message> for Outgoing {
    fn from(message: Message) -> Self {
        Self::Message(Box::new(message))
    }
}

impl Outgoing {
    /// Writes the message.
    pub(super) fn write(&self, output: &mut impl Write) -> io::Result<()> {
        let (before, json) = match self {
            Self::Message(message) => return message.write(output),
            Self::Answer { id, result } => {
                (format!(r#"{{"jsonrpc":"2.0","id":{},"result":"#, json!(id)), result)
            }
            Self::Notification { method, params } => {
                (format!(r#"{{"jsonrpc":"2.0","method":{},"params":"#, json!(method)), params)
            }
        };
        write!(output, "Content-Length: {}\r\n\r\n{before}{json}}}", before.len() + json.len() + 1)?;
        output.flush()
    }
}

/// Reads the next message; nothing at the end of the input.
pub(super) fn read(input: &mut impl BufRead) -> io::Result<Option<Incoming>> {
    let Some(header) = read_header(input)? else { return Ok(None) };
    let Some(length) = header.length else {
        return Ok(Some(Incoming::Unreadable("a header has no `Content-Length`".to_owned())));
    };
    if length > LONGEST {
        io::copy(&mut input.by_ref().take(length), &mut io::sink())?;
        let why = format!("a message of {length} bytes is longer than {LONGEST} bytes");
        return Ok(Some(Incoming::Unreadable(why)));
    }
    let mut bytes = Vec::new();
    input.by_ref().take(length).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < length {
        return Ok(None);
    }
    Ok(Some(match serde_json::from_slice(&bytes) {
        Ok(message) => Incoming::Message(Box::new(message)),
        Err(error) => Incoming::Unreadable(format!("a message is not JSON-RPC: {error}")),
    }))
}

/// What comes before the bytes of a message.
struct Header {
    /// How many they are, if the header says it.
    length: Option<u64>,
}

/// Reads a header; nothing at the end of the input.
fn read_header(input: &mut impl BufRead) -> io::Result<Option<Header>> {
    let (mut length, mut any) = (None, false);
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(HEADER_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() && any {
            return Ok(Some(Header { length }));
        }
        any |= !line.is_empty();
        // Other bytes may precede it, where a client and the server have lost each other.
        if let Some((_, value)) = line.rsplit_once("Content-Length:") {
            length = value.trim().parse().ok().or(length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(bytes: &[u8]) -> Vec<Option<String>> {
        let mut input = bytes;
        let mut all = Vec::new();
        while let Some(incoming) = read(&mut input).unwrap() {
            all.push(match incoming {
                Incoming::Message(message) => match *message {
                    Message::Notification(notification) => Some(notification.method),
                    other => panic!("{other:?}"),
                },
                Incoming::Unreadable(_) => None,
            });
        }
        all
    }

    #[test]
    fn what_is_not_a_message_does_not_hide_the_next_one() {
        let good = "Content-Length: 31\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n";
        for garbage in
            ["garbage\r\n\r\n", "\0\u{1}\n\n", "Content-Length: 3\r\n\r\n{{{", "Content-Length: many\r\n\r\n"]
        {
            let bytes = format!("{garbage}{good}");
            assert_eq!(read_all(bytes.as_bytes()), [None, Some("x".to_owned())], "{garbage:?}");
        }
    }

    #[test]
    fn a_message_that_ends_early_ends_the_input() {
        assert_eq!(read_all(b"Content-Length: 99\r\n\r\n{}"), []);
    }
}
