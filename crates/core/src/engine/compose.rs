//! Findings to diagnostics: messages filled in, places resolved, fixes cut to bytes.

use std::{
    borrow::Cow,
    cell::{Cell, OnceCell, RefCell},
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use minijinja::{Value as Template, value::merge_maps};
use serde_json::Value;

use super::{
    keep::{self, Scalars},
    lookups::LookupTables,
    plan::Planned,
    secrets::HIDDEN,
};
use crate::{
    budget,
    checks::{Finding, NodeBindings, State, differs_between_nodes},
    diagnostic::{Diagnostic, Fix, FixEdit, Location, Related},
    edits::{Edit, Site},
    expressions::{Condition, Place, Route},
    kinds::Disclosure,
    rules,
    text::{Source, SourceId, Span, clip, visible},
    tree::{Node, NodeId},
};

/// Most characters of a document's text that a message quotes.
const QUOTED: usize = 80;

/// Most bytes of text that fixes get whether they ask for it or not.
const COPIED: usize = 4096;

/// Most bytes of a line that `context` is made from.
const WINDOW: u32 = 4096;

/// Most characters of the line that `context` shows.
const CONTEXT: usize = 120;

/// Bytes of edits that the fixes of a document may have, besides a multiple of its size. Where a fix replaces a
/// whole line, a long line with many findings would be copied for each.
const EDITED: usize = 1 << 20;

/// How often the fixes of a document may replace all of it.
const REPLACED: usize = 16;

/// How many fixes of a document are looked for, where rules list what an author may have meant. Findings beyond have none.
const LOOKED_FOR: usize = 20_000;

/// What differs between rules, besides what differs between nodes.
const OF_RULES: &str = "options";

/// What a pick depends on: its address, and where its routes start.
#[derive(Debug, PartialEq, Eq, Hash)]
struct PickKey {
    pick: usize,
    starts: Vec<Option<NodeId>>,
}

/// What the fixes of a document share.
#[derive(Debug)]
pub(super) struct Fixing {
    /// Bytes of edits that are left. Findings beyond have no fixes.
    left: Cell<usize>,
    /// How many fixes may still be looked for.
    looked_for: Cell<usize>,
    /// By a condition of fixes and the address of the state: whether it holds, where that is the same for all findings.
    holding: RefCell<foldhash::HashMap<(u64, usize), Option<bool>>>,
    /// Picks that many findings have in common.
    picked: RefCell<HashMap<PickKey, Option<String>>>,
    scalars: OnceCell<Scalars>,
}

impl Fixing {
    /// What fixing may use for a document of this size.
    pub(super) fn new(bytes: usize) -> Self {
        let left = Cell::new(bytes.saturating_mul(REPLACED).saturating_add(EDITED));
        let looked_for = Cell::new(LOOKED_FOR);
        let (holding, picked) = (RefCell::default(), RefCell::default());
        Self { left, looked_for, holding, picked, scalars: OnceCell::new() }
    }

    fn takes(&self, bytes: usize) -> bool {
        let left = self.left.get().checked_sub(bytes);
        self.left.set(left.unwrap_or_default());
        left.is_some()
    }
}

/// Turns a rule's finding into a diagnostic.
pub(super) struct Composer<'s, 't> {
    pub(super) planned: &'s Planned,
    pub(super) finding: &'s Finding<'t>,
    pub(super) state: &'s State<'t>,
    pub(super) fixing: &'s Fixing,
    /// What templates for people see, made once.
    pub(super) shown: OnceCell<Template>,
}

impl<'t> Composer<'_, 't> {
    /// What templates for people see, about the primary span.
    fn shown(&self, span: Span) -> &Template {
        self.shown.get_or_init(|| self.context(span, true))
    }

    /// The diagnostic, without fixes.
    pub(super) fn diagnostic(&self) -> Diagnostic {
        let rule = &self.planned.rule;
        let span = self.primary();
        let shown = self.shown(span);
        let source = self.source();
        let location = locate(source, self.finding.source, span, self.finding.node);
        let secret = self.disclosure() == Disclosure::Nothing;
        let found = if secret { "" } else { source.slice(span) };
        let message = self
            .filled("message", &rule.message, shown)
            .unwrap_or_else(|| format!("the rule `{}` has found an error here", rule.name));
        let mut diagnostic =
            Diagnostic::new(rule.id.clone(), rule.name.clone(), self.planned.severity, message, location);
        diagnostic.fix_hint = rule
            .hint
            .as_ref()
            .and_then(|hint| self.filled("hint", hint, shown))
            .filter(|hint| !hint.is_empty());
        diagnostic.found = (!found.is_empty()).then(|| quote(found));
        diagnostic.expected = self.finding.expected.iter().map(|text| quote(text)).collect();
        diagnostic.related = self.related(shown);
        diagnostic.context = Some(context_line(source, span, self.state.secrets(), self.finding.source));
        diagnostic
    }

    /// The fixes of the finding.
    pub(super) fn fixes(&self) -> Vec<Fix> {
        let rule = &self.planned.rule;
        if rule.fixes.is_empty() || self.disclosure() == Disclosure::Nothing {
            return Vec::new();
        }
        let span = self.primary();
        let (shown, raw) = (self.shown(span), OnceCell::new());
        let mut fixes: Vec<Fix> = Vec::new();
        for fix in rule.fixes.iter() {
            if fix.when.as_ref().is_some_and(|when| !self.holds(when)) {
                continue;
            }
            let raw = raw.get_or_init(|| self.context(span, false));
            let Some(offered) = self.fix(fix, span, raw, shown) else { continue };
            if let Some(recorder) = self.state.recorder {
                recorder.note(fix, true);
            }
            match fixes.iter_mut().find(|known| known.edits == offered.edits) {
                Some(known) if known.applicability < offered.applicability => *known = offered,
                Some(_) => {}
                None => fixes.push(offered),
            }
        }
        fixes
    }

    /// A template filled in; nothing where it fails, which the state remembers.
    fn filled(
        &self,
        part: &'static str,
        template: &crate::expressions::Template,
        values: &Template,
    ) -> Option<String> {
        if let Some(recorder) = self.state.recorder {
            let gaps = template.gaps(values);
            for path in template.written_paths() {
                let gap = gaps.iter().find(|gap| gap.path == path).cloned();
                recorder.follow(true, template.source(), &path, gap);
            }
        }
        match template.render(values) {
            Ok(text) => Some(one_line(&text)),
            Err(detail) => {
                self.state.fail(self.finding.node, part, detail);
                None
            }
        }
    }

    /// How much of the node's value may be shown.
    fn disclosure(&self) -> Disclosure {
        self.finding.node.map_or(Disclosure::Value, |node| self.state.disclosure(node))
    }

    fn source(&self) -> &'t Arc<Source> {
        self.state.tree().source(self.finding.source)
    }

    fn primary(&self) -> Span {
        let at = self.planned.rule.at.as_ref();
        at.and_then(|place| self.spans(place).into_iter().next()).unwrap_or(self.finding.span)
    }

    fn spans(&self, place: &Place) -> Vec<Span> {
        self.state.spans_of(place, self.finding, self.finding.span)
    }

    /// What templates see. `shown` text is made safe and short for people; fixes get it as it is.
    fn context(&self, span: Span, shown: bool) -> Template {
        let text = |text: &str| if shown { Template::from(quote(text)) } else { Template::from(text) };
        let mut context: BTreeMap<&str, Template> = BTreeMap::new();
        let disclosure = if shown { self.disclosure() } else { Disclosure::Value };
        let found = if disclosure == Disclosure::Nothing { HIDDEN } else { self.source().slice(span) };
        let node = self.finding.node;
        let value = node.filter(|_| disclosure == Disclosure::Value);
        let value = value.and_then(Node::scalar_text);
        let planned = self.planned;
        // A long text is copied only for templates that write it: many findings may be about one.
        let mut quoted = |name: &'static str, written: &str| {
            if shown || written.len() <= COPIED || planned.asks_for(name) {
                context.insert(name, text(written));
            }
        };
        quoted("found", found);
        quoted("value", value.as_deref().unwrap_or(found));
        if planned.asks_for("path") {
            context.insert("path", Template::from(node.map(Node::pointer).unwrap_or_default()));
        }
        if let Some(key) = node.and_then(Node::key) {
            context.insert("key", text(key));
        }
        let mut data = |name: &'static str, node: Option<Node<'t>>| {
            if let Some(node) = node.filter(|_| planned.asks_for(name)) {
                context.insert(name, self.data(node, shown));
            }
        };
        data("self", node);
        data("parent", node.and_then(Node::parent));
        data("root", Some(self.state.tree().root()));
        if planned.asks_for("file")
            && let Some(file) = self.state.file()
        {
            context.insert("file", to_template(file, shown));
        }
        if planned.asks_for("options") {
            context.insert("options", to_template(&planned.options, shown));
        }
        if planned.asks_for("lookup")
            && let Some(lookup) = LookupTables::of(self.state, shown, to_template)
        {
            context.insert("lookup", Template::from_object(lookup));
        }
        if planned.asks_for("ancestor") {
            context.insert("ancestor", self.ancestors(shown));
        }
        if let Some(nearest) = &self.finding.nearest {
            context.insert("nearest", text(nearest));
        }
        if planned.asks_for("expected") {
            let expected = self.finding.expected.iter().take(16);
            context.insert("expected", expected.map(|word| text(word)).collect());
        }
        for (name, value) in &self.finding.values {
            if !value.is_null() {
                let message = value.as_str().filter(|_| shown && is_message(&self.finding.values, name));
                let whole = message.map(|message| Template::from(visible(message).into_owned()));
                context.insert(name, whole.unwrap_or_else(|| to_template(value, shown)));
            }
        }
        Template::from_pairs(context)
    }

    /// A node as data, converted once: many findings ask for the document, or for the list they are in.
    fn data(&self, node: Node<'t>, shown: bool) -> Template {
        let convert = || to_template(&node.to_json(), shown);
        if node.is_empty() { convert() } else { self.state.template(node, shown, convert) }
    }

    fn ancestors(&self, shown: bool) -> Template {
        let asked = self.planned.placeholders().iter().filter_map(|name| {
            let mut parts = name.split('.');
            (parts.next() == Some("ancestor")).then(|| parts.next()).flatten()
        });
        let node = self.finding.node;
        Template::from_pairs(asked.filter_map(|name| {
            let ancestor = self.state.ancestor(node?, name)?;
            Some((name.to_owned(), self.data(ancestor, shown)))
        }))
    }

    fn related(&self, shown: &Template) -> Vec<Related> {
        let mut related = Vec::new();
        for one in &self.planned.rule.related {
            let name = one.at.base.word();
            let elsewhere = self.finding.elsewhere.iter().filter(|(place, _)| Some(*place) == name);
            for (_, location) in elsewhere {
                let label = self.filled("label", &one.label, shown).unwrap_or_default();
                related.push(Related::new(label, location.clone()));
            }
            for span in self.spans(&one.at) {
                let location = locate(self.source(), self.finding.source, span, None);
                let label = self.filled("label", &one.label, shown).unwrap_or_default();
                related.push(Related::new(label, location));
            }
        }
        related.extend(self.referring());
        related
    }

    /// The place that refers to the other file in which the finding is.
    fn referring(&self) -> Option<Related> {
        let node = self.state.referring(self.finding.node?)?;
        let location = locate(self.state.tree().source(SourceId(0)), SourceId(0), node.span(), None);
        Some(Related::new("a reference leads here", location))
    }

    /// Whether the condition of a fix holds for the finding. What is asked of the document alone is asked once.
    fn holds(&self, when: &Condition) -> bool {
        let bindings = NodeBindings {
            state: self.state,
            node: self.finding.node,
            options: &self.planned.options,
            values: &self.finding.values,
            other: None,
        };
        let key = (when.key(), std::ptr::from_ref(self.state).addr());
        let known = self.fixing.holding.borrow().get(&key).copied();
        let for_all = known.unwrap_or_else(|| {
            let differs = differs_between_nodes(when) || when.uses(OF_RULES);
            let for_all = (!differs).then(|| bindings.hold(when, false));
            self.fixing.holding.borrow_mut().insert(key, for_all);
            for_all
        });
        for_all.unwrap_or_else(|| bindings.hold(when, false))
    }

    fn fix(&self, fix: &rules::Fix, own: Span, raw: &Template, shown: &Template) -> Option<Fix> {
        self.fixing.looked_for.set(self.fixing.looked_for.get().checked_sub(1)?);
        let picked;
        let (raw, shown) = match &fix.pick {
            None => (raw, shown),
            Some(pick) => {
                let name = self.pick(pick)?;
                let with = |base: &Template, name: &str| {
                    merge_maps([Template::from_pairs([("pick", Template::from(name))]), base.clone()])
                };
                picked = (with(raw, &name), with(shown, &quote(&name)));
                (&picked.0, &picked.1)
            }
        };
        let source = self.source();
        let mut edits = Vec::new();
        let site = Site { state: self.state, finding: self.finding, own, values: raw };
        for edit in &fix.edits {
            for (span, new) in edit.changes(&site)? {
                if !self.fixing.takes(span.len() + new.len()) {
                    return None;
                }
                let mut edit = FixEdit::new(span, source.slice(span), new);
                edit.file = (self.finding.source != SourceId(0)).then(|| source.name().to_owned());
                edits.push(edit);
            }
        }
        edits.sort_by_key(|edit| (edit.byte_start, edit.byte_end));
        edits.dedup();
        let overlap = edits.windows(2).any(|pair| pair[1].byte_start < pair[0].byte_end);
        let nothing = edits.iter().all(|edit| edit.old == edit.new);
        if overlap || nothing {
            return None;
        }
        let mut title = match &fix.title {
            Some(title) => self.filled("title", title, shown)?,
            None => title_of(&fix.edits, &edits),
        };
        if let Some(mark) = &fix.keep
            && let Some(kept) = self.kept(mark, &edits)?
        {
            edits = kept;
            title += ", and keep the old text in a comment";
        }
        Some(Fix::new(title, fix.applicability, edits))
    }

    /// The edits with comments that keep what they drop.
    #[expect(clippy::option_option, reason = "see `in_comments`")]
    fn kept(&self, mark: &str, edits: &[FixEdit]) -> Option<Option<Vec<FixEdit>>> {
        let tree = self.state.tree();
        let scalars = self.fixing.scalars.get_or_init(|| Scalars::of(tree));
        keep::in_comments(tree, scalars, self.finding.source, mark, edits)
    }

    /// The only name that can be meant, found once for all findings in the same part of the document.
    fn pick(&self, pick: &rules::Pick) -> Option<String> {
        self.finding.node?;
        let mut key = PickKey { pick: std::ptr::from_ref(pick) as usize, starts: Vec::new() };
        for route in pick.from.iter().chain(&pick.except) {
            match self.start_of(route) {
                Some(start) => key.starts.push(start),
                None => return self.pick_one(pick),
            }
        }
        if let Some(known) = self.fixing.picked.borrow().get(&key) {
            return known.clone();
        }
        let picked = self.pick_one(pick);
        self.fixing.picked.borrow_mut().insert(key, picked.clone());
        picked
    }

    /// The ancestor that a route starts at, or that it is absolute; nothing where it starts at the node itself.
    #[allow(clippy::option_option, reason = "an absolute route starts at no node")]
    fn start_of(&self, route: &Route) -> Option<Option<NodeId>> {
        match &route.from {
            Some(name) => Some(self.state.ancestor(self.finding.node?, name).map(|node| node.id())),
            None => route.is_absolute().then_some(None),
        }
    }

    fn pick_one(&self, pick: &rules::Pick) -> Option<String> {
        let (state, node) = (self.state, self.finding.node?);
        let names = |routes: &[Route]| {
            routes.iter().flat_map(|route| state.route_names(route, node)).collect::<Vec<_>>()
        };
        let except: HashSet<String> =
            names(&pick.except).into_iter().map(|name| name.text.into_owned()).collect();
        let mut left: Vec<String> = Vec::new();
        for name in names(&pick.from) {
            // Where several names are left, no name is the only one.
            if !budget::charge(1) || (left.len() > 1 && pick.of_several.is_none()) {
                return None;
            }
            let fits = || {
                let declared = state.declared_type(&name.text, name.node);
                declared.is_some_and(|(_, found)| pick.types.contains(&found.to_string()))
            };
            if !except.contains(name.text.as_ref())
                && left.iter().all(|one| *one != name.text)
                && (pick.types.is_empty() || fits())
            {
                left.push(name.text.into_owned());
            }
        }
        match (left.len(), pick.of_several) {
            (1, _) | (2.., Some(rules::Which::First)) => left.into_iter().next(),
            (2.., Some(rules::Which::Last)) => left.pop(),
            _ => None,
        }
    }
}

/// A location with its lines and columns.
pub(super) fn locate(source: &Source, id: SourceId, span: Span, node: Option<Node<'_>>) -> Location {
    let mut location = Location::of(source, id, span);
    location.path = node.map(Node::pointer);
    location
}

/// Sets the fingerprints of a document's diagnostics, in their order: from the rule, the file, the text
/// and its line, so that other lines may come and go. The file is the source's [key](Source::key), which
/// does not depend on who asks. Equal fingerprints are distinguished by their number.
pub(super) fn fingerprint(diagnostics: &mut [Diagnostic], sources: &[Arc<Source>]) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for diagnostic in diagnostics {
        let mut hash = crate::text::Fingerprint::new();
        let line = diagnostic.context.as_deref().and_then(|c| c.split_once('|')).map_or("", |(_, line)| line);
        let file = sources.get(usize::from(diagnostic.location.source.0)).map_or("", |source| source.key());
        hash.add(&diagnostic.id)
            .add(file)
            .add(diagnostic.found.as_deref().unwrap_or_default())
            .add(line.trim());
        let count = seen.entry(hash.hex()).or_default();
        if *count > 0 {
            hash.add(&count.to_string());
        }
        *count += 1;
        diagnostic.fingerprint = hash.hex();
        for (number, fix) in diagnostic.fixes.iter_mut().enumerate() {
            fix.id = format!("{}.{}", diagnostic.fingerprint, number + 1);
        }
    }
}

/// The line of a place as diagnostics show it, for text without secrets: `  14 |       - querry`.
pub fn shown_line(source: &Source, span: Span) -> String {
    context_line(source, span, &[], SourceId::default())
}

/// `  14 |       - querry`
fn context_line(source: &Source, span: Span, secrets: &[(SourceId, Span)], id: SourceId) -> String {
    let number = source.lines().line(span.start);
    let line = source.lines().span(source.text(), number);
    // More is not shown, and a line may be as long as the text.
    let end = source.text().floor_char_boundary((line.start + WINDOW).min(line.end) as usize) as u32;
    let mut shown = Span { start: line.start, end };
    let (mut before, mut after) = ("", "");
    let mut inside = Vec::new();
    for (_, secret) in
        secrets.iter().filter(|(owner, secret)| *owner == id && secret.start < end && secret.end > line.start)
    {
        if secret.start < line.start {
            (shown.start, before) = (shown.start.max(secret.end.min(end)), HIDDEN);
        } else if secret.end > end {
            (shown.end, after) = (shown.end.min(secret.start), HIDDEN);
        } else {
            inside.push(*secret);
        }
    }
    let mut text = Cow::Borrowed(source.slice(shown));
    for secret in inside {
        text = Cow::Owned(text.replace(source.slice(secret), HIDDEN));
    }
    let text = format!("{before}{text}{after}");
    format!("{number:4} | {}", visible(&clip(&text, CONTEXT)))
}

/// What a fix without a title does: what its rule says of it, or else what becomes of the text.
fn title_of(said: &[Edit], edits: &[FixEdit]) -> String {
    if let [only] = said
        && let Some(title) = only.title()
    {
        return title;
    }
    let mut done: Vec<(String, usize)> = Vec::new();
    for edit in edits {
        let (old, new) = (quote(edit.old.trim()), quote(edit.new.trim()));
        let words = match (old.is_empty(), new.is_empty()) {
            (true, _) => format!("insert `{new}`"),
            (false, true) => format!("remove `{old}`"),
            (false, false) => format!("replace `{old}` with `{new}`"),
        };
        match done.iter_mut().find(|(known, _)| *known == words) {
            Some((_, count)) => *count += 1,
            None => done.push((words, 1)),
        }
    }
    if done.len() > 2 {
        return format!("apply {} edits", edits.len());
    }
    let parts = done.into_iter().map(|(words, count)| match count {
        1 => words,
        _ => format!("{words} in {count} places"),
    });
    parts.collect::<Vec<_>>().join(" and ")
}

/// Whether a value is a message of the layout engine, which is shown whole, and not text of a document. Its facts
/// have `detail` and `help`.
fn is_message(values: &[(&str, Value)], name: &str) -> bool {
    matches!(name, "detail" | "help") && values.iter().any(|(name, _)| *name == "help")
}

/// Text of a document, safe and short.
fn quote(text: &str) -> String {
    let clipped = clip(text, QUOTED);
    visible(&clipped).into_owned()
}

/// Templates may be written over several lines; messages are one.
fn one_line(text: &str) -> String {
    if text.contains('\n') {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    } else {
        text.trim().to_owned()
    }
}

fn to_template(value: &Value, shown: bool) -> Template {
    match value {
        Value::String(text) if shown => Template::from(quote(text)),
        Value::Array(items) => items.iter().map(|item| to_template(item, shown)).collect(),
        Value::Object(entries) => {
            Template::from_pairs(entries.iter().map(|(key, value)| (key.clone(), to_template(value, shown))))
        }
        Value::String(text) => Template::from(text.as_str()),
        Value::Bool(value) => Template::from(*value),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(value), _) => Template::from(value),
            (None, Some(value)) => Template::from(value),
            _ => Template::from(number.as_f64().unwrap_or_default()),
        },
        Value::Null => Template::from(()),
    }
}
