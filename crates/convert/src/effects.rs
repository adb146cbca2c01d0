//! Which writers honor which options, as `effects.json` lists them.

use std::collections::HashMap;

use serde::Deserialize;

use super::formats::{Engine, Format};
use crate::budget::Lazy;

/// The options that not every writer honors, each with the writers that do.
#[derive(Deserialize)]
#[serde(transparent)]
struct Effects(HashMap<String, Vec<String>>);

static EFFECTS: Lazy<Effects> = Lazy::new(|| {
    serde_json::from_str(include_str!("effects.json")).unwrap_or_else(|_| Effects(HashMap::new()))
});

/// The name of what Pandoc writes, whatever the format.
const PANDOC: &str = "pandoc";

/// Whether an option is one that the writer of a format does not honor.
pub(crate) fn is_ignored(key: &str, format: &Format, engine: Engine) -> bool {
    let Some(writers) = EFFECTS.0.get(key) else { return false };
    let own = writer(format, engine);
    let honors = |name: &String| *name == own || engine == Engine::Pandoc && name == PANDOC;
    !writers.iter().any(honors)
}

/// The writer of a format: the embedded writers by their formats, those of Pandoc by theirs, after `pandoc:` where
/// this program writes the format too.
fn writer(format: &Format, engine: Engine) -> String {
    let id = match format.id.as_str() {
        "commonmark" => "gfm",
        "email" => "html",
        "pdf" => "typst",
        id => id,
    };
    if engine == Engine::Pandoc && format.engine == Engine::Embedded {
        format!("pandoc:{id}")
    } else {
        id.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats;

    #[test]
    fn the_list_is_read_and_names_writers_that_exist() {
        assert!(!EFFECTS.0.is_empty());
        let mut known: Vec<String> = vec![PANDOC.to_owned()];
        for format in formats::all() {
            known.extend([Engine::Embedded, Engine::Pandoc].map(|engine| writer(format, engine)));
        }
        for (key, writers) in &EFFECTS.0 {
            for name in writers {
                assert!(known.contains(name), "{key}: there is no writer {name}");
            }
        }
    }

    #[test]
    fn an_option_is_ignored_by_the_writers_that_do_not_honor_it() {
        let format = |name: &str| formats::named(name).unwrap();
        assert!(is_ignored("footer", format("pptx"), Engine::Embedded));
        assert!(!is_ignored("footer", format("revealjs"), Engine::Embedded));
        assert!(is_ignored("footer", format("docx"), Engine::Pandoc));
        assert!(!is_ignored("title", format("docx"), Engine::Pandoc));
    }
}
