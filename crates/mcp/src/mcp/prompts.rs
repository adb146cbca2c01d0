//! Prompts: entry points to the work loop. They contain no rules; the tools provide those.

use rmcp::{
    ErrorData,
    model::{GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role},
};

use crate::text::{clip, visible};

/// Names of the prompts.
pub(super) const NAMES: [&str; 2] = ["author", "repair"];

/// All prompts.
pub(super) fn list() -> Vec<Prompt> {
    let argument = |name: &str, description: &str, required: bool| {
        PromptArgument::new(name).with_description(description).with_required(required)
    };
    vec![
        Prompt::new(
            NAMES[0],
            Some("Write a new document and fix it until it is valid"),
            Some(vec![
                argument("kind", "Kind of document", true),
                argument("goal", "What the document is for", false),
            ]),
        )
        .with_title("Author a document"),
        Prompt::new(
            NAMES[1],
            Some("Fix a document until it is valid"),
            Some(vec![
                argument("path", "File below the allowed folders", false),
                argument("text", "Or the document itself", false),
                argument("kind", "Kind of document", false),
            ]),
        )
        .with_title("Repair a document"),
    ]
}

/// Fills in a prompt.
pub(super) fn get(request: &GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    let given = |name: &str| {
        let value = request.arguments.as_ref()?.get(name)?;
        Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    };
    let line = |name: &str| given(name).map(|value| visible(&clip(value.trim(), 2_000)).into_owned());
    let text = match request.name.as_str() {
        "author" => {
            let kind = line("kind").ok_or_else(|| {
                ErrorData::invalid_params(
                    "the prompt `author` needs the argument `kind`: see the tool `about`",
                    None,
                )
            })?;
            let goal = line("goal").map(|goal| format!(" Its purpose: {goal}."));
            format!(
                "Write a document of kind `{kind}`.{} First call `get_schema_summary` with this kind and look at one example (`list_examples`, `get_example`). Then write it, call `validate`, fix the findings (`fix_text` first), and validate again with `previous` until the verdict is VALID. Show me the document and the last verdict.",
                goal.unwrap_or_default()
            )
        }
        "repair" => {
            let kind = line("kind").map(|kind| format!(" It is of kind `{kind}`.")).unwrap_or_default();
            let document = match (line("path"), given("text")) {
                (Some(path), _) => {
                    format!("Repair the file `{path}`.{kind} Use `validate` with its path and `apply_patch`")
                }
                (None, Some(text)) => format!(
                    "Repair this document.{kind} Use `validate` and `fix_text`.\n\n````\n{text}\n````\n\nWork in small steps"
                ),
                (None, None) => {
                    format!("Repair the document I send next.{kind} Use `validate` and `fix_text`")
                }
            };
            format!(
                "{document}; validate again with `previous` after every change until the verdict is VALID. Change nothing that no finding asks for. Show me what you changed and the last verdict."
            )
        }
        name => return Err(unknown(name)),
    };
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]))
}

/// The error for an unknown prompt.
pub(super) fn unknown(name: &str) -> ErrorData {
    let shown = visible(&clip(name, 60)).into_owned();
    ErrorData::invalid_params(format!("there is no prompt `{shown}`; available: {}", NAMES.join(", ")), None)
}
