//! What `syntax` and `fact` have in common: they report what a kind of document observed.

use std::sync::Arc;

use serde_json::Value;

use super::{Compiler, Context, Evaluate, Fault, Field, Finding};
use crate::{kinds::Layer, text::nearest, tree::Node};

/// The check for the observations of one name.
pub(super) fn compile(
    layer: Layer,
    name: String,
    at: &Field<'_>,
    compiler: &mut Compiler<'_>,
) -> Option<Arc<dyn Evaluate>> {
    let observables = compiler.observables.iter().flatten().filter(|known| known.layer == layer);
    let known: Vec<&str> = observables.map(|known| known.name.as_ref()).collect();
    if compiler.deep && compiler.observables.is_some() && !known.contains(&name.as_str()) {
        let near = nearest(&name, known).map_or(Value::Null, Value::from);
        let layer = if layer == Layer::Syntax { "syntax" } else { "fact" };
        let fault = Fault::new("unknown-observable", at).with("name", name).with("nearest", near);
        let fault = fault.with("kind", compiler.kinds.join("`, `")).with("layer", layer);
        compiler.report(fault);
        return None;
    }
    Some(Arc::new(Observed { layer, name }))
}

#[derive(Debug)]
struct Observed {
    layer: Layer,
    name: String,
}

impl Evaluate for Observed {
    /// Finds nothing at nodes: the engine gives observations to the check.
    fn run<'t>(&self, _: &[Node<'t>], _: &Context<'_, 't>) -> Vec<Finding<'t>> {
        Vec::new()
    }

    fn observed(&self) -> Option<(Layer, &str)> {
        Some((self.layer, &self.name))
    }
}
