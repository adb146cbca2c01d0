//! Compresses the files of reveal.js: one stream, and where each file is in it.

use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use flate2::{Compression, write::DeflateEncoder};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("reveal");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let (mut content, mut table) = (Vec::new(), String::from("&[\n"));
    for name in names(&folder)? {
        let bytes = fs::read(folder.join(&name))?;
        writeln!(table, "    ({name:?}, {}..{}),", content.len(), content.len() + bytes.len())?;
        content.extend(bytes);
    }
    table.push_str("]\n");
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&content)?;
    fs::write(out.join("reveal.deflate"), encoder.finish()?)?;
    fs::write(out.join("reveal.rs"), table)?;
    print(&format!("cargo:rerun-if-changed={}", folder.display()))
}

/// The styles and scripts of the folder, by their paths in it.
fn names(folder: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut names = Vec::new();
    for (below, prefix) in [(folder.to_owned(), ""), (folder.join("themes"), "themes/")] {
        for entry in fs::read_dir(below)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if Path::new(&name).extension().is_some_and(|end| end == "js" || end == "css") {
                names.push(format!("{prefix}{name}"));
            }
        }
    }
    names.sort();
    Ok(names)
}

fn print(line: &str) -> Result<(), Box<dyn Error>> {
    Ok(writeln!(std::io::stdout(), "{line}")?)
}
