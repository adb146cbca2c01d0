use std::time::Duration;

use proofmark_render_protocol::{MEMORY, MILLISECONDS, PROTOCOL, VERSION};

/// What the arguments ask for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Work for the client at the other end of the standard streams.
    Work {
        /// Most memory beyond that of the start, in bytes.
        memory: u64,
        /// Longest time of one document.
        time: Duration,
    },
    /// Print something.
    Say(String),
}

/// What to do instead of starting the worker by hand.
pub(crate) const HINT: &str = "`proofmark render` and `proofmark serve` start this program";

/// Reads the arguments of the process, without its name.
pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> Result<Command, String> {
    let (mut memory, mut time) = (None, None);
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-V" | "--version" => {
                return Ok(Command::Say(format!("proofmark-render {VERSION} (protocol {PROTOCOL})\n")));
            }
            "-h" | "--help" => return Ok(Command::Say(help())),
            MEMORY => memory = Some(number(MEMORY, arguments.next())?),
            MILLISECONDS => {
                time = Some(Duration::from_millis(number(MILLISECONDS, arguments.next())?));
            }
            _ => return Err(format!("unexpected argument `{argument}`")),
        }
    }
    match (memory, time) {
        (Some(memory), Some(time)) => Ok(Command::Work { memory, time }),
        _ => Err(format!("`{MEMORY}` and `{MILLISECONDS}` are required")),
    }
}

fn number(option: &str, value: Option<String>) -> Result<u64, String> {
    let number = value.as_deref().and_then(|value| value.parse().ok());
    number.ok_or_else(|| format!("`{option}` takes an integer"))
}

fn help() -> String {
    format!(
        "Lays out documents for Proofmark, as a separate process that can be killed.\n\n\
         {HINT}. It has no commands for people.\n\n\
         Usage: proofmark-render {MEMORY} BYTES {MILLISECONDS} N\n\n\
         Options:\n  \
         {MEMORY} BYTES     Most memory beyond that of the start\n  \
         {MILLISECONDS} N   Longest time of one document\n  \
         -V, --version      Print the version\n  \
         -h, --help         Print this help\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Command, String> {
        parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn both_limits_are_required_and_are_integers() {
        let work = Command::Work { memory: 5, time: Duration::from_millis(20) };
        assert_eq!(parsed("--memory 5 --milliseconds 20"), Ok(work));
        assert_eq!(parsed(""), Err("`--memory` and `--milliseconds` are required".to_owned()));
        assert_eq!(parsed("--memory x"), Err("`--memory` takes an integer".to_owned()));
        assert_eq!(parsed("--memory 5 letter.md"), Err("unexpected argument `letter.md`".to_owned()));
    }

    #[test]
    fn the_version_names_the_protocol() {
        let Ok(Command::Say(text)) = parsed("--version") else { panic!("it is printed") };
        assert_eq!(text, format!("proofmark-render {VERSION} (protocol {PROTOCOL})\n"));
    }
}
