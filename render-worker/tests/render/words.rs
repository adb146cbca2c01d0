//! Every word of a document is on its pages, in its HTML, or in a finding: all constructs of Markdown, in all built-in
//! quills, by themselves and within each other. `PROOFMARK_EVERY=1` takes 3,000 documents that are made from numbers.

use std::{fmt::Write as _, fs, process::Command, sync::Arc};

use proofmark::internals::render::{Assets, Format, Library, Rendered, Renderer, Request};

use super::{builtin, document, numbers::Numbers as Chosen, pictures::png, request, sheet::with_body};

/// Constructs. `¤` is a number of its own, and `§` a word, which is only looked for in HTML where a `¡` precedes it.
const CONSTRUCTS: [&str; 52] = [
    "§ **§** *§* ~~§~~ `§` <u>§</u> [§](https://a.example) §<br>§",
    "### § *§*",
    "- §\n-\n- §\n  - §\n\n    §",
    "1. §\n2. §\n\n   §\n\n- [ ] §\n- [x] §",
    "| § | § |\n|---|---|\n| § |  |\n|  | **§** |",
    "| | |\n|---|---|\n| § | § |",
    "| § | § | § |\n|:--|:-:|--:|\n| § |\n| § | § | § |",
    "| |\n|---|\n| |",
    "| § | Formula |\n|---|---|\n| §.[^¤] | $x + ¤$ |\n\n[^¤]: §",
    "| § |\n|---|\n| `§` [§](https://b.example) ~~§~~ |",
    "> §\n>\n> - §",
    "> [!NOTE]\n> §\n\n> [!WARNING]\n>\n> 1. §",
    "```rust\nfn §() {}\n```",
    "    §\n    §",
    "§.[^¤]\n\n[^¤]: § **§**",
    "§.[^¤a] §.[^¤a]\n\n[^¤a]: §",
    "§.[^¤b]\n\n[^¤b]: §.[^¤c]\n\n[^¤c]: §",
    "§.[^¤d]\n\n[^¤d]: §\n\n    - §\n    - §\n\n    §",
    "### §.[^¤e]\n\n[^¤e]: §",
    "Term §\n: §\n  §\n\n: §\n\nTerm §\n: §",
    "US$20 § or CA$30 § **$1,200** and **$3,400** § $5/$10 §",
    "§ $10 [^¤f] $20 §\n\n[^¤f]: $5 § or $6",
    "§ $x^{¤}$ §\n\n$$\n\\sum_{k=1}^{¤} k\n$$\n\n§",
    "H~2~O § x^2^ § --- §",
    "<table><tr><th>§</th></tr><tr><td><p>§</p><ul><li>§<ul><li>§</li></ul></li></ul></td></tr></table>",
    "<table><tr><td>§</td><td><table><tr><td>§</td></tr></table></td></tr><tr><td></td><td>§.[^¤g]</td></tr></table>\n\n[^¤g]: §",
    "<div>\n§ <b>§</b>\n</div>\n\n§ <b>§</b> <kbd>§</kbd> <sup>§</sup>",
    "<details><summary>§</summary>\n\n§\n\n</details>",
    "§\n\n---\n\n§\\\n§",
    "![¡§](dot.png)\n\n§ ![¡§](dot.png \"¡§\") §",
    "| § |\n|---|\n| ![¡§](dot.png) |",
    "[§][¤] § <https://c.example/§>\n\n[¤]: https://d.example",
    "```mermaid\nflowchart LR\n  A[¡§] --> B[¡§]\n```",
    "§ \\newpage §\n\n\\newpage\n\n§",
    "| § | § |\n|---|---|\n| § | § | § |\n| § | § |",
    "| § | A long heading of a column | Another long heading | One more heading | And one |\n|---|---|---|---|---|\n\
     | §.[^¤h] | Words that need some room | Words that need some room | Words that need some room | §.[^¤i] |\n\n[^¤h]: § **§**\n\n\
     [^¤i]: §.[^¤j]\n\n[^¤j]: §",
    "| § |\n|---|\n| §.[^¤k] §.[^¤k] |\n\n[^¤k]: § `§`\n\n§.[^¤k]",
    "[§](https://a.example \"¡§\") [§][¤l]\n\n[¤l]: <https://b.example> '¡§'",
    "Write to <§> §, or <§-§ x>.",
    "<table><caption>§</caption><tr><td>§</td></tr></table>",
    "<table><thead><tr><th colspan=\"2\">§</th></tr></thead><tbody><tr><td rowspan=\"2\">§</td><td>§</td></tr><tr><td>§</td></tr></tbody></table>",
    "#### §\n\n##### §\n\n###### §",
    "<ul><li>§</li><li>§<p>§</p></li></ul>\n\n<dl><dt>§</dt><dd>§</dd></dl>",
    "<pre>§\n§</pre>\n\n<blockquote>§</blockquote>",
    "<figure><img src=\"dot.png\" alt=\"¡§\"><figcaption>§</figcaption></figure>",
    "[^¤m]: §\n\n§.[^¤m] §.[^¤n]\n\n[^¤o]: §",
    "```text\n§ abcdefgh abcdefgh abcdefgh abcdefgh abcdefgh abcdefgh abcdefgh abcdefgh abcdefgh abcdefgh abcdefgh abcdefgh §\n```",
    "<script>§</script> §\n\n§ <style>§</style>",
    "- §\n\n  ```\n  §\n  ```\n\n  > §\n\n- - §\n  - 1. §",
    "{{ § }} {% § %} #§ @§ [§] (§) \\§ &amp;§ ^[§]",
    "| § | § |\n|---|\n| § | § |",
    "<button>§</button> <textarea>§</textarea> <q>§</q> <abbr>§</abbr> <cite>§</cite>",
];

/// How deep constructs are in a document: by themselves, in an item, in a quote.
const WITHIN: [(&str, &str); 3] = [("", ""), ("- ", "  "), ("> ", "> ")];

/// Numbers, each once.
struct Numbers(u32);

impl Numbers {
    fn next(&mut self) -> u32 {
        self.0 += 1;
        self.0
    }
}

/// A construct with words, and the words: those of pages, and those of HTML only.
fn filled(construct: &str, numbers: &mut Numbers, wanted: &mut (Vec<String>, Vec<String>)) -> String {
    let label = numbers.next();
    let mut result = String::new();
    let mut hidden = false;
    for c in construct.chars() {
        match c {
            '¤' => _ = write!(result, "{label}"),
            '§' => {
                let word = format!("w{}", numbers.next());
                result.push_str(&word);
                (if hidden { &mut wanted.1 } else { &mut wanted.0 }).push(word);
            }
            '¡' => {}
            _ => result.push(c),
        }
        hidden = c == '¡';
    }
    result
}

/// A construct as content of an item or a quote.
fn within(construct: &str, (first, further): (&str, &str)) -> String {
    let mut result = String::new();
    for (index, line) in construct.lines().enumerate() {
        let prefix = if index == 0 { first } else { further };
        let _ = writeln!(result, "{}", format!("{prefix}{line}").trim_end());
    }
    result
}

/// The words of a PDF file; nothing where the program that reads them is not installed.
fn pdf_words(pdf: &[u8]) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("document.pdf");
    fs::write(&path, pdf).unwrap();
    let Ok(output) = Command::new("pdftotext").arg(&path).arg("-").output() else {
        assert!(std::env::var_os("CI").is_none(), "pdftotext is not installed: run .ci/programs");
        return None;
    };
    // Long words are broken with a hyphen.
    Some(String::from_utf8_lossy(&output.stdout).replace("-\n", ""))
}

/// Words that are neither in the text of an artifact nor in a finding.
fn lost(text: &str, rendered: &Rendered, source: &str, wanted: &[String]) -> Vec<String> {
    let reported = |word: &str| {
        rendered.diagnostics.iter().any(|found| {
            let line = source.lines().nth((found.location.line as usize).saturating_sub(1));
            found.message.contains(word) || line.is_some_and(|line| line.contains(word))
        })
    };
    wanted.iter().filter(|word| !has_word(text, word) && !reported(word)).cloned().collect()
}

/// Whether a page has a word, not as the beginning of a longer number.
fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| !text[at + word.len()..].starts_with(|c: char| c.is_ascii_digit()))
}

/// Renders documents in both ways, and notes the words that are lost.
struct Law {
    renderer: Renderer,
    assets: Assets,
    wrong: Vec<String>,
    counted: usize,
}

impl Law {
    fn new() -> Self {
        let assets = [("dot.png".to_owned(), Arc::from(png(4, 4)))].into();
        Self { renderer: builtin(), assets, wrong: Vec::new(), counted: 0 }
    }

    /// The words of pages, and the further ones of HTML.
    fn check(&mut self, name: &str, source: &str, mut wanted: (Vec<String>, Vec<String>)) {
        self.check_as(name, source, Format::Pdf, &wanted.0);
        wanted.0.extend(wanted.1);
        self.check_as(name, source, Format::Html, &wanted.0);
    }

    fn check_as(&mut self, name: &str, source: &str, format: Format, wanted: &[String]) {
        let subject = document(source);
        let asked = Request { assets: &self.assets, force: true, ..request(&subject, format) };
        let rendered = self.renderer.render(&asked);
        let found: Vec<String> =
            rendered.diagnostics.iter().map(|d| format!("{} {}", d.id, d.message)).collect();
        let Some(artifact) = rendered.artifacts.first() else {
            self.wrong.push(format!("{name}, {format}: nothing: {found:?}"));
            return;
        };
        let text = match format {
            Format::Html => Some(String::from_utf8_lossy(&artifact.bytes).into_owned()),
            _ => pdf_words(&artifact.bytes),
        };
        let Some(text) = text else { return };
        self.counted += wanted.len();
        let lost = lost(&text, &rendered, source, wanted);
        if !lost.is_empty() {
            let lines = source.lines().filter(|line| lost.iter().any(|word| has_word(line, word)));
            let lines: Vec<&str> = lines.collect();
            self.wrong.push(format!("{name}, {format}: {lost:?}, {lines:?}, {found:?}"));
        }
        if text.contains(['\u{F0000}', '\u{F0001}']) {
            self.wrong.push(format!("{name}, {format}: a mark is on the page"));
        }
    }

    fn end(self, least: usize) {
        let Self { wrong, counted, .. } = self;
        assert!(wrong.is_empty(), "{} of them\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
        assert!(counted > least, "{counted} words were looked for");
    }
}

#[test]
fn every_word_is_on_the_pages_in_html_or_in_a_finding() {
    let mut law = Law::new();
    for quill in Library::builtin().quills().names() {
        for place in WITHIN {
            let mut numbers = Numbers(1000);
            let mut wanted = (Vec::new(), Vec::new());
            let mut body = String::new();
            for construct in CONSTRUCTS {
                let text = filled(construct, &mut numbers, &mut wanted);
                let _ = write!(body, "{}\nBetween.\n\n", within(&text, place));
            }
            law.check(&format!("{quill}, {place:?}"), &with_body(quill, &body), wanted);
        }
    }
    law.end(3000);
}

/// Documents that are made from numbers: a quill, some constructs, each up to three times in another one.
#[test]
fn every_word_of_documents_made_from_numbers_is_there() {
    let count = if std::env::var_os("PROOFMARK_EVERY").is_some() { 3_000 } else { 40 };
    let quills: Vec<String> = Library::builtin().quills().names().map(str::to_owned).collect();
    let mut chosen = Chosen(0x5eed_0037);
    let mut law = Law::new();
    for index in 0..count {
        let mut numbers = Numbers(1000);
        let mut wanted = (Vec::new(), Vec::new());
        let mut body = String::new();
        for _ in 0..3 + chosen.below(8) {
            let mut text = filled(chosen.of::<&str>(&CONSTRUCTS), &mut numbers, &mut wanted);
            for _ in 0..chosen.below(4) {
                text = within(&text, *chosen.of(&WITHIN));
            }
            let _ = write!(body, "{text}\nBetween.\n\n");
        }
        let quill = &quills[index % quills.len()];
        law.check(&format!("document {index}, {quill}"), &with_body(quill, &body), wanted);
    }
    law.end(count * 20);
}

/// The notes of an abstract are below it, where it is over the columns of a page.
#[test]
fn notes_of_an_abstract_are_on_the_page() {
    let head = |columns: &str| {
        format!(
            "---\nQUILL: article\ntitle: Ice\nauthors: [{{name: Ines}}]\ncolumns: {columns}\nabstract: |\n  One.[^1] Two.[^2] Again.[^1]\n\n  \
             [^1]: w1001 **w1002**\n\n  [^2]: w1003.[^3]\n\n  [^3]: w1004\n---\n\nText.[^1]\n\n[^1]: w1005\n"
        )
    };
    let mut law = Law::new();
    for columns in ["one", "two"] {
        let words = (1001..=1005).map(|number| format!("w{number}")).collect();
        law.check(columns, &head(columns), (words, Vec::new()));
    }
    law.end(10);
}

/// Layouts show what blocks contain besides their fields: a word in each block of each example.
#[test]
fn what_blocks_of_examples_contain_is_on_the_pages() {
    let renderer = builtin();
    let library = Library::builtin();
    let mut blocks = 0;
    for quill in library.quills().names() {
        let example = library.example(quill).unwrap();
        let mut numbers = Numbers(1000);
        let mut wanted = Vec::new();
        let mut source = String::new();
        let mut is_head = false;
        for line in example.lines() {
            let _ = writeln!(source, "{line}");
            is_head |= line.starts_with("SCOPE:");
            if is_head && line == "---" {
                let word = format!("w{}", numbers.next());
                let _ = write!(source, "\nA {word}.\n\n");
                wanted.push(word);
                is_head = false;
            }
        }
        blocks += wanted.len();
        let subject = document(&source);
        for format in [Format::Pdf, Format::Html] {
            let rendered = renderer.render(&Request { force: true, ..request(&subject, format) });
            let bytes = &rendered.artifacts.first().unwrap().bytes;
            let text = match format {
                Format::Html => Some(String::from_utf8_lossy(bytes).into_owned()),
                _ => pdf_words(bytes),
            };
            let Some(text) = text else { continue };
            assert_eq!(lost(&text, &rendered, &source, &wanted), [""; 0], "{quill}, {format}");
        }
    }
    assert!(blocks > 20, "{blocks} blocks");
}
