//! Every word of a Quarto document is in what it is converted to, or in a finding: all constructs, by themselves and within
//! each other, in documents that are made from numbers. `PROOFMARK_EVERY=1` takes 3,000 documents.
#![allow(clippy::print_stderr, reason = "what was skipped or counted is shown")]

use std::{
    collections::{BTreeMap, HashMap},
    ffi::OsString,
    fmt::Write as _,
    fs,
    io::Read as _,
    path::Path,
    process::Command,
};

use crate::numbers::Numbers;

/// Constructs. `§` is a word, `¤` a number of the construct. What begins with `≡` is left out as a whole by some formats, with a
/// finding at its first line.
const CONSTRUCTS: [&str; 71] = [
    "§ **§** *§* ~~§~~ `§` [§]{.mark} [§]{.smallcaps} [§](https://a.example) [§]{.underline} \"§\" '§'",
    "H~2~O § x^§^ § --- § [**§** *§*]{.x} ~~**§**~~ ***§*** **a`§`b**",
    "## § {#sec-¤}\n\n§ @sec-¤",
    "### § *§* `§`",
    "# § {.unnumbered}\n\n§",
    "#### §\n\n##### §\n\n###### §",
    "- §\n- §\n  - §\n\n    §\n- §",
    "1. §\n2. §\n\n   §",
    "- [ ] §\n- [x] §",
    "(@) §\n\n(@) §",
    "§\n: §\n\n: §\n\n§\n: §",
    "| § §\n| §",
    "| § | § |\n|---|---|\n| § |  |\n|  | **§** |",
    "| § | § |\n|--:|:-:|\n| § | § |\n\n: § {#tbl-a¤}\n\n@tbl-a¤",
    "| § |\n|---|\n| § | § |",
    "+----------------------+---------------+\n| §                | §         |\n+======================+===============+\n| - §              | §         |\n\
     +----------------------+---------------+",
    "+------+------+\n| §            | §            |\n+------+------+",
    "§      §\n---------- ----------\n§      §\n§      §\n",
    "<table><tr><th>§</th></tr><tr><td>§</td></tr></table>",
    "> §\n>\n> - §",
    "```python\n§ = 1\n# §\n```",
    "```{.python filename=\"§.py\"}\n§ = 1\n```",
    "    §\n    §",
    "§.[^¤]\n\n[^¤]: § **§**\n\n    §",
    "§.^[§ *§*]",
    "| § |\n|---|\n| §.[^¤t] |\n\n[^¤t]: §",
    "::: {.callout-note}\n## §\n\n§\n:::",
    "::: {.callout-tip title=\"§\" collapse=\"true\"}\n§\n:::",
    "::: {.callout-warning}\n§\n\n- §\n:::",
    "::: {.panel-tabset}\n## §\n\n§\n\n## §\n\n§\n:::",
    ":::: {.columns}\n::: {.column width=\"50%\"}\n§\n:::\n::: {.column}\n§\n:::\n::::",
    "::: {.card title=\"§\"}\n§\n:::",
    "::: {.valuebox title=\"§ *§*\"}\n§\n:::",
    "::: {.column-margin}\n§\n:::",
    "[§]{.aside}",
    "::: {.aside}\n§\n:::",
    "![§](dot.png){#fig-¤ fig-alt=\"§\"}\n\n@fig-¤ §",
    "![§](dot.png)",
    "§ ![§](dot.png \"§\") §",
    "::: {#fig-l¤ layout-ncol=2}\n![§](dot.png){#fig-l¤a}\n\n![§](dot.png){#fig-l¤b}\n\n§\n:::",
    "::: {layout-ncol=2}\n§\n\n§\n:::",
    "§ $x^{¤}$ §\n\n$$\n\\sum_{k=1}^{¤} k\n$$ {#eq-¤}\n\n@eq-¤ §",
    "<b>§</b> § <div>§</div>",
    "<div>\n§\n</div>",
    "<details><summary>§</summary>\n\n§\n\n</details>",
    "§\n\n---\n\n§\\\n§",
    "::: {#thm-¤}\n## §\n\n§\n:::\n\n@thm-¤",
    "::: {.proof}\n§\n:::",
    "::: {.incremental}\n- §\n- §\n:::",
    "§\n\n. . .\n\n§",
    "≡::: {.notes}\n§\n:::",
    "::: {.fragment}\n§\n:::",
    "[§][¤] <https://c.example/§> [§](https://d.example \"§\")\n\n[¤]: https://e.example",
    "{{< kbd Ctrl-§ >}} § {{< pagebreak >}}\n\n§",
    "::: {.content-visible unless-format=\"xyz\"}\n§\n:::",
    "≡```{=html}\n<p>§</p>\n```",
    "`<i>§</i>`{=html}",
    "::: {.line-block}\n§\n:::",
    "§ [@unknown§] § @unknown¤",
    "::: {.landscape}\n§\n:::",
    "```{mermaid}\nflowchart LR\n  A[§] --> B[§]\n```",
    "\\newpage §\n\n\\textbf{§}",
    "::: {.x #i¤ data-a=\"q\"}\n::: y\n§\n:::\n:::",
    "[§]{.kbd} [§]{style=\"color:red\"} [§]{.fragment}",
    "{{< lipsum 1 >}} §",
    "{{< video https://a.example/§.mp4 >}}",
    "::: {#lst-¤}\n```python\n§\n```\n\n§\n:::",
    "```{#lst-b¤ .python lst-cap=\"§\"}\n§\n```",
    "::: {#tbl-p¤}\n| § |\n|---|\n| § |\n\n§\n:::",
    "```python\na = 1 # <1>\n```\n1. § `§`",
    "§ {{< meta nothing¤ >}} §",
];

/// What constructs are within: the beginning of the first line and of the others.
const WITHIN: [(&str, &str); 3] = [("- ", "  "), ("> ", "> "), ("1. ", "   ")];

/// The header of every second document.
const HEADER: &str = "---\ntitle: \"§ *§*\"\nsubtitle: \"§\"\nauthor:\n  - name: \"§\"\n    affiliations:\n      - name: \"§\"\ndate: 2026-01-02\n\
                      abstract: \"§ *§*\"\n---\n\n";

/// Formats with the endings of their files. The last ones need Pandoc.
const EMBEDDED: [(&str, &str); 5] =
    [("html", "html"), ("revealjs", "html"), ("gfm", "md"), ("ipynb", "ipynb"), ("pptx", "pptx")];
const BY_PANDOC: [(&str, &str); 2] = [("docx", "docx"), ("latex", "tex")];

/// A picture of one pixel.
const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0cIDATx\x9cc\xf8\xcf\xc0\0\0\x03\x01\x01\0\xc9\xfe\x92\xef\0\0\0\0IEND\xaeB`\x82";

/// A word, and the first line of the construct where that is left out as a whole.
struct Word {
    text: String,
    whole: Option<usize>,
}

/// A document with its words.
struct Made {
    text: String,
    words: Vec<Word>,
    last: u32,
}

impl Made {
    fn new() -> Self {
        Self { text: String::new(), words: Vec::new(), last: 1000 }
    }

    fn next(&mut self) -> u32 {
        self.last += 1;
        self.last
    }

    /// A construct with words in it.
    fn filled(&mut self, construct: &str, whole: Option<usize>) -> String {
        let label = self.next();
        let mut result = String::new();
        for c in construct.chars() {
            match c {
                '¤' => _ = write!(result, "{label}"),
                '§' => {
                    let text = format!("w{}", self.next());
                    result.push_str(&text);
                    self.words.push(Word { text, whole });
                }
                _ => result.push(c),
            }
        }
        result
    }

    fn add(&mut self, construct: &str, numbers: &mut Numbers, depth: usize) {
        let at = self.text.lines().count() + 1;
        let whole = construct.strip_prefix('≡');
        let mut text = self.filled(whole.unwrap_or(construct), whole.map(|_| at));
        for _ in 0..depth {
            let (first, further) = numbers.of(&WITHIN);
            let line = |(index, line): (usize, &str)| {
                format!("{}{line}", if index == 0 { first } else { further }).trim_end().to_owned()
            };
            text = text.lines().enumerate().map(line).collect::<Vec<_>>().join("\n");
        }
        let _ = write!(self.text, "{text}\n\nBetween.\n\n");
    }
}

/// The documents: each construct alone, and some of them within others.
fn documents(count: usize) -> Vec<Made> {
    let mut numbers = Numbers(0x5eed_0001);
    let alone = CONSTRUCTS.iter().map(|construct| {
        let mut made = Made::new();
        made.add(construct, &mut Numbers(1), 0);
        made
    });
    let mut all: Vec<Made> = alone.collect();
    while all.len() < count {
        let mut made = Made::new();
        if numbers.below(2) == 0 {
            made.text = made.filled(HEADER, None);
        }
        for _ in 0..2 + numbers.below(6) {
            let depth = numbers.below(3);
            let construct = *numbers.of(&CONSTRUCTS);
            made.add(construct, &mut numbers, depth);
        }
        all.push(made);
    }
    all
}

/// The text of a result: of all parts where it is an archive.
fn text(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.read_to_end(&mut bytes).unwrap();
    if !bytes.starts_with(b"PK") {
        return String::from_utf8(bytes).ok();
    }
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let mut out = String::new();
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).unwrap();
        let mut own = Vec::new();
        part.read_to_end(&mut own).unwrap();
        out.push_str(&String::from_utf8_lossy(&own));
    }
    Some(out)
}

/// Whether text has a word, not as the beginning of a longer one.
fn has(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| !text[at + word.len()..].starts_with(|c: char| c.is_ascii_digit()))
}

/// Lines and words of the findings on each document, from a report of one line per finding.
fn findings(report: &str) -> HashMap<String, Vec<(usize, String)>> {
    let mut out: HashMap<String, Vec<(usize, String)>> = HashMap::new();
    for line in report.lines() {
        let mut parts = line.splitn(4, ':');
        let (Some(name), Some(Ok(at)), Some(_), Some(words)) =
            (parts.next(), parts.next().map(str::parse), parts.next(), parts.next())
        else {
            continue;
        };
        out.entry(name.to_owned()).or_default().push((at, words.to_owned()));
    }
    out
}

/// Converts documents to a format, and returns what was lost and how many words were looked for.
fn lost(documents: &[Made], (format, extension): (&str, &str), path: &OsString) -> (Vec<String>, usize) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("dot.png"), PIXEL).unwrap();
    let names: Vec<String> = (0..documents.len()).map(|index| format!("d{index}.qmd")).collect();
    for (name, made) in names.iter().zip(documents) {
        fs::write(folder.path().join(name), &made.text).unwrap();
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_proofmark"));
    command.current_dir(folder.path()).arg("convert").args(&names).args(["--to", format, "-o", "out/"]);
    command.args(["--report", "concise"]).env("PATH", path).env("NO_COLOR", "1");
    command.env("PROOFMARK_RENDER_WORKER", folder.path().join("none"));
    let output = command.output().unwrap();
    let report = String::from_utf8(output.stderr).unwrap();
    let findings = findings(&report);
    let (mut wrong, mut counted) = (Vec::new(), 0);
    for (name, made) in names.iter().zip(documents) {
        let result = folder.path().join("out").join(name).with_extension(extension);
        let Some(text) = text(&result) else {
            wrong.push(format!("{format}: no result of\n{}\n{:?}\n{report}", made.text, findings.get(name)));
            continue;
        };
        let lines: Vec<&str> = made.text.lines().collect();
        let own = findings.get(name).map(Vec::as_slice).unwrap_or_default();
        counted += made.words.len();
        let missing = made.words.iter().filter(|word| {
            let reported = |(line, words): &(usize, String)| {
                has(words, &word.text)
                    || word.whole == Some(*line)
                    || lines.get(line - 1).is_some_and(|line| has(line, &word.text))
            };
            !has(&text, &word.text) && !own.iter().any(reported)
        });
        let missing: Vec<&str> = missing.map(|word| word.text.as_str()).collect();
        if !missing.is_empty() {
            wrong.push(format!("{format}: {missing:?} of\n{}\n{own:?}", made.text));
        }
    }
    (wrong, counted)
}

/// Pandoc, where it is installed: in the folder of programs of the build, or elsewhere.
fn with_pandoc() -> Option<OsString> {
    let programs = Path::new(env!("CARGO_BIN_EXE_proofmark")).ancestors().nth(2)?.join("programs");
    let path = std::env::join_paths(
        std::iter::once(programs).chain(std::env::split_paths(&std::env::var_os("PATH")?)),
    );
    let path = path.ok()?;
    let found = Command::new("pandoc").arg("--version").env("PATH", &path).output().is_ok();
    let required = std::env::var_os("PROOFMARK_REQUIRE_PANDOC").is_some();
    assert!(found || !required, "pandoc 3.1 or later is required and is not in PATH");
    if !found {
        eprintln!("SKIPPED: pandoc is not installed: run .ci/programs");
    }
    found.then_some(path)
}

fn every() -> bool {
    std::env::var_os("PROOFMARK_EVERY").is_some()
}

#[test]
fn every_word_is_in_what_is_converted_without_pandoc_or_in_a_finding() {
    let documents = documents(if every() { 3_000 } else { 130 });
    let none = OsString::new();
    let (mut wrong, mut counted) = (Vec::new(), BTreeMap::new());
    for format in EMBEDDED {
        for part in documents.chunks(100) {
            let (more, words) = lost(part, format, &none);
            wrong.extend(more);
            *counted.entry(format.0).or_insert(0) += words;
        }
    }
    eprintln!("{} documents, words: {counted:?}", documents.len());
    assert!(wrong.is_empty(), "{} documents\n{}", wrong.len(), wrong[..wrong.len().min(12)].join("\n"));
    assert!(counted.values().all(|words| *words > 700), "{counted:?}");
}

#[test]
fn every_word_is_in_what_pandoc_writes_or_in_a_finding() {
    let Some(path) = with_pandoc() else { return };
    let all = documents(if every() { 3_000 } else { 90 });
    let (mut wrong, mut counted) = (Vec::new(), BTreeMap::new());
    for format in BY_PANDOC {
        for part in all.chunks(100) {
            let (more, words) = lost(part, format, &path);
            wrong.extend(more);
            *counted.entry(format.0).or_insert(0) += words;
        }
    }
    eprintln!("{} documents, words: {counted:?}", all.len());
    assert!(wrong.is_empty(), "{} documents\n{}", wrong.len(), wrong[..wrong.len().min(12)].join("\n"));
    assert!(counted.values().all(|words| *words > 400), "{counted:?}");
}
