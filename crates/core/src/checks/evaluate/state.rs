#![expect(clippy::disallowed_types, reason = "these cells belong to one document, which its budget pays for")]

use std::{
    borrow::Cow,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use foldhash::HashMap;

use super::{
    heard::{Heard, Meaning, Name},
    recorder::Recorder,
    symbols::{Declaration, Symbols, Tables},
    words::{Word, Words},
};
use crate::{
    budget,
    checks::compile::{FilePart, Vocabulary},
    kinds::{Disclosure, Document, Kind, Kinds, TypeExpression, ValueModel},
    schema::{Dialect, TooComplex, Violations},
    text::{SourceId, Span},
    tree::{JsonPath, Node, NodeId, Tree},
};

/// Bytes of a value that is not looked at again for each finding.
const LONG: usize = 256;

/// Most references that are followed back to the document.
const CHAIN: usize = 64;

/// What the rules of a pack share while one document is looked at; each part is made when a rule
/// first asks for it.
pub struct State<'t> {
    pub document: &'t Document,
    pub vocabulary: &'t Vocabulary,
    /// The document's kind; nothing for what the run itself observes.
    kind: Option<&'t dyn Kind>,
    words: Words<'t>,
    symbols: OnceLock<Symbols<'t>>,
    /// The nodes of each name that the pack has for ancestors, in the order of the names.
    ancestors: Vec<OnceLock<Marked>>,
    /// Collections as values of templates, with whether these are for people.
    templates: Mutex<HashMap<(NodeId, bool), minijinja::Value>>,
    /// The file of the document.
    file: OnceLock<Option<serde_json::Value>>,
    secrets: OnceLock<Vec<(SourceId, Span)>>,
    /// The first value that refers to a value.
    referring: OnceLock<HashMap<NodeId, NodeId>>,
    /// How much of long values may be shown: many findings may be about one.
    disclosed: Mutex<HashMap<NodeId, Disclosure>>,
    /// Files as JSON, with their schemas as a dialect has them.
    schemas: Mutex<HashMap<(NodeId, Dialect), Arc<serde_json::Value>>>,
    violations: Mutex<HashMap<EvaluationKey, Arc<Violations<'t>>>>,
    /// Findings that are only counted, of the rule that is evaluated.
    further: AtomicUsize,
    too_complex: OnceLock<(Node<'t>, TooComplex)>,
    /// Names that checks compare others with, by the check.
    known: Mutex<HashMap<usize, Arc<Known<'t>>>>,
    /// Why the rule that is evaluated cannot be.
    failure: Mutex<Option<Failure<'t>>>,
    /// Notes what is exercised, where someone asked for it.
    pub recorder: Option<&'t Recorder>,
    /// What checks looked at, where someone listens.
    heard: Option<Mutex<Vec<Heard<'t>>>>,
}

/// An expression or a template of a rule that cannot be evaluated.
#[derive(Debug, Clone)]
pub struct Failure<'t> {
    /// Where, if not at an observation.
    pub node: Option<Node<'t>>,
    /// `expression`, or what the template is for.
    pub part: &'static str,
    /// Why it cannot be evaluated.
    pub detail: String,
}

/// Names that a check compares others with.
#[derive(Debug)]
pub struct Known<'t> {
    /// Names as they are written, by how they are compared.
    pub written: HashMap<Word, Word>,
    /// The names as they are written, sorted; made when suggestions are needed.
    sorted: OnceLock<Vec<Cow<'t, str>>>,
}

impl<'t> Known<'t> {
    /// The names as they are written, sorted.
    pub fn sorted(&self, state: &State<'t>) -> &[Cow<'t, str>] {
        self.sorted.get_or_init(|| state.sorted(self.written.values().copied()))
    }
}

/// Address of a schema, the node it was evaluated at, and whether it was asked what is likely misspelled.
type EvaluationKey = (usize, NodeId, bool);

impl<'t> State<'t> {
    pub fn new(document: &'t Document, vocabulary: &'t Vocabulary, kinds: &'t Kinds) -> Self {
        Self {
            document,
            vocabulary,
            kind: kinds.get(&document.kind).map(AsRef::as_ref),
            words: Words::default(),
            symbols: OnceLock::new(),
            ancestors: vocabulary.ancestors.iter().map(|_| OnceLock::new()).collect(),
            templates: Mutex::default(),
            file: OnceLock::new(),
            secrets: OnceLock::new(),
            referring: OnceLock::new(),
            disclosed: Mutex::default(),
            schemas: Mutex::default(),
            violations: Mutex::default(),
            further: AtomicUsize::default(),
            too_complex: OnceLock::new(),
            known: Mutex::default(),
            failure: Mutex::default(),
            recorder: None,
            heard: None,
        }
    }

    /// Sets the recorder, which notes what is exercised.
    #[must_use]
    pub fn recording(self, recorder: Option<&'t Recorder>) -> Self {
        Self { recorder, ..self }
    }

    /// Has the state note the names that checks look at.
    #[must_use]
    pub fn listening(self) -> Self {
        Self { heard: Some(Mutex::default()), ..self }
    }

    /// The file of the document: its path, relative to the folder of the configuration, and parts of it; nothing for text
    /// that is not in a file.
    pub fn file(&self) -> Option<&serde_json::Value> {
        let made = || {
            let path = self.document.source().key();
            let part = |part: FilePart| part.in_path(path);
            let file = serde_json::json!({
                "path": path,
                "name": part(FilePart::Name),
                "stem": part(FilePart::Stem),
                "folder": part(FilePart::Folder),
            });
            (!path.is_empty()).then_some(file)
        };
        self.file.get_or_init(made).as_ref()
    }

    /// Whether someone listens.
    pub fn listens(&self) -> bool {
        self.heard.is_some()
    }

    /// Notes a name, where someone listens.
    pub fn hear(&self, name: &Name<'t>, meaning: impl FnOnce() -> Meaning<'t>) {
        self.note_heard(|| Heard::Name { name: name.clone(), meaning: meaning() });
    }

    /// Notes a reference to a file, where someone listens.
    pub fn hear_link(&self, node: Node<'t>, candidates: impl FnOnce() -> Vec<String>) {
        let link = || Heard::Link { source: node.source_id(), span: node.span(), candidates: candidates() };
        self.note_heard(link);
    }

    /// Notes the words that could be at a span, where someone listens.
    pub fn hear_among(&self, source: SourceId, span: Span, words: impl FnOnce() -> Vec<String>) {
        self.note_heard(|| Heard::Among { source, span, words: words() });
    }

    fn note_heard(&self, heard: impl FnOnce() -> Heard<'t>) {
        if let Some(Ok(mut all)) = self.heard.as_ref().map(Mutex::lock) {
            budget::push(&mut all, heard());
        }
    }

    /// What was heard since the last call.
    pub fn take_heard(&self) -> Vec<Heard<'t>> {
        let all = self.heard.as_ref().and_then(|all| all.lock().ok());
        all.map(|mut all| std::mem::take(&mut *all)).unwrap_or_default()
    }

    pub fn tree(&self) -> &'t Tree {
        &self.document.tree
    }

    /// The nearest ancestor of `node`, itself included, that the pack calls `name`.
    pub fn ancestor(&self, node: Node<'t>, name: &str) -> Option<Node<'t>> {
        let position = self.vocabulary.ancestors.keys().position(|known| known == name)?;
        let path = self.vocabulary.ancestors.get(name)?;
        let marked = self.ancestors.get(position)?.get_or_init(|| Marked::of(path, self.tree()));
        node.ancestors().find(|ancestor| marked.has(ancestor.id()))
    }

    /// The value of the document itself whose reference leads to a node of another file, directly or over other files.
    pub fn referring(&self, node: Node<'t>) -> Option<Node<'t>> {
        if !self.tree().has_links() || node.source_id() == SourceId(0) {
            return None;
        }
        let first = self.referring.get_or_init(|| {
            let mut first: HashMap<NodeId, NodeId> = HashMap::default();
            for (from, to) in self.tree().links().take_while(|_| budget::charge(1)) {
                let known = first.entry(to.id()).or_insert(from.id());
                *known = (*known).min(from.id());
            }
            first
        });
        let mut at = node;
        // References between other files may lead in a circle.
        for _ in 0..CHAIN {
            let from = at.ancestors().find_map(|around| first.get(&around.id()))?;
            at = self.tree().node(*from);
            if at.source_id() == SourceId(0) {
                return Some(at);
            }
        }
        None
    }

    /// The symbol tables of the document.
    pub fn symbols(&self) -> &Symbols<'t> {
        self.symbols.get_or_init(|| {
            let ancestor = |node: Node<'t>, name: &str| self.ancestor(node, name);
            Symbols::of(self.vocabulary, self.tree().root(), &self.words, ancestor)
        })
    }

    /// The declarations of a name that are known at `from`, in the order in which they were added.
    pub fn find<'s>(
        &'s self,
        name: &str,
        from: Node<'t>,
    ) -> impl Iterator<Item = &'s Declaration<'t>> + Clone + use<'s, 't> {
        // What is declared has a number then.
        let symbols = self.symbols();
        symbols.find(self.words.find(name), from)
    }

    /// The symbol tables as they are known at a node, for conditions.
    pub(super) fn tables(&self, from: Node<'t>) -> Tables<'_, 't> {
        Tables { symbols: self.symbols(), words: &self.words, from }
    }

    /// Like [`Self::find`], for a name by its number.
    pub fn find_word<'s>(
        &'s self,
        name: Word,
        from: Node<'t>,
    ) -> impl Iterator<Item = &'s Declaration<'t>> + Clone + use<'s, 't> {
        self.symbols().find(Some(name), from)
    }

    /// The name that a node holds, by its number: see [`Self::name_of`].
    #[inline]
    pub fn word_of(&self, node: Node<'t>) -> Option<Word> {
        self.words.of_node(node, || self.name_of(node).map(|name| name.text))
    }

    /// The number of a name.
    #[expect(clippy::ptr_arg, reason = "a name of the document is kept without a copy")]
    pub fn word(&self, name: &Cow<'t, str>) -> Word {
        self.words.number(name)
    }

    /// The name with a number.
    pub fn text(&self, word: Word) -> Cow<'t, str> {
        self.words.text(word)
    }

    /// Names by their numbers, sorted.
    pub fn sorted(&self, words: impl IntoIterator<Item = Word>) -> Vec<Cow<'t, str>> {
        let mut sorted = self.words.written(words);
        sorted.sort_unstable();
        sorted
    }

    /// The names that a check compares others with, collected once: a check may be asked about one node after another.
    pub fn known(&self, check: usize, collect: impl FnOnce() -> HashMap<Word, Word>) -> Arc<Known<'t>> {
        let found = |known: &HashMap<usize, Arc<Known<'t>>>| known.get(&check).map(Arc::clone);
        if let Some(known) = self.known.lock().ok().and_then(|known| found(&known)) {
            return known;
        }
        let made = Arc::new(Known { written: collect(), sorted: OnceLock::new() });
        if let Ok(mut known) = self.known.lock() {
            known.insert(check, Arc::clone(&made));
        }
        made
    }

    /// The file that begins at a node as JSON, with its schemas rewritten from a dialect; made once for all rules.
    pub fn schemas_of(&self, root: Node<'t>, dialect: &Dialect) -> Arc<serde_json::Value> {
        let made = || Arc::new(dialect.normalized(&root.to_json()));
        let Ok(mut schemas) = self.schemas.lock() else { return made() };
        Arc::clone(schemas.entry((root.id(), dialect.clone())).or_insert_with(made))
    }

    /// What a schema finds at a node, evaluated once for all rules.
    pub fn violations(
        &self,
        key: EvaluationKey,
        node: Node<'t>,
        evaluate: impl FnOnce() -> Result<Violations<'t>, TooComplex>,
    ) -> Arc<Violations<'t>> {
        let Ok(mut violations) = self.violations.lock() else { return Arc::default() };
        let found = violations.entry(key).or_insert_with(|| {
            Arc::new(evaluate().unwrap_or_else(|too_complex| {
                let _ = self.too_complex.set((node, too_complex));
                Violations::default()
            }))
        });
        Arc::clone(found)
    }

    /// The first value that was too complex for its schema.
    pub fn too_complex(&self) -> Option<(Node<'t>, TooComplex)> {
        self.too_complex.get().copied()
    }

    /// Notes that a part of the rule cannot be evaluated; the first time counts. What the budget stops is not
    /// a mistake of the rule.
    pub fn fail(&self, node: Option<Node<'t>>, part: &'static str, detail: String) {
        if budget::spent().exceeded.is_none()
            && let Ok(mut failure) = self.failure.lock()
        {
            failure.get_or_insert(Failure { node, part, detail });
        }
    }

    /// Counts findings beyond those that a check describes.
    pub fn count(&self, further: usize) {
        self.further.fetch_add(further, Ordering::Relaxed);
    }

    /// What was counted since the last call.
    pub fn take_further(&self) -> usize {
        self.further.swap(0, Ordering::Relaxed)
    }

    /// What was noted since the last call.
    pub fn take_failure(&self) -> Option<Failure<'t>> {
        self.failure.lock().ok()?.take()
    }

    /// Where secrets are, which nothing may show.
    pub fn secrets(&self) -> &[(SourceId, Span)] {
        self.secrets.get_or_init(|| {
            let mut found = Vec::new();
            if let Some(model) = self.value_model() {
                collect_secrets(model, self.tree().root(), &mut found);
            }
            found
        })
    }

    /// The type that a node expresses, as the document's kind reads it.
    pub fn type_of(&self, node: Node<'t>) -> Option<TypeExpression> {
        self.value_model()?.type_expression(node)
    }

    /// How much of a node's value may be shown.
    pub fn disclosure(&self, node: Node<'t>) -> Disclosure {
        let Some(model) = self.value_model() else { return Disclosure::Value };
        if node.span().len() <= LONG {
            return model.disclosure(node);
        }
        let Ok(mut disclosed) = self.disclosed.lock() else { return Disclosure::Nothing };
        *disclosed.entry(node.id()).or_insert_with(|| model.disclosure(node))
    }

    /// Whether the text of a string is not known.
    pub fn is_unknown(&self, node: Node<'t>) -> bool {
        self.document.unknown.binary_search(&node.id()).is_ok()
    }

    /// What the kind of the document writes before and after the text of a comment.
    pub fn comment_marks(&self) -> Option<(String, String)> {
        let written = self.kind?.comment("\0");
        let (begin, end) = written.split_once('\0')?;
        Some((begin.to_owned(), end.to_owned()))
    }

    fn value_model(&self) -> Option<&'t dyn ValueModel> {
        self.kind?.values()
    }

    /// The declared type of a name, with the node that declares it.
    pub fn declared_type(&self, name: &str, from: Node<'t>) -> Option<(Node<'t>, TypeExpression)> {
        let declared = with_type(self.find(name, from))?;
        Some((declared, self.type_of(declared)?))
    }

    /// The node with the declared type of a name.
    pub fn declared_with_type(&self, name: Word, from: Node<'t>) -> Option<Node<'t>> {
        with_type(self.find_word(name, from))
    }

    /// A node for templates, converted once.
    pub fn template(
        &self,
        node: Node<'t>,
        shown: bool,
        convert: impl FnOnce() -> minijinja::Value,
    ) -> minijinja::Value {
        let key = (node.id(), shown);
        let known = self.templates.lock().ok().and_then(|templates| templates.get(&key).cloned());
        known.unwrap_or_else(|| {
            let value = convert();
            if let Ok(mut templates) = self.templates.lock() {
                templates.insert(key, value.clone());
            }
            value
        })
    }
}

/// The node with the type of the first of these declarations that may have one.
fn with_type<'s, 't: 's>(mut declarations: impl Iterator<Item = &'s Declaration<'t>>) -> Option<Node<'t>> {
    let (path, node) = declarations
        .find_map(|declaration| Some((declaration.symbol.value_type.as_ref()?, declaration.node?)))?;
    path.first(node)
}

/// A set of nodes, as a bit for each node of the tree.
#[derive(Debug)]
struct Marked(Vec<u64>);

impl Marked {
    /// The nodes that a path selects.
    fn of(path: &JsonPath, tree: &Tree) -> Self {
        let mut bits = vec![0; tree.len().div_ceil(u64::BITS as usize)];
        path.visit(tree.root(), &mut |node| {
            let index = node.id().index();
            bits[index / u64::BITS as usize] |= 1 << (index % u64::BITS as usize);
        });
        Self(bits)
    }

    fn has(&self, node: NodeId) -> bool {
        let (word, bit) = (node.index() / u64::BITS as usize, node.index() % u64::BITS as usize);
        self.0.get(word).is_some_and(|bits| bits & (1 << bit) != 0)
    }
}

fn collect_secrets(model: &dyn ValueModel, node: Node<'_>, found: &mut Vec<(SourceId, Span)>) {
    if model.disclosure(node) == Disclosure::Nothing {
        found.push((node.source_id(), node.span()));
    }
    for child in node.children() {
        collect_secrets(model, child, found);
    }
}
