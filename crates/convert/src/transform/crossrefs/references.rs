//! References as links with a number.

use std::collections::HashMap;

use super::{super::LossKind, Context, Numbered, kinds::Names};
use crate::{
    formats::Family,
    model::{Attr, Citation, CitationMode, Inline, Rewrite, Target, plain},
};

/// Replaces cross-references.
pub(super) struct Resolve<'a, 'c> {
    pub(super) targets: &'a HashMap<String, Numbered>,
    pub(super) names: &'a Names,
    pub(super) context: &'a mut Context<'c>,
}

/// A label of a reference: `Fig-a` and `fig-a` are one, the former begins with a capital.
fn label(key: &str) -> (String, bool) {
    let upper = key.starts_with(|c: char| c.is_ascii_uppercase());
    let mut chars = key.chars();
    let lower = chars.next().map(|c| c.to_ascii_lowercase()).into_iter().chain(chars).collect();
    (if upper { lower } else { key.to_owned() }, upper)
}

impl Resolve<'_, '_> {
    fn is_reference(&self, citation: &Citation) -> bool {
        let (label, _) = label(&citation.key);
        self.targets.contains_key(&label)
            || self.context.elsewhere.is_some_and(|others| others.has(&label))
            || self.names.kind_of(&label).is_some()
    }

    fn resolve(&mut self, citations: &[Citation]) -> Vec<Inline> {
        let mut out = Vec::new();
        for (index, citation) in citations.iter().enumerate() {
            if index > 0 {
                out.extend([Inline::Str(",".to_owned()), Inline::Space]);
            }
            let (label, upper) = label(&citation.key);
            let elsewhere = || self.context.elsewhere.and_then(|others| others.find(&label));
            let found = self.targets.get(&label).map(|target| (String::new(), target.clone()));
            let Some((page, target)) = found.or_else(elsewhere) else {
                self.context.lose(LossKind::Unresolved, citation.place, format!("@{}", citation.key));
                out.push(Inline::Strong(vec![Inline::Str(format!("?@{}", citation.key))]));
                continue;
            };
            let prefix = self.prefix(citation, &target, upper);
            out.push(self.link((&page, &label), &prefix, &target));
            // What is in brackets after a reference is not part of it.
            let brackets = citation.mode == CitationMode::InText && !citation.suffix.is_empty();
            if brackets {
                out.extend([Inline::Space, Inline::Str("[".to_owned())]);
                out.extend(citation.suffix.iter().cloned());
                out.push(Inline::Str("]".to_owned()));
            } else {
                out.extend(citation.suffix.iter().cloned());
            }
        }
        out
    }

    /// What is before the number.
    fn prefix(&self, citation: &Citation, target: &Numbered, upper: bool) -> String {
        let own = plain(&citation.prefix);
        if citation.mode == CitationMode::SuppressAuthor {
            return own;
        }
        if !own.trim().is_empty() {
            return own.trim().to_owned();
        }
        let prefix = self.names.prefix(&target.kind);
        if !upper {
            return prefix;
        }
        let mut chars = prefix.chars();
        chars.next().map(char::to_uppercase).into_iter().flatten().chain(chars).collect()
    }

    /// A reference to a label of this page, or of another one at an address.
    fn link(&self, (page, label): (&str, &str), prefix: &str, target: &Numbered) -> Inline {
        let number = &target.number;
        let raw = |format: &str, text: String| Inline::Raw {
            format: format.to_owned(),
            text,
            place: crate::model::Place::default(),
        };
        match self.context.family() {
            Family::Latex => {
                let tie = if prefix.is_empty() { "" } else { "~" };
                return raw("tex", format!("{prefix}{tie}\\ref{{{label}}}"));
            }
            Family::Asciidoc if matches!(target.kind.as_str(), "fig" | "tbl" | "lst" | "sec") => {
                return raw("asciidoc", format!("<<{label}>>"));
            }
            // Typst refers to sections only where they have numbers.
            Family::Typst
                if !matches!(target.kind.as_str(), "sec" | "ch" | "apx")
                    || self.context.metadata.is_true("number-sections") =>
            {
                return raw("typst", format!("#ref(<{label}>, supplement: [{prefix}])"));
            }
            _ => {}
        }
        let html = matches!(self.context.family(), Family::Html | Family::Epub);
        let lead = if prefix.is_empty() { String::new() } else { format!("{prefix}\u{a0}") };
        let words = if html {
            let number = Inline::span(Attr::default(), vec![Inline::Str(number.clone())]);
            if lead.is_empty() { vec![number] } else { vec![Inline::Str(lead), number] }
        } else {
            vec![Inline::Str(format!("{lead}{number}"))]
        };
        if self.context.metadata.at("crossref.ref-hyperlink").and_then(serde_json::Value::as_bool)
            == Some(false)
        {
            return Inline::Str(plain(&words));
        }
        let marked = html || self.context.family() == Family::Markdown;
        let attr = if marked { Attr::class("quarto-xref") } else { Attr::default() };
        let slides = self.context.format.id == "revealjs";
        let url = if slides { format!("#/{label}") } else { format!("{page}#{label}") };
        Inline::link(attr, words, Target { url, ..Target::default() })
    }
}

impl Rewrite for Resolve<'_, '_> {
    fn inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        let mut out = Vec::with_capacity(inlines.len());
        for inline in inlines {
            match inline {
                Inline::Cite(citations, _)
                    if citations.iter().all(|citation| self.is_reference(citation)) =>
                {
                    out.extend(self.resolve(&citations));
                }
                // `@fig-a [@work]`: a reference, and a citation after it.
                Inline::Cite(citations, _)
                    if citations.iter().any(|citation| self.is_reference(citation)) =>
                {
                    let (references, works): (Vec<Citation>, Vec<Citation>) =
                        citations.into_iter().partition(|citation| self.is_reference(citation));
                    out.extend(self.resolve(&references));
                    out.push(Inline::Space);
                    let keys: Vec<String> = works.iter().map(|work| format!("@{}", work.key)).collect();
                    out.push(Inline::Cite(works, vec![Inline::Str(keys.join("; "))]));
                }
                other => out.push(other),
            }
        }
        out
    }
}
