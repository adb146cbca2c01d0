//! What the rules know about a document besides what is wrong with it, for editors: the names, each with what it means;
//! references to files; and what a rule would accept at a position.

use foldhash::{HashMap, HashMapExt, HashSet};
use serde_json::Value;

use super::{
    plan::{Plan, Planned, Selection},
    validator::Validator,
};
use crate::{
    budget,
    checks::{Context, Declaration, Finding, Heard, Meaning, Name, State},
    kinds::Document,
    text::{SourceId, Span},
    tree::{Node, NodeId},
};

/// What the rules know about a document.
#[derive(Debug, Default)]
pub struct Survey {
    /// The names, in the order of the text.
    pub names: Vec<Occurrence>,
    /// References to files.
    pub links: Vec<FileReference>,
    /// What rules would accept at the position that was asked about, the most likely first.
    pub expected: Vec<String>,
}

/// The position that is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// A word there.
    pub span: Span,
    /// Whether the word is a part of a value, so that what could be the whole value is not meant.
    pub is_part: bool,
}

/// A name in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// The file.
    pub source: SourceId,
    /// Where it is; with the quotes around it, if there are some.
    pub span: Span,
    /// The name.
    pub name: String,
    /// What it means: the same number for the same thing.
    pub symbol: usize,
    /// Whether it declares the thing; where nothing does, the first occurrence.
    pub declares: bool,
    /// What it is the name of, as the pack calls it.
    pub of: Option<String>,
    /// The declared type of the thing.
    pub value_type: Option<String>,
    /// The bytes of what declares the thing, with everything in it; for a declaration in the document itself.
    pub declaration: Option<Span>,
}

/// A reference to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileReference {
    /// Where it is.
    pub span: Span,
    /// Paths that it may mean, relative to the document's folder, the most likely first.
    pub candidates: Vec<String>,
}

impl Validator {
    /// What the rules that are on know about a document, and what they would accept at a position.
    #[doc(hidden)]
    pub fn survey(&self, document: &Document, at: Option<Asked>) -> Survey {
        let mut surveyor =
            Surveyor { validator: self, at, names: Names::default(), survey: Survey::default() };
        surveyor.document(document);
        surveyor.survey.names = surveyor.names.finish();
        surveyor.survey
    }
}

struct Surveyor<'v> {
    validator: &'v Validator,
    at: Option<Asked>,
    names: Names,
    survey: Survey,
}

impl Surveyor<'_> {
    fn document(&mut self, document: &Document) {
        let validator = self.validator;
        self.observations(document);
        if let Some(plan) = validator.plan(&document.kind) {
            self.rules(plan, document, &plan.select(document, None));
            if plan.looks_at_parts() && !document.parts.is_empty() {
                document.visit(true, |part| self.rules(plan, part, &plan.select_in_part(part, None)));
            }
        }
        self.lexemes(document);
        for embedded in &document.embedded {
            self.document(embedded);
        }
    }

    /// Adds what readers of the document would have accepted.
    fn observations(&mut self, document: &Document) {
        for seen in &document.observations {
            if self.is_there(seen.source, seen.span) {
                seen.values.iter().for_each(|(_, value)| self.accept(value));
            }
        }
    }

    fn rules(&mut self, plan: &Plan, document: &Document, selected: &Selection) {
        let validator = self.validator;
        let ruleset = validator.ruleset();
        let mut states: Vec<Option<State<'_>>> = ruleset.packs().iter().map(|_| None).collect();
        for planned in &plan.rules {
            let state = states[planned.pack].get_or_insert_with(|| {
                let vocabulary = &ruleset.packs()[planned.pack].vocabulary;
                State::new(document, vocabulary, ruleset.kinds()).listening()
            });
            if !budget::charge(1) {
                return;
            }
            self.rule(planned, state, selected.of(planned.selectors.clone()));
        }
        for state in states.iter().flatten() {
            self.symbols(state);
        }
        for state in states.iter().flatten() {
            state.take_heard().into_iter().for_each(|heard| self.heard(heard, state));
        }
    }

    /// Runs the check of a rule, for what it looks at and what it would accept.
    fn rule<'t>(&mut self, planned: &Planned, state: &State<'t>, ids: &[NodeId]) {
        if ids.is_empty() {
            return;
        }
        let context: Context<'_, 't> = planned.context(state);
        let mut nodes: Vec<Node<'t>> = ids.iter().map(|id| state.document.tree.node(*id)).collect();
        if let Some(when) = planned.rule.when.as_ref().filter(|_| !planned.guards_findings()) {
            nodes.retain(|node| context.bindings(*node).hold(when, false));
        }
        for finding in planned.rule.check.run(&nodes, &context) {
            if self.is_there(finding.source, finding.span) && !self.is_about_more(finding.span) {
                self.finding(&finding);
            }
        }
    }

    fn is_there(&self, source: SourceId, span: Span) -> bool {
        self.at.is_some_and(|Asked { span: at, .. }| {
            source == SourceId(0) && span.start <= at.end && at.start <= span.end
        })
    }

    /// Whether a span is more than the word that is a part of a value.
    fn is_about_more(&self, span: Span) -> bool {
        self.at.is_some_and(|at| at.is_part && (span.start < at.span.start || at.span.end < span.end))
    }

    fn finding(&mut self, finding: &Finding<'_>) {
        for word in &finding.expected {
            self.add_expected(word);
        }
        finding.values.iter().for_each(|(_, value)| self.accept(value));
    }

    fn accept(&mut self, value: &Value) {
        for word in value.as_array().into_iter().flatten().filter_map(Value::as_str) {
            self.add_expected(word);
        }
    }

    fn add_expected(&mut self, word: &str) {
        if !self.survey.expected.iter().any(|known| known == word) {
            self.survey.expected.push(word.to_owned());
        }
    }

    /// Adds the names that the symbol tables of a pack declare.
    fn symbols(&mut self, state: &State<'_>) {
        for (name, declaration) in state.symbols().all() {
            let (table, node) = (declaration.table, declaration.node);
            let text_of = |node: Node<'_>| node.scalar_text().map(String::from);
            let Some((source, span, text)) = place(state, name, declaration) else {
                continue;
            };
            let index = self.names.add(source, span, &text);
            let place = &mut self.names.all[index];
            place.declares = true;
            place.of.get_or_insert_with(|| table.to_owned());
            let own = node.filter(|node| node.source_id() == SourceId(0));
            place.declaration = place.declaration.or(own.map(extent));
            if place.value_type.is_none() {
                let path = state.vocabulary.symbols.get(table).and_then(|symbol| symbol.value_type.as_ref());
                let declared = path.and_then(|path| path.first(node?));
                place.value_type = declared.and_then(text_of);
            }
        }
    }

    fn heard<'t>(&mut self, heard: Heard<'t>, state: &State<'t>) {
        match heard {
            Heard::Link { source: SourceId(0), span, candidates } => {
                let link = FileReference { span, candidates };
                if !self.survey.links.contains(&link) {
                    self.survey.links.push(link);
                }
            }
            Heard::Among { source, span, words }
                if self.is_there(source, span) && !self.is_about_more(span) =>
            {
                for word in &words {
                    self.add_expected(word);
                }
            }
            Heard::Link { .. } | Heard::Among { .. } => {}
            Heard::Name { name, meaning } => self.name(&name, &meaning, state),
        }
    }

    fn name<'t>(&mut self, name: &Name<'t>, meaning: &Meaning<'t>, state: &State<'t>) {
        let declarations = state.find(&name.text, name.node);
        let has_type = |table: &str| {
            state.vocabulary.symbols.get(table).is_some_and(|symbol| symbol.value_type.is_some())
        };
        let declared = declarations.into_iter().find(|found| {
            found.name.is_some()
                && match meaning {
                    Meaning::In(tables) => tables.iter().any(|table| table == found.table),
                    Meaning::Typed => has_type(found.table),
                    Meaning::Same(_) | Meaning::Own => false,
                }
        });
        let other = match meaning {
            Meaning::Same(other) => Some((other.node.source_id(), other.span)),
            Meaning::Own => None,
            // What is always known, such as a type of the language, is not a name of the document.
            Meaning::In(_) | Meaning::Typed => {
                match declared.and_then(|found| place(state, &name.text, found)) {
                    Some((source, span, _)) => Some((source, span)),
                    None => return,
                }
            }
        };
        let index = self.names.add(name.node.source_id(), name.span, &name.text);
        if let Some((source, span)) = other {
            let other = self.names.add(source, span, &name.text);
            self.names.unite(index, other);
            self.names.led_to.insert((source, span));
        }
    }

    /// Adds the names that the grammar of a kind knows.
    fn lexemes(&mut self, document: &Document) {
        let mut first: HashMap<(&str, &str), usize> = HashMap::new();
        let text = document.source().text();
        for lexeme in &document.lexemes {
            let Some(of) = lexeme.name_of.as_deref() else { continue };
            let name = lexeme.span.of(text);
            let index = self.names.add(SourceId(0), lexeme.span, name);
            // What the grammar calls it is what completion asks for.
            self.names.all[index].of = Some(of.to_owned());
            match first.get(&(of, name)) {
                Some(first) => self.names.unite(*first, index),
                None => {
                    first.insert((of, name), index);
                }
            }
        }
    }
}

/// Where the name of a declaration is, and the name: the key of a node where the symbol table has keys. Nothing for names
/// that editors cannot change there: pairs, and parts of file names.
fn place(state: &State<'_>, name: &str, declaration: &Declaration<'_>) -> Option<(SourceId, Span, String)> {
    let symbol = state.vocabulary.symbols.get(declaration.table)?;
    let held = declaration.name.filter(|_| !symbol.pairs)?;
    if let Some(part) = declaration.part {
        let is_written = held.source().slice(part) == name;
        return is_written.then(|| (held.source_id(), part, name.to_owned()));
    }
    if symbol.name.is_some() {
        return Some((held.source_id(), held.span(), held.scalar_text()?.into_owned()));
    }
    let entry = held.own_entry()?;
    Some((held.parent()?.source_id(), entry.key_span(), entry.key().to_owned()))
}

/// The bytes of a value with everything below it.
fn extent(node: Node<'_>) -> Span {
    let below = node.children().filter(|child| child.source_id() == SourceId(0));
    below.map(extent).fold(node.span(), Span::cover)
}

/// Names, with those that mean the same united.
#[derive(Default)]
struct Names {
    all: Vec<Occurrence>,
    /// Where other names lead to: what declares a name that no symbol table has.
    led_to: HashSet<(SourceId, Span)>,
    by_place: HashMap<(SourceId, Span), usize>,
}

impl Names {
    /// The position of a name, which is new or known already.
    fn add(&mut self, source: SourceId, span: Span, name: &str) -> usize {
        *self.by_place.entry((source, span)).or_insert_with(|| {
            let symbol = self.all.len();
            self.all.push(Occurrence {
                source,
                span,
                name: name.to_owned(),
                symbol,
                declares: false,
                of: None,
                value_type: None,
                declaration: None,
            });
            symbol
        })
    }

    /// The name that stands for all that mean the same.
    fn root(&self, mut index: usize) -> usize {
        while self.all[index].symbol != index {
            index = self.all[index].symbol;
        }
        index
    }

    fn unite(&mut self, one: usize, other: usize) {
        if self.all[one].name == self.all[other].name {
            let (one, other) = (self.root(one), self.root(other));
            self.all[one.max(other)].symbol = one.min(other);
        }
    }

    /// The names in order, each with what is known of the thing.
    fn finish(mut self) -> Vec<Occurrence> {
        let roots: Vec<usize> = (0..self.all.len()).map(|index| self.root(index)).collect();
        for (one, root) in self.all.iter_mut().zip(roots) {
            one.symbol = root;
        }
        self.all.sort_by_key(|one| (one.source.0, one.span));
        let rank = |one: &Occurrence| (one.declares, self.led_to.contains(&(one.source, one.span)));
        let mut first: HashMap<usize, usize> = HashMap::new();
        for (index, one) in self.all.iter().enumerate() {
            let known = first.entry(one.symbol).or_insert(index);
            if rank(one) > rank(&self.all[*known]) {
                *known = index;
            }
        }
        for symbol in first.values() {
            self.all[*symbol].declares = true;
        }
        for index in 0..self.all.len() {
            let declaration = first[&self.all[index].symbol];
            let (of, value_type) =
                (self.all[declaration].of.clone(), self.all[declaration].value_type.clone());
            let one = &mut self.all[index];
            one.of = of.or(one.of.take());
            one.value_type = one.value_type.take().or(value_type);
        }
        self.all
    }
}
