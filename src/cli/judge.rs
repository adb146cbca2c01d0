//! Reading and judging one document of a run.

use std::{
    collections::HashMap,
    io,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use proofmark::{
    engine::{Outcome, RunFact, Validator},
    files::{self, Jail},
    kinds::{Kind, ParseOptions},
    text::Source,
};

use super::{
    exit::Fault,
    input::{Input, Place},
    panics,
    project::Project,
};

/// Which environment variables documents may speak of.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct EnvironmentArguments {
    /// File with NAME=value lines: variables that documents may refer to, besides those of the
    /// process; a document that refers to another one is wrong
    #[arg(long, value_name = "FILE")]
    pub(super) env_file: Vec<std::path::PathBuf>,
    /// A document that refers to a variable which is not set is wrong
    #[arg(long)]
    pub(super) strict_env: bool,
}

impl EnvironmentArguments {
    /// The variables, and whether documents are held to them.
    pub(super) fn load(&self) -> Result<Option<Environment>, Fault> {
        let mut variables = HashMap::new();
        for path in &self.env_file {
            let text = std::fs::read_to_string(path).map_err(|error| Fault::read(path, error))?;
            variables.extend(text.lines().filter_map(variable));
        }
        let strict = self.strict_env || !self.env_file.is_empty();
        Ok(Some(Environment { variables, strict }))
    }
}

/// The variables that documents may speak of.
#[derive(Debug, Default)]
pub(super) struct Environment {
    variables: HashMap<String, String>,
    /// Whether a variable that is not set is an error.
    pub(super) strict: bool,
}

impl Environment {
    pub(super) fn get(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned().or_else(|| std::env::var(name).ok())
    }
}

/// A line `NAME=value`, `export NAME="value"`; others say nothing.
fn variable(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=').filter(|_| !line.starts_with('#'))?;
    let value = value.trim();
    let quoted = ['"', '\''].into_iter().find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
    Some((name.trim().to_owned(), quoted.unwrap_or(value).to_owned()))
}

/// How the documents of a run are read.
pub(super) struct Judge<'p> {
    pub(super) project: &'p Project,
    /// Kind of all documents.
    pub(super) kind: Option<Arc<dyn Kind>>,
    /// Dialect of all documents.
    pub(super) dialect: Option<String>,
    pub(super) environment: Option<Environment>,
}

/// A document as far as it can be read.
pub(super) enum Opened {
    Text(Text),
    /// The file gives no text, and these are the findings about that.
    Unreadable(Box<Outcome>),
    UnknownKind,
}

/// A text with what it is judged by.
pub(super) struct Text {
    pub(super) source: Arc<Source>,
    kind: Arc<dyn Kind>,
    pub(super) validator: Arc<Validator>,
}

/// What came of a document.
pub(super) enum Verdict {
    /// It was judged.
    Judged(Box<Judged>),
    /// It is of no kind that anybody knows.
    UnknownKind,
}

/// A document that was judged.
pub(super) struct Judged {
    /// What it is called.
    pub(super) name: String,
    /// The document with its findings.
    pub(super) outcome: Outcome,
    /// Whether the program failed on it.
    pub(super) crashed: bool,
    /// Time it took to read the file.
    pub(super) reading: Duration,
    /// Time it took to judge the text.
    pub(super) judging: Duration,
}

impl Judge<'_> {
    /// Reads and judges a document. A panic becomes a finding of that document.
    pub(super) fn judge(&self, input: &Input) -> Verdict {
        panics::caught(|| self.verdict(input)).unwrap_or_else(|panic| {
            let source = Arc::new(Source::new(input.name.as_str(), ""));
            let outcome = crashed(self.project.base(), &source, &panic);
            let now = Duration::ZERO;
            let name = input.name.clone();
            Verdict::Judged(Box::new(Judged { name, outcome, crashed: true, reading: now, judging: now }))
        })
    }

    fn verdict(&self, input: &Input) -> Verdict {
        let start = Instant::now();
        let opened = self.open(input);
        let reading = start.elapsed();
        let start = Instant::now();
        let outcome = match opened {
            Opened::UnknownKind => return Verdict::UnknownKind,
            Opened::Unreadable(outcome) => *outcome,
            Opened::Text(text) => self.validate(&text, input, &text.source),
        };
        let name = input.name.clone();
        Verdict::Judged(Box::new(Judged { name, outcome, crashed: false, reading, judging: start.elapsed() }))
    }

    /// Reads the text of a document and finds out what it is to be judged by.
    pub(super) fn open(&self, input: &Input) -> Opened {
        let name = self.configured_name(input);
        let validator = self.project.validator_for(&name);
        let source = match self.read(input) {
            Ok(source) => Arc::new(source),
            Err(unreadable) => {
                let outcome = validator.run_fact(&Arc::from(unreadable.source), unreadable.fact);
                return Opened::Unreadable(Box::new(outcome));
            }
        };
        let ruleset = &self.project.ruleset;
        let configured = || self.project.workspace.config.kind_of(&name).and_then(|kind| ruleset.kind(kind));
        let found = || ruleset.kinds().for_path(Path::new(&input.name), source.text());
        match self.kind.as_ref().or_else(configured).or_else(found) {
            Some(kind) => Opened::Text(Text { source, kind: Arc::clone(kind), validator }),
            None => Opened::UnknownKind,
        }
    }

    /// Judges `source`, the text of a document or what it is to become.
    pub(super) fn validate(&self, text: &Text, input: &Input, source: &Arc<Source>) -> Outcome {
        let limits = self.project.limits();
        let path = input.path().unwrap_or(Path::new(&input.name));
        let jail = Jail::around(path, &self.project.workspace.jail_roots(), limits.text_bytes);
        let read = |path: &str| jail.read(path);
        let environment = self.environment.as_ref();
        let variable = |name: &str| environment.and_then(|environment| environment.get(name));
        let options = ParseOptions {
            dialect: self.dialect.as_deref(),
            limits,
            quills: Some(self.project.quills()),
            read: Some(&read),
            environment: if environment.is_some() { Some(&variable) } else { None },
            ..ParseOptions::default()
        };
        text.validator.validate(source, text.kind.as_ref(), &options)
    }

    fn read(&self, input: &Input) -> Result<Source, files::Unreadable> {
        let limit = self.project.limits().text_bytes;
        match &input.place {
            Place::Stdin => files::read_open(io::stdin().lock(), &input.name, None, limit),
            Place::File(path) => files::read(path, &input.name, limit),
            Place::Unreachable(_, detail) => Err(files::Unreadable {
                source: Box::new(Source::new(input.name.as_str(), "")),
                fact: RunFact::new("unreadable-file").with("detail", detail.as_str()),
            }),
        }
    }

    fn configured_name(&self, input: &Input) -> String {
        self.project.workspace.configured_name(input.path().unwrap_or(Path::new(&input.name)))
    }
}

impl Input {
    /// The file, where it is one.
    pub(super) fn path(&self) -> Option<&Path> {
        match &self.place {
            Place::Stdin => None,
            Place::File(path) | Place::Unreachable(path, _) => Some(path),
        }
    }
}

/// The finding of a document that the program failed on.
pub(super) fn crashed(validator: &Validator, source: &Arc<Source>, panic: &str) -> Outcome {
    validator.run_fact(source, RunFact::new("internal-fault").with("detail", panic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_an_environment_file() {
        let read = |line: &str| variable(line).map(|(name, value)| format!("{name}|{value}"));
        assert_eq!(read("KEY=a=b").as_deref(), Some("KEY|a=b"));
        assert_eq!(read(" export KEY = \"a b\" ").as_deref(), Some("KEY|a b"));
        assert_eq!(read("# KEY=a"), None);
        assert_eq!(read("nothing"), None);
    }
}
