//! Completions of ids and kinds.

use rmcp::{
    ErrorData,
    model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference},
};

use super::{core::Core, prompts, resources};
use crate::org;

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
            (Some("org"), _) if core.offers_org() => org_candidates(core, request),
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

/// Org files, the IDs of headlines, or the paths of the headlines of the file that is known already.
fn org_candidates(core: &Core, request: &CompleteRequestParams) -> Vec<String> {
    let files = core.org_files();
    let known = request.context.as_ref().and_then(|context| context.arguments.as_ref());
    match (request.argument.name.as_str(), known.and_then(|known| known.get("file"))) {
        ("file", _) => files.names(),
        ("id", _) => org::resource::ids(&files),
        ("path", Some(file)) => org::resource::paths(&files, file).unwrap_or_default(),
        _ => Vec::new(),
    }
}

fn rule_ids(core: &Core) -> Vec<String> {
    let rules = core.validator.ruleset().rules();
    rules.iter().flat_map(|rule| [rule.id.clone(), rule.name.clone()]).collect()
}
