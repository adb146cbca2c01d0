//! What is certain in the text between actions.

use super::{
    scan::{Action, Role},
    view::Language,
};
use crate::{
    Observation,
    text::{Fragment, SourceId, Span},
};

/// A document that a template engine makes: where its actions are, and which arms of blocks its text is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    language: Language,
    /// The part of the host that it is.
    region: Span,
    /// The actions, in their order, in the host.
    actions: Vec<Span>,
    /// From which offset on the text is in which of the `places`.
    from: Vec<(u32, usize)>,
    /// Arms of blocks, each with the blocks around it.
    places: Vec<Vec<(u32, u32)>>,
}

/// Errors and facts that are about the characters of a line, whatever is around it.
const LOCAL: &[&str] = &[
    "yaml_unquoted_colon",
    "yaml_star_value",
    "yaml_reserved_start",
    "yaml_undefined_tag_handle",
    "yaml_template_braces",
    "yaml_text_after_bracket",
    "yaml_block_scalar_header",
    "yaml_text_after_quote",
    "yaml_invalid_escape",
    "yaml_tab_indentation",
    "yaml_tab_separator",
    "yaml_control_character",
    "yaml_byte_order_mark",
    "json_comment",
    "json_single_quotes",
    "json_bad_string",
    "json_bad_number",
];

/// Facts that depend on what is around them.
const FACTS_ABOUT_PLACES: &[&str] = &[
    "yaml-empty-value",
    "yaml-swallowed-item",
    "yaml-overridden-key",
    "yaml-collection-key",
    "yaml-refused-by-libyaml",
];

/// Errors that other parts of the document decide.
const ABOUT_DOCUMENT: &[&str] = &["yaml_unknown_anchor", "yaml_several_documents", "yaml-refused-by-libyaml"];

impl Template {
    /// The template with these actions of a fragment.
    pub fn new(fragment: &Fragment<'_>, actions: &[Action], language: Language) -> Self {
        let mut template = Self {
            language,
            region: fragment.host(Span::new(0, fragment.text().len())),
            actions: actions.iter().map(|action| fragment.host(action.span)).collect(),
            from: Vec::new(),
            places: vec![Vec::new()],
        };
        let mut current: Vec<(u32, u32)> = Vec::new();
        let mut blocks = 0;
        for (action, span) in actions.iter().zip(template.actions.clone()) {
            match action.role {
                Role::Open | Role::OpenElsewhere => {
                    blocks += 1;
                    current.push((blocks, 0));
                }
                Role::Arm => {
                    if let Some((_, arm)) = current.last_mut() {
                        *arm += 1;
                    }
                }
                Role::Close => {
                    current.pop();
                }
                Role::Output | Role::Silent => continue,
            }
            template.from.push((span.end, template.places.len()));
            template.places.push(current.clone());
        }
        template
    }

    /// The actions, in their order.
    pub fn actions(&self) -> &[Span] {
        &self.actions
    }

    /// The part of the host that it is: all of it, or the front matter.
    pub fn region(&self) -> Span {
        self.region
    }

    /// Whether a part of the text has an action in it, or is one.
    pub fn has_action(&self, span: Span) -> bool {
        let next = self.actions.partition_point(|action| action.end <= span.start);
        let action = self.actions.get(next);
        action.is_some_and(|action| action.start < span.end || action.start == span.start)
    }

    /// Whether nothing but whitespace and comments lies between a part of the text and an action, or an action is in it.
    pub fn is_near_action(&self, text: &str, span: Span) -> bool {
        if self.has_action(span) {
            return true;
        }
        let after = self.after_space(text, span.end as usize);
        let before = self.before_space(text, span.start as usize);
        let starts_at = |offset: usize| self.actions.iter().any(|action| action.start as usize == offset);
        starts_at(after) || self.actions.iter().any(|action| action.end as usize == before)
    }

    /// The offset of what follows whitespace and comments.
    fn after_space(&self, text: &str, mut at: usize) -> usize {
        loop {
            let rest = &text[at..];
            at = text.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', ',']).len();
            let is_comment = self.language != Language::Json && text[at..].starts_with('#');
            if !is_comment {
                return at;
            }
            at = text[at..].find('\n').map_or(text.len(), |end| at + end);
        }
    }

    /// The offset after what precedes whitespace and lines of comments.
    fn before_space(&self, text: &str, mut at: usize) -> usize {
        loop {
            at = text[..at].trim_end_matches([' ', '\t', '\r', '\n', ',']).len();
            let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
            let is_comment = self.language != Language::Json && text[line..at].trim_start().starts_with('#');
            if !is_comment || line == 0 || self.has_action(Span::new(line, at)) {
                return at;
            }
            at = line;
        }
    }

    /// Whether the lines of a part of the text have no action.
    fn is_clear(&self, text: &str, span: Span) -> bool {
        let start = text[..span.start as usize].rfind('\n').map_or(0, |end| end + 1);
        let end = text[span.end as usize..].find('\n').map_or(text.len(), |end| span.end as usize + end);
        !self.has_action(Span::new(start, end))
    }

    /// Whether two positions are in the same arms of the same blocks.
    fn are_together(&self, one: u32, other: u32) -> bool {
        self.place(one) == self.place(other)
    }

    fn place(&self, offset: u32) -> &[(u32, u32)] {
        let index = self.from.partition_point(|(from, _)| *from <= offset);
        let place =
            index.checked_sub(1).and_then(|index| self.from.get(index)).map_or(0, |(_, place)| *place);
        self.places.get(place).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether what was observed holds whatever the actions leave.
    pub fn is_certain(&self, text: &str, seen: &Observation) -> bool {
        let name = seen.name.as_ref();
        if ABOUT_DOCUMENT.contains(&name) || !self.is_clear(text, seen.span) {
            return false;
        }
        let clear = |span: Span| !self.has_action(span) && self.are_together(span.start, seen.span.start);
        if !seen.places.iter().all(|(_, span)| clear(*span)) {
            return false;
        }
        let is_fact = !name.contains('_');
        if LOCAL.contains(&name) || is_fact && !FACTS_ABOUT_PLACES.contains(&name) {
            return true;
        }
        if name.ends_with("duplicate_key") {
            // The reader of TOML does not say where the first one is.
            return self.language != Language::Toml || self.place(seen.span.start).is_empty();
        }
        !self.is_near_action(text, seen.span)
    }

    /// Keeps the observations from `first` on that are certain, and gives whether an error of the syntax was not: what follows it
    /// in the same document may follow from it.
    pub fn retain_certain(&self, text: &str, observations: &mut Vec<Observation>, first: usize) -> bool {
        let own = observations.split_off(first.min(observations.len()));
        let is_syntax = |seen: &Observation| seen.name.contains('_') && !seen.name.ends_with("duplicate_key");
        let (mut certain, mut doubtful) = (Vec::new(), Vec::new());
        for seen in own {
            if seen.source != SourceId(0) || self.is_certain(text, &seen) {
                certain.push(seen);
            } else if is_syntax(&seen) && seen.name != "yaml_unknown_anchor" {
                doubtful.push((seen.span.start, self.document_end(text, seen.span.start)));
            }
        }
        certain.retain(|seen| {
            let at = seen.span.start;
            !doubtful.iter().any(|(start, end)| *start <= at && at < *end)
        });
        observations.append(&mut certain);
        !doubtful.is_empty()
    }

    /// Where the document ends that an offset is in, which is a part of the text in YAML.
    fn document_end(&self, text: &str, at: u32) -> u32 {
        let end = text[at as usize..].find("\n---").filter(|_| self.language == Language::Yaml);
        end.map_or(u32::MAX, |end| at + end as u32)
    }
}
