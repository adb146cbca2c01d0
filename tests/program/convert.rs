//! Conversions through the command line, and what hostile documents must not achieve.
#![allow(clippy::print_stderr, reason = "what was skipped or counted is shown")]

use std::{
    fs,
    io::Read as _,
    path::Path,
    process::{Command, Output},
};

/// A picture of one pixel.
const PICTURE: &[u8] = &[
    0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0,
    0, 1, 8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 13, b'I', b'D', b'A', b'T', 0x78, 0xda, 0x63, 0x64,
    0xf8, 0xcf, 0x50, 0x0f, 0, 0x03, 0x86, 0x01, 0x80, 0x5a, 0x34, 0x7d, 0x6b, 0, 0, 0, 0, b'I', b'E', b'N',
    b'D', 0xae, 0x42, 0x60, 0x82,
];

fn convert(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_proofmark"));
    command.current_dir(folder).arg("convert").args(arguments).env("PATH", "").env("NO_COLOR", "1");
    command.output().unwrap()
}

/// Converts a document to a web page.
fn page(text: &str, further: &[&str]) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.qmd"), text).unwrap();
    page_in(folder.path(), further)
}

fn page_in(folder: &Path, further: &[&str]) -> (String, String) {
    let output = convert(folder, &[&["a.qmd", "--to", "html"], further].concat());
    let messages = String::from_utf8(output.stderr).unwrap();
    let page = fs::read_to_string(folder.join("a.html"));
    (page.unwrap_or_else(|_| panic!("nothing written: {messages}")), messages)
}

#[test]
fn references_have_the_numbers_of_their_targets() {
    let text = "---\ntitle: A\nnumber-sections: true\n---\n\n# One {#sec-a}\n\nSee @fig-x, @tbl-y, @eq-z, @sec-a and @thm-t.\n\n\
                ![Cap](a.png){#fig-x}\n\n| a |\n|---|\n| 1 |\n\n: Tab {#tbl-y}\n\n$$x$$ {#eq-z}\n\n::: {#thm-t}\n## Line\nText.\n:::\n";
    let (page, _) = page(text, &[]);
    for expected in [
        "href=\"#fig-x\" class=\"quarto-xref\">Figure&nbsp;<span>1</span>",
        "Figure&nbsp;1: Cap",
        "Table&nbsp;1: Tab",
        "x \\tag{1}",
        "Section&nbsp;<span>1</span>",
        "<strong>Theorem 1 (Line)</strong>",
    ] {
        assert!(page.contains(expected), "{expected} is missing in {page}");
    }
}

#[test]
fn a_slide_without_a_title_is_a_section_without_a_heading_on_a_page() {
    let (page, _) = page("---\ntitle: A\n---\n\n## B\n\nOne.\n\n##\n\nTwo.\n", &[]);
    assert_eq!(page.matches("<h2").count(), 1, "{page}");
    assert!(page.contains("<p>Two.</p>") && page.matches("<section").count() >= 2, "{page}");
}

#[test]
fn options_of_the_command_win_over_the_document() {
    let text = "---\ntitle: A\ntoc: true\ncrossref:\n  fig-title: Abb.\n---\n\n## B\n\n![c](a.png){#fig-x}\n";
    let (page, _) = page(text, &["--option", "toc=false", "--option", "crossref.fig-title=Bild"]);
    assert!(!page.contains("id=\"TOC\"") && page.contains("Bild&nbsp;1: c"), "{page}");
}

#[test]
fn a_document_with_errors_is_not_converted() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.qmd"), "---\ntitle: [\n---\n").unwrap();
    let output = convert(folder.path(), &["a.qmd", "--to", "html"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(!folder.path().join("a.html").exists());
}

#[test]
fn the_same_document_gives_the_same_bytes() {
    let text = "---\ntitle: A\n---\n\n# B\n\nText.[^1]\n\n[^1]: Note.\n";
    assert_eq!(page(text, &[]).0, page(text, &[]).0);
}

#[test]
fn content_of_other_formats_is_left_out_and_code_is_not_executed() {
    let text = "::: {.content-visible when-format=\"docx\"}\nWord\n:::\n\n::: {.content-hidden when-format=\"html\"}\nHidden\n:::\n\n\
                ::: {.content-visible when-format=\"html\"}\nWeb\n:::\n\n```{python}\n#| echo: true\nopen('x', 'w')\n```\n";
    let (page, messages) = page(text, &[]);
    assert!(!page.contains("Word") && !page.contains("Hidden") && page.contains("<p>Web</p>"), "{page}");
    assert!(page.contains("<span class=\"bu\">open</span>") && messages.contains("CV003"), "{messages}");
}

#[test]
fn an_unknown_format_names_the_similar_one() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.qmd"), "Text\n").unwrap();
    let output = convert(folder.path(), &["a.qmd", "--to", "dokx"]);
    let messages = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(messages.contains("did you mean `docx`?"), "{messages}");
}

#[test]
fn a_missing_program_is_reported_with_how_to_install_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.qmd"), "Text\n").unwrap();
    let output = convert(folder.path(), &["a.qmd", "--to", "docx"]);
    let messages = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    for way in ["pip install pypandoc_binary", "Debian", "brew install pandoc", "winget"] {
        assert!(messages.contains(way), "{way} is missing in {messages}");
    }
}

/// A document in a folder, with a secret outside of it.
fn beside_a_secret(text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("docs");
    fs::create_dir(&folder).unwrap();
    fs::write(outer.path().join("secret.txt"), "TOP-SECRET").unwrap();
    fs::write(outer.path().join("secret.svg"), "<svg>TOP-SECRET</svg>").unwrap();
    fs::write(folder.join("a.qmd"), text).unwrap();
    (outer, folder)
}

#[test]
fn files_outside_the_folder_do_not_get_into_the_result() {
    let attacks = [
        "![x](../secret.svg)\n",
        "---\ncss: ../secret.txt\n---\nx\n",
        "---\ntemplate: ../secret.txt\n---\nx\n",
        "---\nformat:\n  html:\n    include-in-header: ../secret.txt\n---\nx\n",
        "---\nformat:\n  html:\n    include-after-body:\n      - file: ../secret.txt\n---\nx\n",
        "---\nmetadata-files: [../secret.txt]\n---\nx\n",
        "::: {.content-visible when-format=\"pdf\"}\n{{< include ../secret.txt >}}\n:::\n\nx\n",
    ];
    for attack in attacks {
        let (_outer, folder) = beside_a_secret(attack);
        let output = convert(&folder, &["a.qmd", "--to", "html"]);
        let page = fs::read_to_string(folder.join("a.html")).unwrap_or_default();
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !page.contains("TOP-SECRET") && !messages.contains("TOP-SECRET"),
            "{attack}: {page}{messages}"
        );
        assert!(!page.contains("VE9QLVNFQ1JFV"), "{attack}");
    }
}

#[test]
fn keys_that_run_programs_have_no_effect_and_are_reported() {
    let text =
        "---\ntitle: A\nfilters: [evil.lua]\nformat:\n  html:\n    lua-filter: evil.lua\n---\n\nText.\n";
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.qmd"), text).unwrap();
    fs::write(folder.path().join("evil.lua"), "os.execute('touch pwned')").unwrap();
    let (_, messages) = page_in(folder.path(), &[]);
    assert!(messages.contains("CV005") && messages.contains("`filters`"), "{messages}");
    assert!(!folder.path().join("pwned").exists());
}

#[test]
fn values_of_the_environment_are_not_read() {
    let (page, messages) = page("Path: {{< env PATH >}}. User: {{< env USER unknown >}}.\n", &[]);
    assert!(page.contains("User: unknown.") && messages.contains("CV004"), "{page}{messages}");
}

#[test]
fn links_that_are_programs_are_cut() {
    let (page, _) = page("[a](javascript:alert(1)) [b](JAVASCRIPT:alert(1)) ![c](javascript:x)\n", &[]);
    assert!(!page.to_lowercase().contains("javascript:"), "{page}");
}

#[test]
fn hostile_nesting_takes_little_time() {
    let pieces =
        ["> ", "- ", "[", "*a _b ", "![](", "^[", "{{< meta a ", "<div>\n", "| a ", "<!-- \n", "@a ["];
    for piece in pieces {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.qmd"), piece.repeat(20_000)).unwrap();
        let start = std::time::Instant::now();
        let output = convert(folder.path(), &["a.qmd", "--to", "html", "--select", "CV"]);
        assert!(start.elapsed().as_secs() < 20, "{piece}: {:?}", start.elapsed());
        assert_ne!(output.status.code(), Some(3), "{piece}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(output.status.code().is_some(), "{piece} ended the program");
    }
}

/// Documents that become much larger than they are, with the files beside them.
fn bombs() -> Vec<(&'static str, Vec<(&'static str, String)>)> {
    let nested = |word: &str, shortcode: &str| {
        let inner = |level: u32| format!("{{{{< {shortcode} m{level} >}}}} ").repeat(100);
        let levels: String = (1..=4).map(|level| format!("m{level}: \"{}\"\n", inner(level - 1))).collect();
        format!("m0: {word}\n{levels}")
    };
    let long = format!("---\nlong: \"{}\"\n---\n\n", "word ".repeat(1_900));
    let bibliography: String = (0..20_000).map(|n| format!("@book{{k{n}, title={{T {n}}}}}\n")).collect();
    let names: String = (0..30).map(|n| format!("  - {}a.bib\n", "./".repeat(n))).collect();
    vec![
        (
            "values in values",
            vec![("a.qmd", format!("---\n{}---\n\n{{{{< meta m4 >}}}}\n", nested("word", "meta")))],
        ),
        ("a long value", vec![("a.qmd", format!("{long}{}", "{{< meta long >}} ".repeat(10_000)))]),
        ("filler text", vec![("a.qmd", "{{< lipsum 100 >}}\n\n".repeat(1_000))]),
        (
            "variables in variables",
            vec![("_variables.yml", nested("word", "var")), ("a.qmd", "{{< var m4 >}}\n".to_owned())],
        ),
        (
            "includes",
            vec![("_a.qmd", "word ".repeat(200_000)), ("a.qmd", "{{< include _a.qmd >}}\n\n".repeat(200))],
        ),
        (
            "notes",
            vec![("a.qmd", {
                let note = |n: usize| {
                    format!("{}\n\n[^{n}]: {}\n\n", format!("[^{n}] ").repeat(32), "w ".repeat(5_000))
                };
                (0..100).map(note).collect()
            })],
        ),
        (
            "bibliographies",
            vec![
                ("a.bib", bibliography.repeat(5)),
                ("a.qmd", format!("---\nbibliography:\n{names}---\n\n@k1\n")),
            ],
        ),
    ]
}

#[test]
fn documents_that_become_much_larger_are_refused_with_the_limit() {
    for (name, files) in bombs() {
        for form in ["html", "pptx", "gfm"] {
            let folder = tempfile::tempdir().unwrap();
            for (path, text) in &files {
                fs::write(folder.path().join(path), text).unwrap();
            }
            let output = convert(folder.path(), &["a.qmd", "--to", form, "-o", &format!("out.{form}")]);
            let messages = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{name} to {form}: {messages}");
            assert!(messages.contains("the conversion exceeds the limit of"), "{name} to {form}: {messages}");
            assert!(!folder.path().join(format!("out.{form}")).exists(), "{name} to {form}");
        }
    }
}

#[test]
fn a_picture_that_is_named_often_is_in_a_deck_once_and_limited_in_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let mut picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x08".to_vec();
    picture.resize(1 << 20, 0);
    fs::write(folder.path().join("p.png"), picture).unwrap();
    fs::write(folder.path().join("a.qmd"), "![](p.png)\n\n".repeat(500)).unwrap();
    let output = convert(folder.path(), &["a.qmd", "--to", "pptx", "-o", "a.pptx"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(fs::metadata(folder.path().join("a.pptx")).unwrap().len() < 1 << 20);
    let output = convert(folder.path(), &["a.qmd", "--to", "html"]);
    let messages = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{messages}");
    assert!(messages.contains("bytes for what is read and made"), "{messages}");
}

#[test]
fn a_bibliography_that_is_named_often_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("a.bib"),
        "@book{k, author={A. B}, title={T}, year={2000}}\n".repeat(20_000),
    )
    .unwrap();
    let text = format!("---\nbibliography:\n{}---\n\n@k\n", "  - a.bib\n".repeat(300));
    fs::write(folder.path().join("a.qmd"), text).unwrap();
    let (page, _) = page_in(folder.path(), &[]);
    assert!(page.contains("B (2000)") || page.contains("(2000)") || page.contains("2000"), "cited");
}

#[test]
fn very_many_losses_are_counted() {
    let text: String = (0..3_000).map(|n| format!("@k{n} ")).collect();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.bib"), "@book{a, title={T}}\n").unwrap();
    fs::write(folder.path().join("a.qmd"), format!("---\nbibliography: a.bib\n---\n\n{text}\n")).unwrap();
    let (_, messages) = page_in(folder.path(), &["--report", "concise"]);
    assert!(
        messages.contains("2000 more cannot be resolved"),
        "{}",
        &messages[messages.len().saturating_sub(500)..]
    );
    // The rule about citations has diagnostics of its own.
    let described = messages.lines().filter(|line| line.contains("cannot be resolved")).count();
    assert_eq!(described, 1_001);
}

#[test]
fn a_name_of_a_div_after_invalid_attributes_is_text() {
    let text = "<!-- proofmark-ignore-file QD205: x -->\n\n:::e \u{fb01}\n";
    let (page, _) = page(text, &[]);
    assert!(page.contains('\u{fb01}'), "{page}");
}

#[cfg(unix)]
#[test]
fn templates_and_outputs_that_are_pipes_or_devices_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.qmd"), "# A\n").unwrap();
    let pipe = |name: &str| {
        assert!(Command::new("mkfifo").arg(folder.path().join(name)).status().unwrap().success());
    };
    pipe("t.pptx");
    pipe("out.html");
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("z.pptx")).unwrap();
    for (arguments, shown) in [
        (&["a.qmd", "-o", "o.pptx", "--template", "t.pptx"][..], "cannot read `t.pptx`: not a regular file"),
        (&["a.qmd", "-o", "o.pptx", "--template", "z.pptx"], "cannot read `z.pptx`: not a regular file"),
        (&["a.qmd", "-o", "out.html", "--force"], "no program reads from the pipe"),
    ] {
        let output = convert(folder.path(), arguments);
        let messages = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{messages}");
        assert!(messages.contains(shown), "{messages}");
    }
}

#[test]
fn deep_divs_are_flattened_and_reported() {
    let text = format!("{}text\n{}", "::: {.a}\n".repeat(10_000), ":::\n".repeat(10_000));
    let (page, messages) = page(&text, &[]);
    assert!(page.contains("text") && messages.contains("CV006"), "{messages}");
}

#[test]
fn references_in_a_cycle_end() {
    let text = "---\na: \"{{< meta b >}}\"\nb: \"{{< meta a >}}\"\n---\n\nText.[^a] {{< meta a >}}\n\n[^a]: More.[^b]\n\n[^b]: Less.[^a]\n";
    let (page, _) = page(text, &[]);
    assert!(page.contains("More."), "{page}");
}

#[test]
fn a_deck_keeps_what_other_writers_of_decks_drop() {
    let folder = tempfile::tempdir().unwrap();
    let text = "---\ntitle: A\nformat: pptx\n---\n\n## Values\n\n| a |\n|---|\n| 1 |\n\n: Tab {#tbl-a}\n\nSee @tbl-a.\n";
    fs::write(folder.path().join("a.qmd"), text).unwrap();
    let output = convert(folder.path(), &["a.qmd", "-o", "a.pptx"]);
    let messages = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), messages.as_str()), (Some(0), ""));
    let file = fs::File::open(folder.path().join("a.pptx")).unwrap();
    let mut parts = zip::ZipArchive::new(file).unwrap();
    let mut slides = String::new();
    for name in ["ppt/slides/slide1.xml", "ppt/slides/slide2.xml"] {
        std::io::Read::read_to_string(&mut parts.by_name(name).unwrap(), &mut slides).unwrap();
    }
    // Captions with their numbers, and references to them.
    for words in ["Table\u{a0}1: Tab", "See ", "<a:tbl>"] {
        assert!(slides.contains(words), "{words}: {slides}");
    }
    assert!(!slides.contains("@tbl-a"), "{slides}");
}

/// Converts a document with options; gives the result as text.
fn converted(text: &str, output: &str, further: &[&str]) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.qmd"), text).unwrap();
    let made = convert(folder.path(), &[&["a.qmd", "-o", output], further].concat());
    let messages = String::from_utf8(made.stderr).unwrap();
    (fs::read_to_string(folder.path().join(output)).unwrap_or_default(), messages)
}

#[test]
fn markdown_and_notebooks_need_no_other_program() {
    let text = "---\ntitle: A *b*\nauthor: Ann\n---\n\n::: {.callout-tip}\n## Try\nIt.\n:::\n\nSee @tbl-x.[^1]\n\n[^1]: Note.\n\n\
                | a | b |\n|---|---|\n| 1 | 2 |\n\n: Tab {#tbl-x}\n\n```{python}\n#| label: c\nprint(1)\n```\n";
    let (gfm, _) = converted(text, "a.md", &["--to", "gfm"]);
    for part in [
        "# A *b*\n\nAnn\n",
        "> [!TIP]",
        "See [Table 1](#tbl-x).[^1]",
        "<a id=\"tbl-x\"></a>\n\n| a   | b   |\n| --- | --- |\n| 1   | 2   |\n\nTable 1: Tab",
        "``` python\nprint(1)\n```",
        "[^1]: Note.",
    ] {
        assert!(gfm.replace('\u{a0}', " ").contains(part), "{part} is missing in {gfm}");
    }
    let (commonmark, _) = converted(text, "a.md", &["--to", "commonmark"]);
    assert!(
        commonmark.contains("<td>\n\n1\n\n</td>") && commonmark.contains("1. <a id=\"fn1\"></a>Note."),
        "{commonmark}"
    );
    let (notebook, _) = converted(text, "a.ipynb", &[]);
    let notebook: serde_json::Value = serde_json::from_str(&notebook).unwrap();
    let kinds: Vec<&str> = notebook["cells"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cell| cell["cell_type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["markdown", "markdown", "code", "markdown"]);
    assert_eq!(notebook["cells"][2]["source"], serde_json::json!(["print(1)"]));
}

#[test]
fn titles_of_callouts_and_tabs_are_not_sections() {
    let text = "---\nnumber-sections: true\n---\n\n# A\n\n::: {.callout-note}\n## Careful\nIt.\n:::\n\n::: {.panel-tabset}\n## R\nr\n\n\
                ## Python\np\n:::\n\n## B\n";
    let (gfm, _) = converted(text, "a.md", &["--to", "gfm"]);
    for part in ["# 1 A\n", "> ### Careful\n", "**R**\n", "**Python**\n", "## 1.1 B\n"] {
        assert!(gfm.contains(part), "{part} is missing in {gfm}");
    }
    let (page, _) = page(text, &[]);
    assert!(page.contains("<span class=\"header-section-number\">1.1</span> B"), "{page}");
}

#[test]
fn slides_and_dashboards_show_the_logo_of_the_brand() {
    let text = "---\ntitle: A\nbrand:\n  logo:\n    images:\n      sun: {path: sun.png, alt: Sun}\n    medium: {light: sun, dark: moon.png}\n---\n\n## B\n\nText.\n";
    let (slides, _) = converted(text, "a.html", &["--to", "revealjs"]);
    assert!(slides.contains("<img src=\"sun.png\" alt=\"Sun\" class=\"slide-logo\">"), "{slides}");
    let (dark, _) = converted(text, "a.html", &["--to", "revealjs", "--option", "brand-mode=dark"]);
    assert!(dark.contains("<img src=\"moon.png\" class=\"slide-logo\">"), "{dark}");
    let (dashboard, _) = converted(text, "a.html", &["--to", "dashboard"]);
    for expected in [
        "<img src=\"sun.png\" alt=\"Sun\" class=\"navbar-logo light-content d-inline-block\">",
        "<img src=\"moon.png\" alt=\"\" class=\"navbar-logo dark-content d-inline-block\">",
    ] {
        assert!(dashboard.contains(expected), "{expected} is missing in {dashboard}");
    }
    let (none, _) = converted(text, "a.html", &["--to", "revealjs", "--option", "logo=false"]);
    assert!(!none.contains("class=\"slide-logo\""), "{none}");
}

#[test]
fn annotations_of_shown_diagrams_are_not_part_of_them() {
    let text = "``` {.mermaid filename=\"a.mmd\"}\nflowchart LR\n  A --> B %% <1>\n```\n\n1. An edge.\n";
    let (page, messages) = page(text, &[]);
    assert!(page.contains("data-target-annotation=\"1\"") && !page.contains("%%"), "{page}{messages}");
}

#[test]
fn a_pause_and_a_picture_alone_on_its_slide() {
    let text =
        "## A\n\nFirst.\n\n. . .\n\nSecond.\n\n## B\n\n![Cap](b.png){#fig-b}\n\n## C\n\n[there](#fig-b)\n";
    let (slides, _) = converted(text, "a.html", &["--to", "revealjs"]);
    for expected in [
        "<div class=\"fragment\">\n<p>Second.</p>",
        "id=\"fig-b\" class=\"r-stretch img-fluid\"",
        "<p class=\"caption\">Figure&nbsp;1: Cap</p>",
        "<a href=\"#/fig-b\">there</a>",
    ] {
        assert!(slides.contains(expected), "{expected} is missing in {slides}");
    }
}

#[test]
fn captions_are_in_the_language_of_the_document() {
    let text = "---\ntitle: A\nlang: de\nauthor: Ada\n---\n\n![Cap](a.png){#fig-a}\n\n::: callout-warning\nText.\n:::\n\nSee @fig-a.\n";
    let (page, _) = page(text, &[]);
    for expected in ["Abbildung&nbsp;1: Cap", "Abbildung&nbsp;<span>1</span>", "Warnung", "Autor:in"] {
        assert!(page.contains(expected), "{expected} is missing in {page}");
    }
}

#[test]
fn folders_of_documents_are_converted_into_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let docs = folder.path().join("docs");
    fs::create_dir_all(docs.join("more")).unwrap();
    fs::write(docs.join("a.qmd"), "One.\n").unwrap();
    fs::write(docs.join("more/b.qmd"), "Two.\n").unwrap();
    fs::write(docs.join("_part.qmd"), "Part.\n").unwrap();
    fs::write(docs.join("bad.qmd"), "---\ntitle: [\n---\n").unwrap();
    let output = convert(folder.path(), &["docs", "--to", "html", "-o", "out/"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let there = |name: &str| folder.path().join("out").join(name).exists();
    assert_eq!(["a.html", "more/b.html", "_part.html", "bad.html"].map(there), [true, true, false, false]);
    let output = convert(folder.path(), &["docs", "--to", "html", "-o", "one.html"]);
    assert_eq!(output.status.code(), Some(2));
}

/// Pandoc, of a version that is new enough, for the tests that need it. Where it must be there, `PROOFMARK_REQUIRE_PANDOC` is set.
fn pandoc() -> Option<std::ffi::OsString> {
    let path = std::env::var_os("PATH")?;
    let version = Command::new("pandoc").arg("--version").output().map(|output| output.stdout);
    let version = String::from_utf8(version.unwrap_or_default()).unwrap();
    let mut numbers = version.split_whitespace().nth(1).unwrap_or_default().split('.');
    let mut number = || numbers.next().and_then(|number| number.parse::<u32>().ok()).unwrap_or_default();
    let found = (number(), number()) >= (3, 1);
    let required = std::env::var_os("PROOFMARK_REQUIRE_PANDOC").is_some();
    assert!(found || !required, "pandoc 3.1 or later is required and is not in PATH");
    if !found {
        eprintln!("SKIPPED: pandoc 3.1 or later is not in PATH (pip install pypandoc_binary)");
    }
    found.then_some(path)
}

/// Converts with Pandoc; gives the result as text, and the messages.
fn by_pandoc(files: &[(&str, &str)], output: &str, further: &[&str]) -> Option<(String, String)> {
    let path = pandoc()?;
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_proofmark"));
    command.current_dir(folder.path()).args(["convert", "a.qmd", "-o", output]).args(further);
    let made = command.env("PATH", path).env("NO_COLOR", "1").output().unwrap();
    let messages = String::from_utf8_lossy(&made.stderr).into_owned();
    Some((fs::read_to_string(folder.path().join(output)).unwrap_or_default(), messages))
}

#[test]
fn citations_are_resolved_with_the_bibliography_of_the_document() {
    let files = [
        ("a.qmd", "---\nbibliography: a.bib\ncsl: secret.csl\n---\n\nAs shown [@knuth].\n"),
        ("a.bib", "@book{knuth, author = {Knuth, Donald}, title = {Art}, year = {1968}}\n"),
        ("secret.csl", "TOP-SECRET"),
    ];
    let Some((text, messages)) = by_pandoc(&files, "a.txt", &["--to", "plain"]) else { return };
    assert!(text.contains("(Knuth 1968)") && text.contains("Knuth, Donald. 1968."), "{text}{messages}");
    assert!(messages.contains("CV005") && !messages.contains("TOP-SECRET"), "{messages}");
}

/// A style of the Citation Style Language with numbers in angle brackets.
const STYLE: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0">
<info><title>T</title><id>t</id><updated>2020-01-01T00:00:00+00:00</updated></info>
<citation><layout prefix="&lt;" suffix="&gt;" delimiter="; "><text variable="citation-number"/></layout></citation>
<bibliography><layout><text variable="citation-number" suffix=". "/><text variable="title" font-style="italic"/></layout></bibliography>
</style>"#;

#[test]
fn citations_follow_the_style_of_the_document_in_every_format() {
    let text =
        "---\ntitle: A\nbibliography: r.bib\ncsl: s.csl\nnocite: \"@c\"\n---\n\nSee *[@b]* and [@a; @b].\n";
    let works = "@book{a, title={First}}\n@book{b, title={Second}}\n@book{c, title={Third}}\n";
    let files = [("a.qmd", text), ("r.bib", works), ("s.csl", STYLE)];
    let Some((page, messages)) = by_pandoc(&files, "a.html", &[]) else { return };
    let link = |key: &str, number: u32| format!("<a href=\"#ref-{key}\">{number}</a>");
    for expected in
        [format!("&lt;{}&gt;", link("b", 1)), format!("&lt;{}; {}&gt;", link("a", 2), link("b", 1))]
    {
        assert!(page.contains(&expected), "{expected} is missing in {page}{messages}");
    }
    for entry in ["1. <em>Second</em>", "2. <em>First</em>", "3. <em>Third</em>"] {
        assert!(page.contains(entry), "{entry} is missing in {page}");
    }
    assert!(!messages.contains("citation style"), "{messages}");
    let Some((page, _)) = by_pandoc(&files, "a.md", &["--to", "gfm"]) else { return };
    assert!(page.contains("2\\. *First*") && page.contains("## References"), "{page}");
    // Works that the text does not cite are listed by Pandoc's own writers, too.
    let Some((page, _)) = by_pandoc(&files, "a.tex", &["--to", "latex"]) else { return };
    assert!(page.contains("Third"), "{page}");
    // Without Pandoc, the style is a built-in one.
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    let output = convert(folder.path(), &["a.qmd", "--to", "html", "--report", "concise"]);
    let messages = String::from_utf8(output.stderr).unwrap();
    assert!(messages.contains("a.qmd:4:1: warning: the citation style is simplified"), "{messages}");
}

#[test]
fn pictures_have_their_alternative_text_beside_their_caption() {
    let text =
        "![Cap](p.png){#fig-a fig-alt=\"What is seen\"}\n\nA ![word](p.png){fig-alt=\"A mark\"} in a line.\n";
    let Some((source, _)) = by_pandoc(&[("a.qmd", text)], "a.tex", &["--to", "latex"]) else { return };
    assert!(
        source.contains("alt={What is seen}") && source.contains("\\caption{\\label{fig-a}Cap}"),
        "{source}"
    );
    let Some((source, _)) = by_pandoc(&[("a.qmd", text)], "a.xml", &["--to", "jats"]) else { return };
    assert!(source.contains("<alt-text>What is seen</alt-text>") && source.contains("Cap"), "{source}");
}

#[test]
fn columns_are_side_by_side() {
    let text = "Above.\n\n:::: {.columns}\n::: {.column width=\"40%\"}\nLeft\n\n- a\n:::\n::: {.column width=\"60%\"}\nRight\n:::\n::::\n";
    let Some((source, _)) = by_pandoc(&[("a.qmd", text)], "a.typ", &["--to", "typst"]) else { return };
    assert!(source.contains("#grid(columns: (40fr, 60fr,), gutter: 1em,"), "{source}");
}

#[test]
fn a_footnote_inside_a_footnote_is_kept_or_reported() {
    let text =
        "---\ntitle: A\n---\n\n## B\n\nText^[outer^[inner] end].[^a]\n\n[^a]: One[^b].\n\n[^b]: Two.\n";
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.qmd"), text).unwrap();
    let output = convert(folder.path(), &["a.qmd", "--to", "pptx", "--report", "concise"]);
    let messages = String::from_utf8(output.stderr).unwrap();
    assert!(
        messages.contains("a.qmd:9:10: warning: the footnote `b` inside a footnote is not in the pptx"),
        "{messages}"
    );
    let mut archive = zip::ZipArchive::new(fs::File::open(folder.path().join("a.pptx")).unwrap()).unwrap();
    let mut slide = String::new();
    archive.by_name("ppt/slides/slide2.xml").unwrap().read_to_string(&mut slide).unwrap();
    assert!(slide.contains("outer (inner) end"), "{slide}");
    let Some((source, _)) = by_pandoc(&[("a.qmd", text)], "a.tex", &["--to", "latex"]) else { return };
    assert!(source.contains("\\footnote{outer (inner) end}"), "{source}");
}

#[test]
fn headers_of_results_do_not_name_temporary_files() {
    let files = [
        ("a.qmd", "---\ntitle: A\nbibliography: a.bib\n---\n\nAs shown [@knuth].\n"),
        ("a.bib", "@book{knuth, author = {Knuth, Donald}, title = {Art}, year = {1968}}\n"),
    ];
    for (format, output) in [("gfm", "a.md"), ("hugo-md", "b.md"), ("ipynb", "a.ipynb")] {
        let Some((text, messages)) = by_pandoc(&files, output, &["--to", format]) else { return };
        assert!(text.contains("(Knuth 1968)") && text.contains("Knuth, Donald. 1968."), "{text}{messages}");
        assert!(!text.contains("bibliography-0") && !text.contains("proofmark-"), "{format}: {text}");
    }
}

#[test]
fn parts_of_a_figure_have_captions_of_their_own_in_latex() {
    let text = "::: {#fig-x layout-ncol=2}\n![One](a.png){#fig-a}\n\n![Two](b.png){#fig-b}\n\nBoth\n:::\n\n::: {.landscape}\nWide.\n:::\n";
    let Some((tex, messages)) = by_pandoc(&[("a.qmd", text)], "a.tex", &["--to", "latex"]) else { return };
    for expected in [
        "\\begin{minipage}{0.50\\linewidth}",
        "\\subcaption{\\label{fig-b}Two}",
        "\\label{fig-x}",
        "\\begin{landscape}",
    ] {
        assert!(tex.contains(expected), "{expected} is missing in {tex}{messages}");
    }
}

#[test]
fn tables_in_html_are_tables_of_every_format() {
    let text = "```{=html}\n<table><tr><th>Name</th></tr><tr><td>Ada &amp; Bob</td></tr></table>\n```\n";
    let Some((tex, messages)) = by_pandoc(&[("a.qmd", text)], "a.tex", &["--to", "latex"]) else { return };
    assert!(tex.contains("\\begin{longtable}") && tex.contains("Ada \\& Bob"), "{tex}{messages}");
}

#[test]
fn a_placeholder_is_the_address_of_a_picture() {
    let (page, _) = page("![Here]({{< placeholder 40 30 >}})\n", &[]);
    assert!(page.contains("<img src=\"data:image/svg+xml,") && page.contains("alt=\"Here\""), "{page}");
}

#[test]
fn typst_source_names_the_pictures_of_the_document() {
    let files = [
        ("a.qmd", "---\ntitle: A\nkeywords: [one, two words]\n---\n\n![Cap](b.svg){#fig-b}\n\nSee @fig-b.\n"),
        ("b.svg", "<svg/>"),
    ];
    let Some((source, messages)) = by_pandoc(&files, "a.typ", &[]) else { return };
    for expected in ["image(\"b.svg\"", "<fig-b>", "\"two words\""] {
        assert!(source.contains(expected), "{expected} is missing in {source}{messages}");
    }
}

#[test]
fn typst_source_has_the_constructs_of_quarto() {
    let text = "---\nbibliography: a.bib\n---\n\n::: {#nte-a .callout-note}\n## Mind\nBox.\n:::\n\n::: {#thm-t}\n## Line\nText.\n:::\n\n\
                ::: {.column-margin}\n![Cap](b.svg){#fig-b}\n:::\n\n```{=html}\n<table><tr><td style=\"color: rgb(1, 2, 3); border-top: 2px dotted red\">A</td></tr></table>\n```\n\n\
                See @nte-a, @thm-t, @fig-b [@knuth].\n";
    let files =
        [("a.qmd", text), ("b.svg", "<svg/>"), ("a.bib", "@book{knuth, title = {Art}, year = {1968}}\n")];
    let Some((source, messages)) = by_pandoc(&files, "a.typ", &[]) else { return };
    for expected in [
        "kind: \"quarto-callout-Note\"",
        "#theorem(title: [Line])[",
        "#notefigure(alignment: \"baseline\", dy: 0pt, shift: auto, counter: none, kind: \"quarto-float-fig\"",
        "stroke: (top: (dash: \"dotted\", paint: red, thickness: 1.5pt))",
        "#set text(fill: rgb(1, 2, 3))",
        "#ref(<thm-t>, supplement: [Theorem])",
        "@knuth",
        "#bibliography((\"a.bib\"))",
    ] {
        assert!(source.contains(expected), "{expected} is missing in {source}{messages}");
    }
}

#[test]
fn typst_source_has_the_chapters_lists_and_numbers_of_a_long_document() {
    let text = "---\ntitle: A\nlang: de\ndocumentclass: scrreprt\ntop-level-division: part\nnumber-sections: true\nnumber-depth: 2\nlof: true\n\
                lot: true\ngeometry: [margin=2cm, top=30mm]\nmargin-left: 4cm\ncrossref: {lot-title: Alle Tabellen}\naccent: red\n---\n\n# One\n\n## Two\n\n![Cap](b.svg){#fig-b}\n";
    let Some((source, messages)) = by_pandoc(&[("a.qmd", text), ("b.svg", "<svg/>")], "a.typ", &[]) else {
        return;
    };
    for expected in [
        "#let accent = rgb(\"#24507a\")",
        "#let is-long = true",
        "#let part-levels = 1",
        "sectionnumbering: \"1.1\"",
        "numberdepth: 2",
        "margin: (left: 4cm,rest: 2cm,top: 30mm,)",
        "(\"quarto-float-fig\", [Abbildungsverzeichnis])",
        "(\"quarto-float-tbl\", [Alle Tabellen])",
    ] {
        assert!(source.contains(expected), "{expected} is missing in {source}{messages}");
    }
    assert!(!messages.contains("CV011"), "{messages}");
    let Some((source, _)) = by_pandoc(&[("a.qmd", "---\ntitle: A\n---\n\n# One\n")], "a.typ", &[]) else {
        return;
    };
    assert!(source.contains("#let is-long = false") && !source.contains("numberdepth: 2"), "{source}");
}

#[test]
fn typst_source_turns_no_page_inside_of_a_block() {
    let text = "::: {.landscape}\nWide.\n:::\n\n> ::: {.landscape}\n> Quoted.\n> :::\n\n- Item\n\n  {{< pagebreak >}}\n\n> In {{< pagebreak >}} line\n\n{{< pagebreak >}}\n";
    let Some((source, messages)) = by_pandoc(&[("a.qmd", text)], "a.typ", &["--report", "concise"]) else {
        return;
    };
    for (part, count) in [("#set page(flipped: true)", 1), ("#colbreak()", 2), ("#pagebreak()", 1)] {
        assert_eq!(source.matches(part).count(), count, "{part} in {source}");
    }
    assert!(
        messages.contains("a.qmd:5:3: warning: the landscape page inside another block is simplified"),
        "{messages}"
    );
}

#[test]
fn works_in_the_header_are_cited_by_every_engine() {
    let text = "---\nreferences:\n  - {id: knuth, type: book, title: Art, issued: 1968, author: [{family: Knuth, given: Donald}]}\n---\n\nAs shown [@knuth].\n";
    let Some((plain, messages)) = by_pandoc(&[("a.qmd", text)], "a.txt", &["--to", "plain"]) else { return };
    assert!(plain.contains("(Knuth 1968)") && plain.contains("Knuth, Donald. 1968."), "{plain}{messages}");
}

#[test]
fn a_document_is_converted_to_the_formats_of_its_header() {
    let folder = tempfile::tempdir().unwrap();
    let text = "---\nformat:\n  acm-html: default\n  gfm: default\n  unknown: default\n---\n\nText.\n";
    fs::write(folder.path().join("a.qmd"), text.replace("  unknown: default\n", "")).unwrap();
    let output = convert(folder.path(), &["a.qmd"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(folder.path().join("a.html").exists() && folder.path().join("a.md").exists());
    fs::write(folder.path().join("b.qmd"), "---\nformat: [html]\n---\n\nText.\n").unwrap();
    let output = convert(folder.path(), &["b.qmd"]);
    assert_eq!(output.status.code(), Some(2), "a header without formats needs `--to`");
}

#[test]
fn formats_with_the_same_file_extension_have_their_own_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let text = "---\nformat: {html: default, revealjs: default, pptx: default}\n---\n\n## A\n\nText.\n";
    fs::write(at("c.qmd"), text).unwrap();
    let output = convert(folder.path(), &["c.qmd"]);
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{messages}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "c.html\nc-revealjs.html\nc.pptx\n");
    assert!(messages.contains("c-revealjs.html: another format of the document"), "{messages}");
    assert!(!fs::read_to_string(at("c.html")).unwrap().contains("class=\"reveal\""));
    assert!(fs::read_to_string(at("c-revealjs.html")).unwrap().contains("class=\"reveal\""));

    let output = convert(folder.path(), &["c.qmd", "-o", "-"]);
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && messages.contains("several formats"), "{messages}");
    fs::write(at("c-revealjs.qmd"), "---\nformat: html\n---\n\nText.\n").unwrap();
    let output = convert(folder.path(), &["."]);
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && messages.contains("two results"), "{messages}");
}

#[test]
fn several_formats_are_asked_for_at_once() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.qmd"), "## B\n\nText.\n").unwrap();
    let output = convert(folder.path(), &["a.qmd", "--to", "pptx,html,revealjs,html", "-o", "out/"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(shown, "out/a.pptx\nout/a.html\nout/a-revealjs.html\n");
    let output = convert(folder.path(), &["a.qmd", "--to", "pptx,html", "-o", "a.pptx"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_missing_file_of_the_header_is_an_error_and_the_document_is_converted() {
    let folder = tempfile::tempdir().unwrap();
    let text = "---\nreference-doc: missing.pptx\n---\n\n## A\n\nText.\n";
    fs::write(folder.path().join("a.qmd"), text).unwrap();
    let output = convert(folder.path(), &["a.qmd", "--to", "pptx", "--report", "concise"]);
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && messages.contains("QD713"), "{messages}");
    assert!(folder.path().join("a.pptx").exists());
    let output = convert(folder.path(), &["--help"]);
    assert!(String::from_utf8_lossy(&output.stdout).replace('\n', " ").contains("(QD713)"));
}

#[test]
fn the_project_names_the_formats_of_documents_without_some() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("part")).unwrap();
    fs::write(at("_quarto.yml"), "format: html\n").unwrap();
    fs::write(at("a.qmd"), "Text.\n").unwrap();
    fs::write(at("b.qmd"), "---\nformat: gfm\n---\n\nText.\n").unwrap();
    fs::write(at("part/c.qmd"), "Text.\n").unwrap();
    fs::write(at("part/_metadata.yml"), "format: {ipynb: default}\n").unwrap();
    let output = convert(folder.path(), &["a.qmd", "b.qmd", "part/c.qmd"]);
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{messages}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "a.html\nb.md\npart/c.ipynb\n");
}

#[test]
fn options_without_effect_are_reported_at_their_positions() {
    let text = "---\nformat:\n  revealjs:\n    chalkboard: true\n    toc: true\n---\n\n## A\n\n::: notes\nSecret.\n:::\n";
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.qmd"), text).unwrap();
    let output = convert(
        folder.path(),
        &["a.qmd", "--to", "revealjs", "--option", "tocc=true", "--report", "concise"],
    );
    let messages = String::from_utf8(output.stderr).unwrap();
    let found: Vec<&str> = messages.lines().filter(|line| line.contains("CV011")).collect();
    assert!(found.len() == 2 && found[0].starts_with("a.qmd:4:5"), "{messages}");
    assert!(found[1].starts_with("<--option>:1:1: note: the option `tocc` has no effect"), "{messages}");
    fs::write(folder.path().join("b.qmd"), "---\naxe: true\n---\n\nText.\n").unwrap();
    let output = convert(folder.path(), &["b.qmd", "--to", "html", "--report", "concise"]);
    let page = fs::read_to_string(folder.path().join("b.html")).unwrap();
    assert!(page.contains("id=\"quarto-axe-checker-options\"") && output.stderr.is_empty(), "{page}");
    let output = convert(folder.path(), &["b.qmd", "--to", "revealjs", "--report", "concise"]);
    let messages = String::from_utf8(output.stderr).unwrap();
    assert!(messages.contains("b.qmd:2:1: note: the option `axe` has no effect"), "{messages}");
    let (page, messages) = page_in(folder.path(), &[]);
    assert!(!page.contains("Secret") && messages.contains("speaker note"), "{page}{messages}");
    let output = convert(folder.path(), &["a.qmd", "--to", "ipynb", "--report", "concise"]);
    let messages = String::from_utf8(output.stderr).unwrap();
    let notebook = fs::read_to_string(folder.path().join("a.ipynb")).unwrap();
    assert!(!notebook.contains("Secret") && messages.contains("speaker note"), "{notebook}{messages}");
}

#[test]
fn what_a_format_ignores_is_reported_wherever_it_is_asked_for() {
    let header = "---\ntitle: A\nfooter: F\nlogo: l.png\nslide-number: true\n---\n\n## B\n\nText.\n";
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.qmd"), header).unwrap();
    fs::write(folder.path().join("l.png"), b"\x89PNG\r\n\x1a\n").unwrap();
    fs::write(folder.path().join("a.css"), "").unwrap();
    let messages = |arguments: &[&str]| {
        let output = convert(folder.path(), &[&["a.qmd", "--report", "concise"], arguments].concat());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, found) = messages(&[
        "--to",
        "pptx",
        "--option",
        "theme=moon",
        "--option",
        "css=a.css",
        "--option",
        "slide-number=false",
    ]);
    assert_eq!(code, Some(0), "{found}");
    for expected in [
        "a.qmd:3:1: note: the option `footer` has no effect in the pptx output",
        "a.qmd:4:1: note: the option `logo` has no effect in the pptx output",
        "<--option>:1:1: note: the option `theme` has no effect in the pptx output",
        "<--option>:2:1: warning: the option `css` has no effect in conversions",
    ] {
        assert!(found.contains(expected), "{expected} is missing in {found}");
    }
    assert!(!found.contains("slide-number"), "{found}");
    let (_, found) = messages(&["--to", "gfm", "--option", "logo=l.png"]);
    for expected in ["a.qmd:3:1", "a.qmd:4:1", "a.qmd:5:1", "<--option>:1:1: note: the option `logo`"] {
        assert!(found.contains(expected), "{expected} is missing in {found}");
    }
    // A value that the header could not have either.
    fs::remove_file(folder.path().join("a.md")).unwrap();
    let (code, found) =
        messages(&["--to", "gfm", "--option", "toc=true", "--option", "number-sections=maybe"]);
    assert!(found.contains("<--option>:2:1: error: `number-sections` is `maybe`"), "{found}");
    assert_eq!((code, folder.path().join("a.md").exists()), (Some(1), false), "{found}");
    // Shortcodes show what is asked for.
    fs::write(folder.path().join("a.qmd"), "Version {{< meta version >}}.\n").unwrap();
    let (code, found) = messages(&["--to", "gfm", "--option", "version=3"]);
    assert_eq!((code, found.as_str()), (Some(0), ""));
    assert_eq!(fs::read_to_string(folder.path().join("a.md")).unwrap(), "Version 3.\n");
}

#[test]
fn code_is_hidden_wherever_the_header_says_so() {
    let text = "---\necho: false\n---\n\n```{python}\nprint(1)\n```\n\nText.\n";
    for (text, further) in
        [(text, &[][..]), (&text.replace("echo: false", "title: A"), &["--option", "echo=false"])]
    {
        let (page, messages) = page(text, further);
        assert!(!page.contains(">print<") && !messages.contains("CV011"), "{page}{messages}");
    }
}

#[test]
fn options_of_decks_are_settings_or_reported() {
    let text = "---\ntitle: A\nformat:\n  revealjs:\n    transition: fade\n    slide-number: c\n    theme: [moon, own.scss]\n    \
                preview-links: auto\n    menu: true\n    smaller: true\n---\n\n## B\n\nText.\n";
    let (deck, messages) = converted(text, "a.html", &["--to", "revealjs", "--report", "concise"]);
    for expected in [
        "  transition: 'fade',\n",
        "  slideNumber: 'c',\n",
        "--r-background-color: #002b36",
        "class=\"slide level2 smaller\"",
    ] {
        assert!(deck.contains(expected), "{expected} is missing in {deck}");
    }
    let found: Vec<&str> = messages.lines().filter(|line| line.contains("CV011")).collect();
    assert_eq!(found.len(), 3, "{messages}");
    for (line, what) in found.iter().zip(["`theme: own.scss`", "`preview-links`", "`menu`"]) {
        assert!(line.contains(what), "{what} is missing in {line}");
    }
}

#[test]
fn decks_have_stacks_steps_and_notes() {
    let text = "---\ntitle: A\n---\n\n# One\n\n## Two {background-color=\"#123\" transition=zoom auto-animate=true}\n\n:::: {.columns}\n::: {.column}\nLeft.\n\n. . .\n\n\
                Later.\n:::\n::::\n\n::: {.notes}\nSecret.\n:::\n\n```{.python code-line-numbers=\"1|2-3\"}\na\nb\nc\n```\n\nA note.^[Its text.]\n\n\
                ## Gone {visibility=hidden}\n\nHidden.\n";
    let (deck, _) = converted(text, "a.html", &["--to", "revealjs"]);
    for expected in [
        "<section>\n<section id=\"one\" class=\"title-slide slide level1 center\">\n<h1>One</h1>\n</section>\n<section id=\"two\"",
        "class=\"slide level2 has-dark-background\" data-background-color=\"#123\" data-transition=\"zoom\" data-auto-animate=\"true\"",
        "<div class=\"fragment\">\n<p>Later.</p>\n</div>\n</div>",
        "<aside class=\"notes\">\n<p>Secret.</p>\n</aside>",
        "data-code-line-numbers=\"1|2-3\"",
        "<aside role=\"note\"><ol class=\"aside-footnotes\">\n<li><p>Its text.</p></li>",
    ] {
        assert!(deck.contains(expected), "{expected} is missing in {}", &deck[deck.find("<body").unwrap()..]);
    }
    assert!(!deck.contains("Hidden."));
}

#[test]
fn parts_of_slides_are_put_anywhere() {
    let text = "## A\n\n::: {.absolute top=20 left=\"5%\" width=\"1;x\"}\nText.\n:::\n\n![](b.png){.absolute bottom=0 right=10}\n";
    let (deck, _) = converted(text, "a.html", &["--to", "revealjs"]);
    assert!(deck.contains("<div class=\"absolute\" style=\"top: 20px;left: 5%;\">"), "{deck}");
    assert!(deck.contains("class=\"absolute img-fluid\" style=\"bottom: 0px;right: 10px\""), "{deck}");
}

#[test]
fn what_scripts_of_decks_read_runs_nothing() {
    let text = "---\ntitle: A\n---\n\n## B {background-iframe=\"javascript:alert(1)\" notes=\"<img src=x onerror=alert(2)>\"}\n\n\
                [a](<http://x/\"><b>>){preview-link=true} [b]{data-src=\" java\tscript:alert(3)\" title=\"JavaScript: the language\"}\n";
    let (deck, _) = converted(text, "a.html", &["--to", "revealjs"]);
    let slides = &deck[deck.find("<body").unwrap()..deck.find("</main>").unwrap()];
    assert!(!slides.contains("alert(1)") && !slides.contains("alert(3)"), "{slides}");
    assert!(slides.contains("title=\"JavaScript: the language\""), "{slides}");
    // The value is text for the script that shows it as HTML.
    assert!(slides.contains("data-notes=\"&amp;lt;img src=x onerror=alert(2)&amp;gt;\""), "{slides}");
    assert!(!slides.contains("&quot;&gt;&lt;b"), "{slides}");
}

#[test]
fn decks_load_nothing() {
    let text = "---\ntitle: A\nformat: revealjs\n---\n\n## B\n\n$x$ and text.\n\n```python\nx\n```\n";
    let (deck, _) = converted(text, "a.html", &["--to", "revealjs"]);
    let markup = &deck[..deck.find("</main>").unwrap()];
    for loading in ["<link", " src=", "@import", "url(http", "url(./", "url(\"http"] {
        assert!(!markup.contains(loading), "{loading} is in the deck");
    }
    // The parts of pages, reveal.js, the notes, and the beginning of the deck.
    let scripts = &deck[markup.len()..];
    assert_eq!(scripts.matches("\n<script>\n").count(), 4);
    assert_eq!(deck.matches("</script>").count(), 4);
}

#[test]
fn no_input_and_no_file_of_another_type_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let text = "# A\n\nText.\n";
    fs::write(folder.path().join("a.html"), text).unwrap();
    fs::write(folder.path().join("notes.md"), "notes").unwrap();
    fs::create_dir(folder.path().join("in")).unwrap();
    let absolute = folder.path().join("a.html").to_string_lossy().into_owned();
    let is_input = "is one of the inputs";
    for (output, said) in [
        ("a.html", is_input),
        ("./a.html", is_input),
        ("in/../a.html", is_input),
        (absolute.as_str(), is_input),
        ("notes.md", "is not a file of type `html`"),
    ] {
        let done = convert(folder.path(), &["./a.html", "--to", "html", "-o", output]);
        let messages = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(2), "{output}: {messages}");
        assert!(messages.contains(said), "{output}: {messages}");
    }
    assert_eq!(fs::read_to_string(folder.path().join("a.html")).unwrap(), text);
    assert_eq!(fs::read_to_string(folder.path().join("notes.md")).unwrap(), "notes");
    let forced = convert(folder.path(), &["a.html", "--to", "html", "-o", "notes.md", "--force"]);
    assert!(forced.status.success(), "{}", String::from_utf8_lossy(&forced.stderr));
    assert!(fs::read_to_string(folder.path().join("notes.md")).unwrap().contains("<h1"));
}

/// A program that answers like a render worker: it greets, and sends the given replies whatever it is asked.
#[cfg(all(unix, feature = "render"))]
fn worker(folder: &Path, replies: &[(proofmark_render_protocol::WorkerReply, &[u8])]) -> std::path::PathBuf {
    use proofmark_render_protocol::{PROTOCOL, VERSION, WorkerReply, frame};
    use std::os::unix::fs::PermissionsExt as _;
    let mut said = Vec::new();
    let hello = WorkerReply::Hello { protocol: PROTOCOL, version: VERSION.to_owned() };
    frame::write(&mut said, &hello, frame::NO_BLOBS).unwrap();
    frame::write(&mut said, &WorkerReply::Ready, frame::NO_BLOBS).unwrap();
    for (reply, bytes) in replies {
        frame::write(&mut said, reply, &[bytes]).unwrap();
    }
    fs::write(folder.join("replies"), said).unwrap();
    let program = folder.join("worker");
    let script =
        format!("#!/bin/sh\n/bin/cat '{}'\nexec /bin/cat >/dev/null\n", folder.join("replies").display());
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}

/// Converts a document beside a worker.
#[cfg(all(unix, feature = "render"))]
fn with_worker(
    text: &str,
    output: &str,
    replies: &[(proofmark_render_protocol::WorkerReply, &[u8])],
) -> (Vec<u8>, String) {
    let folder = tempfile::tempdir().unwrap();
    let program = worker(folder.path(), replies);
    fs::write(folder.path().join("a.qmd"), text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_proofmark"));
    command.current_dir(folder.path()).args(["convert", "a.qmd", "-o", output]).env("PATH", "");
    command.env("NO_COLOR", "1").env("PROOFMARK_RENDER_WORKER", program);
    let made = command.output().unwrap();
    let messages = String::from_utf8_lossy(&made.stderr).into_owned();
    (fs::read(folder.path().join(output)).unwrap_or_else(|_| panic!("nothing written: {messages}")), messages)
}

#[cfg(all(unix, feature = "render"))]
fn done() -> proofmark_render_protocol::WorkerReply {
    proofmark_render_protocol::WorkerReply::Done { warnings: Vec::new(), resident: 0 }
}

#[cfg(all(unix, feature = "render"))]
const DIAGRAMS: &str = "---\ntitle: A\n---\n\n## Flow\n\n```{mermaid}\n%%| label: fig-flow\n%%| fig-cap: The *flow*\n\
                        flowchart LR\n  A --> B\n```\n\nSee @fig-flow.\n\n```mermaid\nflowchart LR\n  C --> D\n```\n";

#[test]
#[cfg(all(unix, feature = "render"))]
fn diagrams_are_pictures_with_captions_and_numbers() {
    let svg: &[u8] = b"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 192 96\"/>";
    let (page, messages) = with_worker(DIAGRAMS, "a.html", &[(done(), svg), (done(), svg)]);
    let page = String::from_utf8(page).unwrap();
    assert_eq!(page.matches("<img src=\"data:image/svg+xml;base64,").count(), 2, "{page}{messages}");
    for expected in
        ["id=\"fig-flow\"", "Figure&nbsp;1: The <em>flow</em>", "width=\"192\"", "href=\"#fig-flow\""]
    {
        assert!(page.contains(expected), "{expected} is missing in {page}");
    }
    assert!(!page.contains("A --&gt; B") && !page.contains("C --&gt; D"), "{page}");
    assert_eq!(messages, "");
}

#[test]
#[cfg(all(unix, feature = "render"))]
fn diagrams_are_pictures_on_slides() {
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\x80\0\0\0\xC0".to_vec();
    png.extend([0; 16]);
    let text = "## Flow\n\n```{mermaid}\nflowchart LR\n  A --> B\n```\n";
    let (deck, messages) = with_worker(text, "a.pptx", &[(done(), &png)]);
    let names = String::from_utf8_lossy(&deck).into_owned();
    assert!(names.contains("ppt/media/picture1.png"), "{messages}");
    assert_eq!(messages, "");
}

#[test]
#[cfg(all(unix, feature = "render"))]
fn a_diagram_that_is_not_drawn_is_shown_as_its_source_and_reported_at_its_line() {
    use proofmark_render_protocol::{EngineMessage, WorkerReply};
    let message = "diagrams of this type are not drawn".to_owned();
    let errors = vec![EngineMessage { message, ..EngineMessage::default() }];
    let refused = WorkerReply::Failed { errors, resident: 0 };
    let svg: &[u8] = b"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 192 96\"/>";
    let (page, messages) = with_worker(DIAGRAMS, "a.html", &[(refused, b""), (done(), svg)]);
    let page = String::from_utf8(page).unwrap();
    assert!(page.contains("A --&gt; B") && page.contains("Figure&nbsp;1"), "{page}");
    for expected in ["CV009", "diagrams of this type are not drawn", "a.qmd:7:1"] {
        assert!(messages.contains(expected), "{expected} is missing in {messages}");
    }
}

#[test]
#[cfg(feature = "render")]
fn without_a_render_worker_diagrams_are_shown_as_source() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.qmd"), "```{mermaid}\nflowchart LR\n  A --> B\n```\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_proofmark"));
    command.current_dir(folder.path()).args(["convert", "a.qmd", "--to", "html"]).env("NO_COLOR", "1");
    let made = command.env("PROOFMARK_RENDER_WORKER", "/nonexistent").output().unwrap();
    let messages = String::from_utf8(made.stderr).unwrap();
    let page = fs::read_to_string(folder.path().join("a.html")).unwrap();
    assert!(page.contains("A --&gt; B"), "{page}");
    assert!(messages.contains("CV009") && messages.contains("the package `proofmark-render`"), "{messages}");
}

/// A document that cites, beside its bibliography, converted without Pandoc.
fn cited(text: &str, output: &str, further: &[&str]) -> (Vec<u8>, String) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.qmd"), text).unwrap();
    fs::write(
        folder.path().join("a.bib"),
        "@book{knuth, author = {Knuth, Donald E.}, title = {The {\\TeX}book}, publisher = {Addison-Wesley}, year = {1984}}\n",
    )
    .unwrap();
    let made = convert(folder.path(), &[&["a.qmd", "-o", output], further].concat());
    let messages = String::from_utf8(made.stderr).unwrap();
    (fs::read(folder.path().join(output)).unwrap_or_else(|_| panic!("nothing written: {messages}")), messages)
}

#[test]
fn citations_have_names_years_and_a_list_without_pandoc() {
    let text =
        "---\ntitle: A\nbibliography: a.bib\nlang: de\n---\n\nSee @knuth [p. 3] and [@knuth, chap. 2].\n";
    let (page, messages) = cited(text, "a.html", &[]);
    let page = String::from_utf8(page).unwrap();
    for expected in [
        "<span class=\"citation\" data-cites=\"knuth\"><a href=\"#ref-knuth\" role=\"doc-biblioref\">Knuth</a> (<a href=\"#ref-knuth\" role=\"doc-biblioref\">1984</a>, 3)</span>",
        ", chap. 2)",
        "<div id=\"refs\" class=\"references csl-bib-body hanging-indent\" role=\"list\">",
        "Knuth, Donald E. 1984. <em>The TeXbook</em>. Addison-Wesley.",
        "Literatur",
    ] {
        assert!(page.contains(expected), "{expected} is missing in {page}");
    }
    assert_eq!(messages, "");
    let (deck, messages) = cited(text, "a.pptx", &[]);
    assert!(deck.starts_with(b"PK") && messages.is_empty(), "{messages}");
}

#[test]
fn a_citation_style_and_unreadable_bibliographies_are_reported() {
    let text = "---\ntitle: A\nbibliography: [a.bib, ../secret.bib]\n---\n\nSee @knuth.\n";
    let (page, messages) = cited(text, "a.html", &["--ignore", "QD"]);
    assert!(String::from_utf8_lossy(&page).contains("1984") && messages.contains("CV005"), "{messages}");
}

#[test]
fn links_to_other_formats_and_alternative_conditions() {
    let text = "---\ntitle: A\nformat-links: [docx, jats, {text: Code, href: a.zip}]\n---\n\n\
                ::: {.content-visible when-format=\"html\" when-format=\"pdf\"}\nBoth.\n:::\n\n\
                ::: {.content-visible unless-format=\"html\" unless-format=\"pdf\"}\nNeither.\n:::\n";
    let (page, _) = page(text, &[]);
    for expected in
        ["<a href=\"a.docx\">Word document</a>", "href=\"a.xml\"", "<a href=\"a.zip\">Code</a>", "Both."]
    {
        assert!(page.contains(expected), "{expected} is missing in {page}");
    }
    assert!(!page.contains("Neither."), "{page}");
}

#[test]
fn a_figure_is_on_the_side_that_its_picture_names() {
    let text = "![Cap](a.png){#fig-a fig-align=\"right\"}\n\n::: {layout-ncol=2}\n![](b.png){width=40 height=50}\n\n![](c.png)\n:::\n";
    let (page, _) = page(text, &[]);
    assert!(page.contains("quarto-figure-right") && !page.contains("quarto-figure-center"), "{page}");
    assert!(page.contains("width=\"40\"") && !page.contains("height=\"50\""), "{page}");
}

#[test]
fn pages_have_the_structure_of_quarto() {
    let text = "---\ntitle: A\nlightbox: true\ncode-annotations: select\n---\n\n::: {.note-box}\n## Inner\n\nText.\n:::\n\n\
                ::: {.callout-note collapse=true}\n## Mind\nFolded.\n:::\n\n\
                ::: {#fig-two layout-ncol=2}\n![One](a.png){#fig-a}\n\n![Two](b.png){#fig-b}\n\nBoth\n:::\n\nSee @fig-b.\n\n\
                ```{.python filename=\"a.py\"}\nx = 1 # <1>\n```\n1. Here\n\n\
                ::: {.panel-tabset}\n### A\n\n::: {.column-margin}\nBeside\n:::\n\n### B\n\nb\n:::\n";
    let (page, messages) = page(text, &[]);
    for expected in [
        "<section id=\"inner\" class=\"level2 note-box\">",
        "data-bs-target=\".callout-1-contents\" aria-controls=\"callout-1\" aria-expanded=\"false\"",
        "<span class=\"screen-reader-only\">Note</span>Mind",
        "<div id=\"callout-1\" class=\"callout-1-contents callout-collapse collapse\">",
        "<div id=\"fig-two\" class=\"quarto-layout-panel anchored\">",
        "<div class=\"quarto-layout-cell-subref quarto-layout-cell\" data-ref-parent=\"fig-two\"",
        "<figcaption class=\"quarto-float-caption-bottom quarto-subfloat-caption quarto-subfloat-fig\" id=\"fig-a-caption-",
        "class=\"lightbox\" data-gallery=\"quarto-lightbox-gallery-fig-two\"",
        "Figure&nbsp;<span>1&nbsp;(b)</span>",
        "<button class=\"code-annotation-anchor\" data-target-cell=\"annotated-cell-1\" data-target-annotation=\"1\">",
        "<span class=\"dv\">1</span>",
        "var annotations = { trigger: 'click' };",
        "<div class=\"tabset-margin-container page-columns page-full\">",
        "tabset-1-1-tab-margin-content",
    ] {
        assert!(page.contains(expected), "{expected} is missing in {page}{messages}");
    }
}

#[test]
fn word_keeps_captions_beside_their_content() {
    let Some(path) = pandoc() else { return };
    let folder = tempfile::tempdir().unwrap();
    let text = "::: {#fig-x}\nContent\n\nWords\n:::\n\n::: {.callout-tip}\n## Try\nIt.\n:::\n\n::: {layout-ncol=2}\nLeft\n\nRight\n:::\n\n\
                ![C](p.png){fig-alt=\"What is seen\"}\n\n:::: {.columns}\n::: {.column}\nHere\n:::\n::: {.column}\nThere\n:::\n::::\n";
    fs::write(folder.path().join("p.png"), PICTURE).unwrap();
    fs::write(folder.path().join("a.qmd"), text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_proofmark"));
    command.current_dir(folder.path()).args(["convert", "a.qmd", "-o", "a.docx"]);
    let made = command.env("PATH", path).env("NO_COLOR", "1").output().unwrap();
    let messages = String::from_utf8_lossy(&made.stderr).into_owned();
    let file = fs::File::open(folder.path().join("a.docx")).expect(&messages);
    let mut xml = String::new();
    let mut archive = zip::ZipArchive::new(file).unwrap();
    archive.by_name("word/document.xml").unwrap().read_to_string(&mut xml).unwrap();
    let document = roxmltree::Document::parse(&xml).unwrap();
    let tables: Vec<roxmltree::Node<'_, '_>> =
        document.descendants().filter(|node| node.tag_name().name() == "tbl").collect();
    let words = |node: &roxmltree::Node<'_, '_>| {
        node.descendants()
            .filter(|node| node.tag_name().name() == "t")
            .filter_map(|node| node.text())
            .collect::<String>()
    };
    let all: Vec<String> = tables.iter().map(words).collect();
    assert_eq!(all, ["ContentFigure\u{a0}1: Words", "TryIt.", "LeftRight", "HereThere"], "{messages}");
    assert!(xml.contains("descr=\"What is seen\"") && !xml.contains("\"data:"), "{xml}");
    assert!(
        xml.contains("w:name=\"fig-x\"")
            && xml.contains("w:val=\"ImageCaption\"")
            && xml.contains("w:color=\"00A047\"")
    );
}

/// The files of a project in a folder of their own.
fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copied(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// The files below a folder, sorted.
fn files_below(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path.strip_prefix(folder).unwrap().to_string_lossy().replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

fn messages(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

const WEBSITE: &str = "project:\n  type: website\nwebsite:\n  title: Site\n";

/// A page without what does not matter for its content.
fn shown(folder: &Path, page: &str) -> String {
    let text = fs::read_to_string(folder.join(page)).unwrap();
    let start = text.find("<title>").unwrap();
    text[start..]
        .lines()
        .filter(|line| !line.contains("data:text/css"))
        .map(|line| format!("{line}\n"))
        .collect()
}

#[test]
fn an_example_website_becomes_a_site() {
    let folder = tempfile::tempdir().unwrap();
    copied(Path::new("examples/quarto/website"), folder.path());
    let output = convert(folder.path(), &["."]);
    assert_eq!(output.status.code(), Some(0), "{}", messages(&output));
    let site = folder.path().join("_site");
    insta::assert_snapshot!("website_files", files_below(&site).join("\n"));
    for page in ["index.html", "posts/index.html", "guide/hive.html"] {
        insta::assert_snapshot!(format!("website_{}", page.replace('/', "_")), shown(&site, page));
    }
    // The same project gives the same bytes.
    let before = fs::read(site.join("guide/hive.html")).unwrap();
    let output = convert(folder.path(), &["."]);
    assert_eq!(output.status.code(), Some(0), "{}", messages(&output));
    assert_eq!(fs::read(site.join("guide/hive.html")).unwrap(), before);
}

#[test]
fn an_example_book_has_numbered_chapters_and_references_between_them() {
    let folder = tempfile::tempdir().unwrap();
    copied(Path::new("examples/quarto/book"), folder.path());
    let output = convert(folder.path(), &["."]);
    assert_eq!(output.status.code(), Some(0), "{}", messages(&output));
    let book = folder.path().join("_book");
    insta::assert_snapshot!("book_messages", messages(&output));
    for page in ["index.html", "errors.html", "instruments.html"] {
        insta::assert_snapshot!(format!("book_{page}"), shown(&book, page));
    }
    let page = fs::read_to_string(book.join("instruments.html")).unwrap();
    for expected in [
        "href=\"./errors.html#eq-sum\" class=\"quarto-xref\">Equation&nbsp;<span>2.1</span>",
        "href=\"./errors.html#fig-targets\" class=\"quarto-xref\">Figure&nbsp;<span>2.1</span>",
        "href=\"./errors.html#sec-adding\" class=\"quarto-xref\">Section&nbsp;<span>2.1</span>",
    ] {
        assert!(page.contains(expected), "{expected} is missing in {page}");
    }
}

#[test]
fn only_files_of_earlier_conversions_are_replaced() {
    let folder = project(&[("_quarto.yml", WEBSITE), ("index.qmd", "# A\n")]);
    let page = folder.path().join("_site/index.html");
    fs::create_dir(folder.path().join("_site")).unwrap();
    fs::write(&page, "mine").unwrap();
    let output = convert(folder.path(), &["."]);
    assert_eq!(output.status.code(), Some(2), "{}", messages(&output));
    assert!(messages(&output).contains("did not come from an earlier conversion"), "{}", messages(&output));
    assert_eq!(fs::read_to_string(&page).unwrap(), "mine");
    assert_eq!(convert(folder.path(), &[".", "--force"]).status.code(), Some(0));
    fs::write(folder.path().join("index.qmd"), "# B\n").unwrap();
    assert_eq!(convert(folder.path(), &["."]).status.code(), Some(0));
    let text = fs::read_to_string(&page).unwrap();
    assert!(text.contains("<title>B – Site</title>"), "{text}");
    // A file that someone has changed since.
    fs::write(&page, text + "<!-- mine -->").unwrap();
    assert_eq!(convert(folder.path(), &["."]).status.code(), Some(2));
}

#[test]
fn a_page_that_fails_does_not_keep_the_others_from_being_written() {
    let folder = project(&[
        ("_quarto.yml", WEBSITE),
        ("index.qmd", "# A\n"),
        ("bad.qmd", "---\ntitle: [\n---\n"),
        ("draft.qmd", "---\ndraft: true\n---\n\n# D\n"),
    ]);
    let output = convert(folder.path(), &[".", "--report", "concise"]);
    assert_eq!(output.status.code(), Some(1), "{}", messages(&output));
    assert!(
        messages(&output).contains("wrote 1 page; 1 page not converted; 1 draft left out"),
        "{}",
        messages(&output)
    );
    let site = folder.path().join("_site");
    assert!(site.join("index.html").exists() && !site.join("bad.html").exists());
    assert!(!site.join("draft.html").exists());
}

#[test]
fn what_has_no_effect_is_reported_at_its_line_of_the_project() {
    let text = "project:\n  type: website\n  pre-render: run.py\n  resources: data/*.csv\nwebsite:\n  search: true\n  navbar:\n    \
                left:\n      - abuot.qmd\n      - model.ipynb\nformat:\n  html:\n    theme: cosmo\n    filters: [a.lua]\n";
    let folder = project(&[("_quarto.yml", text), ("index.qmd", "# A\n"), ("model.ipynb", "{}")]);
    let output = convert(folder.path(), &[".", "--report", "concise"]);
    assert_eq!(output.status.code(), Some(0), "{}", messages(&output));
    let found = messages(&output);
    for expected in [
        "_quarto.yml:3:3: note: the option `project.pre-render` has no effect",
        "_quarto.yml:4:14: warning: no file of the project matches `data/*.csv`",
        "_quarto.yml:6:3: note: the pages have no search box",
        "_quarto.yml:9:9: warning: the page `abuot.qmd` does not exist",
        "_quarto.yml:10:9: warning: `model.ipynb` is not converted",
        "_quarto.yml:13:5: note: the option `theme` has no effect",
        "_quarto.yml:14:5: warning: the option `filters` has no effect",
    ] {
        assert!(found.contains(expected), "{expected} is missing in {found}");
    }
}

#[test]
fn a_project_neither_reads_nor_writes_outside_of_its_folder() {
    let outer = project(&[
        ("secret.svg", "<svg>TOP-SECRET</svg>"),
        ("site/_quarto.yml", &format!("{WEBSITE}  favicon: ../secret.svg\n")),
        ("site/.env", "TOP-SECRET"),
        ("site/index.qmd", "# A\n\n![](../secret.svg) ![](/../secret.svg) [x](.env)\n"),
        ("out/_quarto.yml", "project:\n  type: website\n  output-dir: ../elsewhere\n"),
        ("out/index.qmd", "# A\n"),
    ]);
    let site = outer.path().join("site");
    convert(&site, &["."]);
    assert!(site.join("_site/index.html").exists());
    for file in files_below(&site.join("_site")) {
        let text = fs::read_to_string(site.join("_site").join(&file)).unwrap();
        assert!(!text.contains("TOP-SECRET"), "{file} has the secret");
    }
    let output = convert(&outer.path().join("out"), &["."]);
    assert_eq!(output.status.code(), Some(2), "{}", messages(&output));
    assert!(!outer.path().join("elsewhere").exists());
    #[cfg(unix)]
    {
        let linked = outer.path().join("linked");
        fs::create_dir(&linked).unwrap();
        fs::create_dir(outer.path().join("target")).unwrap();
        fs::write(linked.join("_quarto.yml"), WEBSITE).unwrap();
        fs::write(linked.join("index.qmd"), "# A\n").unwrap();
        std::os::unix::fs::symlink("../target", linked.join("_site")).unwrap();
        assert_eq!(convert(&linked, &["."]).status.code(), Some(2));
        assert_eq!(files_below(&outer.path().join("target")), Vec::<String>::new());
    }
}

#[test]
fn menus_are_made_from_folders_and_pages_lead_to_each_other() {
    let text = "project:\n  type: website\nwebsite:\n  title: Site\n  page-navigation: true\n  sidebar:\n    contents: auto\n";
    let folder = project(&[
        ("_quarto.yml", text),
        ("index.qmd", "# Home\n"),
        ("docs/index.qmd", "---\ntitle: Docs\n---\n"),
        ("docs/b.qmd", "---\ntitle: Bee\norder: 1\n---\n\n[a](a.qmd#x) [home](/index.qmd)\n"),
        ("docs/a.qmd", "---\ntitle: Ant\n---\n"),
        ("_part.qmd", "not a page\n"),
    ]);
    // Named by an absolute path, from another folder.
    let elsewhere = tempfile::tempdir().unwrap();
    let output = convert(elsewhere.path(), &[folder.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", messages(&output));
    let page = fs::read_to_string(folder.path().join("_site/docs/b.html")).unwrap();
    for expected in [
        "href=\"../docs/a.html#x\"",
        "href=\"../index.html\">home",
        "<a href=\"../docs/index.html\" class=\"pagination-link\" rel=\"prev\">",
        "<a href=\"../docs/a.html\" class=\"pagination-link\" rel=\"next\">",
        "<li class=\"breadcrumb-item\"><a href=\"../docs/index.html\">Docs</a></li>",
    ] {
        assert!(page.contains(expected), "{expected} is missing in {page}");
    }
    assert!(!folder.path().join("_site/_part.html").exists());
}

#[test]
fn a_single_page_has_the_metadata_of_its_project() {
    let folder = project(&[
        ("_quarto.yml", "project:\n  type: website\nbibliography: refs.bib\nlang: de\n"),
        ("refs.bib", "@book{a, title = {T}, author = {Ada Winter}, year = 2001}\n"),
        ("docs/_metadata.yml", "author: Eva Sommer\n"),
        ("docs/_part.qmd", "Part [@a].\n"),
        ("docs/a.qmd", "---\ntitle: A\n---\n\n{{< include /docs/_part.qmd >}}\n"),
    ]);
    let output = convert(folder.path(), &["docs/a.qmd", "--to", "html", "--report", "concise"]);
    let page = fs::read_to_string(folder.path().join("docs/a.html")).unwrap();
    for expected in ["Eva Sommer", "lang=\"de\"", "Winter 2001"] {
        assert!(page.contains(expected), "{expected} is missing in {page}");
    }
    assert!(
        messages(&output).contains("converted without the other pages of its website"),
        "{}",
        messages(&output)
    );
}

/// The parts of a file of Office whose names begin with this.
fn parts(path: &Path, start: &str) -> Vec<(String, String)> {
    let mut archive = zip::ZipArchive::new(fs::File::open(path).unwrap()).unwrap();
    let mut out = Vec::new();
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).unwrap();
        let name = part.name().unwrap().to_string();
        if name.starts_with(start) {
            let mut text = String::new();
            part.read_to_string(&mut text).unwrap();
            out.push((name, text));
        }
    }
    out.sort();
    out
}

#[test]
fn slides_have_contents_with_jumps_and_callouts_as_boxes() {
    let text = "---\ntitle: A\ntoc: true\ntoc-title: Agenda\n---\n\n# Part\n\n## One {#sec-one}\n\nBefore.\n\n::: {.callout-warning}\n## Mind\nIt.\n\n\
                - item\n:::\n\n## Two\n\nSee [the first](#sec-one).\n";
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.qmd"), text).unwrap();
    let output = convert(folder.path(), &["a.qmd", "--to", "pptx"]);
    let messages = String::from_utf8(output.stderr).unwrap();
    assert!(!messages.contains("CV011"), "{messages}");
    let slides = parts(&folder.path().join("a.pptx"), "ppt/slides/slide");
    let [_, contents, _, one, two] = slides.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>()[..]
    else {
        panic!("{slides:?}")
    };
    assert!(
        contents.contains(">Agenda<") && contents.matches("ppaction://hlinksldjump").count() == 3,
        "{contents}"
    );
    assert!(contents.contains("lvl=\"1\""), "{contents}");
    assert!(one.contains("name=\"Callout ") && one.contains("<a:srgbClr val=\"FCEFDC\"/>"), "{one}");
    assert!(one.contains(">Mind<") && one.contains("<a:buChar char=\"•\"/>"), "{one}");
    assert!(two.contains("ppaction://hlinksldjump"), "{two}");
    let links = parts(&folder.path().join("a.pptx"), "ppt/slides/_rels/slide5");
    assert!(links[0].1.contains("Target=\"/ppt/slides/slide4.xml\""), "{links:?}");
}

#[test]
fn dates_are_shown_as_the_document_says() {
    let text =
        "---\ntitle: A\nlang: fr\ndate: 2026-03-05\ndate-format: dddd D MMMM YYYY\n---\n\n## B\n\nText.\n";
    let (page, messages) = page(text, &[]);
    assert!(page.contains("<p class=\"date\">jeudi 5 mars 2026</p>"), "{page}");
    assert!(page.contains("<meta name=\"dcterms.date\" content=\"2026-03-05\">"), "{page}");
    assert!(!messages.contains("CV011"), "{messages}");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.qmd"), text.replace("2026-03-05", "today")).unwrap();
    for (format, name) in [("gfm", "a.md"), ("revealjs", "a.html")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_proofmark"));
        command.current_dir(folder.path()).args(["convert", "a.qmd", "--to", format]).env("PATH", "");
        let output = command.env("SOURCE_DATE_EPOCH", "1772712429").env("TZ", "UTC").output().unwrap();
        let shown = fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(shown.contains("jeudi 5 mars 2026"), "{format}: {shown}{output:?}");
    }
}

#[test]
fn pictures_of_a_page_are_links_where_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.png"), PICTURE).unwrap();
    fs::write(folder.path().join("a.qmd"), "![c](a.png)\n").unwrap();
    let (page, messages) = page_in(folder.path(), &["--option", "embed-resources=true"]);
    assert!(page.contains("src=\"data:image/png") && messages.is_empty(), "{messages}{page}");
    let (page, messages) = page_in(folder.path(), &["--option", "embed-resources=false"]);
    assert!(page.contains("src=\"a.png\"") && messages.is_empty(), "{messages}{page}");
}

#[test]
fn links_to_files_lead_from_the_folder_of_the_result() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("docs")).unwrap();
    fs::write(at("docs/a.png"), PICTURE).unwrap();
    fs::write(at("docs/data.csv"), "x\n").unwrap();
    let text = "---\nembed-resources: false\n---\n\n![P](a.png) [d](data.csv) [o](other.html)\n";
    fs::write(at("docs/a.qmd"), text).unwrap();
    for (output, start) in [("a.html", "docs/"), ("docs/b.html", ""), ("site/a.html", "../docs/")] {
        fs::create_dir_all(at("site")).unwrap();
        convert(folder.path(), &["docs/a.qmd", "-o", output]);
        let page = fs::read_to_string(at(output)).unwrap();
        for expected in ["src=\"{}a.png\"", "href=\"{}data.csv\""] {
            assert!(page.contains(&expected.replace("{}", start)), "{output}: {expected}: {page}");
        }
        assert!(page.contains("href=\"other.html\""), "a page beside the result: {page}");
    }
}

#[test]
fn previews_say_what_they_need() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.qmd"), "## A\n\nText.\n").unwrap();
    let failed = |arguments: &[&str]| {
        let output = convert(folder.path(), &[&["a.qmd", "--preview"], arguments].concat());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, messages) = failed(&["--to", "html"]);
    assert!(
        code == Some(2) && messages.contains("`html` has no slides or pages for a preview"),
        "{messages}"
    );
    let (code, messages) = failed(&["--to", "pptx", "-o", "-"]);
    assert!(code == Some(2) && messages.contains("this output has no preview"), "{messages}");
    fs::write(folder.path().join("_quarto.yml"), "project:\n  type: website\n").unwrap();
    let output = convert(folder.path(), &[".", "--to", "pptx", "--preview"]);
    let messages = String::from_utf8(output.stderr).unwrap();
    assert!(messages.contains("`--preview` is for documents"), "{messages}");
    fs::remove_file(folder.path().join("_quarto.yml")).unwrap();
    let is_installed = ["/Applications/LibreOffice.app", "C:/Program Files/LibreOffice"].map(Path::new);
    if !is_installed.iter().any(|path| path.exists()) {
        let (code, messages) = failed(&["--to", "pptx"]);
        assert!(code == Some(2) && messages.contains("LibreOffice was not found"), "{messages}");
        // It is said before anything is written.
        assert!(
            messages.contains("hint: install LibreOffice") && !folder.path().join("a.pptx").exists(),
            "{messages}"
        );
    }
}
