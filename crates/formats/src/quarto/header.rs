//! The YAML header.

use crate::{
    Comment, Limits, Observation,
    markdown::page::{Findings, Page},
    syntax::{
        pandoc::Pandoc,
        yaml::{self, TagReader, Tagged, YamlOptions},
    },
    text::Fragment,
    tree::{NodeId, Scalar, TreeBuilder},
};

/// The header of a document.
#[derive(Default)]
pub(super) struct Header {
    /// Its mapping, where it is one.
    pub(super) node: Option<NodeId>,
    pub(super) comments: Vec<Comment>,
}

/// Values that are computed when the document is rendered, such as `!expr nrow(data)`: they may be anything.
struct Computed;

impl TagReader for Computed {
    fn read(&mut self, builder: &mut TreeBuilder, tagged: Tagged<'_>, _: &mut Vec<Observation>) -> bool {
        let computed = matches!(tagged.tag, "!expr" | "!r");
        if computed {
            builder.scalar(Scalar::Null, tagged.span);
        }
        computed
    }
}

/// Reads YAML of a document: its header or the options of a cell. Adds one value to the builder.
pub(super) fn read_yaml(
    fragment: &Fragment<'_>,
    limits: Limits,
    builder: &mut TreeBuilder,
    observations: &mut Vec<Observation>,
) -> yaml::YamlRead {
    let options = YamlOptions {
        depth: limits.yaml_depth,
        alias_nodes: limits.alias_nodes,
        merge_keys: true,
        ..YamlOptions::default()
    };
    yaml::read_with(builder, fragment, &options, observations, &mut Computed)
}

/// Adds `header` to the open mapping.
pub(super) fn write(
    page: &Page<'_>,
    scan: &Pandoc,
    builder: &mut TreeBuilder,
    findings: &mut Findings,
) -> Header {
    let Some(header) = &scan.header else { return Header::default() };
    let size = header.content.len();
    if size > page.limits.block_bytes {
        findings.add(
            Observation::new("header_too_large", page.span(header.opener.clone()))
                .with("size", size)
                .with("limit", page.limits.block_bytes),
        );
        return Header::default();
    }
    let content = &page.text()[header.content.clone()];
    let end = header.content.start + content.trim_end().len();
    let fragment = page.pieces(std::slice::from_ref(&(header.content.start..end)));
    builder.key_static("header");
    let read = read_yaml(&fragment, page.limits, builder, &mut findings.list);
    let node = read.root.filter(|root| builder.node(*root).is_mapping());
    if let Some(root) = read.root.filter(|root| read.complete && node != Some(*root)) {
        let found = builder.node(root);
        if !found.is_null() {
            let observation = Observation::new("header_not_a_mapping", found.span());
            findings.add(observation.with("type", found.node_type().name()));
        }
    }
    Header { node, comments: read.comments }
}
