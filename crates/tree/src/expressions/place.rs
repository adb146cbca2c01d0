use std::str::FromStr;

use super::Route;

/// A place that a rule speaks of, such as `self`, `key`, `first`, `parent.line`, or the nodes at the end
/// of a route, such as `@.outputs[1]` or `^flow @.variables`.
#[derive(Debug, Clone)]
pub struct Place {
    /// What the place starts from.
    pub base: Base,
    /// The part of it that is meant, where not all of it is.
    pub suffix: Option<Suffix>,
}

/// What a place starts from.
#[derive(Debug, Clone)]
pub enum Base {
    /// What the check found wrong.
    Own,
    /// The key of the node.
    Key,
    /// From key to value of the node.
    Entry,
    /// The mapping or sequence the node is in.
    Parent,
    /// The whole document.
    Root,
    /// A place that the check or the observation names.
    Named(String),
    /// The nodes at the end of a route that starts at the node.
    Route(Box<Route>),
}

impl Base {
    /// The word that names it; nothing for a route.
    pub fn word(&self) -> Option<&str> {
        Some(match self {
            Self::Own => "self",
            Self::Key => "key",
            Self::Entry => "entry",
            Self::Parent => "parent",
            Self::Root => "root",
            Self::Named(name) => name,
            Self::Route(_) => return None,
        })
    }
}

/// What of a place is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suffix {
    /// The empty place where it starts.
    Start,
    /// The empty place where it ends.
    End,
    /// The lines it touches, line end included.
    Line,
    /// The lines it touches, without the last line end.
    Text,
    /// From the first line that it touches to the end of the document.
    Rest,
    /// The line above the first line that it touches, and the lines it touches, without the last line end;
    /// nothing on the first line.
    Above,
    /// The key of the node.
    Key,
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.starts_with(['@', '$', '^']) {
            let route = text.parse::<Route>().map_err(|error| error.message)?;
            return Ok(Self { base: Base::Route(Box::new(route)), suffix: None });
        }
        let (base, suffix) = text.split_once('.').map_or((text, None), |(base, suffix)| (base, Some(suffix)));
        let base = match base {
            "self" => Base::Own,
            "key" => Base::Key,
            "entry" => Base::Entry,
            "parent" => Base::Parent,
            "root" => Base::Root,
            "" => return Err("a place has a name, such as `self`".into()),
            name => Base::Named(name.to_owned()),
        };
        let suffix = match suffix {
            None | Some("span") => None,
            Some("start") => Some(Suffix::Start),
            Some("end") => Some(Suffix::End),
            Some("line") => Some(Suffix::Line),
            Some("text") => Some(Suffix::Text),
            Some("rest") => Some(Suffix::Rest),
            Some("above") => Some(Suffix::Above),
            Some("key") => Some(Suffix::Key),
            Some(other) => {
                return Err(format!(
                    "`.{other}` is not one of `.start`, `.end`, `.line`, `.text`, `.rest`, `.above`, `.key`"
                ));
            }
        };
        Ok(Self { base, suffix })
    }
}
