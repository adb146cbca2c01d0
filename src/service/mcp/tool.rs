use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::{arguments::Arguments, core::Core, schema};
use crate::service::{Options, ServiceError, Toolset};

/// A tool as it is written: its name, its words, its schemas by types, its function.
pub(super) trait AgentTool {
    type Arguments: DeserializeOwned + JsonSchema + 'static;
    type Answer: Serialize + JsonSchema + Spoken + 'static;
    const NAME: &'static str;
    const TITLE: &'static str;
    const DESCRIPTION: &'static str;
    const TOOLSET: Toolset;
    const EFFECT: Effect = Effect::Reads;
    const NEEDS: Needs = Needs::Nothing;
    /// Arguments of a correct call, as JSON.
    const EXAMPLE: &'static str;
    /// Further names of arguments, by which clients of similar tools know them.
    const ALIASES: &'static [(&'static str, &'static str)] = &[];

    fn call(core: &Core, arguments: Self::Arguments) -> Result<Self::Answer, Refusal>;
}

/// The facts of an answer as short text: a verdict first and last.
pub(super) trait Spoken {
    fn text(&self) -> String;

    /// Whether it tells of a failure, for clients that look at nothing else.
    fn failed(&self) -> bool {
        false
    }
}

/// What a call does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    Reads,
    /// Changes files below the allowed folders.
    Writes,
}

/// What must be there for a tool to be of use; it is not offered without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    Nothing,
    /// Something that renders.
    #[cfg(feature = "render")]
    Renderer,
    /// A folder that may be written to.
    Roots,
}

/// Why a call was not carried out, and what to do instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// One line each.
    pub(super) faults: Vec<String>,
    /// Whether the arguments are at fault, so that an example helps.
    pub(super) arguments: bool,
    /// The next call to make.
    pub(super) next: Option<String>,
}

impl Refusal {
    /// Arguments that do not fit.
    pub(super) fn arguments(faults: Vec<String>) -> Self {
        Self { faults, arguments: true, next: None }
    }

    /// Arguments that fit, for something that is not there or not allowed.
    pub(super) fn because(fault: impl Into<String>) -> Self {
        Self { faults: vec![fault.into()], arguments: false, next: None }
    }

    /// The same with the next call to make.
    #[must_use]
    pub(super) fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }
}

/// What a call gave.
pub(super) struct Reply {
    pub(super) structured: Value,
    pub(super) text: String,
    /// Whether it tells of a failure.
    pub(super) failed: bool,
}

type Run = fn(&Core, Value) -> Result<Reply, Refusal>;

/// A tool as it is offered.
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

    /// Whether a service with these options offers it.
    pub(super) fn is_offered(&self, options: &Options) -> bool {
        let useful = match self.needs {
            Needs::Nothing => true,
            #[cfg(feature = "render")]
            Needs::Renderer => options.rendering.is_some(),
            Needs::Roots => !options.roots.is_empty(),
        };
        useful && !options.without.contains(&self.toolset)
    }

    /// Checks the arguments and runs the tool.
    pub(super) fn call(&self, core: &Core, arguments: Map<String, Value>) -> Result<Reply, Refusal> {
        let arguments = self.arguments.check(arguments)?;
        (self.run)(core, arguments)
    }

    /// The text of an answer that is a refusal.
    pub(super) fn refuse(&self, refusal: &Refusal) -> String {
        let name = self.name;
        let mut text = match refusal.faults.as_slice() {
            [fault] => format!("`{name}` was not carried out: {fault}"),
            faults => {
                let list: String = faults.iter().map(|fault| format!("\n- {fault}")).collect();
                format!("`{name}` was not carried out, {} faults:{list}", faults.len())
            }
        };
        if refusal.arguments {
            let _ = write!(text, "\nA correct call: {name} {}", self.example);
        }
        if let Some(next) = &refusal.next {
            let _ = write!(text, "\nNext: {next}");
        }
        text
    }
}

fn run<T: AgentTool>(core: &Core, arguments: Value) -> Result<Reply, Refusal> {
    let arguments = serde_json::from_value(arguments)
        .map_err(|error| Refusal::arguments(vec![crate::text::visible(&error.to_string()).into_owned()]))?;
    let answer = T::call(core, arguments)?;
    let (text, failed) = (answer.text(), answer.failed());
    let structured = serde_json::to_value(answer)
        .map_err(|error| Refusal::because(format!("the answer cannot be written as JSON: {error}")))?;
    Ok(Reply { structured, text, failed })
}
