//! Front matter of ordinary Markdown, as site generators read it: YAML at the start of the text, between
//! `---` lines. The closing line may be `...`, spaces after either line and a byte order mark do not matter,
//! and there may be no fields. What is not YAML data there is a thematic break and text.

use std::{ops::Range, sync::Arc};

use super::{
    blocks::{NotClosed, RawBlock, Scan},
    grammar,
    metadata::{Block, BlockKind, Metadata, too_large, unread},
    page::{Findings, Page},
};
use crate::{
    ParseOptions, budget,
    syntax::{
        actions::{Language, Template},
        yaml::{self, Dialect, YamlOptions},
    },
    templated,
    text::Fragment,
    tree::{Node, TreeBuilder},
};

const MARK: char = '\u{FEFF}';

/// Nodes of a document of some pages. A tree that grows to it step by step is copied six times.
const USUAL_NODES: usize = 160;

/// Finds the front matter of a document.
pub(super) fn scan(text: &str) -> Scan {
    let start = text.len() - text.trim_start_matches(MARK).len();
    let mut lines = lines_from(text, start);
    let Some(opener) = lines.next().filter(|line| text[line.clone()].trim_end() == "---") else {
        return Scan::default();
    };
    let Some(closer) = lines.find(|line| matches!(text[line.clone()].trim_end(), "---" | "...")) else {
        return Scan { blocks: Vec::new(), not_closed: (start == 0).then_some(NotClosed::Unclosed) };
    };
    let content = &text[opener.end..closer.start];
    let content = content.strip_suffix('\n').map_or(content, |line| line.strip_suffix('\r').unwrap_or(line));
    let block =
        RawBlock { start, content: opener.end..opener.end + content.len(), end: closer.end, name: None };
    Scan { blocks: vec![block], not_closed: None }
}

/// The lines of the front matter, also of TOML between `+++` lines, which is not Markdown.
pub(super) fn lines(text: &str) -> Option<Range<usize>> {
    toml(text).or_else(|| scan(text).blocks.first().map(|block| block.start..block.end))
}

/// TOML between `+++` lines at the start of the text.
pub(super) fn toml(text: &str) -> Option<Range<usize>> {
    let start = text.len() - text.trim_start_matches(MARK).len();
    let mut lines = lines_from(text, start);
    let mut is_mark = |line: &Range<usize>| text[line.clone()].trim_end() == "+++";
    lines.next().filter(&mut is_mark)?;
    lines.find(is_mark).map(|closer| start..closer.end)
}

/// Reads the front matter that was found; nothing where it is text between two thematic breaks.
pub(super) fn read(
    page: &Page<'_>,
    scan: &Scan,
    options: &ParseOptions<'_>,
    findings: &mut Findings,
) -> (Metadata, Option<Arc<Template>>) {
    let mut draft = TreeBuilder::new(page.source.clone());
    draft.reserve(USUAL_NODES);
    let mut metadata = Metadata { draft, blocks: Vec::new(), comments: Vec::new(), dialect: page.dialect };
    let Some(raw) = scan.blocks.first() else { return (metadata, None) };
    if raw.content.len() > page.limits.block_bytes {
        findings.add(too_large(page, raw));
        metadata.blocks.push(unread(raw));
        return (metadata, None);
    }
    let first = findings.list.len();
    let fragment = page.pieces(std::slice::from_ref(&raw.content));
    let yaml = YamlOptions {
        dialect: Dialect::Any,
        depth: page.limits.yaml_depth,
        alias_nodes: page.limits.alias_nodes,
        ..YamlOptions::default()
    };
    let trial = |fragment: &Fragment<'_>| {
        let mut seen = Vec::new();
        yaml::read(&mut TreeBuilder::new(page.source.clone()), fragment, &yaml, &mut seen);
        seen
    };
    let host = page.source.text();
    let view = templated::view((page.source.name(), host), &fragment, Language::Yaml, options, &trial);
    let read = yaml::read(&mut metadata.draft, &view.fragment, &yaml, &mut findings.list);
    let root = read.root.map(|id| metadata.draft.node(id));
    let fields = root.filter(|root| root.is_mapping()).map(Node::id);
    let is_meant = if read.complete {
        // A blank line below the first line is usual below a thematic break; then all lines must be fields.
        let is_block =
            || !text_below(page.text(), raw).starts_with(['\n', '\r']) || is_closed_block(page, raw);
        root.is_none_or(Node::is_null) || fields.is_some() && is_block()
    } else {
        let text = text_below(page.text(), raw);
        (starts_with_key(text) || !grammar::begins_like_prose(fragment.text()))
            && !text.starts_with(['\n', '\r'])
    };
    if !is_meant {
        findings.list.truncate(first);
        return (metadata, None);
    }
    view.retain_certain(host, &mut findings.list, first);
    metadata.comments = read.comments;
    metadata.blocks.push(Block {
        raw: raw.clone(),
        kind: BlockKind::Frontmatter,
        name: None,
        name_type: None,
        fields,
        sound: read.whole,
        malformed: !read.complete,
    });
    (metadata, view.template)
}

fn text_below<'t>(text: &'t str, raw: &RawBlock) -> &'t str {
    &text[raw.content.start..]
}

/// Whether the first line starts with a few words and a colon.
fn starts_with_key(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default().trim_end();
    line.split_once(':').is_some_and(|(key, value)| {
        let is_word = |word: &str| word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
        (value.is_empty() || value.starts_with(' '))
            && key.split(' ').count() <= 2
            && key.split(' ').all(is_word)
    })
}

fn is_closed_block(page: &Page<'_>, raw: &RawBlock) -> bool {
    let meant = grammar::would_be_block(&page.text()[raw.start..raw.end]);
    meant.is_some_and(|meant| meant.closer.is_some() && (meant.tag.is_some() || !meant.fields.is_empty()))
}

/// The lines from an offset on, with their line ends, as long as the budget lasts.
fn lines_from(text: &str, mut start: usize) -> impl Iterator<Item = Range<usize>> + '_ {
    text[start..].split_inclusive('\n').take_while(|_| budget::charge(1)).map(move |line| {
        let from = start;
        start += line.len();
        from..start
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_lines_may_be_written_as_site_generators_accept_them() {
        for text in [
            "---\na: 1\n---\nx",
            "---  \na: 1\n--- \nx",
            "---\na: 1\n...\nx",
            "\u{FEFF}---\na: 1\n---\nx",
            "---\r\na: 1\r\n---",
        ] {
            let scan = scan(text);
            let content = scan.blocks.first().map(|block| &text[block.content.clone()]);
            assert_eq!(content, Some("a: 1"), "{text:?}");
        }
        assert_eq!(scan("---\n---\n").blocks[0].content, 4..4);
        assert!(scan("text\n---\na: 1\n---\n").blocks.is_empty());
        assert_eq!(scan("---\na: 1\n").not_closed, Some(NotClosed::Unclosed));
    }

    #[test]
    fn toml_between_plus_signs_is_not_markdown() {
        assert_eq!(lines("+++\na = 1\n+++\ntext"), Some(0..14));
        assert_eq!(lines("+++\na = 1\ntext"), None);
    }
}
