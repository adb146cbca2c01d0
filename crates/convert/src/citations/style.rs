//! The built-in styles: author and year as the Chicago Manual of Style has them, and numbers.

use std::{collections::HashMap, fmt::Write as _};

use super::reference::{Name, Reference};
use crate::{
    model::{Inline, Target, words},
    reader,
};

/// How works are cited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Style {
    /// `(Knuth 1968, 33)`
    #[default]
    AuthorYear,
    /// `[1, p. 33]`
    Numeric,
}

/// Who a work is by, in a citation: one name, two, or the first of more; the title of a work without names.
pub(super) fn short(reference: &Reference) -> Vec<Inline> {
    match reference.people() {
        [] => title(reference),
        [one] => words(&one.family),
        [one, two] => words(&format!("{} and {}", one.family, two.family)),
        [one, ..] => words(&format!("{} et al.", one.family)),
    }
}

/// The year of a work, with a letter where others have the same names and year.
pub(super) fn year(reference: &Reference, letters: &HashMap<String, char>) -> String {
    let year = reference.year.as_deref().unwrap_or("n.d.");
    match letters.get(&reference.id) {
        Some(letter) if reference.year.is_some() => format!("{year}{letter}"),
        Some(letter) => format!("{year}-{letter}"),
        None => year.to_owned(),
    }
}

/// What works are sorted by.
pub(super) fn order(reference: &Reference) -> (String, String, String) {
    let people: Vec<String> = reference.people().iter().map(Name::inverted).collect();
    let title = reference.title.to_lowercase();
    let bare = ["a ", "an ", "the "].iter().find_map(|article| title.strip_prefix(article)).unwrap_or(&title);
    let people = if people.is_empty() { bare.to_owned() } else { people.join(" ").to_lowercase() };
    (people, reference.year.clone().unwrap_or_else(|| "9999".to_owned()), bare.to_owned())
}

/// Whether the title of a work is in quotes, as that of a part of something else.
fn is_part(reference: &Reference) -> bool {
    let kind = reference.kind.as_str();
    kind.starts_with("article")
        || matches!(kind, "chapter" | "paper-conference" | "thesis" | "webpage" | "post" | "entry")
}

/// Words of a bibliography, which have no abbreviations that keep the next word on their line.
fn markdown(text: &str) -> Vec<Inline> {
    let inlines = reader::read_inlines(text, true);
    if text.contains('\u{a0}') { inlines } else { super::with_spaces(inlines) }
}

fn title(reference: &Reference) -> Vec<Inline> {
    if reference.title.is_empty() {
        return words(&reference.id);
    }
    let inner = markdown(&reference.title);
    if is_part(reference) {
        let mut out = vec![Inline::Str("“".to_owned())];
        out.extend(inner);
        out.push(Inline::Str("”".to_owned()));
        return out;
    }
    vec![Inline::Emph(inner)]
}

/// Names with the first one inverted, as entries begin: `Knuth, Donald E., and Michael F. Plass`.
fn people(names: &[Name]) -> String {
    let mut all: Vec<String> = names.iter().skip(1).map(Name::in_order).collect();
    all.splice(0..0, names.first().map(Name::inverted));
    listed(&all, names.len() > 1)
}

/// `A`, `A and B`, `A, B, and C`; where the first is inverted, a comma is also between two.
fn listed(names: &[String], comma: bool) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [one, two] => format!("{one}{} and {two}", if comma { "," } else { "" }),
        [before @ .., last] => format!("{}, and {last}", before.join(", ")),
    }
}

/// The sentences of an entry, each of which ends with a period.
struct Entry(Vec<Inline>);

impl Entry {
    fn sentence(&mut self, inlines: Vec<Inline>) {
        if inlines.is_empty() {
            return;
        }
        if !self.0.is_empty() {
            self.0.push(Inline::Space);
        }
        let text = crate::model::plain(&inlines);
        let quoted = text.ends_with('”');
        self.0.extend(inlines);
        if quoted {
            // A period is within the quotes.
            self.0.pop();
            let ends = text.trim_end_matches('”').ends_with(['.', '?', '!']);
            self.0.push(Inline::Str(if ends { "”" } else { ".”" }.to_owned()));
        } else if !text.ends_with(['.', '?', '!']) {
            self.0.push(Inline::Str(".".to_owned()));
        }
    }

    fn words(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.sentence(markdown(text.trim()));
        }
    }
}

/// The entry of a work in the list.
pub(super) fn entry(reference: &Reference, letters: &HashMap<String, char>) -> Vec<Inline> {
    let mut out = Entry(Vec::new());
    let year = year(reference, letters);
    let by = people(reference.people());
    if by.is_empty() {
        out.sentence(title(reference));
    } else {
        let role = match (reference.authors.is_empty(), reference.editors.len()) {
            (false, _) => "",
            (true, 1) => ", ed.",
            (true, _) => ", eds.",
        };
        out.sentence(words(&format!("{by}{role}")));
    }
    out.sentence(words(&year));
    if !by.is_empty() {
        out.sentence(title(reference));
    }
    let source = source(reference);
    out.sentence(source);
    if !reference.edition.is_empty() {
        out.words(&edition(&reference.edition));
    }
    if reference.kind == "thesis" || reference.kind == "report" {
        let number =
            if reference.number.is_empty() { String::new() } else { format!(" No. {}", reference.number) };
        let genre = format!("{}{number}", reference.genre);
        if reference.kind == "thesis" {
            let parts = [genre.trim(), reference.publisher.as_str()];
            out.words(&parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", "));
        } else {
            out.words(&genre);
            out.words(&reference.publisher);
        }
    } else if !reference.kind.starts_with("article") {
        out.words(&reference.publisher);
    }
    let address = if reference.doi.is_empty() {
        reference.url.clone()
    } else {
        format!("https://doi.org/{}", reference.doi)
    };
    if address.starts_with("https://") || address.starts_with("http://") {
        let link = Inline::link(
            crate::model::Attr::default(),
            vec![Inline::Str(address.clone())],
            Target { url: address, title: String::new() },
        );
        out.sentence(vec![link]);
    }
    out.0
}

/// What a work is part of: `*Journal* 11 (3): 1119–84`, `In *Book*, edited by Ed Itor`.
fn source(reference: &Reference) -> Vec<Inline> {
    if reference.container.is_empty() {
        return Vec::new();
    }
    let mut out = vec![Inline::Emph(markdown(&reference.container))];
    if matches!(reference.kind.as_str(), "chapter" | "paper-conference" | "entry") {
        out.splice(0..0, words("In "));
        if !reference.editors.is_empty() && !reference.authors.is_empty() {
            let names: Vec<String> = reference.editors.iter().map(Name::in_order).collect();
            out.push(Inline::Str(",".to_owned()));
            out.extend(words(&format!(" edited by {}", listed(&names, false))));
        }
        return out;
    }
    let mut details = String::new();
    if !reference.volume.is_empty() {
        details = format!(" {}", reference.volume);
    }
    if !reference.issue.is_empty() {
        let _ = write!(details, " ({})", reference.issue);
    }
    if !reference.pages.is_empty() {
        let separator = if details.is_empty() { ", " } else { ": " };
        let _ = write!(details, "{separator}{}", pages(&reference.pages));
    }
    out.extend(words(&details));
    out
}

/// `2nd ed.` of `2`; words stay.
fn edition(text: &str) -> String {
    let Ok(number) = text.parse::<u32>() else {
        return if text.contains("ed") { text.to_owned() } else { format!("{text} ed.") };
    };
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending} ed.")
}

/// A range of pages without the digits that repeat: `1119–84`, `100–104`, `107–8`.
fn pages(text: &str) -> String {
    let Some((from, to)) = text.split_once(['–', '-']) else { return text.to_owned() };
    let (from, to) = (from.trim(), to.trim_matches(['–', '-', ' ']));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(from) || !digits(to) || from.len() != to.len() || from.len() < 3 || from.ends_with("00") {
        return format!("{from}–{to}");
    }
    let same = from.bytes().zip(to.bytes()).take_while(|(a, b)| a == b).count();
    let kept = if from[from.len() - 2..].starts_with('0') { 1 } else { 2 };
    let start = same.min(from.len() - kept);
    format!("{from}–{}", to[start..].trim_start_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{citations::bibtex, model::plain};

    /// Compared with what Pandoc 3.9 writes in its default style.
    #[test]
    fn entries_are_those_of_the_chicago_manual() {
        let text = "
@book{a, author = {Knuth, Donald E.}, title = {The Art of Computer Programming}, publisher={Addison-Wesley}, address={Reading}, year = {1968}, edition={2}}
@article{b, author={Donald E. Knuth and Michael F. Plass}, title={Breaking Paragraphs into Lines}, journal={Software: Practice and Experience}, volume=11, number=3, pages={1119--1184}, year=1981, doi={10.1002/spe.4380111102}}
@incollection{c, author={Jane Roe}, title={A Chapter}, booktitle={The Book}, pages={1--9}, year=2010, editor={Ed Itor and Fe Male}, publisher={ACM}, address={NY}}
@phdthesis{d, author={van der Berg, Jan}, title={My Thesis}, school={MIT}, year=2011}
@techreport{e, author={{World Health Organization}}, title={A Report}, institution={WHO}, number={12}, type={Tech. Rep.}, year=2012}
@misc{f, title={A Page Without Author}, url={https://example.com}, year=2013}
@misc{g, author={No Date}, title={Undated}}
@article{h, author={A. Ab and B. Bc and C. Cd}, title={Three?}, journal={J}, year=2000, volume=3}";
        let found = bibtex::references(text);
        let entries: Vec<String> = found.iter().map(|found| plain(&entry(found, &HashMap::new()))).collect();
        assert_eq!(
            entries,
            [
                "Knuth, Donald E. 1968. The Art of Computer Programming. 2nd ed. Addison-Wesley.",
                "Knuth, Donald E., and Michael F. Plass. 1981. “Breaking Paragraphs into Lines.” Software: Practice and Experience 11 (3): 1119–84. https://doi.org/10.1002/spe.4380111102.",
                "Roe, Jane. 2010. “A Chapter.” In The Book, edited by Ed Itor and Fe Male. ACM.",
                "Berg, Jan van der. 2011. “My Thesis.” PhD thesis, MIT.",
                "World Health Organization. 2012. A Report. Tech. Rep. No. 12. WHO.",
                "A Page Without Author. 2013. https://example.com.",
                "Date, No. n.d. Undated.",
                "Ab, A., B. Bc, and C. Cd. 2000. “Three?” J 3.",
            ]
        );
        assert_eq!(plain(&short(&found[7])), "Ab et al.");
        assert_eq!(plain(&short(&found[5])), "A Page Without Author");
    }

    #[test]
    fn digits_of_pages_that_repeat_are_left_out() {
        for (range, expected) in [
            ("3--10", "3–10"),
            ("100--104", "100–104"),
            ("107-108", "107–8"),
            ("321–328", "321–28"),
            ("96--117", "96–117"),
            ("1087--1089", "1087–89"),
            ("e12", "e12"),
        ] {
            assert_eq!(pages(range), expected, "{range}");
        }
    }
}
