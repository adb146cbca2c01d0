//! Where the references of a document to files lead, for the rules that ask for it.

use std::sync::Arc;

use super::{
    plan::{Plan, Planned},
    validator::Validator,
};
use crate::{
    budget,
    checks::State,
    kinds::{Document, LinkRequest, LinkedFiles, Surroundings},
};

/// Steps that looking for one path counts as.
const LOOK: u64 = 1_000;

impl Validator {
    /// Looks for the files that rules ask for, of a document and of those inside it.
    pub(super) fn follow_links(&self, document: &mut Document, around: &dyn Surroundings) {
        if let Some(plan) = self.plan(&document.kind) {
            let requests = self.requests(plan, document);
            if !requests.is_empty() {
                document.linked = Some(Arc::new(resolve(&requests, around)));
            }
        }
        document.embedded.iter_mut().for_each(|inner| self.follow_links(inner, around));
    }

    fn requests(&self, plan: &Plan, document: &Document) -> Vec<LinkRequest> {
        let links = |planned: &Planned| {
            let Some(pack) = self.ruleset().packs().get(planned.pack) else { return Vec::new() };
            let mut links = Vec::new();
            document.visit(planned.rule.by_parts, |document| {
                let state = State::new(document, &pack.vocabulary, self.ruleset().kinds());
                let context = planned.context(&state);
                links.extend(planned.rule.check.links(&planned.selected(&context), &context));
            });
            links
        };
        plan.linking().flat_map(links).collect()
    }
}

/// What each request leads to, as far as the budget goes.
fn resolve(requests: &[LinkRequest], around: &dyn Surroundings) -> LinkedFiles {
    let mut linked = LinkedFiles::new();
    for request in requests {
        if linked.contains_key(&request.key) {
            continue;
        }
        if !budget::charge(LOOK * request.candidates.len() as u64) {
            break;
        }
        linked.insert(request.key.clone(), request.resolve(around));
    }
    linked
}
