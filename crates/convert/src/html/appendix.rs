//! What is below a document: notes, license, copyright, and how to cite it.

use std::fmt::Write as _;

use serde_json::Value;

use super::{blocks::Writer, escape::escape};
use crate::{
    metadata::{Metadata, scalar},
    model::plain,
    people::authors,
};

/// Writes the appendix of a document.
pub(super) fn write(metadata: &Metadata, writer: &mut Writer<'_>) {
    writer.footnotes();
    if metadata.text("appendix-style") == Some("none") {
        return;
    }
    for (key, title, id) in [("license", "Reuse", "license"), ("copyright", "Copyright", "copyright")] {
        let value = metadata.at(key);
        let text = value.and_then(|value| scalar(value).or_else(|| value.get("text").and_then(scalar)));
        if let Some(text) = text {
            let _ = writeln!(
                writer.out,
                "<section class=\"quarto-appendix-contents\" id=\"quarto-{id}\"><h2 class=\"quarto-appendix-heading\">{title}</h2><div class=\"quarto-appendix-contents\"><p>{}</p></div></section>",
                escape(&text)
            );
        }
    }
    if let Some(Value::Bool(true) | Value::Object(_)) = metadata.at("citation") {
        citation(metadata, writer);
    }
    if !writer.out.is_empty() {
        let inner = std::mem::take(&mut writer.out);
        let _ = writeln!(writer.out, "<div id=\"quarto-appendix\" class=\"default\">{inner}</div>");
    }
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
    let date = metadata.text("date").filter(|date| year(date).is_some());
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
    let year = metadata.text("date").and_then(year).map(|year| format!(" {year}.")).unwrap_or_default();
    let people = if people.is_empty() { String::new() } else { format!("{}.", people.join(", and ")) };
    let _ = writeln!(
        writer.out,
        "<section class=\"quarto-appendix-contents\" id=\"quarto-citation\"><h2 class=\"quarto-appendix-heading\">Citation</h2>\n\
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
