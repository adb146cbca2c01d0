//! The outline as data for clients.

use serde::Serialize;
use serde_json::{Value, to_value};

use super::{
    outline::{Drawer, Headline, Outline},
    setup::Setup,
};

/// The outline of a document.
#[derive(Serialize)]
struct Exported<'a> {
    todo: Todo<'a>,
    filetags: &'a [&'a str],
    file_properties: &'a [(&'a str, &'a str)],
    headlines: Vec<ExportedHeadline<'a>>,
}

#[derive(Serialize)]
struct Todo<'a> {
    sequences: Vec<ExportedSequence<'a>>,
}

#[derive(Serialize)]
struct ExportedSequence<'a> {
    r#type: &'static str,
    keywords: &'a [String],
    done: &'a [String],
}

#[derive(Serialize)]
struct ExportedHeadline<'a> {
    line: u32,
    end_line: u32,
    level: usize,
    /// Whether it is an inline task.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    inline: bool,
    todo: Option<&'a str>,
    priority: Option<&'a str>,
    commented: bool,
    title: &'a str,
    tags: &'a [&'a str],
    all_tags: Vec<&'a str>,
    id: Option<&'a str>,
    scheduled: Option<&'a str>,
    deadline: Option<&'a str>,
    closed: Option<&'a str>,
    properties: &'a [(&'a str, &'a str)],
}

/// The outline of a document as JSON.
pub fn outline(text: &str, setup: &Setup) -> Option<Value> {
    let outline = Outline::read_with(text, setup);
    let sequences = outline.settings.sequences.iter().map(|sequence| ExportedSequence {
        r#type: if sequence.is_type { "type" } else { "sequence" },
        keywords: &sequence.keywords,
        done: sequence.done(),
    });
    let headlines = outline.headlines.iter().enumerate();
    let exported = Exported {
        todo: Todo { sequences: sequences.collect() },
        filetags: &outline.settings.filetags,
        file_properties: entries(outline.properties.as_ref()),
        headlines: headlines.map(|(index, headline)| exported(headline, outline.all_tags(index))).collect(),
    };
    to_value(exported).ok()
}

fn exported<'a>(headline: &'a Headline<'a>, all_tags: Vec<&'a str>) -> ExportedHeadline<'a> {
    let dated = |keyword| headline.planning.as_ref().and_then(|planning| planning.get(keyword));
    ExportedHeadline {
        line: headline.line,
        end_line: headline.end_line,
        level: headline.level,
        inline: headline.inline.is_some(),
        todo: headline.todo,
        priority: headline.priority,
        commented: headline.commented,
        title: headline.title,
        tags: &headline.tags,
        all_tags,
        id: headline.properties.as_ref().and_then(|drawer| drawer.get("ID")),
        scheduled: dated("SCHEDULED"),
        deadline: dated("DEADLINE"),
        closed: dated("CLOSED"),
        properties: entries(headline.properties.as_ref()),
    }
}

fn entries<'a>(drawer: Option<&'a Drawer<'a>>) -> &'a [(&'a str, &'a str)] {
    drawer.map(|drawer| drawer.entries.as_slice()).unwrap_or_default()
}
