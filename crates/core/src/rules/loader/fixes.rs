//! Related notes and fixes.

use super::RuleCompiler;
use crate::{
    checks::{Fault, Field, OneOrMany},
    edits::{Edit, NO_EDIT, RawEdit, edit_kinds},
    rules::{
        raw::{RawFix, RawPick, RawRule},
        rule::{Fix, FixOrigin, Pick, Related},
    },
};

impl RuleCompiler<'_> {
    pub(super) fn related(&mut self, raw: &RawRule) -> Vec<Related> {
        let field = self.at.key("related");
        let mut related = Vec::new();
        for (index, one) in raw.related.iter().enumerate() {
            let field = field.index(index);
            let at = self.names.place(&one.at, &field.key("at"));
            let label = self.names.template(&one.label, &field.key("label"));
            related.extend(at.map(|at| Related { at, label }));
        }
        related
    }

    pub(super) fn fixes(&mut self, only: Option<RawFix>, list: Vec<RawFix>) -> Vec<Fix> {
        let at = self.at;
        let (single, several) = (at.key("fix"), at.key("fixes"));
        let mut fixes = Vec::new();
        if let Some(fix) = only {
            fixes.append(&mut self.fix_or_group(fix, None, &single));
        }
        for (index, fix) in list.into_iter().enumerate() {
            fixes.append(&mut self.fix_or_group(fix, Some(index), &several.index(index)));
        }
        fixes
    }

    /// A fix, or those of the group that is named in its place. What is wrong with these is reported where the
    /// group is named.
    fn fix_or_group(&mut self, raw: RawFix, entry: Option<usize>, at: &Field<'_>) -> Vec<Fix> {
        let origin = FixOrigin { entry, group: None };
        let Some(name) = &raw.group else {
            if raw.types.is_some() {
                let fault = Fault::new("bad-fix", &at.key("type"));
                self.names.report(fault.with("detail", "`type` goes with `group`"));
            }
            return vec![self.fix(raw, origin, at)];
        };
        if !raw.is_only_group() {
            let fault = Fault::new("bad-fix", at);
            self.names.report(fault.with("detail", "only `type` goes with `group`"));
        }
        let groups = &self.pack.fix_groups;
        let Some((position, (_, group))) = groups.iter().enumerate().find(|(_, (known, _))| *known == name)
        else {
            let fault = Fault::new("unknown-fix-group", &at.key("group")).with("group", name.as_str());
            self.names.report(fault.among(name, groups.keys().map(String::as_str)));
            return Vec::new();
        };
        let mut fixes = Vec::with_capacity(group.len());
        for (index, fix) in group.iter().enumerate() {
            let mut fix = fix.clone();
            if let (Some(pick), Some(types)) = (&mut fix.pick, &raw.types) {
                pick.types = Some(types.clone());
            }
            fixes.push(self.fix(fix, FixOrigin { group: Some((position, index)), ..origin }, at));
        }
        fixes
    }

    fn fix(&mut self, raw: RawFix, origin: FixOrigin, at: &Field<'_>) -> Fix {
        let pick = raw.pick.map(|pick| {
            self.names.values.push("pick".into());
            self.pick(pick, &at.key("pick"))
        });
        let edits = self.edits(raw.edit, raw.edits, at);
        let names = &mut self.names;
        let title = raw.title.map(|title| names.template(&title, &at.key("title")));
        let when = raw.when.map(|when| names.condition(&when, &at.key("when")));
        if pick.is_some() {
            names.values.pop();
        }
        Fix { title, applicability: raw.applicability, when, keep: raw.keep, pick, edits, origin }
    }

    fn edits(&mut self, own: RawEdit, several: Vec<RawEdit>, at: &Field<'_>) -> Vec<Edit> {
        if own.is_empty() && several.is_empty() {
            let fault = Fault::new("bad-fix", at).with("detail", NO_EDIT);
            self.names.report(fault.with("kinds", edit_kinds()));
        }
        let mut edits = Vec::new();
        if !own.is_empty() {
            edits.extend(own.compile(at, &mut self.names));
        }
        let field = at.key("edits");
        for (index, edit) in several.into_iter().enumerate() {
            edits.extend(edit.compile(&field.index(index), &mut self.names));
        }
        edits
    }

    fn pick(&mut self, raw: RawPick, at: &Field<'_>) -> Pick {
        Pick {
            from: self.names.routes(Some(&raw.from), &at.key("from")),
            except: self.names.routes(raw.except.as_ref(), &at.key("except")),
            types: raw.types.map(OneOrMany::into_vec).unwrap_or_default(),
            of_several: raw.of_several,
        }
    }
}
