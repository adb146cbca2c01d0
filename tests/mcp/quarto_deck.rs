//! A deck with a bibliography is made from nothing by tools only: how many calls that takes, and how many bytes.

use proofmark::internals::service::{Options, Toolset};
use serde_json::json;

use crate::client::{Client, Counted, Protocol, with_root};

const REFERENCES: &str = "@book{knuth1984,\n  author = {Knuth, Donald E.},\n  title = {The TeXbook},\n  publisher = {Addison-Wesley},\n  year = {1984}\n}\n";

const DECK: &str = "---\ntitle: Reports as text\nauthor: Ann Lee\nbibliography: refs.bib\nformat: pptx\n---\n\n\
                    ## Why\n\n- Text can be compared\n- Layout follows later [@knuth1984]\n\n::: {.notes}\nSay why.\n:::\n\n\
                    ## Before and after\n\n:::: {.columns}\n::: {.column}\nCopied tables\n:::\n::: {.column}\nOne source\n:::\n::::\n\n\
                    ## Numbers\n\n| Step | Hours |\n|------|------:|\n| Draft | 3 |\n| Check | 1 |\n\n: Effort {#tbl-effort}\n\n\
                    ## Rule\n\nA report takes $t = \\frac{n}{2}$ hours.\n\n## Next\n\n1. Try it\n2. Measure it\n";

#[tokio::test]
async fn a_deck_with_a_bibliography_is_made_with_tools() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { toolsets: vec![Toolset::Repair, Toolset::Quarto], ..with_root(folder.path()) };
    let client = Client::new(Protocol::Stateless, &options).await;
    let mut work = Counted::new(client);

    work.get("write_file", json!({"path": "refs.bib", "content": REFERENCES})).await;
    let written = work.get("write_file", json!({"path": "deck.qmd", "content": DECK})).await;
    assert_eq!(written["errors"], 0, "{written:#}");
    // Paths begin in the folder that the server may write to.
    let deck = json!({"content": DECK, "format": "pptx", "output_path": "deck.pptx"});
    let made = work.get("quarto_render", deck).await;
    assert_eq!((&made["success"], &made["diagnostics"]), (&json!(true), &json!([])), "{made:#}");
    assert_eq!(made["metadata"]["warnings"], json!([]), "{made:#}");
    println!("{} calls, {} bytes", work.calls, work.bytes);
    assert!(work.calls <= 4, "{} calls", work.calls);

    let bytes = std::fs::read(folder.path().join("deck.pptx")).unwrap();
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let mut text = |number: usize| {
        let mut out = String::new();
        let mut slide = archive.by_name(&format!("ppt/slides/slide{number}.xml")).unwrap();
        std::io::Read::read_to_string(&mut slide, &mut out).unwrap();
        out
    };
    assert!(text(1).contains("Reports as text") && text(2).contains("(Knuth 1984)"));
    assert!(text(4).contains("<a:tbl>") && text(5).contains("<m:f>"));
    let last = text(7);
    assert!(last.contains("References") && last.contains("The TeXbook"), "{last}");

    // What exists is replaced only where that is asked for.
    let again = json!({"content": DECK, "format": "pptx", "output_path": "deck.pptx", "overwrite": true});
    assert_eq!(work.get("quarto_render", again).await["success"], true);
}
