use std::{collections::BTreeMap, path::PathBuf};

use super::error::OpenError;
use crate::{
    files,
    kinds::{KindOptions, qtype::STRICT_ENVIRONMENT},
};

/// Largest environment file in bytes.
const LARGEST: usize = 1 << 20;

/// Which environment variables documents may refer to, as a client asks for it.
#[derive(Debug, Clone, Default)]
pub struct EnvironmentOverrides {
    /// Files with `NAME=value` lines. With a file, a reference to any other variable is an error.
    pub files: Vec<PathBuf>,
    /// Variables by their names, besides those of the files, over which they have priority.
    pub variables: BTreeMap<String, String>,
    /// Whether a reference to a variable that is not set is an error.
    pub strict: bool,
    /// Whether the environment of the process is the one that documents will run in. If not, its variables
    /// do not count; and if nothing above is said either, no variable is reported as missing.
    pub of_process: bool,
}

/// The environment variables that documents may refer to.
#[derive(Debug)]
pub(super) struct Environment {
    variables: BTreeMap<String, String>,
    /// Whether the variables of the process count too.
    of_process: bool,
    /// Whether a variable that is not set is an error, and not a warning.
    pub strict: bool,
}

impl Environment {
    /// Adds what it says to the options of kinds.
    pub(super) fn add_to(&self, options: KindOptions) -> KindOptions {
        options.with(&STRICT_ENVIRONMENT, self.strict)
    }

    /// Reads the files. Nothing where the environment of documents is not known.
    pub(super) fn load(overrides: &EnvironmentOverrides, errors: &mut Vec<OpenError>) -> Option<Self> {
        let EnvironmentOverrides { files, variables: given, strict, of_process } = overrides;
        let mut variables = BTreeMap::new();
        for path in files {
            match files::read_small(path, LARGEST) {
                Ok(text) => variables.extend(text.lines().filter_map(variable)),
                Err(source) => errors.push(OpenError::File { path: path.clone(), source }),
            }
        }
        variables.extend(given.clone());
        let strict = *strict || !files.is_empty();
        (strict || *of_process).then_some(Self { variables, of_process: *of_process, strict })
    }

    /// The value of a variable: that of the files, else that of the process where that counts.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        let of_process = || std::env::var(name).ok().filter(|_| self.of_process);
        self.variables.get(name).cloned().or_else(of_process)
    }
}

/// The variable of a line `NAME=value` or `export NAME="value"`; other lines have none.
fn variable(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=').filter(|_| !line.starts_with('#'))?;
    let value = value.trim();
    let quoted = ['"', '\''].into_iter().find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
    Some((name.trim().to_owned(), quoted.unwrap_or(value).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_the_process_count_only_where_documents_run_in_it() {
        let loaded = |of_process| {
            let overrides =
                EnvironmentOverrides { strict: true, of_process, ..EnvironmentOverrides::default() };
            Environment::load(&overrides, &mut Vec::new()).unwrap()
        };
        assert!(loaded(true).get("PATH").is_some());
        assert_eq!(loaded(false).get("PATH"), None);
    }

    #[test]
    fn a_given_variable_has_priority_over_that_of_a_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "HOST=file\nPORT=1\n").unwrap();
        let overrides = EnvironmentOverrides {
            files: vec![file.path().to_owned()],
            variables: BTreeMap::from([("HOST".to_owned(), "given".to_owned())]),
            ..EnvironmentOverrides::default()
        };
        let environment = Environment::load(&overrides, &mut Vec::new()).unwrap();
        assert_eq!(environment.get("HOST").as_deref(), Some("given"));
        assert_eq!(environment.get("PORT").as_deref(), Some("1"));
    }

    #[test]
    fn lines_of_an_environment_file() {
        let read = |line: &str| variable(line).map(|(name, value)| format!("{name}|{value}"));
        assert_eq!(read("KEY=a=b").as_deref(), Some("KEY|a=b"));
        assert_eq!(read(" export KEY = \"a b\" ").as_deref(), Some("KEY|a b"));
        assert_eq!(read("# KEY=a"), None);
        assert_eq!(read("nothing"), None);
    }
}
