use std::path::PathBuf;

use super::Config;

/// An environment variable whose value cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the environment variable {variable} is `{value}`; write `true` or `false`")]
#[non_exhaustive]
pub struct EnvironmentError {
    /// Its name.
    pub variable: &'static str,
    /// Its value.
    pub value: String,
}

const QUILLS_PATH: &str = "QUILLMARK_MCP_QUILLS_PATH";
const AUTO_REGISTER: &str = "QUILLMARK_MCP_AUTO_REGISTER";

impl Config {
    /// The configuration with what environment variables override; empty variables override nothing.
    ///
    /// # Errors
    /// [`EnvironmentError`] when a variable that must be a boolean holds something else.
    pub fn with_environment(
        mut self,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, EnvironmentError> {
        let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
        if let Some(path) = variable(QUILLS_PATH) {
            self.quills.path = PathBuf::from(path);
        }
        if let Some(value) = variable(AUTO_REGISTER) {
            self.quills.auto_register = truth(AUTO_REGISTER, &value)?;
        }
        Ok(self)
    }
}

fn truth(variable: &'static str, value: &str) -> Result<bool, EnvironmentError> {
    match value.to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Ok(true),
        "0" | "false" | "no" | "off" => Ok(false),
        _ => Err(EnvironmentError { variable, value: value.to_owned() }),
    }
}

/// Whether to write colors: `NO_COLOR` (any value) says no, `CLICOLOR_FORCE` or `FORCE_COLOR` (not
/// `0`) says yes, else it depends on whether a person reads on a terminal that can.
pub fn color(terminal: bool, variable: &dyn Fn(&str) -> Option<String>) -> bool {
    let set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    let forced = |name: &str| variable(name).is_some_and(|value| !value.is_empty() && value != "0");
    if set("NO_COLOR") {
        return false;
    }
    forced("CLICOLOR_FORCE")
        || forced("FORCE_COLOR")
        || (terminal && variable("TERM").as_deref() != Some("dumb"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(pairs: &'static [(&'static str, &'static str)]) -> impl Fn(&str) -> Option<String> {
        |name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
    }

    #[test]
    fn the_environment_is_stronger_than_the_file() {
        let set = environment(&[(QUILLS_PATH, "/srv/quills"), (AUTO_REGISTER, "False")]);
        let config = Config::default().with_environment(&set).unwrap();
        assert_eq!(config.quills.path, PathBuf::from("/srv/quills"));
        assert!(!config.quills.auto_register);
        let empty = environment(&[(QUILLS_PATH, "")]);
        assert_eq!(Config::default().with_environment(&empty).unwrap(), Config::default());
        let odd = environment(&[(AUTO_REGISTER, "maybe")]);
        assert!(Config::default().with_environment(&odd).unwrap_err().to_string().contains("`maybe`"));
    }

    #[test]
    fn no_color_is_stronger_than_everything() {
        assert!(color(true, &environment(&[])));
        assert!(!color(false, &environment(&[])));
        assert!(color(false, &environment(&[("CLICOLOR_FORCE", "1")])));
        assert!(!color(false, &environment(&[("FORCE_COLOR", "0")])));
        assert!(!color(true, &environment(&[("NO_COLOR", "0"), ("CLICOLOR_FORCE", "1")])));
        assert!(!color(true, &environment(&[("TERM", "dumb")])));
    }
}
