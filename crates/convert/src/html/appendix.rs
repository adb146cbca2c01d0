//! What is below a document: notes, license, copyright, and how to cite it.

use std::fmt::Write as _;

use serde_json::Value;

use super::{
    blocks::{Writer, is_script},
    escape::escape,
};
use crate::{
    metadata::{Metadata, scalar},
    model::{Block, plain},
    people::authors,
};

/// Divides blocks into the text and the sections that headings with the class `appendix` begin.
pub(super) fn divided(blocks: &[Block]) -> (Vec<&Block>, Vec<&[Block]>) {
    let (mut text, mut sections) = (Vec::new(), Vec::new());
    let mut rest = blocks;
    while let Some(first) = rest.first() {
        match first {
            Block::Header(level, attr, _) if attr.has_class("appendix") => {
                let is_end = |block: &Block| matches!(block, Block::Header(found, ..) if found <= level);
                let end = rest[1..].iter().position(is_end).map_or(rest.len(), |end| end + 1);
                sections.push(&rest[..end]);
                rest = &rest[end..];
            }
            other => {
                text.push(other);
                rest = &rest[1..];
            }
        }
    }
    (text, sections)
}

/// A section with its heading.
fn section(writer: &mut Writer<'_>, id: &str, role: &str, title: &str, content: &str) {
    let _ = writeln!(
        writer.out,
        "<section class=\"quarto-appendix-contents\" id=\"{id}\"{role}><h2 class=\"anchored quarto-appendix-heading\">{}</h2>{content}</section>",
        escape(title)
    );
}

/// Writes the appendix of a document: the sections of it that belong there, the list of works, notes, and how the document may be used.
pub(super) fn write(
    metadata: &Metadata,
    sections: &[&[Block]],
    works: Option<&Block>,
    writer: &mut Writer<'_>,
) {
    let own = std::mem::take(&mut writer.out);
    for blocks in sections {
        if let Some((Block::Header(_, attr, words), rest)) = blocks.split_first() {
            let _ = write!(
                writer.out,
                "<section id=\"{}\" class=\"quarto-appendix-contents\"><h2 class=\"anchored quarto-appendix-heading\">",
                escape(&attr.id)
            );
            writer.inlines(words);
            writer.out.push_str("</h2>\n");
            writer.document(rest);
            writer.out.push_str("</section>\n");
        }
    }
    let word =
        |key: &str, default: &str| metadata.words(&format!("language.{key}")).unwrap_or(default).to_owned();
    if let Some(works) = works {
        let from = writer.out.len();
        writer.blocks(std::slice::from_ref(works));
        let list = writer.out.split_off(from);
        let title = metadata.inlines("reference-section-title").map(|title| plain(&title));
        let title = title.unwrap_or_else(|| word("section-title-references", "References"));
        section(writer, "quarto-bibliography", " role=\"doc-bibliography\"", &title, &list);
    }
    writer.footnotes();
    let style = metadata.at("appendix-style");
    if style.and_then(Value::as_str) == Some("none") || style == Some(&Value::Bool(false)) {
        writer.out.insert_str(0, &own);
        return;
    }
    if let Some(licenses) = metadata.at("license").map(licenses).filter(|licenses| !licenses.is_empty()) {
        let content = format!("<div class=\"quarto-appendix-contents\">{licenses}</div>");
        section(writer, "quarto-reuse", "", &word("section-title-reuse", "Reuse"), &content);
    }
    if let Some(text) = metadata.at("copyright").and_then(copyright) {
        let content = format!("<div class=\"quarto-appendix-contents\"><div>{}</div></div>", escape(&text));
        section(writer, "quarto-copyright", "", &word("section-title-copyright", "Copyright"), &content);
    }
    if let Some(Value::Bool(true) | Value::Object(_)) = metadata.at("citation") {
        citation(metadata, writer);
    }
    if !writer.out.is_empty() {
        let inner = std::mem::take(&mut writer.out);
        let class = if style.and_then(Value::as_str) == Some("plain") { "" } else { " class=\"default\"" };
        let _ = writeln!(writer.out, "<div id=\"quarto-appendix\"{class}>{inner}</div>");
    }
    writer.out.insert_str(0, &own);
}

/// The licenses of a document, one in each div.
fn licenses(value: &Value) -> String {
    let listed = match value {
        Value::Array(items) => items.as_slice(),
        other => std::slice::from_ref(other),
    };
    let one = |license: &Value| {
        if let Some(text) = scalar(license) {
            return Some(match creative_commons(&text) {
                Some((name, url)) => format!("<div><a rel=\"license\" href=\"{url}\">{name}</a></div>"),
                None => format!("<div>{}</div>", escape(&text)),
            });
        }
        let field = |key: &str| license.get(key).and_then(scalar);
        let link = field("url")
            .filter(|url| !is_script(url))
            .map(|url| format!("<a rel=\"license\" href=\"{}\">(View License)</a>", escape(&url)));
        Some(format!("<div>{}{}</div>", escape(&field("text")?), link.unwrap_or_default()))
    };
    listed.iter().filter_map(one).collect()
}

/// A license of Creative Commons by its short name: its name with the version, and its address.
fn creative_commons(text: &str) -> Option<(String, String)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (name, version) = match words.as_slice() {
        ["CC0"] => {
            return Some((
                "CC0 1.0".to_owned(),
                "https://creativecommons.org/publicdomain/zero/1.0/".to_owned(),
            ));
        }
        ["CC", name] => (*name, "4.0"),
        ["CC", name, version] if version.parse::<f32>().is_ok() => (*name, *version),
        _ => return None,
    };
    let known = ["BY", "BY-SA", "BY-ND", "BY-NC", "BY-NC-SA", "BY-NC-ND"];
    known.contains(&name).then(|| {
        let url = format!("https://creativecommons.org/licenses/{}/{version}/", name.to_lowercase());
        (format!("CC {name} {version}"), url)
    })
}

/// What a document says of its copyright: words, or who has it since when.
fn copyright(value: &Value) -> Option<String> {
    let field = |key: &str| value.get(key).and_then(scalar);
    if let Some(text) = scalar(value).or_else(|| field("statement")).or_else(|| field("text")) {
        return Some(text);
    }
    let holder = field("holder")?;
    let year = match value.get("year") {
        Some(Value::Array(years)) => Some(years.iter().filter_map(scalar).collect::<Vec<_>>().join(", ")),
        Some(year) => scalar(year),
        None => None,
    };
    Some(match year {
        Some(year) => format!("Copyright {year}, {holder}"),
        None => format!("Copyright {holder}"),
    })
}

/// The name of a person as bibliographies sort it.
struct Name {
    family: String,
    given: String,
}

impl Name {
    /// The first word is the given name, unless a comma says otherwise.
    fn of(text: &str) -> Self {
        let (given, family) = match text.split_once(',') {
            Some((family, given)) => (given, family),
            None => text.trim().split_once(' ').unwrap_or(("", text)),
        };
        Self { family: family.trim().to_owned(), given: given.trim().to_owned() }
    }

    fn sorted(&self) -> String {
        if self.given.is_empty() { self.family.clone() } else { format!("{}, {}", self.family, self.given) }
    }
}

/// An entry of a bibliography for the document.
fn bibtex(metadata: &Metadata, names: &[Name], title: &str) -> String {
    let date = day(metadata).filter(|date| year(date).is_some());
    let family = names.first().map(|name| name.family.to_lowercase()).unwrap_or_default();
    let key: String = family
        .chars()
        .map(|c| if c.is_whitespace() { '_' } else { c })
        .filter(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
        .collect();
    let year = date.and_then(year).unwrap_or_default();
    let own = |name: &str| metadata.text(&format!("citation.{name}")).map(str::to_owned);
    let kind = if own("container-title").is_some() { "article" } else { "online" };
    let people: Vec<String> = names.iter().map(Name::sorted).collect();
    let fields = [
        ("author", (!people.is_empty()).then(|| people.join(" and "))),
        ("title", (!title.is_empty()).then(|| title.to_owned())),
        ("journal", own("container-title")),
        ("volume", own("volume")),
        ("issue", own("issue")),
        ("date", date.map(str::to_owned)),
        ("url", own("url")),
        ("doi", own("doi").or_else(|| metadata.text("doi").map(str::to_owned))),
        ("langid", Some(metadata.text("lang").unwrap_or("en").to_owned())),
    ];
    let fields: Vec<String> = fields
        .into_iter()
        .filter_map(|(key, value)| Some(format!("  {key} = {{{}}}", value?.replace(['{', '}'], ""))))
        .collect();
    format!("@{kind}{{{key}{year},\n{}\n}}", fields.join(",\n"))
}

/// The day of the document as `2026-03-05`, or what it has instead.
fn day(metadata: &Metadata) -> Option<&str> {
    metadata.text("date-meta").or_else(|| metadata.text("date"))
}

/// The year that a date begins with.
fn year(date: &str) -> Option<&str> {
    let year = date.get(..4)?;
    (year.bytes().all(|byte| byte.is_ascii_digit()) && !date[4..].starts_with(|c: char| c.is_ascii_digit()))
        .then_some(year)
}

fn citation(metadata: &Metadata, writer: &mut Writer<'_>) {
    let names: Vec<Name> = authors(metadata).iter().map(|author| Name::of(&author.name)).collect();
    let title = metadata.inlines("title").map(|title| plain(&title)).unwrap_or_default();
    let people: Vec<String> = names.iter().map(Name::sorted).collect();
    let year = day(metadata).and_then(year).map(|year| format!(" {year}.")).unwrap_or_default();
    let people = if people.is_empty() { String::new() } else { format!("{}.", people.join(", and ")) };
    let _ = writeln!(
        writer.out,
        "<section class=\"quarto-appendix-contents\" id=\"quarto-citation\"><h2 class=\"anchored quarto-appendix-heading\">Citation</h2>\n\
         <div class=\"quarto-appendix-secondary-label\">BibTeX citation:</div>\n\
         <pre class=\"sourceCode quarto-appendix-bibtex\"><code class=\"sourceCode bibtex\">{}</code></pre>\n\
         <div class=\"quarto-appendix-secondary-label\">For attribution, please cite this work as:</div>\n\
         <div class=\"csl-entry quarto-appendix-citeas\">{}{} “{}.”</div>\n</section>",
        escape(&bibtex(metadata, &names, &title)),
        escape(&people),
        escape(&year),
        escape(&title)
    );
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::formats;

    #[test]
    fn licenses_of_creative_commons_are_links() {
        assert_eq!(
            licenses(&json!("CC BY-SA")),
            "<div><a rel=\"license\" href=\"https://creativecommons.org/licenses/by-sa/4.0/\">CC BY-SA 4.0</a></div>"
        );
        assert_eq!(
            licenses(&json!(["MIT", {"text": "Own", "url": "javascript:x"}])),
            "<div>MIT</div><div>Own</div>"
        );
        assert_eq!(
            copyright(&json!({"holder": "Ada", "year": [2020, 2021]})).as_deref(),
            Some("Copyright 2020, 2021, Ada")
        );
    }

    #[test]
    fn entry_has_the_family_name_and_the_year_as_its_key() {
        let header = json!({"author": "Ada King Lovelace", "title": "Notes", "date": "1843-09-01"});
        let metadata = Metadata::new(Value::Null, header, &[], &formats::all()[0]);
        let entry = bibtex(&metadata, &[Name::of("Ada King Lovelace")], "Notes");
        assert_eq!(
            entry,
            "@online{king_lovelace1843,\n  author = {King Lovelace, Ada},\n  title = {Notes},\n  date = {1843-09-01},\n  langid = {en}\n}"
        );
        assert_eq!((year("last-modified"), year("2024"), year("20245")), (None, Some("2024"), None));
    }
}
