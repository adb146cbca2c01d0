//! The files around a document: those that it includes, and the project that it belongs to.

use std::{io::ErrorKind, sync::Arc};

use super::header;
use crate::{
    Limits, Observation, ParseOptions, ReadFile,
    markdown::{
        Dialect,
        page::{Findings, Page},
    },
    syntax::pandoc::{self, Pandoc, Shortcode},
    text::{Fragment, Source, SourceId, joined},
    tree::{Node, TreeBuilder},
};

/// Most files that a document may include.
pub const INCLUDES: usize = 200;

/// Deepest nesting of includes.
pub const INCLUDE_DEPTH: usize = 16;

/// How many folders above the document a file of the project is looked for in.
const FOLDERS_ABOVE: usize = 6;

/// Names of the project file.
pub const PROJECT_FILES: [&str; 2] = ["_quarto.yml", "_quarto.yaml"];

/// What the first of these files gives that can be read, in the document's folder or above it. `read` reads a file by its path
/// from the document's folder. With it comes the path of the folder, which is empty or ends with a slash.
pub fn nearest<T>(names: &[&str], read: impl Fn(&str) -> Option<T>) -> Option<(T, String)> {
    let mut folder = String::new();
    for _ in 0..=FOLDERS_ABOVE {
        if let Some(found) = names.iter().find_map(|name| read(&format!("{folder}{name}"))) {
            return Some((found, folder));
        }
        folder.push_str("../");
    }
    None
}

/// One of the sources of a document: its own text, or that of an included file.
#[derive(Clone, Copy)]
pub(super) struct Part<'p> {
    pub(super) page: &'p Page<'p>,
    pub(super) scan: &'p Pandoc,
    pub(super) source: SourceId,
}

/// What `_quarto.yml` says, as far as it matters for a document.
#[derive(Debug, Default)]
pub(super) struct ProjectFile {
    /// Path from the document's folder to the project's, with a slash at its end.
    folder: Option<String>,
    /// The type of the project, such as `book`.
    pub(super) kind: Option<String>,
    /// Whether it names a bibliography.
    pub(super) has_bibliography: bool,
    /// Prefixes of its own cross-references.
    pub(super) prefixes: Vec<String>,
}

struct Included {
    source: Arc<Source>,
    id: SourceId,
    scan: Pandoc,
}

/// The files of a document.
pub(super) struct Files {
    included: Vec<Included>,
    project: ProjectFile,
}

impl Files {
    /// Reads the project file and everything that the document includes.
    pub(super) fn read(
        page: &Page<'_>,
        scan: &Pandoc,
        options: &ParseOptions<'_>,
        builder: &mut TreeBuilder,
        findings: &mut Findings,
    ) -> Self {
        let project = options.read.map(|read| ProjectFile::find(read, options.limits)).unwrap_or_default();
        let own = page.source.name().rsplit('/').next().unwrap_or_default().to_owned();
        let mut follower = Follower {
            options,
            project: &project,
            builder,
            findings,
            included: Vec::new(),
            chain: vec![own],
        };
        let span = |shortcode: &Shortcode| page.span(shortcode.range.clone());
        follower.follow(page.text(), scan, SourceId(0), "", &span);
        let included = follower.included;
        Self { included, project }
    }

    /// The project of the document.
    pub(super) fn project(&self) -> &ProjectFile {
        &self.project
    }

    /// The content of the included files.
    pub(super) fn fragments(&self) -> Vec<Fragment<'_>> {
        let whole = self.included.iter().map(|file| (file.source.text(), file.source.span()));
        whole.map(|(text, span)| Fragment::contiguous(text, span)).collect()
    }

    /// The included files as pages.
    pub(super) fn pages<'f>(&'f self, fragments: &'f [Fragment<'f>], limits: Limits) -> Vec<Page<'f>> {
        let files = self.included.iter().zip(fragments);
        files.map(|(file, fragment)| Page::new(&file.source, fragment, Dialect::CommonMark, limits)).collect()
    }

    /// The included files as parts of the document.
    pub(super) fn parts<'f>(&'f self, pages: &'f [Page<'f>]) -> impl Iterator<Item = Part<'f>> {
        let files = self.included.iter().zip(pages);
        files.map(|(file, page)| Part { page, scan: &file.scan, source: file.id })
    }
}

struct Follower<'f, 'o> {
    options: &'f ParseOptions<'o>,
    project: &'f ProjectFile,
    builder: &'f mut TreeBuilder,
    findings: &'f mut Findings,
    included: Vec<Included>,
    /// The files being read, the innermost last.
    chain: Vec<String>,
}

impl Follower<'_, '_> {
    /// Follows the includes of one text, which is in `folder`.
    fn follow(
        &mut self,
        text: &str,
        scan: &Pandoc,
        source: SourceId,
        folder: &str,
        span: &dyn Fn(&Shortcode) -> crate::text::Span,
    ) {
        for shortcode in scan.shortcodes.iter().filter(|shortcode| text[shortcode.name.clone()] == *"include")
        {
            let Some(path) = shortcode.arguments.first().map(|path| &text[path.clone()]) else { continue };
            if let Err(observation) = self.include(path, folder, shortcode, span) {
                self.findings.add(observation.in_source(source));
            }
        }
    }

    fn include(
        &mut self,
        path: &str,
        folder: &str,
        shortcode: &Shortcode,
        span: &dyn Fn(&Shortcode) -> crate::text::Span,
    ) -> Result<(), Observation> {
        let observed = |name: &'static str| Observation::new(name, span(shortcode)).with("file", path);
        let Some(read) = self.options.read else { return Err(observed("include-not-read")) };
        if path.contains("{{<") || path.contains("://") {
            return Ok(());
        }
        let full = self.project.resolve(folder, path);
        if self.chain.contains(&full) {
            let chain = [self.chain.join(" → "), full].join(" → ");
            return Err(observed("include-cycle").with("chain", chain));
        }
        if self.included.len() >= INCLUDES || self.chain.len() > INCLUDE_DEPTH {
            return Err(observed("include-limit").with("limit", INCLUDES));
        }
        let bytes = read(&full).map_err(|error| {
            observed("include-not-found").with("outside", error.kind() == ErrorKind::PermissionDenied)
        })?;
        let text = String::from_utf8(bytes).map_err(|_| observed("include-not-utf8"))?;
        let source = Arc::new(self.builder.source(SourceId(0)).sibling(&full, text));
        let id = self.builder.add_source(Arc::clone(&source));
        let scan = pandoc::read(source.text());
        let folder = full.rfind('/').map_or_else(String::new, |at| full[..=at].to_owned());
        self.chain.push(full);
        let span = |shortcode: &Shortcode| crate::text::Span::new(shortcode.range.start, shortcode.range.end);
        self.follow(source.text(), &scan, id, &folder, &span);
        self.chain.pop();
        self.included.push(Included { source, id, scan });
        Ok(())
    }
}

impl ProjectFile {
    /// The project file in the document's folder or one above it.
    fn find(read: ReadFile<'_>, limits: Limits) -> Self {
        let text = |path: &str| String::from_utf8(read(path).ok()?).ok();
        let found = nearest(&PROJECT_FILES, text);
        found.map(|(text, folder)| Self::read(folder, text, limits)).unwrap_or_default()
    }

    fn read(folder: String, text: String, limits: Limits) -> Self {
        let source = Arc::new(Source::new("_quarto.yml", text));
        let fragment = Fragment::contiguous(source.text(), source.span());
        let mut builder = TreeBuilder::new(Arc::clone(&source));
        header::read_yaml(&fragment, limits, &mut builder, &mut Vec::new());
        let tree = builder.finish();
        let root = tree.root();
        let kind = root.get("project").and_then(|project| project.get("type")).and_then(Node::as_str);
        let custom = root.get("crossref").and_then(|crossref| crossref.get("custom"));
        let prefixes = custom.into_iter().flat_map(Node::items).filter_map(|item| item.get("key")?.as_str());
        Self {
            kind: kind.map(str::to_owned),
            has_bibliography: root.get("bibliography").is_some()
                || root.get("book").is_some_and(|b| b.get("bibliography").is_some()),
            prefixes: prefixes.map(str::to_owned).collect(),
            folder: Some(folder),
        }
    }

    /// The path from the document's folder to a file that a file in `folder` names.
    pub(super) fn resolve(&self, folder: &str, path: &str) -> String {
        let (folder, path) = match (path.strip_prefix('/'), &self.folder) {
            (Some(below), Some(root)) => (root.as_str(), below),
            // Without a project, the root is the document's folder.
            (Some(below), None) => ("", below),
            (None, _) => (folder, path),
        };
        joined(folder, path)
    }
}
