use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::{arguments::Arguments, core::Core, refusal::Refusal, schema};
use crate::{
    Options, ServiceError, Toolset,
    text::{clip, plural, visible},
};

/// Most reasons that the answer to a refused call lists.
const LISTED: usize = 24;

/// Most characters of a reason in the answer to a refused call.
const QUOTED: usize = 4_000;

/// The definition of a tool: name, descriptions, argument and answer types, function.
pub(super) trait AgentTool {
    type Arguments: DeserializeOwned + JsonSchema + 'static;
    type Answer: Serialize + JsonSchema + AnswerText + 'static;
    const NAME: &'static str;
    const TITLE: &'static str;
    const DESCRIPTION: &'static str;
    const TOOLSET: Toolset;
    const EFFECT: Effect = Effect::Reads;
    const NEEDS: Needs = Needs::Nothing;
    /// Arguments of an example call, as JSON.
    const EXAMPLE: &'static str;
    /// Further argument names, which clients of similar tools use.
    const ALIASES: &'static [(&'static str, &'static str)] = &[];

    fn call(core: &Core, arguments: Self::Arguments) -> Result<Self::Answer, Refusal>;
}

/// The content of an answer as short text: the verdict first, the next step last.
pub(super) trait AnswerText {
    fn text(&self) -> String;

    /// Whether it reports a failure, for clients that check nothing else.
    fn failed(&self) -> bool {
        false
    }

    /// Pictures for models that can look at them.
    fn images(&self) -> Vec<Image> {
        Vec::new()
    }
}

/// A picture of an answer.
pub(super) struct Image {
    pub(super) base64: String,
    pub(super) mime_type: &'static str,
}

/// The side effect of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    Reads,
    /// Changes files below the allowed folders, or removes what the server keeps.
    Writes,
}

/// What a tool requires; without it, the tool is not offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    Nothing,
    /// A renderer.
    #[cfg(feature = "render")]
    Renderer,
    /// A folder that may be written to.
    Roots,
}

/// The result of a call.
pub(super) struct Reply {
    pub(super) structured: Value,
    pub(super) text: String,
    /// Whether it reports a failure.
    pub(super) failed: bool,
    pub(super) images: Vec<Image>,
}

impl Reply {
    /// The verdict and the next step: the first line of the text, and the last one.
    pub(super) fn brief(&self) -> String {
        let first = self.text.lines().next().unwrap_or_default();
        match self.text.lines().next_back() {
            Some(last) if last.starts_with("Next: ") => format!("{first}\n{last}"),
            _ => first.to_owned(),
        }
    }
}

type Run = fn(&Core, Value) -> Result<Reply, Refusal>;

/// A tool that can be offered to clients.
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    toolset: Toolset,
    pub(super) effect: Effect,
    needs: Needs,
    pub(super) example: &'static str,
    pub(super) input: Map<String, Value>,
    pub(super) output: Map<String, Value>,
    arguments: Arguments,
    run: Run,
}

impl Tool {
    /// The tool of a type.
    pub(super) fn of<T: AgentTool>() -> Result<Self, ServiceError> {
        let input = schema::input::<T::Arguments>();
        let arguments = Arguments::new(&input, T::ALIASES)
            .map_err(|detail| ServiceError::Schema { tool: T::NAME, detail })?;
        Ok(Self {
            name: T::NAME,
            title: T::TITLE,
            description: T::DESCRIPTION,
            toolset: T::TOOLSET,
            effect: T::EFFECT,
            needs: T::NEEDS,
            example: T::EXAMPLE,
            output: schema::output::<T::Answer>(),
            input,
            arguments,
            run: run::<T>,
        })
    }

    /// Whether a service with these options answers calls of it.
    pub(super) fn is_offered(&self, options: &Options) -> bool {
        let useful = match self.needs {
            Needs::Nothing => true,
            #[cfg(feature = "render")]
            Needs::Renderer => options.rendering.is_some(),
            Needs::Roots => options.project.reads_files(),
        };
        useful && options.offers(self.toolset)
    }

    /// Whether a service with these options lists it.
    pub(super) fn is_listed(&self, options: &Options) -> bool {
        options.lists(self.toolset)
    }

    /// Checks the arguments and runs the tool.
    pub(super) fn call(&self, core: &Core, arguments: Map<String, Value>) -> Result<Reply, Refusal> {
        let arguments = self.arguments.check(arguments)?;
        (self.run)(core, arguments)
    }

    /// The text of the answer to a refused call.
    pub(super) fn refuse(&self, refusal: &Refusal) -> String {
        let name = self.name;
        let mut text = match refusal.reasons.as_slice() {
            [reason] => format!("`{name}` failed: {}", clip(reason, QUOTED)),
            reasons => {
                let listed = reasons.iter().take(LISTED);
                let list: String = listed.map(|reason| format!("\n- {}", clip(reason, QUOTED))).collect();
                let more = reasons.len().saturating_sub(LISTED);
                let more = if more > 0 { format!("\n- and {more} more") } else { String::new() };
                format!("`{name}` failed with {}:{list}{more}", plural(reasons.len(), "error"))
            }
        };
        if refusal.arguments {
            let _ = write!(text, "\nExample of a correct call: {name} {}", self.example);
        }
        if let Some(next) = &refusal.next {
            let _ = write!(text, "\nNext: {next}");
        }
        text
    }
}

fn run<T: AgentTool>(core: &Core, arguments: Value) -> Result<Reply, Refusal> {
    let arguments = serde_json::from_value(arguments)
        .map_err(|error| Refusal::arguments(vec![visible(&error.to_string()).into_owned()]))?;
    let answer = T::call(core, arguments)?;
    let (text, failed, images) = (answer.text(), answer.failed(), answer.images());
    let structured = serde_json::to_value(answer)
        .map_err(|error| Refusal::because(format!("the answer cannot be written as JSON: {error}")))?;
    Ok(Reply { structured, text, failed, images })
}
