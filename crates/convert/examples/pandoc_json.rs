//! The blocks of documents in the JSON of Pandoc: one JSON string per line in, one array of blocks per line out.

use std::io::{BufRead, Write};

fn main() -> std::io::Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let text: String = serde_json::from_str(&line?).map_err(std::io::Error::other)?;
        writeln!(out, "{}", proofmark_convert::pandoc_json(&text))?;
    }
    out.flush()
}
