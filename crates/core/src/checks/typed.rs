use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    Arity, CheckKind, Compiler, Context, Evaluate, Fault, Field, Finding, OneOrMany,
    evaluate::{Meaning, Name, Word},
};
use crate::{expressions::Route, kinds::TypeExpression, text::Span, tree::Node};

/// The declared type of names, or the type that a node expresses, is as it must be. Exactly one of `in`, `list`,
/// `max_lists`, `optional_elements`, `readable`, `declared_in`, `equals`, `element_of` and `list_of` is
/// given. Types are those of the document's kind; whether one is optional does not matter. Names without a
/// readable type pass.
///
/// ```yaml
/// check: {typed: {of: '@.inputs[*]', in: [text]}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Typed {
    /// Route to names of declarations that have a type (default: the node itself is a type
    /// expression).
    of: Option<String>,
    /// It is one of these types.
    #[serde(default, rename = "in")]
    within: Vec<String>,
    /// One name of such a type is enough.
    #[serde(default)]
    some: bool,
    /// Whether it is a list.
    list: Option<bool>,
    /// It is a list of at most this many levels.
    max_lists: Option<u8>,
    /// `false`: its elements are not optional.
    optional_elements: Option<bool>,
    /// Reports type expressions that cannot be read.
    #[serde(default)]
    readable: bool,
    /// Its innermost element is declared in one of these symbol tables.
    declared_in: Option<OneOrMany<String>>,
    /// It equals the type of what this route leads to.
    equals: Option<String>,
    /// It equals the element type of what this route leads to.
    element_of: Option<String>,
    /// It is a list of what this route leads to.
    list_of: Option<String>,
    /// `equals` leads to declarations or members, of which the one counts that has the node's key as
    /// its key or name.
    #[serde(default)]
    by_key: bool,
}

impl CheckKind for Typed {
    const NAME: &'static str = "typed";
    const VALUES: &'static [(&'static str, &'static str)] = &[
        ("name", "the name, with `of`"),
        ("type", "its type"),
        ("base", "the innermost element of its type"),
        ("other", "the type that it is compared with"),
    ];
    const PLACES: &'static [(&'static str, &'static str)] = &[
        ("declaration", "the declared type of the name"),
        ("base", "the innermost element in the type expression"),
    ];

    fn compile(mut self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let of = self.of.take().and_then(|of| compiler.route(&of, &at.key("of")));
        let (some, by_key) = (self.some, self.by_key);
        let mut demands = self.demands(at, compiler);
        let (Some(demand), true) = (demands.pop(), demands.is_empty()) else {
            let detail = "ask exactly one thing of the type";
            compiler.report(Fault::new("bad-bounds", at).with("detail", detail));
            return None;
        };
        Some(Arc::new(TypeCheck { of, some, demand, by_key }))
    }
}

/// Makes what is demanded of a type of the route that it is compared with.
type Demanding = fn(Route) -> Demand;

impl Typed {
    fn demands(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Vec<Demand> {
        let mut demands = Vec::new();
        if !self.within.is_empty() {
            demands.push(Demand::OneOf(self.within));
        }
        demands.extend(self.list.map(Demand::List));
        demands.extend(self.max_lists.map(Demand::MaxLists));
        demands.extend(self.optional_elements.filter(|allowed| !allowed).map(|_| Demand::PlainElements));
        demands.extend(self.readable.then_some(Demand::Readable));
        if let Some(tables) = self.declared_in.map(OneOrMany::into_vec) {
            for table in &tables {
                compiler.symbol(table, &at.key("declared_in"));
            }
            demands.push(Demand::DeclaredIn(tables));
        }
        let routes: [(&str, Option<String>, Demanding); 3] = [
            ("equals", self.equals, Demand::Equals),
            ("element_of", self.element_of, Demand::ElementOf),
            ("list_of", self.list_of, Demand::ListOf),
        ];
        for (name, route, demand) in routes {
            let route = route.and_then(|route| compiler.route(&route, &at.key(name)));
            demands.extend(route.map(demand));
        }
        demands
    }
}

#[derive(Debug)]
struct TypeCheck {
    /// Route to names (default: the node itself is a type).
    of: Option<Route>,
    /// Whether one fitting name is enough.
    some: bool,
    demand: Demand,
    /// Whether the other type is looked up by the node's key.
    by_key: bool,
}

/// What is demanded of a type.
#[derive(Debug)]
enum Demand {
    /// It is one of these.
    OneOf(Vec<String>),
    /// It is a list, or it is not.
    List(bool),
    /// It has at most this many levels of lists.
    MaxLists(u8),
    /// Its elements are not optional.
    PlainElements,
    /// It can be read.
    Readable,
    /// Its innermost element is in one of these symbol tables.
    DeclaredIn(Vec<String>),
    /// It is the type of what the route leads to.
    Equals(Route),
    /// It is the type of the elements of what the route leads to.
    ElementOf(Route),
    /// It is a list of what the route leads to.
    ListOf(Route),
}

impl Evaluate for TypeCheck {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let mut passed = Passed::new(self, context);
        context.kept(nodes.iter().flat_map(|node| findings(self, *node, &mut passed, context)))
    }

    fn looks_at_each(&self) -> bool {
        true
    }

    fn arity(&self, items: &str) -> Arity {
        let names = |of: &Route| of.hops.is_empty() && of.path.source().starts_with(items);
        match (&self.of, &self.demand) {
            (Some(of), Demand::OneOf(types)) if names(of) => {
                Arity { types: types.clone(), ..Arity::default() }
            }
            _ => Arity::default(),
        }
    }
}

/// Types that are as they must be: a document uses few, and what is written in the same way is the same type.
struct Passed {
    /// Whether the type alone decides.
    usable: bool,
    words: Vec<Word>,
}

/// Most types that are remembered.
const TYPES: usize = 32;

impl Passed {
    fn new(typed: &TypeCheck, context: &Context<'_, '_>) -> Self {
        let state = context.state;
        let decides = match &typed.demand {
            Demand::Equals(_) | Demand::ElementOf(_) | Demand::ListOf(_) => false,
            // Where a name is known only within some nodes, it matters where the type is.
            Demand::DeclaredIn(_) => state.vocabulary.symbols.values().all(|symbol| symbol.within.is_none()),
            _ => true,
        };
        Self { usable: decides && !typed.some && !state.listens(), words: Vec::new() }
    }

    /// The type that a node expresses, where it may be remembered.
    fn word<'t>(&self, node: Node<'t>, context: &Context<'_, 't>) -> Option<Word> {
        if self.usable && node.is_scalar() { context.state.word_of(node) } else { None }
    }

    fn has(&self, word: Option<Word>) -> bool {
        word.is_some_and(|word| self.words.contains(&word))
    }

    fn add(&mut self, word: Option<Word>) {
        if let Some(word) = word.filter(|_| self.words.len() < TYPES) {
            self.words.push(word);
        }
    }
}

fn findings<'t>(
    typed: &TypeCheck,
    node: Node<'t>,
    passed: &mut Passed,
    context: &Context<'_, 't>,
) -> Vec<Finding<'t>> {
    let state = context.state;
    let Some(route) = &typed.of else {
        let word = passed.word(node, context);
        if passed.has(word) {
            return Vec::new();
        }
        let finding = match state.type_of(node) {
            Some(found) => compare(typed, node, node, &found, context),
            None => unreadable(typed, node),
        };
        if finding.is_none() {
            passed.add(word);
        }
        return finding.into_iter().collect();
    };
    let mut names = Vec::new();
    state.visit_words(route, node, &mut |word, held| names.push((word, held)));
    let mut findings = Vec::new();
    let mut types = Vec::new();
    for (word, held) in names {
        let at = held.node();
        if state.listens()
            && let Some(name) = held.clone().name(state)
        {
            state.hear(&name, || Meaning::Typed);
        }
        let declared = state.declared_with_type(word, at);
        let written = declared.and_then(|declared| passed.word(declared, context));
        if passed.has(written) {
            continue;
        }
        let Some((declared, found)) = declared.and_then(|node| Some((node, state.type_of(node)?))) else {
            // A name without a readable type may be the one that fits.
            if typed.some {
                return Vec::new();
            }
            continue;
        };
        if typed.some {
            types.push(found.to_string());
        }
        match compare(typed, node, at, &found, context) {
            Some(finding) => {
                let Some(name) = held.name(state) else { continue };
                let finding = Finding { span: name.span, ..finding }.with("name", name.text.into_owned());
                let near = declared.source_id() == name.node.source_id();
                findings.push(if near { finding.place("declaration", declared.span()) } else { finding });
            }
            None if typed.some => return Vec::new(),
            None => passed.add(written),
        }
    }
    if typed.some && !types.is_empty() {
        let finding = Finding::at_key(node).with("type", types.join(", "));
        return vec![Finding { expected: wanted(&typed.demand), ..finding }];
    }
    findings
}

/// A node that is not a type expression: a finding only for a check that demands one.
fn unreadable<'t>(typed: &TypeCheck, node: Node<'t>) -> Option<Finding<'t>> {
    let text = node.as_str()?;
    matches!(typed.demand, Demand::Readable).then(|| Finding::at(node).with("type", text))
}

/// Compares the type of `node` with what is demanded; routes start at `origin`, the node that the rule selected.
fn compare<'t>(
    typed: &TypeCheck,
    origin: Node<'t>,
    node: Node<'t>,
    found: &TypeExpression,
    context: &Context<'_, 't>,
) -> Option<Finding<'t>> {
    let state = context.state;
    let finding = || Finding::at(node).with("type", found.to_string()).with("base", found.base.as_str());
    let related = |route: &Route| {
        let other = related_type(typed, route, origin, context);
        other.map(|other| (other.to_string(), other))
    };
    let (holds, other) = match &typed.demand {
        Demand::OneOf(types) => (types.iter().any(|wanted| found.is(wanted)), None),
        Demand::List(wanted) => ((found.lists > 0) == *wanted, None),
        Demand::MaxLists(most) => (found.lists <= *most, None),
        Demand::PlainElements => (!found.optional_elements, None),
        Demand::Readable => (true, None),
        Demand::DeclaredIn(tables) => {
            if state.listens()
                && let Some(span) = base_span(node, &found.base)
            {
                let name = Name { text: found.base.clone().into(), node, span };
                state.hear(&name, || Meaning::In(tables.clone()));
            }
            let symbols = state.symbols();
            if state.find(&found.base, node).any(|d| tables.iter().any(|table| table == d.table)) {
                return None;
            }
            // A name whose type is unknown is reported where the name is declared.
            if typed.of.is_some() && state.find(&found.base, node).next().is_none() {
                return None;
            }
            let names = symbols.names(tables, node, &found.base).into_iter().map(str::to_owned);
            return Some(base_place(finding().among(&found.base, names), node, &found.base));
        }
        Demand::Equals(route) => {
            let (text, other) = related(route)?;
            (other.same_as(found, 0), Some(text))
        }
        Demand::ElementOf(route) => {
            let (text, other) = related(route)?;
            (other.lists == 0 || other.same_as(found, 1), Some(text))
        }
        Demand::ListOf(route) => {
            let (text, other) = related(route)?;
            (found.lists == 0 || found.same_as(&other, 1), Some(text))
        }
    };
    if holds {
        return None;
    }
    let finding = finding().with("other", other.map_or(Value::Null, Value::from));
    Some(Finding { expected: wanted(&typed.demand), ..finding })
}

/// Where the name of the innermost element is in a type expression.
fn base_place<'t>(finding: Finding<'t>, node: Node<'t>, base: &str) -> Finding<'t> {
    match base_span(node, base) {
        Some(span) => finding.place("base", span),
        None => finding,
    }
}

fn base_span(node: Node<'_>, base: &str) -> Option<Span> {
    let start = node.span().start as usize + node.raw().find(base)?;
    Some(Span::new(start, start + base.len()))
}

fn wanted(demand: &Demand) -> Vec<String> {
    match demand {
        Demand::OneOf(types) => types.clone(),
        _ => Vec::new(),
    }
}

/// The type of what a route leads to: of a declared name, or, by key, of the declaration or member
/// that has the node's key as its name.
fn related_type<'t>(
    typed: &TypeCheck,
    route: &Route,
    node: Node<'t>,
    context: &Context<'_, 't>,
) -> Option<TypeExpression> {
    let state = context.state;
    if !typed.by_key {
        let name = state.route_names(route, node).into_iter().next()?;
        return state.declared_type(&name.text, name.node).map(|(_, found)| found);
    }
    let key = node.key()?;
    let named = |candidate: &Node<'t>| {
        candidate.key() == Some(key) || candidate.get("id").and_then(Node::as_str) == Some(key)
    };
    let found = state.follow(route, node).into_iter().find(named)?;
    state.type_of(found.get("type").unwrap_or(found))
}
