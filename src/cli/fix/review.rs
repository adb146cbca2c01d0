//! A page on which people see what fixes did: what was decided, what to look at, the lines beside each other, and each
//! repaired diagram drawn beside the faulty one.

use std::{io, ops::Range, path::Path};

use minijinja::{Environment, Value};
use serde::Serialize;

use crate::{
    diagnostic::{Applicability, Diagnostic, Severity},
    engine::Outcome,
    files,
    fix::{Applied, Fixed},
    kinds::{Document, mermaid},
    project::{Project, Subject},
    text::changed_lines,
};

use super::super::exit::Fault;

/// The page; what is inserted is escaped.
const TEMPLATE: &str = include_str!("review.html");

/// Lines that are shown around a change.
const AROUND: usize = 3;

/// Most findings that are listed for a document.
const FINDINGS: usize = 50;

/// The changes of a run.
pub(super) struct Review<'r> {
    project: &'r Project,
    painter: Painter,
    files: Vec<File>,
    applied: usize,
}

/// What the page shows.
#[derive(Serialize)]
struct Page<'p> {
    files: &'p [File],
    /// Number of fixes that were applied.
    applied: usize,
    /// How many of them a person should look at.
    look: usize,
    /// Number of findings that are left.
    left: usize,
    /// Whether the files were written.
    written: bool,
    /// Why no diagram is drawn.
    undrawn: Option<&'p str>,
}

/// A document that fixes change, or could not.
#[derive(Serialize)]
struct File {
    name: String,
    /// Fixes that were applied.
    applied: Vec<Decision>,
    /// Fixes that were left out.
    refused: Vec<Decision>,
    /// Findings that are left.
    left: Vec<Left>,
    /// How many more there are.
    more: usize,
    diagrams: Vec<Pair>,
    hunks: Vec<Vec<Row>>,
}

#[derive(Serialize)]
struct Decision {
    id: String,
    name: String,
    title: String,
    line: u32,
    /// Whether a person should look at it.
    look: bool,
    because: Option<String>,
}

#[derive(Serialize)]
struct Left {
    id: String,
    severity: Severity,
    line: u32,
    message: String,
    hint: Option<String>,
}

/// A diagram before and after.
#[derive(Serialize)]
struct Pair {
    line: usize,
    before: Vec<Line>,
    after: String,
    /// The drawing, as a data URL.
    drawing: Option<String>,
    /// Why there is none.
    undrawn: Option<String>,
}

/// A line of a faulty diagram.
#[derive(Serialize)]
struct Line {
    number: usize,
    text: String,
    /// What is wrong with it.
    wrong: Vec<String>,
}

/// Lines beside each other: the number and the text.
#[derive(Serialize)]
struct Row {
    old: Option<(usize, String)>,
    new: Option<(usize, String)>,
    changed: bool,
}

impl<'r> Review<'r> {
    pub(super) fn new(project: &'r Project) -> Self {
        Self { project, painter: Painter::new(project), files: Vec::new(), applied: 0 }
    }

    /// Why no diagram is drawn, and what to do about it.
    pub(super) fn undrawn(&self) -> Option<&str> {
        self.painter.missing.as_deref()
    }

    /// Adds a document. One that has no fix is left out.
    pub(super) fn add(&mut self, subject: &Subject<'_>, fixed: &Fixed) {
        if fixed.applied.is_empty() && fixed.refused.is_empty() {
            return;
        }
        self.applied += fixed.applied.len();
        let findings = |outcome: &Outcome| -> Vec<Diagnostic> {
            let shown = outcome.shown(self.project.ruleset().kinds());
            shown.diagnostics.iter().filter(|found| found.suppressed.is_none()).cloned().collect()
        };
        let left = findings(&fixed.outcome);
        let (old, new) = (subject.text(), fixed.text.as_str());
        let before = subject.validate();
        let file = File {
            name: subject.name().to_owned(),
            applied: fixed.applied.iter().map(Decision::from).collect(),
            refused: fixed.refused.iter().map(Decision::from).collect(),
            more: left.len().saturating_sub(FINDINGS),
            left: left.iter().take(FINDINGS).map(Left::from).collect(),
            diagrams: self.pairs(old, &before, new, &fixed.outcome),
            hunks: hunks(old, new),
        };
        self.files.push(file);
    }

    /// The diagrams that differ.
    fn pairs(&self, old: &str, before: &Outcome, new: &str, after: &Outcome) -> Vec<Pair> {
        let (faulty, repaired) = (diagrams(old, &before.document), diagrams(new, &after.document));
        // With a diagram more or fewer, which was which is not known.
        if faulty.len() != repaired.len() {
            return Vec::new();
        }
        let pairs = faulty.iter().zip(&repaired).filter(|(old, new)| old.text != new.text);
        pairs.map(|(old, new)| self.pair(old, before, new)).collect()
    }

    fn pair(&self, old: &Diagram, before: &Outcome, new: &Diagram) -> Pair {
        let wrong = |number: usize| {
            let found = before.diagnostics.iter().filter(|found| found.suppressed.is_none());
            let here = found.filter(|found| found.location.line as usize == number);
            here.map(|found| format!("{}: {}", found.id, found.message)).collect()
        };
        let line = |(index, text): (usize, &str)| {
            let number = old.line + index;
            Line { number, text: text.to_owned(), wrong: wrong(number) }
        };
        let (drawing, undrawn) = match self.painter.draw(&new.text) {
            Ok(url) => (url, None),
            Err(reason) => (None, Some(reason)),
        };
        let before = old.text.lines().enumerate().map(line).collect();
        Pair { line: old.line, before, after: new.text.clone(), drawing, undrawn }
    }

    /// Writes the page.
    pub(super) fn write(&self, path: &Path, written: bool) -> Result<(), Fault> {
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::Html);
        let look = self.files.iter().flat_map(|file| &file.applied).filter(|fix| fix.look).count();
        let left: usize = self.files.iter().map(|file| file.left.len() + file.more).sum();
        let page =
            Page { files: &self.files, applied: self.applied, look, left, written, undrawn: self.undrawn() };
        let page = environment
            .render_str(TEMPLATE, Value::from(minijinja::value::Serde(page)))
            .map_err(io::Error::other);
        let page = page.map_err(|error| Fault::write(path, error))?;
        files::put(path, page.as_bytes()).map_err(|error| Fault::write(path, error))
    }
}

impl From<&Applied> for Decision {
    fn from(fix: &Applied) -> Self {
        Self {
            id: fix.id.clone(),
            name: fix.name.clone(),
            title: fix.title.clone(),
            line: fix.line,
            look: fix.applicability < Applicability::Safe,
            because: fix.refused_because.clone(),
        }
    }
}

impl From<&Diagnostic> for Left {
    fn from(found: &Diagnostic) -> Self {
        Self {
            id: found.id.clone(),
            severity: found.severity,
            line: found.location.line,
            message: found.message.clone(),
            hint: found.fix_hint.clone(),
        }
    }
}

/// A diagram of a document.
struct Diagram {
    /// Its first line in the file.
    line: usize,
    text: String,
}

/// The Mermaid diagrams of a document: itself, or those in it.
fn diagrams(text: &str, document: &Document) -> Vec<Diagram> {
    let found = mermaid::diagrams(document);
    found
        .map(|diagram| {
            if std::ptr::eq(diagram, document) {
                Diagram { line: 1, text: text.to_owned() }
            } else {
                in_fence(text, diagram.tree.root().span().range())
            }
        })
        .collect()
}

/// A diagram in a fence, without what is before each of its lines: spaces of a list, marks of a quote.
fn in_fence(text: &str, bytes: Range<usize>) -> Diagram {
    let start = text[..bytes.start].rfind('\n').map_or(0, |at| at + 1);
    let prefix = &text[start..bytes.start];
    let line = text[..bytes.start].matches('\n').count() + 1;
    let lines = text[bytes].split_inclusive('\n');
    let own = lines.map(|line| {
        line.strip_prefix(prefix).or_else(|| line.strip_prefix(prefix.trim_end())).unwrap_or(line)
    });
    Diagram { line, text: own.collect() }
}

/// What changes, in groups of lines.
fn hunks(old: &str, new: &str) -> Vec<Vec<Row>> {
    let (before, after): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let line_at = |text: &str, at: usize| text[..at].matches('\n').count();
    let mut hunks: Vec<Vec<Row>> = Vec::new();
    // The lines up to here are shown or left out.
    let (mut shown, mut shown_new) = (0, 0);
    let mut changes = changed_lines(old, new).into_iter().peekable();
    while let Some((of_old, of_new)) = changes.next() {
        let was = line_at(old, of_old.start)..lines_to(old, &of_old);
        let is = line_at(new, of_new.start)..lines_to(new, &of_new);
        let from = was.start.saturating_sub(AROUND).max(shown);
        if from > shown || hunks.is_empty() {
            hunks.push(Vec::new());
        }
        shown_new += from - shown;
        let next = changes.peek().map_or(before.len(), |(next, _)| line_at(old, next.start));
        let to = (was.end + AROUND).min(next);
        let hunk = hunks.last_mut().into_iter();
        for rows in hunk {
            rows.extend((from..was.start).map(|at| same(&before, at, shown_new + at - from)));
            rows.extend(changed(&before, was.clone(), &after, is.clone()));
            rows.extend((was.end..to).map(|at| same(&before, at, is.end + at - was.end)));
        }
        (shown, shown_new) = (to, is.end + to - was.end);
    }
    hunks
}

/// The number of lines up to the end of a change.
fn lines_to(text: &str, bytes: &Range<usize>) -> usize {
    let whole = &text[..bytes.end];
    whole.matches('\n').count()
        + usize::from(!whole.is_empty() && !whole.ends_with('\n') && !bytes.is_empty())
}

fn same(lines: &[&str], old: usize, new: usize) -> Row {
    let text = lines.get(old).copied().unwrap_or_default().to_owned();
    Row { old: Some((old + 1, text.clone())), new: Some((new + 1, text)), changed: false }
}

fn changed(before: &[&str], was: Range<usize>, after: &[&str], is: Range<usize>) -> Vec<Row> {
    let line = |lines: &[&str], range: &Range<usize>, index: usize| {
        let at = range.start + index;
        range.contains(&at).then(|| (at + 1, lines.get(at).copied().unwrap_or_default().to_owned()))
    };
    let row = |index| Row { old: line(before, &was, index), new: line(after, &is, index), changed: true };
    (0..was.len().max(is.len())).map(row).collect()
}

/// Draws diagrams, where a renderer is installed.
struct Painter {
    #[cfg(feature = "render")]
    renderer: Option<crate::render::Renderer>,
    /// Why there is none.
    missing: Option<String>,
}

#[cfg(feature = "render")]
impl Painter {
    fn new(project: &Project) -> Self {
        use crate::project::config;

        let library = std::sync::Arc::new(super::super::library::library(project));
        let config = config::Render { workers: 1, ..project.config().render.clone() };
        let worker = crate::render::WorkerProgram::installed(config.worker.as_deref());
        let renderer = crate::render::Renderer::new(library, &config, worker);
        match renderer.check_worker() {
            Ok(()) => Self { renderer: Some(renderer), missing: None },
            Err(error) => Self { renderer: None, missing: Some(format!("{error}; {}", error.hint())) },
        }
    }

    /// The drawing as a data URL; nothing where no renderer is installed.
    fn draw(&self, diagram: &str) -> Result<Option<String>, String> {
        use base64::{Engine as _, prelude::BASE64_STANDARD};

        let Some(renderer) = &self.renderer else { return Ok(None) };
        let svg = renderer.draw(diagram, crate::render::Format::Svg, None)?;
        Ok(Some(format!("data:image/svg+xml;base64,{}", BASE64_STANDARD.encode(svg))))
    }
}

#[cfg(not(feature = "render"))]
impl Painter {
    fn new(_: &Project) -> Self {
        Self { missing: Some("this program was built without rendering".to_owned()) }
    }

    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "as where drawing is built in")]
    fn draw(&self, _: &str) -> Result<Option<String>, String> {
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows in a short form: the number and text of both sides.
    fn rows(old: &str, new: &str) -> Vec<Vec<String>> {
        let side = |side: &Option<(usize, String)>| {
            side.as_ref().map_or("-".to_owned(), |(number, text)| format!("{number}{text}"))
        };
        let row = |row: &Row| {
            format!("{}|{}{}", side(&row.old), side(&row.new), if row.changed { "*" } else { "" })
        };
        hunks(old, new).iter().map(|hunk| hunk.iter().map(row).collect()).collect()
    }

    #[test]
    fn changed_lines_are_beside_each_other_with_three_lines_around() {
        assert_eq!(rows("a\nb\nc\n", "a\nx\nc\n"), [["1a|1a", "2b|2x*", "3c|3c"]]);
        assert_eq!(rows("a\n", "a\nb\n"), [["1a|1a", "-|2b*"]]);
        assert_eq!(rows("a\nb\n", "b\n"), [["1a|-*", "2b|1b"]]);
        assert_eq!(rows("a", "b"), [["1a|1b*"]]);
    }

    #[test]
    fn changes_far_apart_are_in_two_groups_with_the_right_numbers() {
        let old: String = (0..20).map(|n| format!("{n}\n")).collect();
        let new = old.replacen("2\n", "2\nnew\n", 1).replace("17\n", "");
        let groups = rows(&old, &new);
        assert_eq!(groups.len(), 2, "{groups:?}");
        assert_eq!(groups[0], ["10|10", "21|21", "32|32", "-|4new*", "43|53", "54|64", "65|75"]);
        assert_eq!(groups[1], ["1514|1614", "1615|1715", "1716|1816", "1817|-*", "1918|1918", "2019|2019"]);
    }

    #[test]
    fn a_diagram_in_a_quote_is_read_without_its_marks() {
        let text = "> ```mermaid\n> flowchart LR\n>\n>   A --> B\n> ```\n";
        let start = text.find("flowchart").unwrap_or_default();
        let end = text.rfind("> ```").unwrap_or_default();
        let diagram = in_fence(text, start..end);
        assert_eq!((diagram.line, diagram.text.as_str()), (2, "flowchart LR\n\n  A --> B\n"));
    }
}
