//! A folder in which every part of the configuration has an effect on some document.

use std::fs;

use super::sandbox::Sandbox;

/// Documents of the folder.
pub(crate) const DOCUMENTS: [&str; 11] = [
    "docs/report.md",
    "docs/today.note",
    "docs/windows.md",
    "docs/latin.md",
    "docs/wide.mmd",
    "drafts/one.md",
    "flows/app.qtype.yaml",
    "flows/parts/models.qtype.yaml",
    "letters/note.md",
    "letters/offer.md",
    "shop/Stock.SKU",
];

/// What is reported of the documents.
pub(crate) const IDS: [&str; 13] = [
    "FM404", "MD107", "MM053", "PM003", "QL102", "QL104", "QL105", "QT201", "QT402", "QT511", "QT906",
    "SK003", "YM101",
];

/// Two findings are in the baseline: an invisible character and an image without text.
const CONFIGURATION: &str = r#"
[files]
kinds = { "*.note" = "markdown" }
dialects = { "windows.md" = "c2" }

[rules]
ignore = ["MM869"]
baseline = "known.json"

[[rules.override]]
files = ["drafts/**"]
ignore = ["MD107"]

[packs]
paths = ["packs/sku"]

[limits]
line_bytes = 60
diagram_bytes = 64

[server]
deadline_ms = 60000
"#;

const FLOW: &str = r#"id: app
auths:
  - {id: cloud, type: aws, profile_name: "${PROFILE}"}
  - {id: other, type: aws, profile_name: "${MISSING}"}
references:
  - !include parts/models.qtype.yaml
flows:
  - id: greet
    interface: {type: Complete}
    variables:
      - {id: name, type: text}
      - {id: greeting, type: text}
    inputs: [name]
    outputs: [greeting]
    steps:
      - {id: ask, type: LLMInference, model: shared_modell, inputs: [name], outputs: [greeting]}
"#;

const MODELS: &str =
    "- type: Model\n  id: shared_model\n  provider: openai\n  model_id: gpt-4o-mini\n  temprature: 1\n";

const QUILL: &str = "quill: {name: offer, backend: typst, description: An offer}\nmain:\n  fields:\n    \
                     customer: {type: string, required: true}\n    total: {type: number}\n";

/// A sandbox with the documents, and what they depend on.
pub(crate) struct Folder {
    pub(crate) sandbox: Sandbox,
    #[cfg(feature = "mcp")]
    pub(crate) server: super::server::Server,
}

impl Folder {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::new();
        let long = "word ".repeat(20);
        sandbox.write("proofmark.toml", CONFIGURATION);
        sandbox.write("app.env", "PROFILE=offers\n");
        sandbox.write(
            "docs/report.md",
            format!(
                "---\ntitle: Report\n---\n\n# A\u{200B} report\n\nSee ![](chart.png).\n\n\
                 <!-- proofmark-ignore MD107: a table of one line -->\n{long}\n\n{long}\n"
            ),
        );
        sandbox.write("docs/chart.png", b"");
        sandbox.write("docs/today.note", format!("---\ntitle: Notes: today\n---\n\n{long}\n"));
        sandbox
            .write("docs/windows.md", "\u{FEFF}---\r\ntitle: Report: the year\r\n---\r\n\r\n# A report\r\n");
        sandbox.write("docs/latin.md", b"# Caf\xE9\n");
        sandbox.write("docs/wide.mmd", format!("graph TD\n{}", "  A --> B\n".repeat(8)));
        sandbox.write("drafts/one.md", format!("---\ntitle: Draft: one\n---\n\n{long}\n"));
        sandbox.write("flows/app.qtype.yaml", FLOW);
        sandbox.write("flows/parts/models.qtype.yaml", MODELS);
        sandbox.write("letters/offer.md", "---\nQUILL: offer\ncustomr: Ada\ntotal: many\n---\n\nText.\n");
        // A built-in quill, beside those of the folder.
        sandbox.write("letters/note.md", "---\nQUILL: letter\nsendr: Ada\nrecipient: Bo\n---\n\nText.\n");
        sandbox.write("quills/offer/Quill.yaml", QUILL);
        sandbox.write("quills/offer/plate.typ", "#customer #total\n");
        sandbox.write(
            "shop/Stock.SKU",
            "= Shop\nA-1: 9,95\n# proofmark-ignore SK005: arrives in May\nA-2: 6 -> A-9\n",
        );
        copy_pack(&sandbox);
        let known = sandbox.run(&[
            "check",
            "docs/report.md",
            "--isolated",
            "--select",
            "MD",
            "--write-baseline",
            "known.json",
        ]);
        assert_eq!(known.code, 0, "{}", known.stderr);
        assert_eq!(sandbox.read("known.json").matches("\"id\":").count(), 2);
        Self {
            #[cfg(feature = "mcp")]
            server: super::server::Server::start(&sandbox, &["--env-file", "app.env"]),
            sandbox,
        }
    }

    /// The text of a document, where it is UTF-8.
    pub(crate) fn text(&self, document: &str) -> Option<String> {
        String::from_utf8(fs::read(self.sandbox.path(document)).unwrap()).ok()
    }

    /// The absolute path of a file.
    pub(crate) fn absolute(&self, path: &str) -> String {
        self.sandbox.path(path).to_str().unwrap().to_owned()
    }
}

/// Copies the example of a pack with a kind.
fn copy_pack(sandbox: &Sandbox) {
    let pack = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/packs/sku");
    for entry in fs::read_dir(pack).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if name != "stock.sku" {
            sandbox.write(&format!("packs/sku/{name}"), fs::read(entry.path()).unwrap());
        }
    }
}
