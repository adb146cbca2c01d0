//! Tools that read headlines and outlines.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    super::super::{refusal::Refusal, tool::AnswerText},
    OrgTool,
};
use crate::{
    org::{
        Files, PAGE, Page,
        outline::{self, Line, OutlineQuery},
        read::{self, Read},
    },
    text::plural,
};

/// `org_get_headline`
pub(in super::super) struct GetHeadline;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct HeadlineArguments {
    /// `org://FILE/headline/TITLE`, `org://id/ID`, `org://FILE?line=LINE`, or `org://FILE`.
    resource_uri: String,
    /// Levels of headlines below to show (default: all; of a file none).
    depth: Option<usize>,
}

impl AnswerText for Read {
    fn text(&self) -> String {
        let mut text = match &self.headline {
            Some(headline) => format!("{}  {}\n", headline.line(), headline.resource_uri),
            None => String::new(),
        };
        let _ = writeln!(text, "hash {}\n\n{}", self.hash, self.text.trim_end());
        if self.truncated {
            text.push_str("…\nthe text is cut: ask for a smaller `depth`, or for a headline below\n");
        }
        for child in &self.children {
            let todo = child.todo.as_ref().map(|todo| format!("{todo} ")).unwrap_or_default();
            let _ = writeln!(text, "{}: {todo}{}  {}", child.line, child.title, child.resource_uri);
        }
        text
    }
}

impl OrgTool for GetHeadline {
    type Arguments = HeadlineArguments;
    type Answer = Read;
    const NAME: &'static str = "org_get_headline";
    const TITLE: &'static str = "Read an Org headline";
    const DESCRIPTION: &'static str =
        "Text, properties and children of a headline, or of a file before its first headline.";
    const EXAMPLE: &'static str = r#"{"resourceUri": "org://notes.org/headline/Report", "depth": 1}"#;
    const ALIASES: &'static [(&'static str, &'static str)] =
        &[("resource_uri", "resourceUri"), ("uri", "resourceUri")];

    fn call(files: &Files<'_>, arguments: HeadlineArguments) -> Result<Read, Refusal> {
        Ok(read::read(files, &arguments.resource_uri, arguments.depth)?)
    }
}

/// `org_get_outline`
pub(in super::super) struct GetOutline;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct OutlineAnswer {
    file: String,
    headlines: Vec<Line>,
    total: usize,
    /// The `cursor` for more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    hash: String,
}

impl AnswerText for OutlineAnswer {
    fn text(&self) -> String {
        let mut text = format!("{}: {}, hash {}\n", self.file, plural(self.total, "headline"), self.hash);
        for line in &self.headlines {
            let stars = "*".repeat(line.level.min(30));
            let _ = writeln!(text, "{}: {stars} {}", line.line, line.text());
        }
        super::find::with_next(text, self.next_cursor.as_deref())
    }
}

impl OrgTool for GetOutline {
    type Arguments = OutlineQuery;
    type Answer = OutlineAnswer;
    const NAME: &'static str = "org_get_outline";
    const TITLE: &'static str = "Org outline";
    const DESCRIPTION: &'static str = "The headlines of a file, or below a headline, without their text.";
    const EXAMPLE: &'static str = r#"{"resourceUri": "org://notes.org", "depth": 2}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("resource_uri", "resourceUri"),
        ("uri", "resourceUri"),
        ("nextCursor", "cursor"),
        ("next_cursor", "cursor"),
    ];

    fn call(files: &Files<'_>, query: OutlineQuery) -> Result<OutlineAnswer, Refusal> {
        let limit = query.page.limit.map(|limit| limit.min(PAGE));
        let query = OutlineQuery { page: Page { limit, ..query.page }, ..query };
        let found = outline::outline(files, &query)?;
        Ok(OutlineAnswer {
            file: found.file,
            headlines: found.headlines,
            total: found.total,
            next_cursor: found.next,
            hash: found.hash,
        })
    }
}
