use std::{borrow::Cow, fmt};

use cel::common::{
    types::{CelNull, CelString},
    value::CowVal,
};
use serde_json::Value;

use super::{
    cel::{Boxed, Lazy, Record, json_value, node_value, text_value},
    lookup::{Lookup, Tables as LookupTables},
    recorder::Recorder,
    state::State,
};
use crate::{
    budget,
    expressions::{Bindings, Condition, Fitted, Gap, Name, Plain, Verdict},
    tree::Node,
};

/// What an expression of a rule sees at a node.
pub struct NodeBindings<'s, 't> {
    pub state: &'s State<'t>,
    pub node: Option<Node<'t>>,
    pub options: &'s Value,
    /// Values of an observation.
    pub values: &'s [(&'s str, Value)],
    /// A declaration that was looked up.
    pub other: Option<&'s Value>,
}

impl NodeBindings<'_, '_> {
    /// Whether a condition holds here; `otherwise` where the node lacks what it asks for or it cannot be
    /// evaluated, which the state remembers.
    pub fn hold(&self, condition: &Condition, otherwise: bool) -> bool {
        if let Some(recorder) = self.state.recorder {
            self.follow(condition, recorder);
        }
        self.outcome(condition.verdict(self), otherwise)
    }

    /// Like [`Self::hold`], for a condition that is asked about many nodes.
    pub fn hold_fitted(&self, condition: &Fitted<'_>, otherwise: bool) -> bool {
        if let Some(recorder) = self.state.recorder {
            self.follow(condition.condition(), recorder);
        }
        self.outcome(condition.verdict(self), otherwise)
    }

    fn outcome(&self, verdict: Verdict, otherwise: bool) -> bool {
        match verdict {
            Verdict::Holds(value) => value,
            Verdict::Absent => otherwise,
            Verdict::Failed(detail) => {
                self.state.fail(self.node, "expression", detail);
                otherwise
            }
        }
    }

    /// Notes where the paths of a condition lead.
    fn follow(&self, condition: &Condition, recorder: &Recorder) {
        for path in condition.members() {
            let names = path.get(1..).unwrap_or_default();
            let start = match path.first().map(String::as_str) {
                Some("self") => self.node,
                Some("parent") => self.node.and_then(Node::parent),
                Some("root") => Some(self.state.tree().root()),
                _ => None,
            };
            let Some(mut node) = start else { continue };
            let mut gap = None;
            for (index, name) in names.iter().enumerate() {
                match node.get(name) {
                    Some(member) => node = member,
                    None => {
                        let known = node.entries().map(|entry| entry.key().to_owned()).collect();
                        gap = Some(Gap { path: path.join("."), missing: index + 1, known });
                        break;
                    }
                }
            }
            recorder.follow(false, condition.source(), &path.join("."), gap);
        }
    }
}

impl Bindings for NodeBindings<'_, '_> {
    fn value<'b>(&'b self, name: &str) -> Option<CowVal<'b, 'b>> {
        if !budget::charge(1) {
            return None;
        }
        let null = || Box::new(CelNull) as Boxed<'b>;
        let value: Boxed<'b> = match name {
            "self" => self.node.map_or_else(null, node_value),
            "key" => self.node.and_then(Node::key).map_or_else(null, text_value),
            "path" => self.node.map_or_else(null, |node| Box::new(CelString::from(node.pointer()))),
            "parent" => self.node.and_then(Node::parent).map_or_else(null, node_value),
            "root" => node_value(self.state.tree().root()),
            "file" => json_value(self.state.file()?),
            "other" => json_value(self.other?),
            "lookup" => {
                Box::new(Lazy::new(LookupTables { lookup: Lookup::of(self.state)?, state: self.state }))
            }
            "options" => json_value(self.options),
            "values" => Box::new(Lazy::new(self.values)),
            "ancestor" => Box::new(Lazy::new(Ancestors { state: self.state, node: self.node? })),
            "symbols" => {
                let from = self.node.unwrap_or_else(|| self.state.tree().root());
                Box::new(Lazy::new(self.state.tables(from)))
            }
            _ => return None,
        };
        Some(CowVal::Owned(value))
    }

    fn plain<'b>(&'b self, name: Name) -> Option<Plain<'b>> {
        let of = |node: Option<Node<'b>>| Some(node.map_or(Plain::Null, Plain::from));
        match name {
            Name::Own => of(self.node),
            Name::Key => {
                Some(self.node.and_then(Node::key).map_or(Plain::Null, |key| Plain::Text(key.into())))
            }
            Name::Parent => of(self.node.and_then(Node::parent)),
            Name::Root => Some(self.state.tree().root().into()),
            Name::Options => Some(self.options.into()),
            Name::File => self.state.file().map(Plain::from),
            Name::Ancestor => self.node.map(|_| Plain::Members(name)),
            Name::Values => Some(Plain::Members(name)),
        }
    }

    fn plain_member<'b>(&'b self, of: Name, member: &str) -> Option<Plain<'b>> {
        match of {
            Name::Ancestor => self.state.ancestor(self.node?, member).map(Plain::from),
            Name::Values => {
                self.values.iter().rfind(|(known, _)| *known == member).map(|(_, value)| value.into())
            }
            _ => None,
        }
    }
}

/// The ancestors of a node that the rule's pack has names for.
#[derive(Clone, Copy)]
struct Ancestors<'s, 't> {
    state: &'s State<'t>,
    node: Node<'t>,
}

impl fmt::Debug for Ancestors<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ancestors").field(&self.node).finish()
    }
}

impl<'s, 't: 's> Record<'s> for Ancestors<'s, 't> {
    fn member(&self, name: &str) -> Option<Boxed<'s>> {
        self.state.ancestor(self.node, name).map(|node| node_value(node) as Boxed<'s>)
    }

    fn names(&self) -> Vec<Cow<'s, str>> {
        self.state.vocabulary.ancestors.keys().map(|name| Cow::Borrowed(name.as_str())).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, strategy::Union};
    use serde_json::json;

    use super::*;
    use crate::{
        checks::trial::{document, vocabulary},
        kinds::Kinds,
        tree::JsonPath,
    };

    type Text = BoxedStrategy<String>;

    /// What each condition says, without the interpreter and with it; and the same with options filled in.
    fn verdicts(conditions: &[String]) -> Vec<[(Option<Verdict>, Verdict); 2]> {
        let document = document(
            "shelves:\n- {n: 2, t: Ab, b: true, list: [a, b, 1], map: {a: 1}, none: null, float: 1.5, rows: [{n: 1}, {n: 3, t: c}]}\n",
        );
        let (vocabulary, kinds) = (vocabulary(), Kinds::builtin());
        let state = State::new(&document, &vocabulary, &kinds);
        let options = json!({"most": 2, "names": ["a", "Ab"], "level": {"a": 1}, "on": false, "text": "b"});
        let values = [("v", json!("a")), ("w", json!(3)), ("x", json!(["a"]))];
        let node = "$.shelves[0]".parse::<JsonPath>().unwrap().first(document.tree.root());
        let bindings = NodeBindings { state: &state, node, options: &options, values: &values, other: None };
        let verdict = |source: &String| {
            let condition = Condition::new(source.as_str());
            let interpreted = condition.interpreted(&bindings);
            let fitted = condition.with_options(&options).plain_verdict(&bindings);
            [(condition.plain_verdict(&bindings), interpreted.clone()), (fitted, interpreted)]
        };
        conditions.iter().map(verdict).collect()
    }

    fn one_of(texts: &[&str]) -> Text {
        prop::sample::select(texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()).boxed()
    }

    fn filled(form: &'static str, parts: Vec<Text>) -> Text {
        let fill = move |parts: Vec<String>| {
            parts.iter().fold(form.to_owned(), |form, part| form.replacen('_', part, 1))
        };
        // Names in the parts have no `_`.
        parts.prop_map(fill).boxed()
    }

    /// Expressions of any type; those that fail are as welcome as others.
    fn expressions(depth: u32) -> Text {
        let leaf = one_of(&[
            "self",
            "self.n",
            "self.t",
            "self.b",
            "self.list",
            "self.map",
            "self.none",
            "self.float",
            "self.rows",
            "self.gone",
            "self.map.a",
            "self.map.gone",
            "self.rows[0].n",
            "self.rows[1].t",
            "self.list[2]",
            "self.rows[7]",
            "key",
            "parent",
            "root.shelves",
            "options.most",
            "options.names",
            "options.level",
            "options.on",
            "options.text",
            "options.gone",
            "options.level.a",
            "values.v",
            "values.w",
            "values.x",
            "values.gone",
            "ancestor.shelf",
            "ancestor.shelf.n",
            "ancestor.gone",
            "turn",
            "turn.n",
            "0",
            "1",
            "2",
            "-1",
            "'a'",
            "\"b\"",
            "''",
            "'\\'\\\\'",
            "true",
            "false",
            "null",
            "[]",
            "['a', 'b']",
            "[1, 'a', null]",
        ]);
        if depth == 0 {
            return leaf;
        }
        let inner = || expressions(depth - 1);
        let two = |form| filled(form, vec![inner(), inner()]);
        let one = |form| filled(form, vec![inner()]);
        let forms = vec![
            leaf,
            two("_ && _"),
            two("_ || _"),
            two("(_) && (_)"),
            two("(_) || !(_)"),
            one("!_"),
            filled("(_) ? (_) : (_)", vec![inner(), inner(), inner()]),
            filled("_ ? _ : _", vec![inner(), inner(), inner()]),
            two("_ == _"),
            two("(_) != (_)"),
            two("_ < _"),
            two("_ <= _"),
            two("_ > _"),
            two("_ >= _"),
            two("_ in _"),
            two("_ + _"),
            two("_ - _"),
            two("(_) * (_)"),
            one("-(_)"),
            one("size(_)"),
            one("(_).size()"),
            one("has(self.map.a) && _"),
            one("has(self.gone) || _"),
            one("has((_).n)"),
            one("(_).lower()"),
            one("(_).upper().trim()"),
            two("(_).contains(_)"),
            two("(_).startsWith(_)"),
            two("(_).endsWith(_)"),
            two("(_).matches(_)"),
            one("(_).matches('^(?i)a.?$')"),
            filled("(_).replace(_, _)", vec![inner(), inner(), inner()]),
            two("(_).exists(turn, _)"),
            two("(_).all(turn, _)"),
            two("size((_).filter(turn, _)) == 1"),
            two("(_).filter(turn, _)[0] == 'a'"),
            two("(_)[_]"),
            one("type(_) == list"),
            one("type(_) != string"),
            one("type(_) == int || true"),
        ];
        Union::new(forms).boxed()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

        #[test]
        fn conditions_say_what_the_interpreter_says(conditions in prop::collection::vec(expressions(3), 8)) {
            for (verdicts, condition) in verdicts(&conditions).into_iter().zip(&conditions) {
                for (plain, interpreted) in verdicts {
                    prop_assert!(plain.as_ref().is_none_or(|plain| *plain == interpreted), "{} {:?}", condition, plain);
                }
            }
        }
    }

    #[test]
    fn conditions_of_rules_need_no_interpreter() {
        let say = |source: &str, expected: Verdict| {
            let verdicts = verdicts(&[source.to_owned()]);
            let both = (Some(expected.clone()), expected);
            assert_eq!(verdicts, [[both.clone(), both]], "{source}");
        };
        for holds in [
            "self.n <= options.most && !options.on",
            "ancestor.shelf.rows.exists(row, row.n > 2 && has(row.t))",
            "type(options.most) != list ? self.n == options.most : self.n > options.most[self.n - 1]",
            "self.t.lower().startsWith('a') || self.gone == 1",
            "has(self.gone) ? self.gone == 2 : size(ancestor.shelf.rows) * 2 == self.n + 2",
            "root.shelves.filter(s, s.b && s.n == 2)[0].t == 'Ab'",
            "values.v in self.list && !('c' in options.names) && values.gone == 'a' || true",
            "self.t.matches('(?i)' + self.list[0]) && self.t.matches('b$')",
        ] {
            say(holds, Verdict::Holds(true));
        }
        say("self.gone == 1 && self.b", Verdict::Absent);
        say("self.gone == 1 && !self.b", Verdict::Holds(false));
    }

    #[test]
    fn other_conditions_are_left_to_the_interpreter() {
        for source in [
            "self.float > 1",
            "self.list == ['a', 'b', 1]",
            "self.map == {'a': 1}",
            "self.n + self.t == 1",
            "self.rows[7].n == 1",
            "string(self.n) == '2'",
            "self.list.map(item, item) == self.list",
            "self.n == 1 == false",
            "r'a' == 'a'",
            "1.5 > 1.0",
        ] {
            assert_eq!(verdicts(&[source.to_owned()])[0][0].0, None, "{source}");
        }
    }
}
