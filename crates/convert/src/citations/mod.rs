//! Citations and the list of the works that are cited, for the writers of this program.
//!
//! There are two styles. The default is author and year as the Chicago Manual of Style has them; a document whose
//! `csl` is a numeric style gets numbers in the order of its citations. Pandoc's own processor, which follows any
//! style, serves the formats that Pandoc writes, and documents with a `csl` wherever Pandoc is installed.

mod bibtex;
mod csl;
mod order;
mod reference;
mod style;
mod tex;

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use self::{reference::Reference, style::Style};
use super::{
    metadata::Metadata,
    model::{Attr, Block, Citation, CitationMode, Inline, Place, Rewrite, Target, plain, words},
    project_files, reader,
    weight::made_inlines,
    xml,
};
use crate::{budget, kinds::Limits};

/// The year in a date: its first four digits.
fn year_of(text: &str) -> Option<String> {
    let digits: String =
        text.trim().trim_start_matches('-').chars().take_while(char::is_ascii_digit).collect();
    if digits.is_empty() {
        let text = text.trim();
        return (!text.is_empty()).then(|| text.to_owned());
    }
    Some(digits)
}

/// Steps that a citation and an entry of the list take.
const CITATION: u64 = 100;

/// The works that a document can cite, and how it cites them.
#[derive(Debug, Default)]
pub(super) struct Library {
    references: Vec<Reference>,
    /// Indices of the works by their keys.
    keys: HashMap<String, usize>,
    style: Style,
}

impl Library {
    /// The works of bibliographies, which are given with the endings of their names, and of the header. Gives the
    /// number of files that cannot be read, too.
    pub(super) fn new<'b>(
        files: impl Iterator<Item = (&'static str, &'b [u8])>,
        style: Option<&[u8]>,
        metadata: &Metadata,
        limits: Limits,
    ) -> (Self, usize) {
        let mut references = metadata.at("references").map(csl::references).unwrap_or_default();
        let mut unread = 0;
        for (ending, bytes) in files {
            // What it becomes is larger than the file.
            if !budget::allocate(bytes.len().saturating_mul(4)) || !budget::is_left() {
                break;
            }
            let text = String::from_utf8_lossy(bytes);
            let usual = bytes.len() as u64;
            match ending {
                "bib" | "bibtex" => {
                    references.extend(budget::measure(usual, || bibtex::references(&text)));
                }
                "json" => match budget::measure(usual, || serde_json::from_str::<Value>(&text)) {
                    Ok(value) => references.extend(csl::references(&value)),
                    Err(_) => unread += 1,
                },
                "yaml" | "yml" => references.extend(csl::references(&project_files::value(&text, limits))),
                _ => unread += 1,
            }
        }
        let mut keys = HashMap::new();
        for (index, reference) in references.iter().enumerate() {
            keys.entry(reference.id.clone()).or_insert(index);
        }
        let style = if style.is_some_and(is_numeric) { Style::Numeric } else { Style::default() };
        (Self { references, keys, style }, unread)
    }

    fn get(&self, key: &str) -> Option<&Reference> {
        self.keys.get(key).map(|index| &self.references[*index])
    }
}

/// Whether a style of the Citation Style Language cites by numbers.
fn is_numeric(style: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(style) else { return false };
    xml::parse(text).is_ok_and(|document| {
        let categories = document.descendants().filter(|node| node.tag_name().name() == "category");
        categories.filter_map(|node| node.attribute("citation-format")).any(|format| format == "numeric")
    })
}

/// A document with its citations resolved.
pub(super) struct Resolved {
    pub(super) blocks: Vec<Block>,
    /// Keys that no bibliography has, with their places.
    pub(super) unknown: Vec<(Place, String)>,
}

/// How the result shows citations.
pub(super) struct Output<'o> {
    /// Whether citations are links to their entries.
    pub(super) links: bool,
    /// The level of the headings of slides, where the result consists of slides.
    pub(super) slides: Option<u8>,
    /// What the list of works is called.
    pub(super) heading: &'o str,
    /// Whether there is no list of works.
    pub(super) suppressed: bool,
}

/// Resolves the citations of a document, and adds the list of works: to the div `refs`, or at the end.
pub(super) fn resolve(blocks: Vec<Block>, library: &Library, nocite: &str, output: &Output<'_>) -> Resolved {
    let mut collect = Collect { library, cited: Vec::new(), known: BTreeSet::new(), unknown: Vec::new() };
    let mut blocks = blocks;
    order::each(&mut blocks, &mut |inline| collect.visit(inline));
    for key in uncited(nocite, library) {
        collect.cite(&key);
    }
    let Collect { cited, unknown, .. } = collect;
    let letters = letters(&cited, library);
    let numbers: HashMap<&str, usize> = cited.iter().map(String::as_str).zip(1..).collect();
    let mut show = Show { library, letters: &letters, numbers: &numbers, links: output.links };
    let blocks = show.rewrite(blocks);
    let entries = if output.suppressed { Vec::new() } else { entries(&cited, library, &letters) };
    let blocks = listed(blocks, entries, output);
    Resolved { blocks, unknown }
}

/// The citations of a document, in their order.
pub(super) fn cites(blocks: &mut [Block]) -> Vec<Inline> {
    let mut cites = Vec::new();
    order::each(blocks, &mut |inline| {
        if budget::allocate(size_of::<Inline>()) {
            cites.push(inline.clone());
        }
    });
    cites
}

/// Puts in place of each citation what a style shows, and adds the list of works. The keys that no bibliography has are
/// shown as the style shows them.
pub(super) fn styled(
    mut blocks: Vec<Block>,
    library: &Library,
    (shown, entries): (Vec<Vec<Inline>>, Vec<Block>),
    output: &Output<'_>,
) -> Resolved {
    let mut unknown = Vec::new();
    let mut shown = shown.into_iter();
    order::each(&mut blocks, &mut |inline| {
        let Inline::Cite(citations, _) = &*inline else { return };
        let is_unknown = |citation: &&Citation| library.get(&citation.key).is_none();
        let own = citations.iter().filter(is_unknown);
        unknown.extend(own.map(|citation| (citation.place, citation.key.clone())));
        let keys: Vec<&str> = citations.iter().map(|citation| citation.key.as_str()).collect();
        let attr = Attr::class("citation").with("cites", keys.join(" "));
        *inline = Inline::span(attr, made_inlines(shown.next().unwrap_or_default()));
    });
    let entries = if output.suppressed { Vec::new() } else { entries };
    Resolved { blocks: listed(blocks, entries, output), unknown }
}

/// The citations of works that the list has although the text does not cite them; `@*` means all of them.
pub(super) fn uncited_works(nocite: &str) -> Vec<Inline> {
    if !nocite.contains("@*") {
        return reader::read_inlines(nocite, false);
    }
    let all = Citation {
        key: "*".to_owned(),
        prefix: Vec::new(),
        suffix: Vec::new(),
        mode: CitationMode::InText,
        place: Place::default(),
    };
    vec![Inline::Cite(vec![all], Vec::new())]
}

/// A document with its citations as they are written.
pub(crate) fn as_written(blocks: Vec<Block>) -> Vec<Block> {
    Written.rewrite(blocks)
}

struct Written;

impl Rewrite for Written {
    fn inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        let mut out = Vec::with_capacity(inlines.len());
        for inline in inlines {
            let Inline::Cite(citations, words) = inline else {
                out.push(inline);
                continue;
            };
            let bracketed = citations.iter().any(|citation| citation.mode == CitationMode::Normal);
            out.extend(bracketed.then(|| Inline::Str("[".to_owned())));
            out.extend(words);
            out.extend(bracketed.then(|| Inline::Str("]".to_owned())));
        }
        out
    }
}

/// The keys that the list has although the text does not cite them.
fn uncited(nocite: &str, library: &Library) -> Vec<String> {
    if nocite.contains("@*") {
        return library.references.iter().map(|reference| reference.id.clone()).collect();
    }
    let mut keys = Keys(Vec::new());
    keys.rewrite_inlines(reader::read_inlines(nocite, false));
    keys.0
}

struct Keys(Vec<String>);

impl Rewrite for Keys {
    fn inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        for inline in &inlines {
            if let Inline::Cite(citations, _) = inline {
                self.0.extend(citations.iter().map(|citation| citation.key.clone()));
            }
        }
        inlines
    }
}

/// The keys in the order in which the document cites them.
struct Collect<'l> {
    library: &'l Library,
    cited: Vec<String>,
    known: BTreeSet<String>,
    unknown: Vec<(Place, String)>,
}

impl Collect<'_> {
    fn cite(&mut self, key: &str) -> bool {
        let is_known = self.library.get(key).is_some();
        if is_known && self.known.insert(key.to_owned()) {
            self.cited.push(key.to_owned());
        }
        is_known
    }

    fn visit(&mut self, inline: &Inline) {
        let Inline::Cite(citations, _) = inline else { return };
        for citation in citations {
            if !budget::charge(CITATION) {
                return;
            }
            if !self.cite(&citation.key) {
                budget::allocate(citation.key.len());
                budget::push(&mut self.unknown, (citation.place, citation.key.clone()));
            }
        }
    }
}

/// The letters of works with the same names and the same year, in the order of the list.
fn letters(cited: &[String], library: &Library) -> HashMap<String, char> {
    let mut groups: HashMap<(String, Option<&str>), Vec<&Reference>> = HashMap::new();
    for reference in cited.iter().filter_map(|key| library.get(key)).take_while(|_| budget::charge(CITATION))
    {
        let group = (plain(&style::short(reference)), reference.year.as_deref());
        groups.entry(group).or_default().push(reference);
    }
    let mut out = HashMap::new();
    for mut group in groups.into_values().filter(|group| group.len() > 1) {
        group.sort_by_cached_key(|reference| style::order(reference));
        out.extend(group.iter().zip('a'..='z').map(|(reference, letter)| (reference.id.clone(), letter)));
    }
    out
}

/// Citations as readers see them.
struct Show<'l> {
    library: &'l Library,
    letters: &'l HashMap<String, char>,
    numbers: &'l HashMap<&'l str, usize>,
    links: bool,
}

impl Rewrite for Show<'_> {
    fn inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        let shown = inlines.into_iter().map(|inline| match inline {
            Inline::Cite(citations, _) => {
                let keys: Vec<&str> = citations.iter().map(|citation| citation.key.as_str()).collect();
                let attr = Attr::class("citation").with("cites", keys.join(" "));
                Inline::span(attr, made_inlines(self.citation(&citations)))
            }
            other => other,
        });
        shown.collect()
    }
}

impl Show<'_> {
    fn citation(&self, citations: &[Citation]) -> Vec<Inline> {
        if let [citation, further @ ..] = citations
            && citation.mode == CitationMode::InText
            && let Some(reference) = self.library.get(&citation.key)
        {
            let mut out = self.linked(&citation.key, style::short(reference));
            out.push(Inline::Space);
            let bare = Citation { mode: CitationMode::SuppressAuthor, ..citation.clone() };
            let mut all = vec![bare];
            all.extend_from_slice(further);
            out.extend(self.enclosed(&all));
            return out;
        }
        self.enclosed(citations)
    }

    fn enclosed(&self, citations: &[Citation]) -> Vec<Inline> {
        let numeric = self.library.style == Style::Numeric;
        let (open, close) = if numeric { ("[", "]") } else { ("(", ")") };
        let mut out = vec![Inline::Str(open.to_owned())];
        let mut before: Option<&Citation> = None;
        for citation in citations {
            if !budget::charge(CITATION) || !budget::allocate(4 * size_of::<Inline>()) {
                break;
            }
            let again = before.is_some_and(|before| self.is_by_the_same(before, citation));
            if let Some(before) = before {
                // Numbers, and years of the same authors, follow each other.
                let comma = (numeric || again) && before.suffix.is_empty();
                out.push(Inline::Str(if comma { "," } else { ";" }.to_owned()));
                out.push(Inline::Space);
            }
            if !citation.prefix.is_empty() {
                out.extend_from_slice(trimmed(&citation.prefix));
                out.push(Inline::Space);
            }
            out.extend(self.work(citation, again));
            out.extend(suffix(&citation.suffix, !numeric));
            before = Some(citation);
        }
        out.push(Inline::Str(close.to_owned()));
        out
    }

    fn is_by_the_same(&self, before: &Citation, citation: &Citation) -> bool {
        let people = |citation: &Citation| self.library.get(&citation.key).map(Reference::people);
        citation.prefix.is_empty()
            && people(before) == people(citation)
            && people(citation).is_some_and(|people| !people.is_empty())
    }

    /// A work without its prefix and suffix.
    fn work(&self, citation: &Citation, again: bool) -> Vec<Inline> {
        let Some(reference) = self.library.get(&citation.key) else {
            return vec![Inline::Strong(words(&format!("{}?", citation.key)))];
        };
        if self.library.style == Style::Numeric {
            let number = self.numbers.get(citation.key.as_str()).copied().unwrap_or_default();
            return self.linked(&citation.key, words(&number.to_string()));
        }
        let year = style::year(reference, self.letters);
        if citation.mode == CitationMode::SuppressAuthor || again {
            return self.linked(&citation.key, words(&year));
        }
        let mut shown = style::short(reference);
        // `(Date, n.d.)`
        if reference.year.is_none() {
            shown.push(Inline::Str(",".to_owned()));
        }
        shown.push(Inline::Space);
        shown.extend(words(&year));
        self.linked(&citation.key, shown)
    }

    fn linked(&self, key: &str, shown: Vec<Inline>) -> Vec<Inline> {
        if !self.links {
            return shown;
        }
        let target = Target { url: format!("#ref-{key}"), title: String::new() };
        vec![Inline::link(Attr::default().with("role", "doc-biblioref"), shown, target)]
    }
}

/// Inlines without spaces around them.
fn trimmed(inlines: &[Inline]) -> &[Inline] {
    let is_space = |inline: &&Inline| matches!(inline, Inline::Space | Inline::SoftBreak);
    let start = inlines.iter().take_while(is_space).count();
    let end = inlines.len() - inlines[start..].iter().rev().take_while(is_space).count();
    &inlines[start..end]
}

/// Replaces the no-break spaces of inlines by spaces that may end a line.
fn with_spaces(inlines: Vec<Inline>) -> Vec<Inline> {
    let mut out = Vec::with_capacity(inlines.len());
    for inline in inlines {
        match inline {
            Inline::Str(text) if text.contains('\u{a0}') => {
                out.extend(crate::model::words(&text.replace('\u{a0}', " ")));
            }
            other => out.push(other),
        }
    }
    out
}

/// What is after a work: a locator or words. A page has no label in the style of authors.
fn suffix(inlines: &[Inline], no_pages: bool) -> Vec<Inline> {
    let mut own = with_spaces(trimmed(inlines).to_vec());
    let Some(first) = own.first_mut() else { return Vec::new() };
    let mut separated = false;
    if let Inline::Str(text) = first
        && let Some(rest) = text.strip_prefix(',')
    {
        separated = true;
        *text = rest.to_owned();
        if text.is_empty() {
            own.remove(0);
        }
    }
    let mut own = trimmed(&own).to_vec();
    let text = plain(&own);
    let label = ["pp.", "p.", "pages", "page"].into_iter().find_map(|label| {
        let rest = text.strip_prefix(label)?.trim_start_matches([' ', '\u{a0}']);
        rest.starts_with(|c: char| c.is_ascii_digit()).then_some(label)
    });
    let locator = label.is_some() || text.starts_with(|c: char| c.is_ascii_digit());
    if let (Some(label), true, Some(Inline::Str(first))) = (label, no_pages, own.first_mut()) {
        let rest = first.strip_prefix(label).map(|rest| rest.trim_start_matches('\u{a0}').to_owned());
        *first = rest.unwrap_or_default();
        if first.is_empty() {
            own.remove(0);
        }
        own = trimmed(&own).to_vec();
    }
    if let (true, Some(Inline::Str(first))) = (locator, own.first_mut()) {
        *first = first.replace("--", "–").replace('-', "–");
    }
    let mut out = Vec::new();
    if separated || locator {
        out.push(Inline::Str(",".to_owned()));
    }
    out.push(Inline::Space);
    out.extend(own);
    out
}

/// The entries of the list: in the order of the names, or of the numbers.
fn entries(cited: &[String], library: &Library, letters: &HashMap<String, char>) -> Vec<Block> {
    let mut works: Vec<(usize, &Reference)> =
        (1..).zip(cited.iter().filter_map(|key| library.get(key))).collect();
    if library.style == Style::AuthorYear {
        works.sort_by_cached_key(|(_, reference)| style::order(reference));
    }
    let entry = |(number, reference): (usize, &Reference)| {
        let mut inlines = Vec::new();
        if library.style == Style::Numeric {
            inlines.extend([Inline::Str(format!("[{number}]")), Inline::Space]);
        }
        inlines.extend(made_inlines(style::entry(reference, letters)));
        let attr = Attr::class("csl-entry").with("role", "listitem").with_id(format!("ref-{}", reference.id));
        Block::Div(attr, vec![Block::Para(inlines)])
    };
    works.into_iter().take_while(|_| budget::charge(CITATION)).map(entry).collect()
}

/// The document with its list of works.
fn listed(mut blocks: Vec<Block>, entries: Vec<Block>, output: &Output<'_>) -> Vec<Block> {
    let mut place = Placed { entries: Some(entries) };
    blocks = place.rewrite(blocks);
    let Some(entries) = place.entries.filter(|entries| !entries.is_empty()) else { return blocks };
    let list = Block::Div(list_attr(Attr::default().with_id("refs")), entries);
    if matches!(blocks.last(), Some(Block::Header(..))) {
        blocks.push(list);
        return blocks;
    }
    let heading = |level, classes: &str| {
        Block::Header(level, Attr::classes(classes).with_id("bibliography"), words(output.heading))
    };
    if let Some(level) = output.slides {
        blocks.extend([heading(level, "unnumbered"), list]);
        return blocks;
    }
    let attr = Attr::class("quarto-appendix-contents").with("role", "doc-bibliography");
    let heading = heading(2, "unnumbered unlisted quarto-appendix-heading");
    blocks.push(Block::Div(attr.with_id("quarto-bibliography"), vec![heading, list]));
    blocks
}

fn list_attr(mut attr: Attr) -> Attr {
    for class in ["references", "csl-bib-body", "hanging-indent"] {
        if !attr.has_class(class) {
            attr.classes.push(class.to_owned());
        }
    }
    attr.with("role", "list")
}

/// Puts the list into the div `refs`.
struct Placed {
    entries: Option<Vec<Block>>,
}

impl Rewrite for Placed {
    fn blocks(&mut self, blocks: Vec<Block>) -> Vec<Block> {
        let placed = blocks.into_iter().map(|block| match block {
            Block::Div(attr, mut inner) if attr.id == "refs" && self.entries.is_some() => {
                inner.extend(self.entries.take().unwrap_or_default());
                Block::Div(list_attr(attr), inner)
            }
            other => other,
        });
        placed.collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{formats, model::plain_blocks};

    const BIB: &str = "@book{knuth, author={Knuth, Donald E.}, title={Art}, year=1968}
@article{kp, author={Donald E. Knuth and Michael F. Plass}, title={Lines}, journal={S}, year=1981}
@article{roe, author={Jane Roe}, title={B}, journal={J}, year=2010}
@article{roe2, author={Jane Roe}, title={A}, journal={J}, year=2010}
@misc{nodate, author={No Date}, title={Undated}}";

    fn resolved(text: &str, style: Option<&[u8]>, header: Value) -> Resolved {
        let metadata = Metadata::new(Value::Null, header, &[], &formats::all()[0]);
        let files = [("bib", BIB.as_bytes())];
        let (library, _) = Library::new(files.into_iter(), style, &metadata, Limits::default());
        let output = Output { links: false, slides: None, heading: "References", suppressed: false };
        resolve(reader::read_text(text, true), &library, metadata.text("nocite").unwrap_or_default(), &output)
    }

    fn shown(text: &str, style: Option<&[u8]>) -> String {
        plain_blocks(&resolved(text, style, json!({})).blocks[..1])
    }

    /// Compared with what Pandoc 3.9 writes in its default style.
    #[test]
    fn citations_have_authors_years_and_locators() {
        for (text, expected) in [
            ("[@knuth]", "(Knuth 1968)"),
            ("[@knuth, p. 33; see @kp, pp. 3-4]", "(Knuth 1968, 33; see Knuth and Plass 1981, 3–4)"),
            ("@kp [p. 5] says", "Knuth and Plass (1981, 5) says"),
            ("@kp says [-@kp]", "Knuth and Plass (1981) says (1981)"),
            ("[@roe; @roe2]", "(Roe 2010b, 2010a)"),
            ("[@roe, 3; @roe2]", "(Roe 2010b, 3; 2010a)"),
            ("[see @knuth, 33, also]", "(see Knuth 1968, 33, also)"),
            ("[@knuth, chap. 3 and more]", "(Knuth 1968, chap. 3 and more)"),
            ("[@nodate]", "(Date, n.d.)"),
            ("[@missing]", "(missing?)"),
        ] {
            assert_eq!(shown(text, None), expected, "{text}");
        }
    }

    #[test]
    fn a_numeric_style_numbers_works_in_the_order_of_their_citations() {
        let style: &[u8] =
            b"<style xmlns=\"http://purl.org/net/xbiblio/csl\"><info><category citation-format=\"numeric\"/></info></style>";
        assert_eq!(
            shown("[@roe] [@knuth, p. 3; @roe] @kp", Some(style)),
            "[1] [2, p. 3; 1] Knuth and Plass [3]"
        );
        let list = resolved("[@roe; @knuth]", Some(style), json!({})).blocks;
        assert!(plain_blocks(&list[1..]).contains("[1] Roe, Jane. 2010."), "{list:?}");
    }

    #[test]
    fn the_list_is_where_the_document_wants_it_and_has_what_it_asks_for() {
        let found = resolved("[@knuth]\n\n::: {#refs}\n:::\n\nEnd.\n", None, json!({"nocite": "@roe, @kp"}));
        let [_, Block::Div(attr, entries), Block::Para(_)] = found.blocks.as_slice() else {
            panic!("{:?}", found.blocks)
        };
        assert!(attr.id == "refs" && attr.has_class("references"));
        let ids: Vec<&str> = entries
            .iter()
            .map(|entry| if let Block::Div(attr, _) = entry { attr.id.as_str() } else { "" })
            .collect();
        assert_eq!(ids, ["ref-knuth", "ref-kp", "ref-roe"]);
        let all = resolved("x\n", None, json!({"nocite": "@*"}));
        assert_eq!(plain_blocks(&all.blocks).matches("Roe, Jane").count(), 2);
        assert_eq!(resolved("x\n", None, json!({})).blocks.len(), 1);
    }
}
