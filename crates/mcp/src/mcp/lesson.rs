//! Guides to writing a kind of document, generated from what validates it: the schema of its documents,
//! the forms of its text, and the names and explanations of its rules.

use std::{fmt::Write as _, path::Path, sync::Arc};

use serde_json::Value;

use super::{
    example_set::{embedded, is_clean},
    finding::{Explanation, displayed},
    outline::{Field, Object, Outline, Union},
    refusal::Refusal,
};
use crate::{
    checks::{Arity, Check},
    diagnostic::Severity,
    engine::Validator,
    kinds::{Form, Kind, ParseOptions},
    rules::{Pack, Rule, Ruleset},
    text::{Fragment, Source, clip, nearest, visible},
    tree::Node,
};

/// A guide to writing a kind of document; each item may have several lines.
#[derive(Debug, Default)]
pub(super) struct KindGuide {
    pub(super) required: Vec<String>,
    pub(super) structure: Vec<String>,
    /// Members of the schema's largest choice, such as the steps of a flow.
    pub(super) steps: Vec<String>,
    pub(super) typing: Vec<String>,
    pub(super) pitfalls: Vec<String>,
    /// Names of the parts that have separate guides.
    pub(super) parts: Vec<String>,
    /// Whether only the guides to the parts say what is in them.
    pub(super) is_short: bool,
}

/// Tag of rules about common mistakes.
const PITFALL: &str = "pitfall";

/// Tags of rules about value types and how values are written.
const TYPING: [&str; 2] = ["typing", "trap"];

/// Maximum number of rules per list in a guide.
const RULES: usize = 16;

/// Maximum number of rules per list where the guide to a kind is long.
const FEW_RULES: usize = 8;

/// Bytes above which the guide to a kind leaves what is inside of its parts to the guides to them.
const LONG: usize = 5 * 1024;

impl KindGuide {
    /// The guide to a kind, or to a part of it: an object type of its schema, or a form of its text.
    pub(super) fn of(validator: &Validator, kind: &dyn Kind, part: Option<&str>) -> Result<Self, Refusal> {
        let forms = kind.forms();
        let schema = schema(validator.ruleset(), kind);
        let outline = if forms.is_empty() { Outline::of(&schema) } else { Outline::default() };
        let builder = GuideBuilder { validator, kind, forms: &forms, outline: &outline };
        match part {
            Some(part) => builder.part(part),
            None => Ok(builder.whole().shortened()),
        }
    }

    /// The guide, without what the guides to its parts have where it is long: of each step and each part, only the first
    /// line.
    fn shortened(mut self) -> Self {
        let first_line = |block: &mut String| {
            if let Some(end) = block.find('\n') {
                block.truncate(end);
            }
        };
        if self.bytes() > LONG && !self.parts.is_empty() {
            self.is_short = true;
            self.pitfalls.truncate(FEW_RULES);
            self.steps.iter_mut().for_each(first_line);
            if self.bytes() > LONG {
                let Self { structure, parts, .. } = &mut self;
                let is_part = |block: &&mut String| parts.iter().any(|part| names(block, part));
                structure.iter_mut().skip(1).filter(is_part).for_each(first_line);
            }
            if self.bytes() > LONG {
                self.abridge();
            }
        }
        self
    }

    /// Leaves out what the guides to parts and the explanations of rules have: of rules, only what they require.
    fn abridge(&mut self) {
        let Self { required, structure, steps, typing, pitfalls, .. } = self;
        required.truncate(1);
        structure.retain(|block| !steps.iter().any(|step| block.contains(&format!(", {}", name_of(step)))));
        let lists = typing.clone();
        typing.retain(|line| is_of_rule(line) || !lists.iter().any(|other| has_more_names(other, line)));
        let mut rules = 0;
        typing.retain(|line| {
            rules += usize::from(is_of_rule(line));
            !is_of_rule(line) || rules <= FEW_RULES / 4
        });
        pitfalls.truncate(FEW_RULES * 3 / 4);
        for line in typing.iter_mut().chain(pitfalls).filter(|line| is_of_rule(line)) {
            if let Some(end) = line.find(". ") {
                line.truncate(end + 1);
            }
        }
    }

    fn bytes(&self) -> usize {
        let Self { required, structure, steps, typing, pitfalls, .. } = self;
        [required, structure, steps, typing, pitfalls].into_iter().flatten().map(String::len).sum()
    }
}

/// The schema of a kind's documents: that of its tree if it has fields, otherwise the first schema of a
/// pack for this kind.
pub(super) fn schema(ruleset: &Ruleset, kind: &dyn Kind) -> Value {
    let tree: Value = serde_json::from_str(kind.tree_schema()).unwrap_or_default();
    if tree.get("properties").is_some() || tree.get("$defs").is_some() {
        return tree;
    }
    let mut packs = ruleset.packs().iter().filter(|pack| pack.kinds == [kind.name()]);
    packs
        .find_map(|pack| pack.vocabulary.schemas.values().next())
        .map_or(tree, |schema| schema.json().clone())
}

/// Maximum number of lines of a document of `examples/` that a guide shows.
const SHIPPED: usize = 16;

struct GuideBuilder<'t> {
    validator: &'t Validator,
    kind: &'t dyn Kind,
    forms: &'t [Form],
    outline: &'t Outline<'t>,
}

/// The name that a block of a guide begins with.
fn name_of(block: &str) -> &str {
    let end = block.find(|next: char| !next.is_alphanumeric() && next != '_');
    &block[..end.unwrap_or(block.len())]
}

/// Whether a line summarizes a rule: it begins with its id.
fn is_of_rule(line: &str) -> bool {
    let id = name_of(line);
    id.ends_with(|last: char| last.is_ascii_digit())
        && id.starts_with(|first: char| first.is_ascii_uppercase())
}

/// Whether a list of names has all names of another one, and more.
fn has_more_names(list: &str, other: &str) -> bool {
    let names = |line: &'_ str| -> Vec<String> {
        let names = line.split_once(": ").map_or("", |(_, names)| names);
        names.split(", ").map(str::to_owned).collect()
    };
    let (more, fewer) = (names(list), names(other));
    more.len() > fewer.len() && fewer.iter().all(|name| more.contains(name))
}

/// Whether a block of a guide is about a part: it begins with its name.
fn names(block: &str, part: &str) -> bool {
    let rest = block.strip_prefix(part);
    rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
}

impl GuideBuilder<'_> {
    fn whole(&self) -> KindGuide {
        let mut guide = KindGuide { typing: self.names(), parts: self.parts(), ..KindGuide::default() };
        let union = self.outline.largest_union();
        let common = union.map(|union| self.common(union)).unwrap_or_default();
        for (index, object) in self.outline.objects.iter().enumerate() {
            if union.is_some_and(|union| union.members.contains(&object.name)) {
                guide.steps.push(self.member(object, &common));
                continue;
            }
            let required: Vec<String> = object
                .fields
                .iter()
                .filter(|field| field.required)
                .map(|field| format!("`{}`", field.name))
                .collect();
            if !required.is_empty() {
                let of = if index == 0 { String::new() } else { format!("{}: ", object.name) };
                guide.required.push(format!("{of}{}", required.join(", ")));
            }
            guide.structure.push(object.block());
        }
        if let Some(union) = union {
            guide.structure.push(format!("{} – one of {}", union.name, union.members.join(", ")));
        }
        for union in self.outline.unions.iter().filter(|one| Some(one.name) != union.map(|union| union.name))
        {
            guide.structure.push(format!("{} – one of {}", union.name, union.members.join(", ")));
        }
        let headers: Vec<&str> = self.forms.iter().flat_map(|form| form.headers.iter().copied()).collect();
        if !headers.is_empty() {
            guide.required.push(format!("the document starts with one of: {}", headers.join(", ")));
        }
        let examples = self.examples();
        guide.structure.extend(self.forms.iter().map(|form| {
            let example = examples.iter().find(|(name, _)| name == form.name);
            form_block(form, example.map(|(_, text)| text.as_str()))
        }));
        guide.structure.extend(self.kind.notes().into_iter().map(str::to_owned));
        guide.typing.extend(self.outline.scalars.iter().map(|(name, about)| format!("{name}: {about}")));
        guide
            .typing
            .extend(self.summaries(|rule| TYPING.iter().any(|tag| rule.tags.iter().any(|own| own == tag))));
        guide.pitfalls = self.summaries(|rule| rule.tags.iter().any(|tag| tag == PITFALL));
        if guide.pitfalls.is_empty() {
            guide.pitfalls = self.summaries(|rule| rule.severity == Severity::Error);
        }
        if guide.structure.is_empty() {
            guide.structure.extend(self.valid_examples().into_iter().map(|text| displayed(&text)).next());
        }
        guide
    }

    fn part(&self, name: &str) -> Result<KindGuide, Refusal> {
        let form = self.forms.iter().find(|form| {
            form.name.eq_ignore_ascii_case(name)
                || form.headers.iter().any(|header| header.eq_ignore_ascii_case(name))
        });
        let mut guide = KindGuide::default();
        if let Some(form) = form {
            let examples = self.examples();
            let example = examples.iter().find(|(of, _)| of == form.name);
            guide.structure.push(form_block(form, example.map(|(_, text)| text.as_str())));
            guide.pitfalls =
                self.summaries(|rule| rule.tags.iter().any(|tag| tag.eq_ignore_ascii_case(form.name)));
        } else if let Some(object) = self.outline.object(name) {
            guide.structure.push(object.block());
            let is_member = self.outline.unions.iter().any(|union| union.members.contains(&object.name));
            if is_member {
                let fields: Vec<String> = object.fields.iter().map(Field::line).collect();
                guide.steps.push(self.member(object, &fields));
                guide.structure.extend(self.example_with(object.name).map(|text| example_block(&text)));
            }
            let required = object.fields.iter().filter(|field| field.required);
            guide.required = required.map(|field| format!("`{}`", field.name)).collect();
            guide.pitfalls = self.summaries(|rule| selects(rule, object.name));
        } else if let Some((table, name)) = self.builtin(name) {
            guide.typing.push(format!("`{name}` is a built-in name ({table}): it needs no declaration"));
            guide.structure.extend(self.example_with(name).map(|text| example_block(&text)));
        } else {
            return Err(self.unknown(name));
        }
        Ok(guide)
    }

    /// The symbol table of a built-in name, and the name as it is written.
    fn builtin(&self, name: &str) -> Option<(&str, &str)> {
        let tables = self.packs().flat_map(|pack| &pack.vocabulary.symbols);
        tables.into_iter().find_map(|(table, symbol)| {
            let known = symbol.builtin.iter().find(|known| known.eq_ignore_ascii_case(name))?;
            Some((table.as_str(), known.as_str()))
        })
    }

    /// The shortest document that has a value of this `type`: one without findings, or else without errors.
    fn example_with(&self, type_name: &str) -> Option<String> {
        let names = |text: &String| text.contains(type_name);
        let mut documents: Vec<String> =
            self.shipped().into_iter().chain(self.valid_examples()).filter(names).collect();
        documents.sort_by_key(|text| (text.len(), text.clone()));
        documents.retain(|text| {
            let source = Arc::new(Source::new("", text.as_str()));
            let outcome = self.validator.validate(&source, self.kind, &ParseOptions::default());
            outcome.is_valid() && has_type(outcome.document.tree.root(), type_name)
        });
        let clean = documents.iter().position(|text| is_clean(self.validator, self.kind, "", text));
        let index = clean.unwrap_or_default();
        (index < documents.len()).then(|| documents.swap_remove(index))
    }

    fn unknown(&self, part: &str) -> Refusal {
        let parts = self.parts();
        let near =
            nearest(part, parts.iter().map(String::as_str)).map(|near| format!("did you mean `{near}`? "));
        let shown = visible(&clip(part, 40)).into_owned();
        let known = if parts.is_empty() {
            "this kind has no parts".to_owned()
        } else {
            format!("available: {}", parts.join(", "))
        };
        let kind = self.kind.name();
        Refusal::arguments(vec![format!(
            "`{kind}` has no part `{shown}`: {}{known}",
            near.unwrap_or_default()
        )])
    }

    fn parts(&self) -> Vec<String> {
        let forms = self.forms.iter().map(|form| form.name.to_owned());
        forms.chain(self.outline.objects.iter().skip(1).map(|object| object.name.to_owned())).collect()
    }

    /// A member of a choice: inputs and outputs, description, specific fields, summaries of its rules.
    fn member(&self, object: &Object<'_>, common: &[String]) -> String {
        let rules: Vec<&Rule> = self.rules().filter(|rule| selects(rule, object.name)).collect();
        let mut line = object.name.to_owned();
        let (inputs, outputs) = (arity(&rules, "inputs"), arity(&rules, "outputs"));
        if object.fields.iter().any(|field| field.name == "inputs") {
            let _ = write!(line, ": {} -> {}", in_words(&inputs), in_words(&outputs));
        }
        if !object.about.is_empty() {
            let _ = write!(line, " – {}", object.about);
        }
        let own = object.fields.iter().filter(|field| field.name != "type").map(Field::line);
        for field in own.filter(|field| !common.contains(field)) {
            let _ = write!(line, "\n  {field}");
        }
        let further =
            rules.iter().filter(|rule| rule.severity == Severity::Error && !only_states_arity(&rule.check));
        for rule in further {
            let _ = write!(line, "\n  {}", self.explanation(rule).one_line());
        }
        line
    }

    /// The fields that all members of a choice have.
    fn common(&self, union: &Union<'_>) -> Vec<String> {
        let members = || union.members.iter().filter_map(|name| self.outline.object(name));
        let first = members().next().into_iter().flat_map(|object| &object.fields).map(Field::line);
        let everywhere =
            |line: &String| members().all(|object| object.fields.iter().any(|field| field.line() == *line));
        first.filter(everywhere).collect()
    }

    /// The packs for the kind.
    fn packs(&self) -> impl Iterator<Item = &Pack> {
        let packs = self.validator.ruleset().packs().iter();
        packs.filter(|pack| pack.kinds.iter().any(|kind| kind == self.kind.name()))
    }

    /// The built-in names, by symbol table.
    fn names(&self) -> Vec<String> {
        let tables = self
            .packs()
            .flat_map(|pack| &pack.vocabulary.symbols)
            .filter(|(_, table)| !table.builtin.is_empty());
        tables.map(|(name, table)| format!("{name}: {}", table.builtin.join(", "))).collect()
    }

    /// Summaries of rules: the requirement and how to meet it.
    fn summaries(&self, chosen: impl Fn(&Rule) -> bool) -> Vec<String> {
        let summary = |rule: &Rule| {
            let explanation = self.explanation(rule);
            let how = Explanation { what: explanation.how.clone(), ..Explanation::default() }.one_line();
            format!("{}: {} {how}", rule.id, explanation.one_line()).trim_end().to_owned()
        };
        self.rules().filter(|rule| chosen(rule)).take(RULES).map(summary).collect()
    }

    fn explanation(&self, rule: &Rule) -> Explanation {
        Explanation::of(&self.validator.ruleset().help(rule).explain)
    }

    fn rules(&self) -> impl Iterator<Item = &Rule> {
        let rules = self.validator.ruleset().rules().iter().map(Arc::as_ref);
        rules.filter(|rule: &&Rule| rule.enabled && rule.kinds.iter().any(|kind| kind == self.kind.name()))
    }

    /// A valid document for each form, by the type name in its tree.
    fn examples(&self) -> Vec<(String, String)> {
        let mut examples: Vec<(String, String)> = Vec::new();
        if self.forms.is_empty() {
            return examples;
        }
        for text in self.shipped().into_iter().chain(self.valid_examples()) {
            let source = Arc::new(Source::new("", text.as_str()));
            let document = self.kind.parse(
                &source,
                &Fragment::contiguous(source.text(), source.span()),
                &ParseOptions::default(),
            );
            let Some(name) =
                document.tree.root().get("type").and_then(|node| node.as_str().map(str::to_owned))
            else {
                continue;
            };
            if !examples.iter().any(|(known, _)| *known == name) {
                examples.push((name, text));
            }
        }
        examples
    }

    /// The short documents of `examples/` that are of the kind and valid.
    fn shipped(&self) -> Vec<String> {
        let kinds = self.validator.ruleset().kinds();
        let own = |path: &str, text: &str| {
            kinds.for_path(Path::new(path), text).is_some_and(|kind| kind.name() == self.kind.name())
        };
        let is_short = |text: &str| text.lines().count() <= SHIPPED;
        let shipped = embedded().into_iter().filter(|(path, text)| is_short(text) && own(path, text));
        shipped
            .filter(|(path, text)| is_clean(self.validator, self.kind, path, text))
            .map(|(_, text)| text)
            .collect()
    }

    /// The valid examples of the kind's rules, those of about five lines first.
    fn valid_examples(&self) -> Vec<String> {
        let ruleset = self.validator.ruleset();
        let examples = self.rules().flat_map(|rule| ruleset.help(rule).examples);
        let own = |example: &crate::rules::Example| {
            !example.invalid && example.sample.raw.kind.is_none() && example.sample.raw.files.is_empty()
        };
        let mut samples: Vec<String> =
            examples.filter(own).filter_map(|example| example.sample.text).collect();
        samples.sort_by_key(|text| (text.lines().count().abs_diff(5), text.len(), text.clone()));
        samples.dedup();
        samples
    }
}

/// A form of a kind's text as a block of lines.
fn form_block(form: &Form, example: Option<&str>) -> String {
    let mut block = form.name.to_owned();
    if !form.about.is_empty() {
        let _ = write!(block, " – {}", form.about);
    }
    if !form.headers.is_empty() {
        let _ = write!(block, "\n  starts with: {}", form.headers.join(", "));
    }
    let (long, short): (Vec<&str>, Vec<&str>) =
        form.statements.iter().map(|(_, form)| *form).partition(|form| form.contains('\n'));
    if !short.is_empty() {
        let _ = write!(block, "\n  statements: {}", short.join(" · "));
    }
    if !form.connectors.is_empty() {
        let _ = write!(block, "\n  arrows: {}", form.connectors.join(" "));
    }
    for text in long.into_iter().chain(example) {
        let _ = write!(block, "\n  {}", example_block(text).replace('\n', "\n  "));
    }
    block
}

/// An example as a block of lines.
fn example_block(text: &str) -> String {
    let mut block = "example:".to_owned();
    for line in displayed(text).lines() {
        let _ = write!(block, "\n  {line}");
    }
    block
}

/// Whether a node, or one in it, says that it is of a type.
fn has_type(node: Node<'_>, name: &str) -> bool {
    node.get("type").and_then(Node::as_str) == Some(name)
        || node.children().any(|child| has_type(child, name))
}

/// Whether a rule selects only objects of this type.
fn selects(rule: &Rule, type_name: &str) -> bool {
    let filter = format!("@.type == '{type_name}'");
    rule.given.iter().any(|given| given.source().contains(&filter))
}

/// How many names a list of a step takes, and their types.
fn arity(rules: &[&Rule], list: &str) -> Arity {
    let items = format!("@.{list}[");
    let mut arity = Arity::default();
    for rule in rules.iter().filter(|rule| rule.severity == Severity::Error) {
        arity += rule.check.arity(&items);
    }
    arity
}

/// `1 × text | ChatMessage`
fn in_words(arity: &Arity) -> String {
    let count = match (arity.least, arity.most) {
        (Some(least), Some(most)) if least == most => least.to_string(),
        (Some(least), None) => format!("{least} or more"),
        (None | Some(0), Some(most)) => format!("up to {most}"),
        (Some(least), Some(most)) => format!("{least} to {most}"),
        (None, None) => "any".to_owned(),
    };
    if arity.types.is_empty() { count } else { format!("{count} × {}", arity.types.join(" | ")) }
}

/// Whether a check only states an [`Arity`].
fn only_states_arity(check: &Check) -> bool {
    ["@.inputs[", "@.outputs["].iter().any(|items| check.arity(items) != Arity::default())
}
