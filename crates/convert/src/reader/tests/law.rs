//! What is validated is what is converted: rules see a document as [`crate::syntax::pandoc`] reads it, a conversion
//! as this reader does, and here both are compared. Where the first records a slip, the document is reported, and
//! the two may differ.

use std::{collections::BTreeSet, fmt::Write as _, ops::Range, path::Path};

use super::super::*;
use crate::{
    budget::Budget,
    model::Block,
    syntax::pandoc::{LinkKind, Pandoc, SlipKind},
};

/// What a reader found: where each part begins, and what it is.
type Facts = BTreeSet<(usize, String)>;

#[derive(Default)]
struct Found {
    /// What both must have.
    facts: Facts,
    /// Where code within a line begins, and where code begins that is long.
    code: BTreeSet<usize>,
    long_code: BTreeSet<usize>,
    /// Links by a label, which rules do not look at.
    by_label: Facts,
    shortcodes: Facts,
}

/// What reading a document may take.
const STEPS: u64 = 20_000_000;
const BYTES: u64 = 64 << 20;

/// Code that is longer than this is known to rules.
const LONG: usize = 12;

fn shown(attr: &Attr) -> String {
    let mut out = String::new();
    if !attr.id.is_empty() {
        let _ = write!(out, " #{}", attr.id);
    }
    for class in &attr.classes {
        let _ = write!(out, " .{class}");
    }
    for (key, value) in &attr.pairs {
        let _ = write!(out, " {key}={value}");
    }
    out
}

fn without_space(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// The words of a heading before its attributes, without marks around them.
fn first_words(text: &str) -> String {
    without_space(text.split('{').next().unwrap_or_default().trim_matches(['#', ' ', '\t']))
}

/// Some spans become other inlines.
fn is_restyled(attr: &Attr) -> bool {
    attr.classes.iter().any(|class| matches!(class.as_str(), "smallcaps" | "ul" | "underline"))
        || attr.get("style").is_some_and(|style| style.contains("small-caps"))
}

fn of_code(block: &Block) -> String {
    match block {
        Block::Code(attr, text) => format!("code{} {}", shown(attr), without_space(text)),
        Block::Raw { format, text, .. } => format!("raw code {format} {}", without_space(text)),
        _ => String::new(),
    }
}

fn link(kind: LinkKind, attr: &Attr, url: &str) -> String {
    let name = match kind {
        LinkKind::Link => "link",
        LinkKind::Image => "image",
        LinkKind::Span => "span",
    };
    // The alternative text of a figure is elsewhere in the model.
    let mut attr = attr.clone();
    attr.pairs.retain(|(key, _)| !matches!(key.as_str(), "alt" | "latex-placement"));
    format!("{name}{} <{}>", shown(&attr), without_space(url))
}

/// The facts that rules see.
fn of_rules(text: &str, scan: &Pandoc) -> Found {
    let mut out = Found::default();
    let facts = &mut out.facts;
    let attr_of = |found: Option<&pandoc::Attributes>| {
        found.map_or_else(Attr::default, |found| inlines::attr(text, found, Place::default()))
    };
    let first_word = |range: &Range<usize>| {
        let inner = &text[range.clone()];
        range.start + inner.len() - inner.trim_start().len()
    };
    for heading in &scan.headings {
        let attr = attr_of(heading.attributes.as_ref());
        let fact = format!(
            "heading {}{} {}",
            heading.level,
            shown(&attr),
            first_words(&text[heading.words.clone()])
        );
        facts.insert((first_word(&heading.range), fact));
    }
    for div in &scan.divs {
        let mut attr = attr_of(div.attributes.as_ref());
        attr.classes.extend(div.word.as_ref().map(|word| text[word.clone()].to_owned()));
        facts.insert((div.opener.start, format!("div{} in {}", shown(&attr), div.depth)));
    }
    for code in &scan.code {
        let fence = &code.fence;
        let content: String = fence.content.iter().map(|piece| &text[piece.clone()]).collect();
        let block = blocks::code(&text[fence.info.clone()], content, Place::default());
        facts.insert((fence.range.start, of_code(&block)));
    }
    for found in &scan.links {
        let attr = attr_of(found.attributes.as_ref());
        if found.kind == LinkKind::Span && is_restyled(&attr) {
            continue;
        }
        let target = found.target.as_ref().map(|target| text[target.clone()].to_owned()).unwrap_or_default();
        let target = inlines::address(target.trim_start_matches('<').trim_end_matches('>'));
        facts.insert((found.range.start, link(found.kind, &attr, &target)));
    }
    for span in &scan.spans {
        let content = without_space(&text[span.content.clone()]);
        match &span.raw {
            Some(format) => {
                facts.insert((span.range.start, format!("raw {} {content}", &text[format.clone()])));
            }
            None => {
                out.code.insert(span.range.start);
                let attr = attr_of(span.attributes.as_ref());
                facts.insert((span.range.start, format!("code{} {content}", shown(&attr))));
            }
        }
    }
    for equation in &scan.equations {
        let attr = attr_of(Some(&equation.attributes));
        facts.insert((equation.range.start, format!("equation{}", shown(&attr))));
    }
    for loose in scan.loose.iter().filter(|loose| loose.caption) {
        let attr = attr_of(Some(&loose.attributes));
        facts.insert((loose.attributes.range.start, format!("caption{}", shown(&attr))));
    }
    for citation in &scan.citations {
        let braced = usize::from(text[..citation.key.start].ends_with('{'));
        let key = &text[citation.key.clone()];
        facts.insert((citation.key.start - 1 - braced, format!("citation {key}")));
    }
    let defined: HashSet<&str> = scan.note_definitions.iter().map(|note| &text[note.name.clone()]).collect();
    for note in &scan.notes {
        let name = &text[note.name.clone()];
        if defined.contains(name) {
            facts.insert((note.range.start, format!("note {name}")));
        }
    }
    facts.extend(defined.iter().map(|name| (0, format!("definition of note {name}"))));
    facts.extend(scan.outline.html.iter().map(|range| (range.start, "comment".to_owned())));
    out.long_code.extend(scan.outline.code.iter().map(|range| range.start));
    for shortcode in &scan.shortcodes {
        out.shortcodes.insert((shortcode.range.start, without_space(&text[shortcode.range.clone()])));
    }
    out
}

/// Gathers the facts of a model.
struct Gathering<'t> {
    text: &'t str,
    definitions: &'t Definitions,
    found: Found,
    /// How many divs with colons are around.
    divs: usize,
}

impl Gathering<'_> {
    fn fact(&mut self, place: Place, fact: String) {
        self.found.facts.insert((place.offset as usize, fact));
    }

    fn begins(&self, place: Place, marks: &[char]) -> bool {
        self.text[place.offset as usize..].starts_with(marks)
    }

    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            self.block(block);
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Plain(inlines) | Block::Para(inlines) => self.inlines(inlines),
            Block::LineBlock(lines) => lines.iter().for_each(|line| self.inlines(line)),
            Block::Code(attr, _) => {
                if self.begins(attr.place, &['`', '~']) {
                    self.fact(attr.place, of_code(block));
                }
            }
            Block::Raw { text, place, .. } => {
                if self.begins(*place, &['`', '~']) {
                    self.fact(*place, of_code(block));
                } else if text.trim_start().starts_with("<!--") {
                    self.fact(*place, "comment".to_owned());
                }
            }
            Block::Quote(inner) => self.blocks(inner),
            Block::OrderedList(_, items) | Block::BulletList(items) => {
                for item in items {
                    self.blocks(item);
                }
            }
            Block::DefinitionList(items) => {
                for (term, definitions) in items {
                    self.inlines(term);
                    for blocks in definitions {
                        self.blocks(blocks);
                    }
                }
            }
            Block::Header(level, attr, inlines) => {
                let start = attr.place.offset as usize;
                let line = self.text[start..].lines().next().unwrap_or_default();
                let words = first_words(line);
                self.fact(attr.place, format!("heading {level}{} {words}", shown(attr)));
                self.inlines(inlines);
            }
            Block::Rule => {}
            Block::Table(table) => {
                if !table.attr.is_empty() {
                    self.fact(table.attr.place, format!("caption{}", shown(&table.attr)));
                }
                self.inlines(&table.caption);
                for cell in table.head.iter().chain(&table.rows).flatten() {
                    self.blocks(&cell.blocks);
                }
            }
            Block::Figure(attr, caption, inner) => {
                if let [Block::Plain(inlines)] = inner.as_slice()
                    && let [Inline::Image(own, _, target)] = inlines.as_slice()
                {
                    let mut whole = own.as_ref().clone();
                    whole.id.clone_from(&attr.id);
                    self.link(LinkKind::Image, &whole, target);
                }
                self.inlines(caption);
            }
            Block::Div(attr, inner) => {
                let is_div = self.begins(attr.place, &[':']);
                if is_div {
                    self.fact(attr.place, format!("div{} in {}", shown(attr), self.divs));
                }
                self.divs += usize::from(is_div);
                self.blocks(inner);
                self.divs -= usize::from(is_div);
            }
        }
    }

    fn link(&mut self, kind: LinkKind, attr: &Attr, target: &Target) {
        if !self.begins(attr.place, &['[', '!']) {
            return;
        }
        let fact = link(kind, attr, &target.url);
        let is_known = |known: &HashMap<String, Target>| known.values().any(|known| known == target);
        if is_known(&self.definitions.links) || is_known(&self.definitions.headings) {
            self.found.by_label.insert((attr.place.offset as usize, fact));
        } else {
            self.fact(attr.place, fact);
        }
    }

    fn inlines(&mut self, inlines: &[Inline]) {
        for inline in inlines {
            self.inline(inline);
        }
    }

    fn inline(&mut self, inline: &Inline) {
        match inline {
            Inline::Code(attr, text) => {
                let start = attr.place.offset as usize;
                self.found.code.insert(start);
                if text.len() > LONG {
                    self.found.long_code.insert(start);
                }
                let executed = text.starts_with('{') && text.contains('}');
                if executed || !attr.is_empty() {
                    self.fact(attr.place, format!("code{} {}", shown(attr), without_space(text)));
                }
            }
            Inline::Raw { format, text, place } => {
                if self.begins(*place, &['`']) {
                    self.fact(*place, format!("raw {format} {}", without_space(text)));
                } else if text.trim_start().starts_with("<!--") {
                    self.fact(*place, "comment".to_owned());
                }
            }
            Inline::Link(attr, inner, target) => {
                self.link(LinkKind::Link, attr, target);
                self.inlines(inner);
            }
            Inline::Image(attr, inner, target) => {
                self.link(LinkKind::Image, attr, target);
                self.inlines(inner);
            }
            Inline::Span(attr, inner) => {
                let restyled = matches!(inner.as_slice(), [Inline::Underline(_) | Inline::SmallCaps(_)]);
                if self.begins(attr.place, &['$']) {
                    self.fact(attr.place, format!("equation{}", shown(attr)));
                } else if self.begins(attr.place, &['[']) && !restyled {
                    self.fact(attr.place, link(LinkKind::Span, attr, ""));
                }
                self.inlines(inner);
            }
            Inline::NoteReference(name, place) => self.fact(*place, format!("note {name}")),
            Inline::Note(blocks) => self.blocks(blocks),
            Inline::Cite(citations, _) => {
                for citation in citations {
                    self.fact(citation.place, format!("citation {}", citation.key));
                    self.inlines(&citation.prefix);
                    self.inlines(&citation.suffix);
                }
            }
            Inline::Shortcode(shortcode) => {
                let start = shortcode.place.offset as usize;
                self.found.shortcodes.insert((start, without_space(&shortcode.text)));
            }
            other => self.inlines(other.inner()),
        }
    }
}

/// The facts of a conversion.
fn of_conversion(text: &str) -> Found {
    let (texts, lines) = text::whole(Arc::new(Source::new("a.qmd", text)));
    let definitions = Definitions::gather(&texts, &lines, true);
    let blocks = unresolved(&texts, &lines, &definitions);
    let notes = definitions.notes.take();
    let mut gathering = Gathering { text, definitions: &definitions, found: Found::default(), divs: 0 };
    gathering.blocks(&blocks);
    for (name, blocks) in &notes {
        gathering.found.facts.insert((0, format!("definition of note {name}")));
        gathering.blocks(blocks);
    }
    gathering.found
}

/// Whether rules report nothing that is likely meant in another way than it is read.
fn is_clean(text: &str, scan: &Pandoc) -> bool {
    let names: HashSet<&str> = scan.note_definitions.iter().map(|note| &text[note.name.clone()]).collect();
    scan.slips.iter().all(|slip| matches!(slip.kind, SlipKind::SurplusCells | SlipKind::IndentedDiv))
        && scan.header.as_ref().is_none_or(|header| header.closer.is_some())
        && scan.divs.iter().all(|div| div.closer.is_some())
        && scan.code.iter().all(|code| code.fence.closed)
        && names.len() == scan.note_definitions.len()
}

/// Whether a position is in a grid table: rules read its lines as text, a conversion reads blocks from its cells.
fn is_in_grid(text: &str, at: usize) -> bool {
    let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
    let words = |line: &str| line.trim_start_matches([' ', '>', '\t']).to_owned();
    let mut above = text[..end].lines().rev().map(words).take_while(|line| line.starts_with(['|', '+']));
    above.any(|line| line.starts_with("+-") || line.starts_with("+="))
}

/// Where the readers disagree.
fn disagreements(text: &str) -> Vec<String> {
    let scan = pandoc::read(text);
    if !is_clean(text, &scan) {
        return Vec::new();
    }
    let budget = Budget { steps: Some(STEPS), bytes: Some(BYTES), ..Budget::default() };
    let (conversion, spent) = budget.spend(|| of_conversion(text));
    if spent.exceeded.is_some() {
        return vec!["the conversion does not end".to_owned()];
    }
    let rules = of_rules(text, &scan);
    let line = |at: usize| text[..at.min(text.len())].matches('\n').count() + 1;
    let mut out = Vec::new();
    let mut add = |who: &str, at: usize, what: &str| {
        if is_in_grid(text, at) {
            return;
        }
        let what: String = what.chars().take(100).collect();
        out.push((at, format!("{}: only {who}: {what}", line(at))));
    };
    for (at, what) in rules.facts.difference(&conversion.facts) {
        // What looks like the caption of a table and has none below or above it is text.
        if !conversion.by_label.contains(&(*at, what.clone())) && !what.starts_with("caption") {
            add("rules", *at, what);
        }
    }
    // Indented code, which rules do not look at, can begin with the marks of a fence.
    let is_indented = |at: usize| text[..at].ends_with("    ") || text[..at].ends_with('\t');
    // Notes without a definition are text in the result.
    let is_defined = |what: &str| {
        what.strip_prefix("note ")
            .is_none_or(|name| conversion.facts.contains(&(0, format!("definition of note {name}"))))
    };
    for (at, what) in conversion.facts.difference(&rules.facts) {
        if !(what.starts_with("code") && is_indented(*at)) && is_defined(what) {
            add("the conversion", *at, what);
        }
    }
    for at in rules.long_code.difference(&conversion.code) {
        add("rules", *at, "code within a line");
    }
    for at in
        conversion.long_code.iter().filter(|at| !rules.long_code.contains(at) && !rules.code.contains(at))
    {
        add("the conversion", *at, "code within a line");
    }
    for (at, what) in conversion.shortcodes.difference(&rules.shortcodes) {
        add("the conversion", *at, what);
    }
    out.sort();
    out.into_iter().map(|(_, text)| text).collect()
}

/// All Quarto documents below a folder of the repository.
fn documents(folder: &Path, out: &mut Vec<(String, String)>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            documents(&path, out);
        } else if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("qmd")) {
            let text = std::fs::read_to_string(&path).expect("an example is readable");
            out.push((path.display().to_string(), text));
        }
    }
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

#[test]
fn both_readers_see_the_same_in_the_examples() {
    let mut all = Vec::new();
    documents(&root().join("examples"), &mut all);
    assert!(all.len() > 10, "{} examples", all.len());
    for (name, text) in all {
        assert_eq!(disagreements(&text), [""; 0], "{name}");
    }
}

#[test]
fn colons_that_are_indented_are_text_for_both_readers() {
    for text in [
        "  ::: {.a}\n\nText.\n\n  :::\n",
        " ::: note\nText @a.\n :::\n",
        "::: {.a}\n\nText.\n\n  :::\n\n:::\n",
        "- item\n\n     ::: {.a}\n     # Text @a\n     :::\n",
        ">  ::: a\n>  @b\n>  :::\n",
        "- item\n\n  ::: {.a}\n  Text @a.\n  :::\n",
    ] {
        assert!(is_clean(text, &pandoc::read(text)), "{text:?}");
        assert_eq!(disagreements(text), [""; 0], "{text:?}");
    }
}

#[test]
fn a_table_ends_with_the_div_around_it() {
    for text in ["::: a\nb    c\n---  ---\n1    2\n:::\n\n@d\n", "::: a\n| b |\n|---|\n| 1 |\n:::\n\n@d\n"] {
        assert!(is_clean(text, &pandoc::read(text)), "{text:?}");
        assert_eq!(disagreements(text), [""; 0], "{text:?}");
    }
}

/// Parts of documents.
const PIECES: &[&str] = &[
    "Text with *words* and `code`.",
    "# One",
    "## Two {#sec-two .a}",
    "Three\n=====",
    "Four {#sec-four}\n-----",
    "::: {.callout-note}",
    "::: note",
    ":::: {#fig-a layout=\"[1, 2]\"}",
    ":::",
    "::::",
    "::: {.a\n  b=\"c\"}",
    "```",
    "```python",
    "``` {.python #lst-a}",
    "```{r}\n#| label: fig-b",
    "~~~",
    "````md",
    "```{=html}",
    "- item",
    "- item\n\n  more",
    "* other\n    - inner",
    "1. one\n2. two",
    "a) one",
    "(@ex) example\n\n    more @a",
    "(@ex) example",
    "(@) example",
    "  indented",
    "    code",
    "\t`tab`",
    "> quoted @a",
    "> # Heading",
    "> ```",
    "term\n: definition @b",
    ": caption {#tbl-a}",
    "| a | b |\n|---|---|\n| `c|d` | @e |",
    "| line\n| block",
    "[^a]: Note @c.\n\n    More.",
    "[^b]: Other.",
    "A note.[^a]",
    "An inline note.^[See @d.]",
    "[link](a.html \"title\"){.x}",
    "[link](<a b.html>)",
    "![image](a.png){#fig-c width=50%}",
    "![](a(1).png)",
    "[span]{.x}",
    "[words](a\nb.html)",
    "[by label][label]",
    "[label]: https://example.org/@x",
    "<https://example.org/@f>",
    "<a@b.org>",
    "[@g; see @h, p. 3]",
    "[-@i]",
    "@j [p. 3]",
    "@{k l}",
    "-@m",
    "a@n.org",
    "$x_{@o}$",
    "$5 and $6 [@p]",
    "$$\nx\n$$ {#eq-a}",
    "$$ @q $$",
    "\\(@r\\)",
    "\\[@s\\]",
    "\\cite{@t}",
    "\\begin{a}\n@u\n\\end{a}",
    "\\@v",
    "`@w`{.x}",
    "`<b>`{=html}",
    "`{r} 1 + 1`",
    "``a ` @x``",
    "`` unclosed @y",
    "<!-- @z -->",
    "<!--\n# No\n-->",
    "<!-- @a --> @b",
    "<div class=\"a\">",
    "</div>",
    "<span class=\"a\">@c</span>",
    "<b title=\"@d\">x</b>",
    "<script>\n@e\n</script>",
    "<pre>\n# No\n</pre>",
    "{{< meta title >}}",
    "{{< video a.mp4 title=\"@f\" >}}",
    "{{{< meta x >}}}",
    "{{</* meta x */>}}",
    "[x]({{< meta url >}})",
    "***",
    "---",
    "- - -",
    "\\* @g",
    "line\\\n@h",
    "a [b [c](d)](e) f",
    "[a]{.b}[c]{.d}",
    "*[a](b)*{.c}",
    "![*a* [b](c)](d.png)",
    "Table: words {#tbl-b}",
    "&copy; @i",
    "+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+",
    "  a    b\n ---  ---\n  1    2",
    "~~@j~~ H~2~O x^2^",
    "'@k' \"@l\"",
    "x[@m]",
    "@n's",
    "[**@o**](p)",
    "![a][label]",
    "[a]: <b c> 'd'",
    "[^nothing]",
    "@fig-a and @tbl-a",
    "](b)",
    "[a](b",
    "{.x}",
    "![a](b.png)\\",
    "#",
    "#a",
    "##b {#c}",
];

/// What is between two blocks.
const APART: &[&str] = &["\n\n", "\n\n", "\n\n\n", "\n\n> ", "\n\n- "];

/// What is between two parts that may be one block.
const BETWEEN: &[&str] = &["\n\n", "\n", "\n", " ", "\n    ", "\n> ", "\n- ", "\r\n"];

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }

    fn one_of<'p>(&mut self, all: &[&'p str]) -> &'p str {
        all[self.below(all.len())]
    }
}

/// A shorter list of parts in which the readers disagree.
fn shrunk(mut parts: Vec<String>) -> Vec<String> {
    let mut at = 0;
    while at < parts.len() {
        let mut fewer = parts.clone();
        fewer.remove(at);
        if disagreements(&fewer.concat()).is_empty() {
            at += 1;
        } else {
            parts = fewer;
            at = 0;
        }
    }
    parts
}

/// Most documents that are reported.
const MOST: usize = 100;

/// Compares the readers on many documents, and reports the shortest in which they disagree.
fn compare(documents: impl Iterator<Item = Vec<String>>) {
    let mut wrong = BTreeSet::new();
    let (mut count, mut clean, mut different) = (0, 0, 0);
    for parts in documents {
        let text = parts.concat();
        count += 1;
        clean += usize::from(is_clean(&text, &pandoc::read(&text)));
        if disagreements(&text).is_empty() {
            continue;
        }
        different += 1;
        if wrong.len() < MOST {
            wrong.insert(shrunk(parts).concat());
        }
    }
    let mut wrong: Vec<String> = wrong.into_iter().collect();
    wrong.sort_by_key(String::len);
    for text in &wrong {
        println!("{text:?}: {:?}", disagreements(text));
    }
    println!("{different} of {count} documents, {clean} of them without a slip");
    assert!(clean > count / 2 && different == 0, "the readers disagree in {different} documents");
}

/// Documents of each seed: the one given, and as many others as `SEEDS` says.
const OF_A_SEED: usize = 4_000;

fn generated(seed: u64, between: &[&str]) -> impl Iterator<Item = Vec<String>> {
    let others = std::env::var("SEEDS").map_or(0, |count| count.parse().expect("SEEDS is a number"));
    let seeds = (0..=others).map(move |number: u64| seed ^ number.wrapping_mul(0xA24B_AED4_963E_E407));
    seeds.flat_map(move |seed| {
        let mut numbers = Numbers(seed);
        (0..OF_A_SEED).map(move |_| {
            let count = 1 + numbers.below(4);
            (0..count)
                .flat_map(|_| [numbers.one_of(PIECES).to_owned(), numbers.one_of(between).to_owned()])
                .collect()
        })
    })
}

#[test]
fn both_readers_see_the_same_in_generated_documents() {
    compare(generated(0x9E37_79B9_7F4A_7C15, APART));
}

#[test]
fn both_readers_see_the_same_where_blocks_touch() {
    compare(generated(0x2545_F491_4F6C_DD1D, BETWEEN));
}

#[test]
fn both_readers_see_the_same_in_changed_examples() {
    let mut all = Vec::new();
    documents(&root().join("examples"), &mut all);
    all.sort();
    let mut numbers = Numbers(0xD1B5_4A32_D192_ED03);
    compare((0..400).map(|_| {
        let text = &all[numbers.below(all.len())].1;
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        for _ in 0..=numbers.below(3) {
            let at = numbers.below(lines.len());
            match numbers.below(6) {
                0 => {
                    lines.remove(at);
                }
                1 => lines.insert(at, "\n".to_owned()),
                2 => lines.insert(at, format!("{}\n", numbers.one_of(PIECES))),
                3 => lines[at].insert_str(0, ["  ", "    ", "> ", "- ", "1. "][numbers.below(5)]),
                4 => {
                    let other = numbers.below(lines.len());
                    lines.swap(at, other);
                }
                _ => {
                    let marks = |c: char| c.is_ascii_punctuation();
                    let found: Vec<usize> = lines[at].match_indices(marks).map(|(at, _)| at).collect();
                    if !found.is_empty() {
                        lines[at].remove(found[numbers.below(found.len())]);
                    }
                }
            }
            if lines.is_empty() {
                break;
            }
        }
        lines
    }));
}

/// Documents outside of the repository, where there are any.
#[test]
fn both_readers_see_the_same_in_real_documents() {
    let folder = root().join("../shared/corpus/quarto");
    let mut count = 0;
    let mut different = 0;
    for file in ["real.jsonl", "faults.jsonl", "intended.jsonl"] {
        let Ok(rows) = std::fs::read_to_string(folder.join(file)) else { continue };
        for row in rows.lines() {
            let row: serde_json::Value = serde_json::from_str(row).expect("a line is JSON");
            for key in ["text", "intended"] {
                let Some(text) = row[key].as_str() else { continue };
                count += 1;
                let found = disagreements(text);
                different += usize::from(!found.is_empty());
                for line in found {
                    println!("{}:{key}:{line}", row["id"]);
                }
            }
        }
    }
    println!("{different} of {count} documents");
    // One is a template of a document, which is not a document.
    assert!(different <= 1, "the readers disagree in {different} documents");
}
