//! Hand-written pages with parts that are generated: what is between `<!-- generated: NAME -->` and
//! `<!-- end -->`.

mod commands;
mod configuration;
mod form;
mod reference;

use std::{env, fs, path::Path};

/// A generated part of a page: its name and its text.
type Part = (String, String);

/// Writes the generated parts of a page.
type Generator = fn() -> Vec<Part>;

/// The pages, with what writes their parts.
const PAGES: [(&str, Generator); 3] = [
    ("docs/rule-language.md", reference::parts),
    ("docs/configuration.md", configuration::parts),
    ("docs/cli.md", commands::parts),
];

const START: &str = "<!-- generated: ";
const END: &str = "<!-- end -->";

#[test]
fn pages_have_what_the_program_says() {
    let mut stale = Vec::new();
    for (name, parts) in PAGES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        let text = fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
        let filled = fill(&text, &parts()).unwrap_or_else(|what| panic!("{name}: {what}"));
        if filled != text && env::var_os("PROOFMARK_BLESS").is_some() {
            fs::write(&path, filled).unwrap();
        } else if filled != text {
            stale.push(name);
        }
    }
    assert!(
        stale.is_empty(),
        "out of date: {stale:?}: run `PROOFMARK_BLESS=1 cargo test --test repository pages` and look at the difference"
    );
}

/// The page with every part in its place. A part of the page that this program cannot generate stays as it
/// is: it belongs to a command that was not compiled in.
fn fill(page: &str, parts: &[Part]) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = page;
    for (name, text) in parts {
        if !page.contains(&format!("{START}{name} -->\n")) {
            return Err(format!(
                "there is no `{START}{name} -->` for what is generated: {}",
                first_line(text)
            ));
        }
    }
    while let Some(at) = rest.find(START) {
        let (before, marked) = rest.split_at(at);
        let line = marked.find('\n').map_or(marked.len(), |end| end + 1);
        let name = marked[START.len()..line].trim_end().trim_end_matches("-->").trim_end();
        let end = marked.find(END).ok_or_else(|| format!("`{START}{name} -->` has no `{END}`"))?;
        filled += before;
        match parts.iter().find(|(known, _)| known == name) {
            Some((_, text)) => {
                filled += &marked[..line];
                filled.extend(["\n", text.trim(), "\n\n", END]);
            }
            None => filled += &marked[..end + END.len()],
        }
        rest = &marked[end + END.len()..];
    }
    filled += rest;
    Ok(filled)
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn part(name: &str, text: &str) -> Part {
    (name.to_owned(), text.to_owned())
}

#[test]
fn parts_are_replaced_and_the_rest_stays() {
    let page = "# A\n\n<!-- generated: x -->\nold\n<!-- end -->\n\ntext\n\n<!-- generated: y -->\nkept\n<!-- end -->\n";
    let filled = fill(page, &[part("x", "new\n")]).unwrap();
    assert_eq!(
        filled,
        "# A\n\n<!-- generated: x -->\n\nnew\n\n<!-- end -->\n\ntext\n\n<!-- generated: y -->\nkept\n<!-- end -->\n"
    );
    assert_eq!(fill(&filled, &[part("x", "new")]).unwrap(), filled);
}

#[test]
fn a_page_without_the_place_for_a_part_is_refused() {
    assert!(fill("# A\n", &[part("x", "new")]).unwrap_err().contains("generated: x"));
    assert!(fill("<!-- generated: x -->\n", &[part("x", "new")]).unwrap_err().contains("end"));
}
