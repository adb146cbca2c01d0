//! What rules check.

use serde_json::Value;

use super::{Compiler, Demanding, escape, observables_of};
use crate::{
    kinds::Layer,
    rules::{
        Route, SchemaDocument,
        check::{self, Check, Demand, Schema, Typed},
        fault::Fault,
        raw::{self, OneOrMany, RawCheck},
        selectable,
    },
    tree::JsonPath,
};

impl Compiler<'_> {
    pub(super) fn check(&mut self, raw: &RawCheck, field: &str, options: &[String]) -> Option<Check> {
        let set = raw.names();
        match set.len() {
            0 => {
                self.fault("no-check", field);
                return None;
            }
            1 => {}
            _ => {
                let fault = self.fault("several-checks", field);
                *fault = fault.clone().with("checks", set);
                return None;
            }
        }
        let here = format!("{field}/{}", set[0]);
        if let Some(name) = &raw.syntax {
            return self.observed(Layer::Syntax, name, &here);
        }
        if let Some(name) = &raw.fact {
            return self.observed(Layer::Fact, name, &here);
        }
        if let Some(schema) = &raw.schema {
            return self.schema(schema, &here);
        }
        if let Some(checks) = raw.all.as_ref().or(raw.any.as_ref()) {
            let checks: Vec<Check> = checks
                .iter()
                .enumerate()
                .filter_map(|(index, check)| self.check(check, &format!("{here}/{index}"), options))
                .collect();
            return Some(if raw.all.is_some() { Check::All(checks) } else { Check::Any(checks) });
        }
        if let Some(cases) = &raw.each {
            return Some(Check::Each(self.each(cases, &here, options)));
        }
        if let Some(check) = &raw.first {
            return self.check(check, &here, options).map(|check| Check::First(Box::new(check)));
        }
        if let Some(implies) = &raw.implies {
            let condition = self.check(&implies.condition, &format!("{here}/if"), options)?;
            let then = self.check(&implies.then, &format!("{here}/then"), options)?;
            return Some(Check::Implies(Box::new((condition, then))));
        }
        if let Some(check) = &raw.not {
            return self.check(check, &here, options).map(|check| Check::Not(Box::new(check)));
        }
        self.value_check(raw, &here).or_else(|| self.structure_check(raw, &here, options))
    }

    /// Checks on a value by itself.
    pub(super) fn value_check(&mut self, raw: &RawCheck, here: &str) -> Option<Check> {
        if let Some(required) = &raw.required {
            let (keys, any) = match required {
                raw::RawRequired::One(key) => (vec![key.clone()], false),
                raw::RawRequired::All(keys) => (keys.clone(), false),
                raw::RawRequired::Any { any } => (any.clone(), true),
            };
            return Some(Check::Required { keys, any });
        }
        if let Some(forbidden) = &raw.forbidden {
            return Some(Check::Forbidden(match forbidden {
                raw::RawForbidden::Node(_) => None,
                raw::RawForbidden::One(key) => Some(vec![key.clone()]),
                raw::RawForbidden::Many(keys) => Some(keys.clone()),
            }));
        }
        if let Some(types) = &raw.value_type {
            return Some(Check::Type(types.to_vec()));
        }
        if let Some(one_of) = &raw.one_of {
            let (values, from, fold) = match one_of {
                raw::RawOneOf::Values(values) => (values.clone(), None, false),
                raw::RawOneOf::Detailed { values, from, fold } => (values.clone(), from.clone(), *fold),
            };
            let from = from.and_then(|from| self.path(&from, &format!("{here}/from")));
            return Some(Check::OneOf(check::OneOf { values, from, fold }));
        }
        if let Some(pattern) = &raw.pattern {
            return self.pattern(pattern, here);
        }
        if let Some(name) = &raw.format {
            let format = check::Format::by_name(name);
            if format.is_none() {
                let known = check::Format::NAMES.iter().copied();
                let fault = Fault::new("unknown-format", self.place_at(here)).with("format", name.as_str());
                self.push(fault.among(name, known));
            }
            return format.map(Check::Format);
        }
        raw.cel.as_ref().map(|cel| Check::Cel(self.condition(cel, here)))
    }

    /// Checks on how nodes relate.
    pub(super) fn structure_check(
        &mut self,
        raw: &RawCheck,
        here: &str,
        options: &[String],
    ) -> Option<Check> {
        if let Some(count) = &raw.count {
            return self.count(count, here, options);
        }
        if let Some(unique) = &raw.unique {
            let by = unique.by.as_ref().and_then(|by| self.path(by, &format!("{here}/by")));
            let within =
                unique.within.as_ref().and_then(|name| self.ancestor(name, &format!("{here}/within")));
            let across =
                unique.across.as_ref().and_then(|name| self.ancestor(name, &format!("{here}/across")));
            return Some(Check::Unique(check::Unique { by, within, across, fold: unique.fold }));
        }
        if let Some(reference) = &raw.reference {
            let to = reference.to.as_ref().map(OneOrMany::to_vec).unwrap_or_default();
            for name in &to {
                self.check_symbol(name, &format!("{here}/to"));
            }
            let name = reference.name.as_ref().and_then(|name| self.path(name, &format!("{here}/name")));
            let (report, once) = (reference.report, reference.once);
            return Some(Check::Reference(check::Reference { to, name, report, once }));
        }
        if let Some(acyclic) = &raw.acyclic {
            let name = self.path(&acyclic.name, &format!("{here}/name"))?;
            let edges = self.paths(acyclic.edges.as_ref(), &format!("{here}/edges"));
            return Some(Check::Acyclic(check::Acyclic { name, edges }));
        }
        if let Some(subset) = &raw.subset {
            return Some(self.subset(subset, here));
        }
        if let Some(typed) = &raw.typed {
            return self.typed(typed, here);
        }
        if let Some(range) = &raw.range {
            let below_of = range.below_of.as_ref();
            let below_of = below_of.and_then(|route| self.route(route, &format!("{here}/below_of")));
            let (min, above, max) = (range.min, range.above, range.max);
            return Some(Check::Range(check::Range { min, above, max, below_of, default: range.default }));
        }
        let flow = raw.dataflow.as_ref()?;
        if let Some(steps) = &flow.steps {
            self.check_symbol(steps, &format!("{here}/steps"));
        }
        Some(Check::Dataflow(check::Dataflow {
            init: self.paths(flow.init.as_ref(), &format!("{here}/init")),
            over: self.path(&flow.over, &format!("{here}/over"))?,
            steps: flow.steps.clone(),
            uses: self.paths(flow.uses.as_ref(), &format!("{here}/uses")),
            defs: self.paths(flow.defs.as_ref(), &format!("{here}/defs")),
            must_define: self.paths(flow.must_define.as_ref(), &format!("{here}/must_define")),
        }))
    }

    pub(super) fn pattern(&mut self, raw: &raw::RawPattern, here: &str) -> Option<Check> {
        let (source, expected, key, field) = match raw {
            raw::RawPattern::Matches(source) => (source.clone(), true, false, String::new()),
            raw::RawPattern::Detailed { matches: Some(source), not: None, key } => {
                (source.clone(), true, *key, "/matches".into())
            }
            raw::RawPattern::Detailed { matches: None, not: Some(source), key } => {
                (source.clone(), false, *key, "/not".into())
            }
            raw::RawPattern::Detailed { .. } => {
                let fault = self.fault("bad-bounds", here);
                *fault = fault.clone().with("detail", "give either `matches` or `not`");
                return None;
            }
        };
        let regex = check::LazyRegex::new(source.clone());
        if self.deep
            && let Some(detail) = regex.fault()
        {
            let fault = Fault::new("bad-regex", self.place_at(&format!("{here}{field}")));
            self.push(fault.with("pattern", source).with("detail", detail));
        }
        Some(Check::Pattern(check::Pattern { regex, expected, key }))
    }

    pub(super) fn count(&mut self, raw: &raw::RawCount, here: &str, options: &[String]) -> Option<Check> {
        let (min, max) = match (&raw.eq, &raw.min, &raw.max) {
            (Some(eq), None, None) => (Some(eq.clone()), Some(eq.clone())),
            (None, None, None) | (Some(_), _, _) => {
                let fault = self.fault("bad-bounds", here);
                *fault = fault.clone().with("detail", "give `eq`, or `min` and `max`, or one of these");
                return None;
            }
            (None, min, max) => (min.clone(), max.clone()),
        };
        for bound in [&raw.eq, &raw.min, &raw.max].into_iter().flatten() {
            if let raw::Bound::Option(name) = bound {
                self.check_option(name.strip_prefix("options.").unwrap_or(name), here, options);
            }
        }
        let of = raw.of.as_ref().and_then(|of| self.path(of, &format!("{here}/of")));
        let filter = raw.filter.as_ref().map(|filter| self.condition(filter, &format!("{here}/where")));
        let (typed, distinct) = (raw.typed.clone(), raw.distinct);
        Some(Check::Count(check::Count { of, filter, typed, distinct, min, max }))
    }

    pub(super) fn each(
        &mut self,
        cases: &[raw::RawEach],
        here: &str,
        options: &[String],
    ) -> Vec<(Vec<JsonPath>, Check)> {
        let mut compiled = Vec::new();
        for (index, case) in cases.iter().enumerate() {
            let paths = self.paths(case.of.as_ref(), &format!("{here}/{index}/of"));
            let check = self.check(&case.check, &format!("{here}/{index}/check"), options);
            compiled.extend(check.map(|check| (paths, check)));
        }
        compiled
    }

    pub(super) fn route(&mut self, source: &str, field: &str) -> Option<Route> {
        let route = if self.deep { source.parse() } else { Ok(Route::deferred(source)) };
        match route {
            Ok(route) => {
                for table in route.hops.iter().flat_map(|hop| &hop.tables) {
                    self.check_symbol(table, field);
                }
                if let Some(name) = &route.from {
                    self.ancestor(name, field)?;
                }
                Some(route)
            }
            Err(error) => {
                let fault = Fault::new("bad-jsonpath", self.place_at(field)).with("path", source);
                self.push(fault.with("detail", error.message));
                None
            }
        }
    }

    pub(super) fn subset(&mut self, raw: &raw::RawSubset, here: &str) -> Check {
        let of = raw.of.as_ref().and_then(|of| self.route(of, &format!("{here}/of")));
        let within = raw.within.as_ref().map(OneOrMany::to_vec).unwrap_or_default();
        let within: Vec<Route> =
            within.iter().filter_map(|route| self.route(route, &format!("{here}/in"))).collect();
        Check::Subset(check::Subset { of, within, blame_node: raw.blame_node })
    }

    pub(super) fn typed(&mut self, raw: &raw::RawTyped, here: &str) -> Option<Check> {
        let mut demands = Vec::new();
        if !raw.within.is_empty() {
            demands.push(Demand::OneOf(raw.within.clone()));
        }
        demands.extend(raw.list.map(Demand::List));
        demands.extend(raw.max_lists.map(Demand::MaxLists));
        demands.extend(raw.optional_elements.filter(|allowed| !allowed).map(|_| Demand::PlainElements));
        demands.extend(raw.readable.then_some(Demand::Readable));
        if let Some(tables) = raw.declared_in.as_ref().map(OneOrMany::to_vec) {
            for table in &tables {
                self.check_symbol(table, &format!("{here}/declared_in"));
            }
            demands.push(Demand::DeclaredIn(tables));
        }
        let routes: [(&str, &Option<String>, Demanding); 3] = [
            ("equals", &raw.equals, Demand::Equals),
            ("element_of", &raw.element_of, Demand::ElementOf),
            ("list_of", &raw.list_of, Demand::ListOf),
        ];
        for (name, route, demand) in routes {
            let route = route.as_ref().and_then(|route| self.route(route, &format!("{here}/{name}")));
            demands.extend(route.map(demand));
        }
        let of = raw.of.as_ref().and_then(|of| self.route(of, &format!("{here}/of")));
        let (Some(demand), true) = (demands.pop(), demands.is_empty()) else {
            let fault = self.fault("bad-bounds", here);
            *fault = fault.clone().with("detail", "ask exactly one thing of the type");
            return None;
        };
        Some(Check::Typed(Box::new(Typed { of, some: raw.some, demand, by_key: raw.by_key })))
    }

    pub(super) fn schema(&mut self, raw: &raw::RawSchema, here: &str) -> Option<Check> {
        let pointer = raw.pointer.as_deref().unwrap_or_default();
        let schema = match (&raw.schema, &raw.file) {
            (Some(schema), None) => SchemaDocument::new(schema.clone()).part(pointer),
            (None, Some(file)) => match self.pack.schemas.get(file) {
                Some(schema) => schema.part(pointer),
                None => {
                    let known: Vec<&str> = self.pack.schemas.keys().map(String::as_str).collect();
                    let fault = Fault::new("bad-schema", self.place_at(&format!("{here}/file")));
                    let detail = format!("the pack has no schema `{file}`, only: {}", known.join(", "));
                    self.push(fault.with("detail", detail));
                    return None;
                }
            },
            _ => {
                let fault = self.fault("bad-schema", here);
                *fault = fault.clone().with("detail", "give either `schema` or `file`");
                return None;
            }
        };
        if self.deep {
            let detail = match schema.structure() {
                Some(structure) => structure.as_ref().err(),
                None => schema.validator().err(),
            };
            if let Some(detail) = detail.cloned() {
                let fault = self.fault("bad-schema", here);
                *fault = fault.clone().with("detail", detail);
                return None;
            }
            if let Some(schema) = &raw.schema {
                for (pointer, keyword) in selectable::unknown_keywords(schema) {
                    let at = self.place_at(&format!("{here}/schema{pointer}/{}", escape(&keyword)));
                    let fault = Fault::new("unknown-schema-keyword", at).of_key();
                    let known = selectable::KEYWORDS.iter().copied();
                    self.push(fault.with("keyword", keyword.as_str()).among(&keyword, known));
                }
            }
        }
        Some(Check::Schema(Schema { schema, keywords: raw.keywords.clone() }))
    }

    pub(super) fn observed(&mut self, layer: Layer, name: &str, here: &str) -> Option<Check> {
        if self.deep && self.observables(layer, name).is_empty() && self.kinds_known() {
            let known: Vec<&str> = self
                .kinds
                .iter()
                .flat_map(|kind| observables_of(kind, self.pack))
                .filter(|observable| observable.layer == layer)
                .map(|observable| observable.name)
                .collect();
            let fault = Fault::new("unknown-observable", self.place_at(here)).with("name", name);
            let near = crate::text::nearest(name, known.iter().copied()).map_or(Value::Null, Value::from);
            let layer = if layer == Layer::Syntax { "syntax" } else { "fact" };
            let kinds = self.kinds.join("`, `");
            self.push(fault.with("nearest", near).with("kind", kinds).with("layer", layer));
            return None;
        }
        Some(Check::Observed(layer, name.to_owned()))
    }
}

impl RawCheck {
    /// Names of the check kinds that are set.
    pub fn names(&self) -> Vec<&'static str> {
        [
            ("syntax", self.syntax.is_some()),
            ("fact", self.fact.is_some()),
            ("schema", self.schema.is_some()),
            ("required", self.required.is_some()),
            ("forbidden", self.forbidden.is_some()),
            ("type", self.value_type.is_some()),
            ("one_of", self.one_of.is_some()),
            ("pattern", self.pattern.is_some()),
            ("count", self.count.is_some()),
            ("unique", self.unique.is_some()),
            ("reference", self.reference.is_some()),
            ("acyclic", self.acyclic.is_some()),
            ("dataflow", self.dataflow.is_some()),
            ("format", self.format.is_some()),
            ("subset", self.subset.is_some()),
            ("typed", self.typed.is_some()),
            ("range", self.range.is_some()),
            ("each", self.each.is_some()),
            ("first", self.first.is_some()),
            ("implies", self.implies.is_some()),
            ("all", self.all.is_some()),
            ("any", self.any.is_some()),
            ("not", self.not.is_some()),
            ("cel", self.cel.is_some()),
        ]
        .into_iter()
        .filter_map(|(name, set)| set.then_some(name))
        .collect()
    }
}
