//! Formats besides pages, files that come with a request, and versions of quills.

use std::{path::Path, process::Command, sync::Arc};

use proofmark::internals::render::{Assets, Format, Library, PdfStandard, Request};

use super::{LETTER, Own, builtin, document, limits, messages, pictures::png, render, render_as, request};

const RICH: &str = "\n# Numbers\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```rust\nfn main() {}\n```\n\nA note[^1] and $x^2$.\n\n\
                    > [!TIP]\n> Look.\n\n```mermaid\nflowchart LR\n  A --> B\n```\n\n[^1]: The note.\n";

fn html(text: &str) -> String {
    let rendered = render_as(&builtin(), text, Format::Html);
    assert_eq!(rendered.artifacts.len(), 1, "{:?}", messages(&rendered.diagnostics));
    String::from_utf8(rendered.artifacts[0].bytes.to_vec()).unwrap()
}

#[test]
fn html_is_one_file_with_the_meaning_of_the_document() {
    let html = html(&format!("{LETTER}{RICH}"));
    assert!(html.starts_with("<!DOCTYPE html>"), "{html}");
    for part in [
        "<html lang=\"en\"",
        "<title>Note G</title>",
        "<h1>Note G</h1>",
        "<strong>Ada Lovelace</strong>",
        "<em>finished</em>",
        "<table",
        "<pre",
        "fn",
        "<math",
        "class=\"alert tip\"",
        "<figure",
        "--accent:#1f4e5f",
        "The note.",
    ] {
        assert!(html.contains(part), "{part} is not in {html}");
    }
    for part in ["<script", "src=\"http", "<link"] {
        assert!(!html.contains(part), "{part} is in {html}");
    }
}

#[test]
fn every_built_in_quill_has_html() {
    let renderer = builtin();
    let library = renderer.library();
    for name in library.quills().names() {
        let example = library.example(name).unwrap();
        let rendered = render_as(&renderer, &example, Format::Html);
        assert_eq!(rendered.artifacts.len(), 1, "{name}: {:?}", messages(&rendered.diagnostics));
    }
}

#[test]
fn a_quill_can_have_its_own_html_and_style() {
    let layout = b"#import \"@local/quillmark-helper:0.2.0\" as qm\n#html.elem(\"style\", read(\"/proofmark/page.css\"))\n\
                   #html.elem(\"h1\", qm.data.title)\n";
    let own = Own::plate_with(
        "#qm.data.title",
        &[("html.typ", layout), ("page.css", b"h1 { color: teal }")],
        &limits(),
    );
    let text = "---\nQUILL: own\ntitle: Mine\n---\n";
    let subject = document(text);
    let rendered = own.renderer.render(&request(&subject, Format::Html));
    let html = String::from_utf8(rendered.artifacts[0].bytes.to_vec()).unwrap();
    assert!(html.contains("<h1>Mine</h1>") && html.contains("h1 { color: teal }"), "{html}");
}

fn conforming(text: &str, standards: &[PdfStandard]) -> Result<Vec<u8>, Vec<String>> {
    let subject = document(text);
    let rendered = builtin().render(&Request { standards, ..request(&subject, Format::Pdf) });
    rendered.artifacts.first().map(|pdf| pdf.bytes.to_vec()).ok_or_else(|| messages(&rendered.diagnostics))
}

fn contains(bytes: &[u8], words: &str) -> bool {
    bytes.windows(words.len()).any(|window| window == words.as_bytes())
}

#[test]
fn pdf_says_which_standards_it_conforms_to() {
    let text = format!("{LETTER}{RICH}");
    let archive = conforming(&text, &[PdfStandard::A2b]).unwrap();
    assert!(contains(&archive, "pdfaid:part") && contains(&archive, "pdfaid:conformance"));
    assert!(!contains(&archive, "pdfuaid:part"));
    let both = conforming(&text, &[PdfStandard::A2b, PdfStandard::Ua1]).unwrap();
    assert!(contains(&both, "pdfaid:part") && contains(&both, "pdfuaid:part"));
    let plain = render(&builtin(), &text).artifacts[0].bytes.to_vec();
    assert!(!contains(&plain, "pdfaid:part"));
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [("archive.pdf", &archive), ("both.pdf", &both), ("plain.pdf", &plain)] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        is_sound(&path);
    }
    // The tags that assistive technology reads.
    let Some(structure) = said("pdfinfo", &["-struct-text"], &folder.path().join("both.pdf")) else { return };
    for tag in ["H1", "P (block)", "Table", "THead", "TH", "TD", "Figure", "Formula", "Note", "Code"] {
        assert!(structure.contains(tag), "{tag} is not in {structure}");
    }
}

/// Typst writes no PDF/UA-1 with a formula that has no alternative text.
#[test]
fn formulas_have_alternative_text_wherever_they_are() {
    let long = "a_1 + ".repeat(60);
    for text in [
        "In a line: $x^2$ and *stressed $\\frac{a}{b}$*.",
        "$$\nx = \\sqrt{2}\n$$",
        "Words before\n$$x$$\nand after.",
        "# Heading with $n$",
        "- item $x$\n\n  $$\n  y\n  $$",
        "> quoted $x$\n>\n> $$\n> x\n> + y\n> $$",
        "A note.[^1]\n\n[^1]: It says $x$.",
        "| a |\n|---|\n| $x$ |",
        "Term\n: means $x$",
        "$$\\begin{aligned} a &= b \\\\ c &= \\begin{pmatrix} 1 & 2 \\end{pmatrix} \\end{aligned}$$",
        "$$\\hat{x} + \\binom{n}{k} + \\begin{cases} 1 & x > 0 \\\\ 0 \\end{cases} + \\lim_{x \\to 0} f'(x)$$",
        &format!("$$\n{long} z\n$$"),
    ] {
        let conforming = conforming(&format!("{LETTER}{text}\n"), &[PdfStandard::Ua1]);
        assert!(conforming.is_ok(), "{text}: {conforming:?}");
    }
}

/// The structure of a file is valid, all of its fonts are in it, and it is tagged.
fn is_sound(path: &Path) {
    if let Some(checked) = said("qpdf", &["--check"], path) {
        assert!(checked.contains("No syntax or stream encoding errors found"), "{checked}");
    }
    if let Some(fonts) = said("pdffonts", &[], path) {
        let embedded = fonts.lines().skip(2).map(|line| line.split_whitespace().rev().nth(4));
        assert!(embedded.clone().count() > 0 && embedded.clone().all(|word| word == Some("yes")), "{fonts}");
    }
    if let Some(about) = said("pdfinfo", &[], path) {
        let line = |name: &str| about.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        assert_eq!(line("Tagged:"), Some("yes"), "{about}");
        assert_eq!(line("JavaScript:"), Some("no"), "{about}");
    }
}

/// What a program says about a file; nothing, and a note, where it is not installed, which `CI` does not allow.
#[expect(clippy::print_stderr, reason = "a test that is left out is seen")]
fn said(program: &str, arguments: &[&str], path: &Path) -> Option<String> {
    let Ok(output) = Command::new(program).args(arguments).arg(path).output() else {
        assert!(std::env::var_os("CI").is_none(), "{program} is not installed: run .ci/programs");
        eprintln!("NOT TESTED: {program} is not installed; run .ci/programs");
        return None;
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{program}: {text}{}", String::from_utf8_lossy(&output.stderr));
    Some(text)
}

#[test]
fn smart_punctuation_is_an_option_of_the_document() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("letter.pdf");
    let words = |head: &str| {
        let body = "\n\"It's 'so'\" -- or --- not ... `\"a\" -- b...`\n";
        let rendered = render(&builtin(), &(LETTER.replace("subject:", &format!("{head}subject:")) + body));
        std::fs::write(&path, &rendered.artifacts[0].bytes).unwrap();
        said("pdftotext", &[], &path)?;
        Some(std::fs::read_to_string(path.with_extension("txt")).unwrap())
    };
    let expected = [
        ("", "“It’s ‘so’” -- or --- not ... \"a\" -- b..."),
        ("smart_punctuation: true\n", "“It’s ‘so’” – or — not … \"a\" -- b..."),
        ("lang: de\nsmart_punctuation: true\n", "„It’s ‚so‘“ – or — not … \"a\" -- b..."),
    ];
    for (head, expected) in expected {
        let Some(words) = words(head) else { return };
        assert!(words.contains(expected), "{head}: {words}");
    }
}

#[test]
fn a_document_that_cannot_conform_is_reported() {
    let own = Own::plate_with("#image(\"/assets/dot.png\")", &[("assets/dot.png", &png(2, 2))], &limits());
    let subject = document("---\nQUILL: own\ntitle: a\n---\n");
    let standards = [PdfStandard::Ua1];
    let rendered = own.renderer.render(&Request { standards: &standards, ..request(&subject, Format::Pdf) });
    assert!(rendered.artifacts.is_empty());
    assert_eq!(rendered.diagnostics[0].id, "RN201", "{:?}", messages(&rendered.diagnostics));
}

#[test]
fn files_that_come_with_a_request_are_pictures_and_logos() {
    let text = LETTER.replace("subject:", "logo: mark.png\nsubject:") + "\n![A dot](dot.png)\n";
    let subject = document(&text);
    let assets: Assets = [("mark.png", png(40, 10)), ("dot.png", png(4, 4))]
        .map(|(name, bytes)| (name.to_owned(), bytes.into()))
        .into();
    let renderer = builtin();
    let with = renderer.render(&Request { assets: &assets, ..request(&subject, Format::Svg) });
    assert!(with.artifacts.len() == 1, "{:?}", messages(&with.diagnostics));
    let svg = String::from_utf8(with.artifacts[0].bytes.to_vec()).unwrap();
    assert_eq!(svg.matches("<image").count(), 2, "{svg}");
    let without = renderer.render(&request(&subject, Format::Svg));
    let found = messages(&without.diagnostics);
    assert!(found.iter().any(|found| found.starts_with("RN103 5:7")), "{found:?}");
    assert!(!without.artifacts.is_empty(), "a missing logo leaves the letter: {found:?}");
}

#[test]
fn fields_with_markdown_show_pictures() {
    let text = "---\nQUILL: report\ntitle: Counts\nauthors: [Ada]\nsummary: |\n  Look.\n\n  ![A dot](dot.png)\n---\n\nText.\n";
    let subject = document(text);
    let assets: Assets = [("dot.png".to_owned(), Arc::from(png(4, 4)))].into();
    let renderer = builtin();
    let with = renderer.render(&Request { assets: &assets, ..request(&subject, Format::Svg) });
    assert_eq!(messages(&with.diagnostics), [""; 0]);
    assert!(String::from_utf8_lossy(&with.artifacts[0].bytes).contains("<image"));
    let without = renderer.render(&request(&subject, Format::Svg));
    let expected = "RN103 8:12 the picture `dot.png` is not rendered: there is no such file that may be read";
    assert_eq!(messages(&without.diagnostics), [expected]);
}

#[test]
fn what_does_not_fit_the_page_is_reported_where_it_is() {
    let row = |cell: &dyn Fn(usize) -> String, count| -> String {
        (0..count).map(|n| format!("| {} ", cell(n))).collect::<String>() + "|\n"
    };
    let table = |count| {
        row(&|n| format!("Head{n}"), count)
            + &row(&|_| "---".to_owned(), count)
            + &row(&|n| format!("{}", n * 1_000_003), count)
    };
    let chain =
        |count| -> String { (0..count).map(|n| format!("  n{n}[Step {n}] --> n{}\n", n + 1)).collect() };
    let diagram = |count| format!("```mermaid\nflowchart LR\n{}```\n", chain(count));
    let terms = |count| (0..count).map(|n| format!("x_{{{n}}}")).collect::<Vec<_>>();
    let found = |body: &str| messages(&render(&builtin(), &format!("{LETTER}\n{body}")).diagnostics);
    assert_eq!(found(&table(8)), [""; 0]);
    let wide = found(&table(24));
    assert!(matches!(wide.as_slice(), [one] if one.starts_with("RN105 10:3 the table")), "{wide:?}");
    assert_eq!(found(&diagram(4)), [""; 0]);
    let wide = found(&diagram(60));
    assert!(matches!(wide.as_slice(), [one] if one.starts_with("RN105 11:1 the diagram")), "{wide:?}");
    assert_eq!(found(&format!("$$\n{}\n$$\n", terms(60).join(" + "))), [""; 0], "a sum is broken");
    let fraction = format!("$$\n\\frac{{{}}}{{2}}\n$$\n", terms(60).join(" + "));
    let wide = found(&fraction);
    assert!(matches!(wide.as_slice(), [one] if one.starts_with("RN105 2:8 the formula")), "{wide:?}");
}

#[test]
fn no_closing_of_a_letter_is_alone_on_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("letter.pdf");
    for count in 20..34 {
        let body = "A line.\n\n".repeat(count) + "The last words[^1].\n\n[^1]: A note.\n";
        let rendered = render(&builtin(), &LETTER.replace("the table is *finished*.", &body));
        std::fs::write(&path, &rendered.artifacts[0].bytes).unwrap();
        let Some(_) = said("pdftotext", &[], &path) else { return };
        let text = std::fs::read_to_string(path.with_extension("txt")).unwrap();
        let page = text.split('\u{c}').find(|page| page.contains("Yours sincerely")).unwrap();
        assert!(page.contains("The last words"), "{count}: {text}");
    }
}

#[test]
fn the_examples_of_all_built_in_quills_conform_to_the_standards() {
    let renderer = builtin();
    let library = renderer.library();
    for name in library.quills().names() {
        let example = library.example(name).unwrap();
        if let Err(found) = conforming(&example, &[PdfStandard::A2b, PdfStandard::Ua1]) {
            panic!("{name}: {found:?}");
        }
    }
}

/// Titles are headings in the tags, so that those who do not see the pages find them.
#[test]
fn titles_are_headings_in_the_tags() {
    let (renderer, library) = (builtin(), Library::builtin());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("document.pdf");
    for (quill, field) in [
        ("letter", "subject"),
        ("memo", "subject"),
        ("memo_classic", "subject"),
        ("report", "title"),
        ("invoice", "number"),
        ("product_catalog", "title"),
        ("resume", "name"),
    ] {
        let example = library.example(quill).unwrap();
        let rendered = render(&renderer, &example);
        std::fs::write(&path, &rendered.artifacts[0].bytes).unwrap();
        let Some(structure) = said("pdfinfo", &["-struct-text"], &path) else { return };
        let line = example.lines().find_map(|line| line.strip_prefix(&format!("{field}:"))).unwrap();
        let title = line.trim().trim_matches('"');
        let heading = structure.split("H1 ").nth(1).unwrap_or_default();
        let first: String = heading.lines().take(4).collect();
        assert!(first.contains(title), "{quill}: {title} is not the first heading in {structure}");
    }
}

#[test]
fn tables_code_and_tasks_of_html_are_usable_without_a_mouse_and_without_eyes() {
    let body = "| a | b | c |\n|:--|:-:|--:|\n| 1 | 2 | **3** |\n\n```rust\nfn main() {} // x\n```\n\n- [x] Buy *milk*\n- [ ] Sell it\n";
    let page = html(&format!("{LETTER}\n{body}"));
    for expected in [
        "<th>a</th>",
        "<div class=\"center\">b</div>",
        "<div class=\"end\"><strong>3</strong></div>",
        "<pre tabindex=\"0\" role=\"group\" aria-label=\"Code\">",
        "role=\"group\" aria-label=\"Table\" class=\"table\"",
        "aria-label=\"Buy milk\" checked",
        "aria-label=\"Sell it\"",
    ] {
        assert!(page.contains(expected), "{expected} is not in {page}");
    }
    let german = html(&format!("{}\n{body}", LETTER.replace("subject:", "lang: de\nsubject:")));
    assert!(german.contains("aria-label=\"Tabelle\""), "{german}");
    // Each color of code has a counterpart on a dark ground.
    let theme = include_str!("../../typst/code.tmTheme");
    let style = include_str!("../../typst/page.css");
    for color in theme.split("<string>#").skip(1).filter_map(|rest| rest.get(..6)) {
        assert!(style.contains(&format!("[style=\"color: #{color}\"]")), "{color} has no dark counterpart");
    }
    assert!(page.contains("style=\"color: #686870\""), "{page}");
}

/// A number in a line from right to left is written from left to right.
#[test]
fn numbers_of_an_arabic_invoice_are_isolated() {
    let text = Library::builtin().example("invoice").unwrap();
    let line = text.lines().find(|line| line.starts_with("number:")).unwrap();
    let text = text.replacen(line, "number: 2026-014\nlang: ar", 1);
    let lang = text.lines().filter(|line| line.starts_with("lang:")).count();
    assert_eq!(lang, 1, "{text}");
    let page = html(&text);
    assert!(page.matches("<bdi dir=\"ltr\">2026-014</bdi>").count() >= 1, "{page}");
}

#[test]
fn every_built_in_quill_shows_a_logo() {
    let renderer = builtin();
    let library = renderer.library();
    let assets: Assets = [("mark.png".to_owned(), Arc::from(png(40, 10)))].into();
    for name in library.quills().names() {
        let example = library.example(name).unwrap();
        let head = format!("QUILL: {name}\n");
        let text = example.replacen(&head, &format!("{head}logo: mark.png\n"), 1);
        let subject = document(&text);
        let rendered = renderer.render(&Request { assets: &assets, ..request(&subject, Format::Svg) });
        let svg: String =
            rendered.artifacts.iter().map(|page| String::from_utf8_lossy(&page.bytes).into_owned()).collect();
        assert!(svg.contains("<image"), "{name}: {:?}", messages(&rendered.diagnostics));
    }
}

#[test]
fn a_document_names_a_version_of_a_quill() {
    let folder = tempfile::tempdir().unwrap();
    for version in ["0.1.0", "0.2.0"] {
        let path = folder.path().join("quills/offer").join(version);
        std::fs::create_dir_all(&path).unwrap();
        let manifest = "quill: {name: offer, backend: typst, description: Offers}\n";
        std::fs::write(path.join("Quill.yaml"), manifest).unwrap();
        std::fs::write(path.join("plate.typ"), format!("#set document(title: \"Version {version}\")\nText"))
            .unwrap();
    }
    let renderer = Own::renderer(folder.path(), &limits());
    for (reference, version) in [("offer", "0.2.0"), ("offer@0.1", "0.1.0"), ("offer@0.1.0", "0.1.0")] {
        let rendered = render(&renderer, &format!("~~~\n$quill: {reference}\n~~~\n\nText.\n"));
        assert_eq!(rendered.artifacts.len(), 1, "{:?}", messages(&rendered.diagnostics));
        assert!(contains(&rendered.artifacts[0].bytes, &format!("Version {version}")), "{reference}");
    }
    let rendered = render(&renderer, "~~~\n$quill: offer@0.3\n~~~\n\nText.\n");
    assert_eq!(rendered.diagnostics[0].id, "QL101", "{:?}", messages(&rendered.diagnostics));
}

#[test]
fn a_draft_is_rendered_without_being_registered() {
    let files = [
        (
            "Quill.yaml",
            "quill: {name: draft, backend: typst, description: A draft}\nmain: {fields: {title: {type: string}}}\n",
        ),
        ("plate.typ", "#import \"@local/quillmark-helper:0.2.0\" as qm\n#qm.data.title"),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), Arc::from(text.as_bytes())));
    let library = Library::draft(proofmark::internals::render::Bundle::new(files.into())).unwrap();
    let subject = document("---\nQUILL: draft\ntitle: x\n---\n");
    let rendered = builtin().render_with(&library, &request(&subject, Format::Pdf));
    assert_eq!(rendered.artifacts.len(), 1, "{:?}", messages(&rendered.diagnostics));
}

#[test]
fn documents_of_later_generations_are_rendered() {
    let tildes = "~~~\n$quill: letter@0.1\nsender: Ada Lovelace\nrecipient: Charles Babbage\nsubject: Note G\n~~~\n\n\
                  Dear Babbage, the table is *finished*.\n";
    let (renderer, same) = (builtin(), render(&builtin(), LETTER));
    let rendered = render(&renderer, tildes);
    assert_eq!(messages(&rendered.diagnostics), Vec::<String>::new());
    assert!(rendered.artifacts[0].bytes == same.artifacts[0].bytes, "the pages are the same");
}

/// Typst does not write the tags of some documents with much inside of each other. They have pages all the same.
#[test]
fn a_document_whose_tags_cannot_be_written_is_pdf_without_them() {
    let subject = document(include_str!("../untagged.md"));
    let renderer = builtin();
    let rendered = renderer.render(&request(&subject, Format::Pdf));
    let found = messages(&rendered.diagnostics);
    assert!(
        found.iter().any(|found| found.starts_with("RN202 ") && found.contains("the PDF has no tags")),
        "{found:?}"
    );
    let [pdf] = rendered.artifacts.as_slice() else { panic!("{found:?}") };
    assert!(!pdf.bytes.windows(15).any(|bytes| bytes == b"/StructTreeRoot"));
    assert!(pdf.bytes.starts_with(b"%PDF-"));
}
