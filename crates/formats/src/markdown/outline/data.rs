//! Fences of data: their YAML, JSON and TOML becomes part of the tree.

use std::sync::Arc;

use super::super::page::{Findings, Page};
use crate::{
    Observation, budget,
    syntax::{
        commonmark::{Fence, Outline},
        json, toml,
        yaml::{self, Dialect, Documents, YamlOptions},
    },
    text::{Fragment, Source, clip},
    tree::{NodeId, TreeBuilder},
};

/// Reads the fences of data into detached values of the builder: one for each fence of the outline,
/// nothing where it is in another language or cannot be read, which is observed.
pub(in crate::markdown) fn read(
    outline: &Outline,
    page: &Page<'_>,
    builder: &mut TreeBuilder,
    findings: &mut Findings,
) -> Vec<Option<NodeId>> {
    budget::within(&outline.fences).map(|fence| value(fence, page, builder, findings)).collect()
}

fn value(
    fence: &Fence,
    page: &Page<'_>,
    builder: &mut TreeBuilder,
    findings: &mut Findings,
) -> Option<NodeId> {
    let language = page.text()[fence.language.clone()].to_ascii_lowercase();
    let (format, reader): (_, Reader) = match language.as_str() {
        "yaml" | "yml" => ("YAML", read_yaml),
        "json" | "jsonc" => ("JSON", read_json),
        "toml" => ("TOML", read_toml),
        _ => return None,
    };
    if fence.braced || fence.content_range().len() > page.limits.block_bytes {
        return None;
    }
    let fragment = page.content(fence);
    let mut seen = Vec::new();
    let root = reader(builder, &fragment, page, &mut seen);
    finish(root, fence, (format, fragment.text()), &seen, page, findings)
}

/// Adds the value of a fence to the builder; nothing where all of it cannot be read.
type Reader = fn(&mut TreeBuilder, &Fragment<'_>, &Page<'_>, &mut Vec<Observation>) -> Option<NodeId>;

fn read_yaml(
    builder: &mut TreeBuilder,
    fragment: &Fragment<'_>,
    page: &Page<'_>,
    seen: &mut Vec<Observation>,
) -> Option<NodeId> {
    let options = YamlOptions {
        dialect: Dialect::Any,
        documents: Documents::Any,
        depth: page.limits.yaml_depth,
        alias_nodes: page.limits.alias_nodes,
        report_traps: false,
        ..YamlOptions::default()
    };
    let read = yaml::read(builder, fragment, &options, seen);
    read.root.filter(|_| read.complete)
}

fn read_json(
    builder: &mut TreeBuilder,
    fragment: &Fragment<'_>,
    page: &Page<'_>,
    seen: &mut Vec<Observation>,
) -> Option<NodeId> {
    let root = builder.next_id();
    json::read(builder, fragment, page.limits.yaml_depth, true, seen).complete.then_some(root)
}

fn read_toml(
    builder: &mut TreeBuilder,
    fragment: &Fragment<'_>,
    _: &Page<'_>,
    seen: &mut Vec<Observation>,
) -> Option<NodeId> {
    let root = builder.next_id();
    toml::read(builder, fragment, seen);
    seen.is_empty().then_some(root)
}

/// The value of a fence that was read; otherwise what keeps it from being read is observed.
fn finish(
    root: Option<NodeId>,
    fence: &Fence,
    (format, text): (&'static str, &str),
    seen: &[Observation],
    page: &Page<'_>,
    findings: &mut Findings,
) -> Option<NodeId> {
    if root.is_none()
        && fence.closed
        && !is_excerpt(text)
        && !(format == "JSON" && is_members(text, page))
        && let Some(first) = seen.first()
    {
        let observation = Observation::new("fence-data-malformed", first.span).with("format", format);
        findings.add(observation.with("reason", reason(first, page)));
    }
    root
}

/// What keeps a fence from being read: what its reader says of it, or else the text at that place.
fn reason(first: &Observation, page: &Page<'_>) -> String {
    let reason = first.name.split_once('_').map_or(first.name.as_ref(), |(_, reason)| reason);
    if reason != "syntax" {
        return reason.replace('_', " ");
    }
    let detail = first.value("detail").and_then(|value| value.as_str());
    match (detail, first.span.of(page.text()).trim()) {
        (Some(detail), _) if !detail.is_empty() => detail.to_owned(),
        (_, "") => "unexpected end".to_owned(),
        (_, found) => format!("unexpected `{}`", clip(found, 40)),
    }
}

/// Whether JSON consists of members of an object without the braces around them, as documentation shows parts of one.
fn is_members(text: &str, page: &Page<'_>) -> bool {
    let members = text.trim();
    if !members.starts_with('"') || !budget::allocate(members.len()) {
        return false;
    }
    let object = format!("{{{}}}", members.trim_end_matches(','));
    let source = Arc::new(Source::new("members", object));
    let fragment = Fragment::contiguous(source.text(), source.span());
    let mut seen = Vec::new();
    let mut builder = TreeBuilder::new(Arc::clone(&source));
    json::read(&mut builder, &fragment, page.limits.yaml_depth, true, &mut seen).complete
}

/// Whether text leaves something out or is filled in later, so that it is not meant to be read.
fn is_excerpt(text: &str) -> bool {
    ["...", "…", "{{", "{%", "${"].iter().any(|sign| text.contains(sign))
}
