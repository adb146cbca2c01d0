use std::{borrow::Cow, cell::OnceCell, collections::BTreeSet, ops::Bound, sync::Arc};

use foldhash::{HashMap, HashMapExt, HashSet};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    CheckKind, Compiler, Context, Evaluate, Field, Finding, OneOrMany, State,
    evaluate::{Meaning, Name, Word},
};
use crate::{
    budget,
    text::CANDIDATES,
    tree::{JsonPath, Node},
};

/// What a step uses was known at the start or produced by an earlier step. With `must_define`, what must be
/// known at the end is. A name that is missing is one finding, however often it is used.
///
/// ```yaml
/// check:
///   dataflow: {init: '@.inputs[*]', over: '@.steps[*]', uses: '@.inputs[*]', defs: '@.outputs[*]'}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Dataflow {
    /// Path, or paths, from the selected node to names known at the start.
    init: Option<OneOrMany<String>>,
    /// Path from the selected node to its steps, in order.
    over: String,
    /// Symbol table of steps: a step that is only a reference counts as the one that it names.
    steps: Option<String>,
    /// Path, or paths, from a step to the names that it uses.
    uses: Option<OneOrMany<String>>,
    /// Path, or paths, from a step to the names that it produces.
    defs: Option<OneOrMany<String>>,
    /// Path, or paths, from the selected node to names that must be known at the end. With it, only those are
    /// reported; without it, only uses are.
    must_define: Option<OneOrMany<String>>,
}

impl CheckKind for Dataflow {
    const NAME: &'static str = "dataflow";
    const VALUES: &'static [(&'static str, &'static str)] = &[("name", "the name that is not known")];
    const PLACES: &'static [(&'static str, &'static str)] =
        &[("later", "where a later step produces the name")];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        if let Some(steps) = &self.steps {
            compiler.symbol(steps, &at.key("steps"));
        }
        Some(Arc::new(Flow {
            init: compiler.paths(self.init.as_ref(), &at.key("init")),
            over: compiler.path(&self.over, &at.key("over"))?,
            uses: compiler.paths(self.uses.as_ref(), &at.key("uses")),
            defs: compiler.paths(self.defs.as_ref(), &at.key("defs")),
            must_define: compiler.paths(self.must_define.as_ref(), &at.key("must_define")),
            steps: self.steps,
        }))
    }
}

#[derive(Debug)]
struct Flow {
    init: Vec<JsonPath>,
    over: JsonPath,
    steps: Option<String>,
    uses: Vec<JsonPath>,
    defs: Vec<JsonPath>,
    must_define: Vec<JsonPath>,
}

impl Flow {
    fn findings<'t>(&self, node: Node<'t>, state: &State<'t>) -> Vec<Finding<'t>> {
        let visit = |paths: &[JsonPath], node, found: &mut dyn FnMut(Word, Node<'t>)| {
            if state.listens() {
                for name in state.names(paths, node) {
                    state.hear(&name, || Meaning::Typed);
                }
            }
            state.visit_selected_words(paths, node, found);
        };
        let mut known = Defined { names: HashSet::default(), sorted: None, state };
        visit(&self.init, node, &mut |word, _| known.add(word));
        let steps: Vec<Node<'t>> =
            self.over.select(node).into_iter().map(|step| stands_for(self, step, state)).collect();
        let produced = OnceCell::new();
        let later = |name: &str, position: usize| {
            produced.get_or_init(|| produced_by(self, &steps, state)).first(name, position)
        };
        let mut findings = Vec::new();
        for (position, step) in steps.iter().enumerate() {
            if self.must_define.is_empty() {
                visit(&self.uses, *step, &mut |word, at| {
                    if !known.names.contains(&word)
                        && let Some(name) = state.name_of(at)
                    {
                        let later = later(&name.text, position);
                        findings.push(report(name, known.sorted(), later));
                        // One missing name is one finding, however often it is used.
                        known.add(word);
                    }
                });
            }
            visit(&self.defs, *step, &mut |word, _| known.add(word));
        }
        visit(&self.must_define, node, &mut |word, at| {
            if !known.names.contains(&word)
                && let Some(name) = state.name_of(at)
            {
                findings.push(report(name, known.sorted(), None));
            }
        });
        findings
    }
}

/// Names that are defined so far.
struct Defined<'s, 't> {
    names: HashSet<Word>,
    /// The same names, sorted, once suggestions were needed.
    sorted: Option<BTreeSet<Cow<'t, str>>>,
    state: &'s State<'t>,
}

impl<'t> Defined<'_, 't> {
    fn add(&mut self, name: Word) {
        if let Some(sorted) = &mut self.sorted {
            sorted.insert(self.state.text(name));
        }
        self.names.insert(name);
    }

    fn sorted(&mut self) -> &BTreeSet<Cow<'t, str>> {
        let names = &self.names;
        let made = || self.state.sorted(names.iter().copied()).into_iter().collect();
        self.sorted.get_or_insert_with(made)
    }
}

impl Evaluate for Flow {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        context.kept(nodes.iter().flat_map(|node| self.findings(*node, context.state)))
    }
}

/// A step that is only a reference is the step it names.
fn stands_for<'t>(flow: &Flow, step: Node<'t>, state: &State<'t>) -> Node<'t> {
    let (Some(table), Some(key)) = (&flow.steps, &state.vocabulary.reference_key) else { return step };
    if step.get(key).is_none() {
        return step;
    }
    let Some(name) = state.name_of(step) else { return step };
    let mut declarations = state.find(&name.text, step);
    let declared = declarations.find(|d| d.table == table).and_then(|d| d.node);
    declared.unwrap_or(step)
}

/// The names that steps define, with the positions of these steps in order.
struct Produced<'t>(HashMap<Cow<'t, str>, Vec<(usize, Name<'t>)>>);

impl<'t> Produced<'t> {
    /// Where a name is defined first, from a step on.
    fn first(&self, name: &str, from: usize) -> Option<Name<'t>> {
        let made = self.0.get(name)?;
        let at = made.partition_point(|(position, _)| *position < from);
        made.get(at).map(|(_, name)| name.clone())
    }
}

fn produced_by<'t>(flow: &Flow, steps: &[Node<'t>], state: &State<'t>) -> Produced<'t> {
    let mut produced = Produced(HashMap::new());
    for (position, step) in steps.iter().enumerate() {
        for name in state.names(&flow.defs, *step) {
            // Steps that are references to one step define its names again and again.
            if !budget::allocate(size_of::<(usize, Name<'_>)>()) {
                return produced;
            }
            produced.0.entry(name.text.clone()).or_default().push((position, name));
        }
    }
    produced
}

/// The known names that an unknown one is compared with; of many, those around it in the alphabet.
fn candidates(known: &BTreeSet<Cow<'_, str>>, word: &str) -> Vec<String> {
    if known.len() <= CANDIDATES {
        return known.iter().map(|name| name.clone().into_owned()).collect();
    }
    let before = known.range::<str, _>((Bound::Unbounded, Bound::Excluded(word))).rev();
    let after = known.range::<str, _>((Bound::Included(word), Bound::Unbounded));
    let near = before.take(CANDIDATES / 2).chain(after.take(CANDIDATES / 2));
    let mut names: Vec<String> = near.map(|name| name.clone().into_owned()).collect();
    names.sort_unstable();
    names
}

fn report<'t>(name: Name<'t>, known: &BTreeSet<Cow<'t, str>>, later: Option<Name<'t>>) -> Finding<'t> {
    let candidates = candidates(known, &name.text);
    let finding = Finding { span: name.span, ..Finding::at(name.node) };
    let finding = finding.among(&name.text, candidates).with("name", name.text.into_owned());
    match later.filter(|later| later.node.source_id() == name.node.source_id()) {
        Some(later) => finding.place("later", later.span),
        None => finding,
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::findings;

    #[test]
    fn what_is_used_was_produced_before() {
        let text = "in: [a]\nsteps: [{use: [a], make: [b]}, {use: [b, c, c], make: []}]\nout: [b, d]\n";
        let common = "init: '@.in[*]', over: '@.steps[*]', uses: '@.use[*]', defs: '@.make[*]'";
        assert_eq!(findings(&format!("{{dataflow: {{{common}}}}}"), "$", text), ["/steps/1/use/1 c"]);
        let end = format!("{{dataflow: {{{common}, must_define: '@.out[*]'}}}}");
        assert_eq!(findings(&end, "$", text), ["/out/1 d"]);
    }
}
