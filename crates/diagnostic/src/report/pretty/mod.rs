mod paint;
mod patch;
mod row;
mod snippet;

use std::{io, sync::Arc};

use self::{
    paint::{Line, Style, columns, wrap},
    snippet::{Mark, Snippet},
};
use super::{
    FileReport, Outcome, Reporter, Run,
    findings::{self, Finding, Totals, fix_label},
    summary,
};
use crate::{
    Diagnostic, Fix, Location,
    text::{Source, visible},
};

/// Columns of an excerpt if those of the terminal are unknown.
const DEFAULT_WIDTH: usize = 120;
/// Minimum number of columns; a narrower terminal is treated as this wide.
const LEAST_WIDTH: usize = 30;
/// Maximum length of a list of expected values next to the location.
const EXPECTED: usize = 40;

/// Source excerpts with labels, hints and fixes, for people.
pub(super) struct Pretty<'r> {
    run: &'r Run,
    totals: Totals,
    /// Columns for excerpts.
    width: usize,
    /// Columns at which text is wrapped.
    wrap: usize,
}

impl<'r> Pretty<'r> {
    pub(super) fn new(run: &'r Run) -> Self {
        let width = run.options.width.map(|width| width.max(LEAST_WIDTH));
        Self {
            run,
            totals: Totals::default(),
            width: width.unwrap_or(DEFAULT_WIDTH).min(DEFAULT_WIDTH),
            wrap: width.map_or(usize::MAX / 2, |width| width.min(DEFAULT_WIDTH)),
        }
    }

    fn write(&self, lines: &[Line], out: &mut dyn io::Write) -> io::Result<()> {
        lines.iter().try_for_each(|line| line.write(self.run.options.color, out))
    }

    fn finding(&self, finding: &Finding<'_>, file: &FileReport<'_>) -> Vec<Line> {
        let diagnostic = finding.diagnostic;
        let mut lines = self.header(diagnostic);
        let marks = marks(diagnostic, file);
        if marks.is_empty() {
            let arrow = Line::new().with(Style::Margin, "  ─▶ ");
            lines.push(arrow.with(Style::Plain, &place(&diagnostic.location)));
            let notes = self.notes(finding, file, &Snippet::default(), &[]);
            lines.extend(notes.into_iter().map(|note| Line::new().with(Style::Plain, "  ").joined(note)));
            return lines;
        }
        let snippet = snippet::draw(&marks, self.width);
        let notes = self.notes(finding, file, &snippet, &marks);
        let margin = snippet.margin;
        let bar = || Line::new().with(Style::Margin, &format!("{}│", " ".repeat(margin)));
        lines.extend(snippet.lines);
        if !notes.is_empty() {
            lines.push(bar());
        }
        lines.extend(notes.into_iter().map(|note| bar().with(Style::Plain, " ").joined(note)));
        lines.push(Line::new().with(Style::Margin, &format!("{}╯", "─".repeat(margin))));
        lines
    }

    /// `error[QT510 undefined-variable]: message`.
    fn header(&self, diagnostic: &Diagnostic) -> Vec<Line> {
        let severity = Style::Severity(diagnostic.severity);
        let word = format!("{}[{} {}]", diagnostic.severity, diagnostic.id, diagnostic.name);
        let first = self.wrap.saturating_sub(columns(&word) + 2);
        let message = visible(&diagnostic.message);
        let mut lines = wrap(&message, first, self.wrap.saturating_sub(2)).into_iter();
        let mut head = Line::new().with(severity, &word).with(Style::Strong, ": ");
        head.push(Style::Strong, &lines.next().unwrap_or_default());
        let rest = lines.map(|text| Line::new().with(Style::Strong, &format!("  {text}")));
        std::iter::once(head).chain(rest).collect()
    }

    /// The lines below the excerpt.
    fn notes(
        &self,
        finding: &Finding<'_>,
        file: &FileReport<'_>,
        snippet: &Snippet,
        marks: &[Mark<'_>],
    ) -> Vec<Line> {
        let diagnostic = finding.diagnostic;
        let width = self.wrap.saturating_sub(snippet.margin + 2);
        let mut notes = Vec::new();
        for index in &snippet.unlabeled {
            if let Some(mark) = marks.get(*index) {
                let at = if *index == 0 { String::new() } else { format!(" ({})", place(mark.location)) };
                notes.extend(note("note", &format!("{}{at}", mark.label), width));
            }
        }
        for related in diagnostic.related.iter().filter(|r| source(&r.location, file).is_none()) {
            notes.extend(note("note", &format!("{} ({})", related.label, place(&related.location)), width));
        }
        if let Some(hint) = &diagnostic.fix_hint {
            notes.extend(note("help", hint, width));
        }
        notes.extend(self.fixes(diagnostic, file, snippet, width));
        if finding.followers > 0 {
            let noun = if finding.followers == 1 { "finding follows" } else { "findings follow" };
            notes.extend(note("note", &format!("{} more {noun} from it", finding.followers), width));
        }
        if let Some(reason) = &diagnostic.suppressed {
            notes.extend(note("suppressed", reason, width));
        }
        notes
    }

    fn fixes(
        &self,
        diagnostic: &Diagnostic,
        file: &FileReport<'_>,
        snippet: &Snippet,
        width: usize,
    ) -> Vec<Line> {
        let Some((best, others)) = diagnostic.fixes.split_first() else { return Vec::new() };
        let mut lines = note(fix_label(best), &best.title, width);
        let digits = snippet.margin.saturating_sub(2);
        let room = self.width.saturating_sub(snippet.margin + 4);
        let source = source(&diagnostic.location, file);
        let diff = source.and_then(|source| patch::diff(source, best, digits, room));
        lines
            .extend(diff.into_iter().flatten().map(|line| Line::new().with(Style::Plain, "  ").joined(line)));
        for other in others {
            lines.extend(note("or", &titled(other), width));
        }
        lines
    }
}

fn titled(fix: &Fix) -> String {
    match fix_label(fix) {
        "fix" => fix.title.clone(),
        label => format!("{} [{}]", fix.title, label.trim_start_matches("fix (").trim_end_matches(')')),
    }
}

impl Line {
    fn joined(mut self, other: Self) -> Self {
        self.append(other);
        self
    }
}

impl Reporter for Pretty<'_> {
    fn file(&mut self, file: &FileReport<'_>, out: &mut dyn io::Write) -> io::Result<()> {
        self.totals.count(file);
        for finding in findings::shown(file, &self.run.options) {
            self.write(&self.finding(&finding, file), out)?;
            writeln!(out)?;
        }
        Ok(())
    }

    fn hidden(&mut self, diagnostics: &[Diagnostic]) {
        self.totals.more(diagnostics);
    }

    fn end(&mut self, outcome: &Outcome, out: &mut dyn io::Write) -> io::Result<()> {
        if self.run.options.quiet {
            return Ok(());
        }
        let style = match self.totals.worst() {
            Some(severity) => Style::Severity(severity),
            None if self.totals.summary.files == 0 => Style::Strong,
            None => Style::Added,
        };
        let counts = summary::counts(&self.totals);
        let remarks = summary::remarks(&self.totals, &self.run.options, outcome);
        let whole = std::iter::once(&counts).chain(&remarks).map(|text| columns(text) + 2).sum::<usize>();
        if whole <= self.wrap {
            let mut line = Line::new().with(style, &counts);
            for remark in &remarks {
                line.push(Style::Plain, &format!("; {remark}"));
            }
            return self.write(&[line], out);
        }
        let styles = std::iter::once(style).chain(std::iter::repeat(Style::Plain));
        for (text, style) in std::iter::once(&counts).chain(&remarks).zip(styles) {
            for (index, part) in wrap(text, self.wrap, self.wrap.saturating_sub(2)).iter().enumerate() {
                let indent = if index == 0 { "" } else { "  " };
                self.write(&[Line::new().with(style, &format!("{indent}{part}"))], out)?;
            }
        }
        Ok(())
    }
}

/// The locations whose source is available, the primary one first; empty if its source is not available.
fn marks<'a>(diagnostic: &'a Diagnostic, file: &FileReport<'a>) -> Vec<Mark<'a>> {
    let Some(primary) = source(&diagnostic.location, file) else { return Vec::new() };
    let mut marks = vec![Mark {
        source: primary,
        location: &diagnostic.location,
        label: expected(diagnostic),
        style: Style::Severity(diagnostic.severity),
    }];
    for related in &diagnostic.related {
        if let Some(source) = source(&related.location, file) {
            let label = related.label.clone();
            marks.push(Mark { source, location: &related.location, label, style: Style::Related });
        }
    }
    marks
}

/// The source of a location: by number, or by name if the source with the number is another file.
fn source<'a>(place: &Location, file: &FileReport<'a>) -> Option<&'a Arc<Source>> {
    let numbered = file.sources.get(usize::from(place.source.0));
    let named = |source: &&Arc<Source>| source.name() == place.file;
    numbered.filter(named).or_else(|| file.sources.iter().find(named))
}

/// What is expected at the primary location, if it is short and not mentioned elsewhere.
fn expected(diagnostic: &Diagnostic) -> String {
    let hint = diagnostic.fix_hint.as_deref().unwrap_or_default();
    let said = |value: &String| diagnostic.message.contains(value.as_str()) || hint.contains(value.as_str());
    let expected = &diagnostic.expected;
    if expected.is_empty() || expected.len() > 3 || expected.iter().all(said) {
        return String::new();
    }
    let list: Vec<String> = expected.iter().map(|value| format!("`{value}`")).collect();
    let text = format!("expected {}", or_list(&list));
    if columns(&text) > EXPECTED { String::new() } else { text }
}

fn or_list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// `help: text`, wrapped below its first word.
fn note(keyword: &str, text: &str, width: usize) -> Vec<Line> {
    let head = format!("{keyword}: ");
    let indent = if width < 50 { 2 } else { columns(&head) };
    let mut lines: Vec<Line> = Vec::new();
    for (index, paragraph) in text.trim_end().lines().enumerate() {
        let first =
            if index == 0 { width.saturating_sub(columns(&head)) } else { width.saturating_sub(indent) };
        for text in wrap(&visible(paragraph), first, width.saturating_sub(indent)) {
            let line = if lines.is_empty() {
                Line::new().with(Style::Keyword, keyword).with(Style::Plain, &format!(": {text}"))
            } else {
                Line::new().with(Style::Plain, &format!("{}{text}", " ".repeat(indent)))
            };
            lines.push(line);
        }
    }
    lines
}

fn place(location: &Location) -> String {
    format!("{}:{}:{}", visible(&location.file), location.line, location.column)
}
