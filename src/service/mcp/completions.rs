//! Completions of ids and kinds.

use rmcp::{
    ErrorData,
    model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference},
};

use super::{core::Core, prompts, resources};

/// Completes an argument of a prompt or of a resource's URI.
pub(super) fn complete(core: &Core, request: &CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
    let argument = request.argument.name.as_str();
    let candidates = match &request.r#ref {
        Reference::Prompt(prompt) => {
            if !prompts::NAMES.contains(&prompt.name.as_str()) {
                return Err(prompts::unknown(&prompt.name));
            }
            if argument == "kind" { kind_names(core) } else { Vec::new() }
        }
        Reference::Resource(resource) => match (resource.uri.split("://").next(), argument) {
            (Some("rules"), "id") => rule_ids(core),
            (Some("examples"), "id") => resources::example_ids(core),
            (Some("schemas"), "kind") => kind_names(core),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    let written = request.argument.value.to_lowercase();
    let mut fitting: Vec<String> =
        candidates.into_iter().filter(|candidate| candidate.to_lowercase().starts_with(&written)).collect();
    fitting.sort();
    fitting.dedup();
    let total = fitting.len();
    fitting.truncate(CompletionInfo::MAX_VALUES);
    let more = total > fitting.len();
    let info = CompletionInfo::with_pagination(fitting, Some(total as u32), more)
        .map_err(|error| ErrorData::internal_error(error, None))?;
    Ok(CompleteResult::new(info))
}

fn kind_names(core: &Core) -> Vec<String> {
    core.kinds().names().map(str::to_owned).collect()
}

fn rule_ids(core: &Core) -> Vec<String> {
    let rules = core.validator.ruleset().rules();
    rules.iter().flat_map(|rule| [rule.id.clone(), rule.name.clone()]).collect()
}
