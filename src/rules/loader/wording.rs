//! Templates, places, related notes and fixes.

use std::borrow::Cow;

use super::{Compiler, PLACEHOLDERS};
use crate::{
    rules::{
        fault::Fault,
        place::{Base, Place},
        raw::{self, OneOrMany, RawEdit, RawFix, RawRule},
        rule::{Edit, Fix, Pick, Related},
        template::Template,
    },
    text::Span,
};

impl Compiler<'_> {
    pub(super) fn template(
        &mut self,
        source: &str,
        field: &str,
        values: &[String],
        options: &[String],
    ) -> Template {
        let template = Template::new(source);
        if !self.deep {
            return template;
        }
        let at = self.place_at(field);
        if let Some(detail) = template.fault() {
            self.push(Fault::new("bad-template", at).with("template", source).with("detail", detail));
            return template;
        }
        for name in template.placeholders() {
            let mut parts = name.split('.');
            let first = parts.next().unwrap_or_default();
            let second = parts.next();
            let unknown = |name: &str, known: Vec<&str>| {
                let mut fault = Fault::new("unknown-placeholder", at.as_str()).with("name", name);
                fault.part = source.find(name).map(|start| Span::new(start, start + name.len()));
                fault.among(name, known)
            };
            let fault = match (first, second) {
                ("options", Some(option)) if !options.iter().any(|known| known == option) => {
                    Some(unknown(option, options.iter().map(String::as_str).collect()))
                }
                ("ancestor", Some(ancestor)) if !self.pack.ancestors.contains_key(ancestor) => {
                    Some(unknown(ancestor, self.pack.ancestors.keys().map(String::as_str).collect()))
                }
                _ if PLACEHOLDERS.contains(&first) || values.iter().any(|value| value == first) => None,
                _ => {
                    let known = PLACEHOLDERS.iter().copied().chain(values.iter().map(String::as_str));
                    Some(unknown(first, known.collect()))
                }
            };
            self.faults.extend(fault);
        }
        template
    }

    pub(super) fn place(&mut self, source: &str, field: &str, places: &[String]) -> Option<Place> {
        match source.parse::<Place>() {
            Err(detail) => {
                let fault = Fault::new("bad-place", self.place_at(field)).with("place", source);
                self.push(fault.with("detail", detail));
                None
            }
            Ok(Place { base: Base::Named(name), .. })
                if self.deep && !places.contains(&name) && !self.pack.ancestors.contains_key(&name) =>
            {
                let known = ["self", "key", "entry", "parent", "root"].into_iter();
                let known = known.chain(places.iter().map(String::as_str));
                let fault = Fault::new("unknown-place", self.place_at(field)).with("name", name.as_str());
                self.push(fault.among(&name, known));
                None
            }
            Ok(place) => Some(place),
        }
    }

    pub(super) fn related(
        &mut self,
        raw: &RawRule,
        values: &[String],
        places: &[String],
        options: &[String],
    ) -> Vec<Related> {
        let mut related = Vec::new();
        for (index, one) in raw.related.iter().enumerate() {
            let at = self.place(&one.at, &format!("/related/{index}/at"), places);
            let label = self.template(&one.label, &format!("/related/{index}/label"), values, options);
            related.extend(at.map(|at| Related { at, label }));
        }
        related
    }

    pub(super) fn fixes(
        &mut self,
        raw: &RawRule,
        values: &[String],
        places: &[String],
        options: &[String],
    ) -> Vec<Fix> {
        let single = raw.fix.iter().map(|fix| ("/fix".to_owned(), fix));
        let several = raw.fixes.iter().enumerate().map(|(index, fix)| (format!("/fixes/{index}"), fix));
        let all: Vec<(String, RawFix)> = single.chain(several).map(|(at, fix)| (at, fix.clone())).collect();
        all.into_iter().map(|(at, fix)| self.fix(&fix, &at, values, places, options)).collect()
    }

    fn fix(
        &mut self,
        raw: &RawFix,
        field: &str,
        values: &[String],
        places: &[String],
        options: &[String],
    ) -> Fix {
        let own = raw.own_edit();
        let mut values = Cow::Borrowed(values);
        let pick = raw.pick.as_ref().map(|pick| {
            values.to_mut().push("pick".into());
            self.pick(pick, &format!("{field}/pick"))
        });
        let values: &[String] = &values;
        let own_is_set = !own.set().is_empty();
        let mut edits = Vec::new();
        if own_is_set {
            edits.extend(self.edit(&own, field, values, places, options));
        }
        for (index, edit) in raw.edits.iter().enumerate() {
            edits.extend(self.edit(edit, &format!("{field}/edits/{index}"), values, places, options));
        }
        if !own_is_set && raw.edits.is_empty() {
            let fault = self.fault("bad-fix", field);
            let detail = format!("it has no edit: give one of {} or `edits`", edit_kinds());
            *fault = fault.clone().with("detail", detail);
        }
        Fix {
            title: raw.title.as_ref().map(|t| self.template(t, &format!("{field}/title"), values, options)),
            applicability: raw.applicability,
            when: raw.when.as_ref().map(|when| self.condition(when, &format!("{field}/when"))),
            pick,
            edits,
        }
    }

    fn pick(&mut self, raw: &raw::RawPick, field: &str) -> Pick {
        let mut routes = |routes: Option<&OneOrMany<String>>, name: &str| {
            let routes = routes.map(OneOrMany::to_vec).unwrap_or_default();
            routes.iter().filter_map(|route| self.route(route, &format!("{field}/{name}"))).collect()
        };
        Pick {
            from: routes(Some(&raw.from), "from"),
            except: routes(raw.except.as_ref(), "except"),
            types: raw.types.as_ref().map(OneOrMany::to_vec).unwrap_or_default(),
            of_several: raw.of_several,
        }
    }

    fn edit(
        &mut self,
        raw: &RawEdit,
        field: &str,
        values: &[String],
        places: &[String],
        options: &[String],
    ) -> Option<Edit> {
        if let Some(detail) = misfit(raw) {
            let fault = self.fault("bad-fix", field);
            *fault = fault.clone().with("detail", detail);
            return None;
        }
        let set = raw.set();
        let (kind, _) = RawEdit::KINDS.iter().find(|(kind, _)| set.contains(kind))?;
        let own = "self".to_owned();
        let text = |loader: &mut Self, text: &Option<String>| {
            loader.template(text.as_deref().unwrap_or_default(), &format!("{field}/{kind}"), values, options)
        };
        let place = |loader: &mut Self, place: &Option<String>, name: &str| {
            loader.place(place.as_ref().unwrap_or(&own), &format!("{field}/{name}"), places)
        };
        match *kind {
            "replace" => {
                let text = text(self, &raw.replace);
                Some(Edit::Replace(place(self, &raw.at, "at")?, text))
            }
            "insert" => {
                let text = text(self, &raw.insert);
                if raw.before.is_some() {
                    Some(Edit::Before(place(self, &raw.before, "before")?, text))
                } else {
                    Some(Edit::After(place(self, &raw.after, "after")?, text))
                }
            }
            "delete" => Some(Edit::Delete(place(self, &raw.delete, "delete")?)),
            "remove" => Some(Edit::Remove(place(self, &raw.remove, "remove")?)),
            "add" => {
                let text = text(self, &raw.add);
                Some(Edit::Add { to: place(self, &raw.to, "to")?, under: raw.under.clone(), text })
            }
            "wrap" => Some(Edit::Wrap(place(self, &raw.wrap, "wrap")?)),
            "unwrap" => Some(Edit::Unwrap(place(self, &raw.unwrap, "unwrap")?)),
            _ => Some(Edit::Itemize(place(self, &raw.itemize, "itemize")?, raw.key.clone()?)),
        }
    }
}

/// What is wrong with the fields that an edit has, if anything is.
fn misfit(raw: &RawEdit) -> Option<String> {
    let set = raw.set();
    let mut kinds = RawEdit::KINDS.iter().filter(|(kind, _)| set.contains(kind));
    let (Some((kind, with)), None) = (kinds.next(), kinds.next()) else {
        return Some(format!("give exactly one of {}", edit_kinds()));
    };
    if *kind == "insert" && set.contains(&"before") == set.contains(&"after") {
        return Some("`insert` needs either `before` or `after`".into());
    }
    if *kind == "itemize" && !set.contains(&"as") {
        return Some("`itemize` needs `as`, the key under which the items keep their keys".into());
    }
    let stray = set.iter().find(|field| *field != kind && !with.contains(field))?;
    let home = RawEdit::KINDS.iter().find(|(_, with)| with.contains(stray));
    Some(format!("`{stray}` goes with `{}`, not with `{kind}`", home.map_or("", |(home, _)| home)))
}

/// The kinds of edits, for messages.
fn edit_kinds() -> String {
    let names: Vec<String> = RawEdit::KINDS.iter().map(|(kind, _)| format!("`{kind}`")).collect();
    names.join(", ")
}
