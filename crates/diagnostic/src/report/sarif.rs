use std::{collections::HashMap, fmt::Write as _, io, sync::Arc};

use serde_json::{Map, Value, json};

use super::{FileReport, Outcome, Reporter, RuleInfo, Run, escaped::write_json};
use crate::{
    Applicability, Diagnostic, Envelope, Fix, FixEdit, Location, Severity,
    text::{Source, Span, visible, visible_lines},
};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// SARIF 2.1.0 with one run. The results come before the tool, because only at the end is it known which
/// rules have results.
pub(super) struct Sarif<'r> {
    run: &'r Run,
    by_id: HashMap<&'r str, &'r RuleInfo>,
    /// Index in the tool's list of rules, by id, in the order of the first result.
    indices: HashMap<String, usize>,
    /// (id, name, severity) of the rules with results, in that order.
    used: Vec<(String, String, Severity)>,
    first: bool,
}

impl<'r> Sarif<'r> {
    pub(super) fn new(run: &'r Run) -> Self {
        let by_id = run.rules.iter().map(|rule| (rule.id.as_str(), rule)).collect();
        Self { run, by_id, indices: HashMap::new(), used: Vec::new(), first: true }
    }

    fn rule_index(&mut self, diagnostic: &Diagnostic) -> usize {
        if let Some(index) = self.indices.get(&diagnostic.id) {
            return *index;
        }
        let index = self.used.len();
        self.indices.insert(diagnostic.id.clone(), index);
        self.used.push((diagnostic.id.clone(), diagnostic.name.clone(), diagnostic.severity));
        index
    }

    fn result(&mut self, diagnostic: &Diagnostic, places: &Places<'_>) -> Value {
        let mut result = json!({
            "ruleId": diagnostic.id,
            "ruleIndex": self.rule_index(diagnostic),
            "level": diagnostic.severity.name(),
            "message": {"text": message(diagnostic)},
            "locations": [places.location(&diagnostic.location)],
            "partialFingerprints": {"proofmark/v1": diagnostic.fingerprint},
        });
        if !diagnostic.related.is_empty() {
            let related = diagnostic.related.iter().enumerate().map(|(id, related)| {
                let mut location = places.location(&related.location);
                location["id"] = json!(id);
                location["message"] = json!({"text": without_links(&visible(&related.label))});
                location
            });
            result["relatedLocations"] = related.collect();
        }
        // SARIF viewers apply these fixes, so display-only fixes are omitted.
        let applicable = diagnostic.fixes.iter().filter(|fix| fix.applicability > Applicability::Manual);
        let fixes: Vec<Value> = applicable.map(|fix| places.fix(diagnostic, fix)).collect();
        if !fixes.is_empty() {
            result["fixes"] = fixes.into();
        }
        result["suppressions"] = suppressions(diagnostic);
        result["properties"] = properties(diagnostic);
        result
    }

    fn tool(&self) -> Value {
        let rules: Vec<Value> = self.used.iter().map(|used| self.rule(used)).collect();
        json!({"driver": {
            "name": Envelope::TOOL,
            "semanticVersion": self.run.version,
            "version": self.run.version,
            "rules": rules,
        }})
    }

    fn rule(&self, (id, name, severity): &(String, String, Severity)) -> Value {
        let Some(info) = self.by_id.get(id.as_str()) else {
            return json!({"id": id, "name": name, "defaultConfiguration": {"level": severity.name()}});
        };
        let mut rule = json!({
            "id": info.id,
            "name": info.name,
            "shortDescription": {"text": info.short},
            "fullDescription": {"text": info.short},
            "help": {"text": plain(&info.help_markdown), "markdown": info.help_markdown},
            "defaultConfiguration": {"level": info.severity.name()},
            "properties": {"tags": info.tags, "since": info.since},
        });
        if let Some(uri) = &info.help_uri {
            rule["helpUri"] = json!(uri);
        }
        rule
    }

    fn invocation(outcome: &Outcome) -> Value {
        let mut invocation =
            json!({"executionSuccessful": outcome.exit_code < 2, "exitCode": outcome.exit_code});
        if let Some(truncated) = outcome.truncated {
            let text = format!("{} of {} findings are in this log", truncated.shown, truncated.total);
            invocation["toolExecutionNotifications"] =
                json!([{"level": "warning", "message": {"text": text}}]);
        }
        invocation
    }
}

impl Reporter for Sarif<'_> {
    fn begin(&mut self, out: &mut dyn io::Write) -> io::Result<()> {
        write!(
            out,
            "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\"runs\":[{{\"columnKind\":\"unicodeCodePoints\","
        )?;
        write!(out, "\"originalUriBaseIds\":{{\"{BASE}\":{{\"description\":{{\"text\":\"")?;
        write!(out, "The folder that file names are relative to.\"}}}}}},\"results\":[")
    }

    fn file(&mut self, file: &FileReport<'_>, out: &mut dyn io::Write) -> io::Result<()> {
        let places = Places { sources: file.sources, prefix: &self.run.options.prefix };
        for diagnostic in file.diagnostics {
            let result = self.result(diagnostic, &places);
            out.write_all(if self.first { b"\n" } else { b",\n" })?;
            self.first = false;
            write_json(&result, out)?;
        }
        Ok(())
    }

    fn end(&mut self, outcome: &Outcome, out: &mut dyn io::Write) -> io::Result<()> {
        let line_end = if self.first { "" } else { "\n" };
        write!(out, "{line_end}],\n\"tool\":")?;
        write_json(&self.tool(), out)?;
        write!(out, ",\n\"invocations\":[{}],", Self::invocation(outcome))?;
        writeln!(out, "\"properties\":{}}}]}}", json!({"ruleset": self.run.ruleset}))
    }
}

/// Name of the base of relative URIs that code scanning services expect.
const BASE: &str = "%SRCROOT%";

/// Converts locations to SARIF regions.
struct Places<'a> {
    sources: &'a [Arc<Source>],
    prefix: &'a str,
}

impl Places<'_> {
    fn artifact(&self, file: &str) -> Value {
        json!({"uri": uri(&format!("{}{file}", self.prefix)), "uriBaseId": BASE})
    }

    fn location(&self, place: &Location) -> Value {
        let mut physical = json!({
            "artifactLocation": self.artifact(&place.file),
            "region": region(place),
        });
        if let Some(snippet) = self.snippet(place) {
            physical["region"]["snippet"] = json!({"text": snippet});
        }
        let mut location = json!({"physicalLocation": physical});
        if let Some(path) = place.path.as_ref().filter(|path| !path.is_empty()) {
            location["logicalLocations"] = json!([{"fullyQualifiedName": visible(path)}]);
        }
        location
    }

    /// The text of the location, if it is short.
    fn snippet(&self, place: &Location) -> Option<String> {
        let source = self.sources.iter().find(|source| source.name() == place.file)?;
        let text = source.slice(Span { start: place.byte_start, end: place.byte_end });
        (!text.is_empty() && text.len() <= 200).then(|| visible_lines(text).into_owned())
    }

    fn fix(&self, diagnostic: &Diagnostic, fix: &Fix) -> Value {
        let mut changes: Vec<(&str, Vec<Value>)> = Vec::new();
        for edit in &fix.edits {
            let file = edit.file.as_deref().unwrap_or(&diagnostic.location.file);
            let replacement = self.replacement(file, edit);
            match changes.iter_mut().find(|(known, _)| *known == file) {
                Some((_, replacements)) => replacements.push(replacement),
                None => changes.push((file, vec![replacement])),
            }
        }
        let changes: Vec<Value> = changes
            .into_iter()
            .map(|(file, list)| json!({"artifactLocation": self.artifact(file), "replacements": list}))
            .collect();
        json!({
            "description": {"text": without_links(&format!("{} ({})", visible(&fix.title), fix.applicability.name()))},
            "artifactChanges": changes,
        })
    }

    fn replacement(&self, file: &str, edit: &FixEdit) -> Value {
        let mut deleted = Map::new();
        if let Some(source) = self.sources.iter().find(|source| source.name() == file) {
            let (start, end) = (source.position(edit.byte_start), source.position(edit.byte_end));
            deleted.insert("startLine".into(), start.line.into());
            deleted.insert("startColumn".into(), start.column.into());
            deleted.insert("endLine".into(), end.line.into());
            deleted.insert("endColumn".into(), end.column.into());
        }
        deleted.insert("byteOffset".into(), edit.byte_start.into());
        deleted.insert("byteLength".into(), edit.byte_end.saturating_sub(edit.byte_start).into());
        json!({"deletedRegion": deleted, "insertedContent": {"text": edit.new}})
    }
}

fn region(place: &Location) -> Value {
    json!({
        "startLine": place.line.max(1),
        "startColumn": place.column.max(1),
        "endLine": place.end_line.max(place.line).max(1),
        "endColumn": place.end_column.max(1),
        "byteOffset": place.byte_start,
        "byteLength": place.byte_end.saturating_sub(place.byte_start),
    })
}

fn message(diagnostic: &Diagnostic) -> String {
    let mut text = visible(&diagnostic.message).into_owned();
    if let Some(hint) = &diagnostic.fix_hint {
        let _ = write!(text, "\nhelp: {}", visible_lines(hint));
    }
    without_links(&text)
}

/// Text without what SARIF takes for an embedded link (3.11.6): a target that follows brackets at once.
fn without_links(text: &str) -> String {
    text.replace("](", "] (")
}

fn suppressions(diagnostic: &Diagnostic) -> Value {
    let Some(reason) = &diagnostic.suppressed else { return json!([]) };
    let kind = if reason.starts_with("baseline") { "external" } else { "inSource" };
    json!([{"kind": kind, "justification": visible(reason)}])
}

fn properties(diagnostic: &Diagnostic) -> Value {
    let mut properties = Map::new();
    if let Some(found) = &diagnostic.found {
        properties.insert("found".into(), visible(found).into());
    }
    if !diagnostic.expected.is_empty() {
        properties.insert("expected".into(), diagnostic.expected.clone().into());
    }
    if let Some(cause) = &diagnostic.caused_by {
        properties.insert("causedBy".into(), cause.clone().into());
    }
    properties.into()
}

/// Markdown without markup, for plain text.
fn plain(markdown: &str) -> String {
    let lines = markdown.lines().filter(|line| !line.trim_start().starts_with("```"));
    let plain: Vec<String> = lines
        .map(|line| line.trim_start_matches('#').trim_start().replace("**", "").replace('`', ""))
        .collect();
    plain.join("\n").trim().to_owned()
}

/// A relative URI reference (RFC 3986): everything except unreserved characters and `/` is
/// percent-encoded, so that a colon in a file name does not start a scheme.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            b'\\' if cfg!(windows) => out.push('/'),
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_percent_encoded() {
        assert_eq!(uri("a b/ü:#?%.md"), "a%20b/%C3%BC%3A%23%3F%25.md");
        assert_eq!(uri("<stdin>"), "%3Cstdin%3E");
    }

    #[test]
    fn help_without_markup_keeps_the_text() {
        assert_eq!(plain("# Why\n**Never** use `a`:\n```yaml\nx: 1\n```\n"), "Why\nNever use a:\nx: 1");
    }
}
