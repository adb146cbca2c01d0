use std::path::{Path, PathBuf};

use crate::{
    diagnostic,
    kinds::{Kind as _, Kinds, qtype::QType},
    project::config,
    rules,
};
use serde_json::Value;

use super::{Console, Exit, Fault, Generated};

/// Write the JSON Schemas of rule files, packs, the configuration, diagnostics and documents' trees
///
/// An editor that uses `rule-file.schema.json` completes and explains rule files.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Folder of the schemas
    #[arg(value_name = "FOLDER", default_value = "schemas")]
    folder: PathBuf,
    /// Compare the schemas with what is there instead, and fail when they differ
    #[arg(long)]
    check: bool,
}

/// The schema that the built-in pack for rule files embeds; there only in Proofmark's own repository.
const EMBEDDED: &str = "rules/rulefile/document.schema.json";

pub(super) fn run(arguments: &Arguments, console: Console) -> Result<Exit, Fault> {
    let folder = &arguments.folder;
    let mut files = vec![
        (folder.join("rule-file.schema.json"), pretty(&rules::rule_file_schema())),
        (folder.join("pack.schema.json"), pretty(&rules::pack_schema())),
        (folder.join("kind.schema.json"), pretty(&rules::kind_schema())),
        (folder.join("config.schema.json"), pretty(config::schema())),
        (folder.join("diagnostic.schema.json"), pretty(diagnostic::schema().as_value())),
        (folder.join("qtype.schema.json"), QType.tree_schema().to_owned()),
    ];
    let kinds = Kinds::builtin();
    let trees = kinds.iter().map(|kind| {
        let file = folder.join("tree").join(format!("{}.schema.json", kind.name()));
        (file, tree(kind.tree_schema()))
    });
    files.extend(trees);
    if Path::new(EMBEDDED).is_file() {
        files.push((EMBEDDED.into(), pretty(&rules::document_schema())));
    }
    Generated { files, whole: Vec::new(), command: "proofmark rules schema" }.settle(arguments.check, console)
}

/// A schema of a tree: as it is where a person has laid it out.
fn tree(schema: &str) -> String {
    if schema.trim_end().contains('\n') {
        return schema.to_owned();
    }
    pretty(&serde_json::from_str(schema).unwrap_or_default())
}

fn pretty(schema: &Value) -> String {
    format!("{schema:#}\n")
}
