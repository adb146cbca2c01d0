//! The tree that rules see.

use super::{
    babel::{self, Header},
    elements::{Block, Elements, Item, KeywordLine},
    link::{Destination, anchor},
    objects::{Link, LinkFormat, Objects},
    outline::{Drawer, Headline, Outline},
    timestamp::{Stamp, Timestamp},
};
use crate::{
    budget,
    text::{Fragment, Span},
    tree::{Scalar, TreeBuilder},
};

/// What a document was read as.
pub(super) struct Parts<'a, 't> {
    pub(super) outline: &'a Outline<'t>,
    pub(super) elements: &'a Elements<'t>,
    pub(super) objects: &'a Objects<'t>,
}

/// Writes parts of a document into a tree of its host.
struct Writer<'a> {
    builder: &'a mut TreeBuilder,
    fragment: &'a Fragment<'a>,
    /// The fragment's text.
    text: &'a str,
}

/// Writes the tree.
pub(super) fn write(builder: &mut TreeBuilder, fragment: &Fragment<'_>, text: &str, parts: &Parts<'_, '_>) {
    let mut writer = Writer { builder, fragment, text };
    let whole = fragment.host(Span::new(0, text.len()));
    writer.builder.open_mapping(whole);
    writer.settings(parts.outline);
    writer.list("keywords", &parts.elements.keywords, Writer::keyword);
    writer.headlines(parts.outline);
    writer.headers(parts);
    let blocks = &parts.elements.blocks;
    writer.list("blocks", blocks, Writer::block);
    writer.list("drawers", &parts.elements.drawers, |writer, drawer| {
        let span = writer.host(drawer.span);
        writer.mapping(span, |writer| writer.string("name", drawer.name));
    });
    writer.list("items", &parts.elements.items, Writer::item);
    writer.list("tables", &parts.elements.tables, |writer, table| {
        let part = &writer.text[table.span.range()];
        writer.around(part, |writer| {
            writer.integer("rows", table.rows, part);
            writer.integer("columns", table.columns, part);
        });
    });
    writer.names(parts.elements);
    writer.list("results", &parts.elements.results, |writer, results| {
        writer.around(results.text, |writer| {
            writer.string("of", results.of);
            writer.string("name", results.name);
        });
    });
    writer.list("clocks", &parts.elements.clocks, |writer, clock| writer.item_string(clock));
    writer.links(parts);
    writer.list("targets", &parts.objects.targets, |writer, target| {
        writer.around(target.text, |writer| {
            writer.string("name", target.name);
            writer.computed("anchor", &anchor(target.name), target.name);
            writer.boolean("radio", target.is_radio, target.text);
        });
    });
    writer.list("timestamps", &parts.objects.timestamps, Writer::timestamp);
    writer.footnotes(parts);
    writer.list("macros", &parts.objects.macros, |writer, called| {
        writer.around(called.text, |writer| {
            writer.string("name", called.name);
            writer.list("arguments", &called.arguments, |writer, argument| writer.item_string(argument));
        });
    });
    writer.list("citations", &parts.objects.citations, |writer, citation| writer.item_string(citation));
    writer.builder.close(None);
}

impl Writer<'_> {
    fn host(&self, span: Span) -> Span {
        self.fragment.host(span)
    }

    /// The span in the host of a part of the text.
    fn span_of(&self, part: &str) -> Span {
        let start = (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        self.fragment.host(Span::new(start, start + part.len()))
    }

    /// Whether a part is one of the text, and not of a set-up file.
    fn is_own(&self, part: &str) -> bool {
        self.text.as_bytes().as_ptr_range().contains(&part.as_ptr())
    }

    fn mapping(&mut self, span: Span, fill: impl FnOnce(&mut Self)) {
        self.builder.open_mapping(span);
        fill(self);
        self.builder.close(None);
    }

    /// A mapping at a part of the text.
    fn around(&mut self, part: &str, fill: impl FnOnce(&mut Self)) {
        let span = self.span_of(part);
        self.mapping(span, fill);
    }

    fn list<T>(&mut self, key: &'static str, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.builder.key_static(key);
        let whole = self.host(Span::new(0, self.text.len()));
        self.builder.open_sequence(whole);
        for item in items {
            if !budget::charge(1) {
                break;
            }
            write(self, item);
        }
        self.builder.close(None);
    }

    /// A string that is a part of the text.
    fn item_string(&mut self, part: &str) {
        let span = self.span_of(part);
        if self.fragment.is_contiguous() || !part.contains('\n') {
            self.builder.scalar(Scalar::Slice, span);
        } else {
            self.builder.scalar(Scalar::Text(part), span);
        }
    }

    fn string(&mut self, key: &'static str, part: &str) {
        self.builder.key_static(key);
        self.item_string(part);
    }

    fn optional(&mut self, key: &'static str, part: Option<&str>) {
        if let Some(part) = part {
            self.string(key, part);
        }
    }

    /// A string that is not in the text, at a part of it.
    fn computed(&mut self, key: &'static str, value: &str, part: &str) {
        let span = self.span_of(part);
        self.builder.field(key, Scalar::Text(value), span);
    }

    fn boolean(&mut self, key: &'static str, value: bool, part: &str) {
        let span = self.span_of(part);
        self.builder.field(key, Scalar::Bool(value), span);
    }

    fn integer(&mut self, key: &'static str, value: u64, part: &str) {
        let span = self.span_of(part);
        self.builder.field(key, Scalar::Integer(value as i64), span);
    }

    fn settings(&mut self, outline: &Outline<'_>) {
        let settings = &outline.settings;
        self.list("todo", &settings.sequences, |writer, sequence| {
            let own = sequence.value.filter(|value| writer.is_own(value));
            let span = own.map_or_else(Span::default, |value| writer.span_of(value));
            writer.mapping(span, |writer| {
                let name = if sequence.is_type { "type" } else { "sequence" };
                writer.builder.field("type", Scalar::Static(name), span);
                let words = |writer: &mut Self, word: &String| {
                    writer.builder.scalar(Scalar::Text(word), span);
                };
                writer.list("keywords", &sequence.keywords, words);
                writer.list("done", sequence.done(), words);
            });
        });
        self.list("filetags", &settings.filetags, |writer, tag| {
            if writer.is_own(tag) {
                writer.item_string(tag);
            } else {
                writer.builder.scalar(Scalar::Text(tag), Span::default());
            }
        });
        self.properties(outline.properties.as_ref());
    }

    fn keyword(&mut self, keyword: &KeywordLine<'_>) {
        self.around(keyword.text, |writer| {
            writer.computed("key", &keyword.key.to_ascii_uppercase(), keyword.key);
            writer.string("value", keyword.value);
            writer.boolean("affiliated", keyword.affiliated, keyword.key);
            if keyword.key.eq_ignore_ascii_case("OPTIONS") {
                writer.list("options", &options(keyword.value), |writer, (name, value)| {
                    writer.around(name, |writer| {
                        writer.string("name", name);
                        writer.optional("value", *value);
                    });
                });
            }
            if keyword.key.eq_ignore_ascii_case("MACRO") {
                let name = keyword.value.split([' ', '\t']).next().unwrap_or_default();
                writer.string("macro", name);
                writer.string("template", keyword.value[name.len()..].trim());
            }
        });
    }

    fn properties(&mut self, drawer: Option<&Drawer<'_>>) {
        let entries = drawer.map(|drawer| drawer.entries.as_slice()).unwrap_or_default();
        self.list("properties", entries, |writer, (key, value)| {
            writer.around(key, |writer| {
                writer.string("key", key);
                writer.string("value", value);
            });
        });
    }

    fn headlines(&mut self, outline: &Outline<'_>) {
        self.list("headlines", &outline.headlines, |writer, headline| {
            let span = writer.host(headline.span);
            writer.mapping(span, |writer| writer.headline(headline));
        });
    }

    fn headline(&mut self, headline: &Headline<'_>) {
        let stars = &self.text[headline.span.start as usize..][..headline.level];
        let span = self.span_of(stars);
        self.builder.field("level", Scalar::Integer(headline.level as i64), span);
        if headline.inline.is_some() {
            self.boolean("inline", true, stars);
        }
        self.optional("todo", headline.todo);
        self.optional("priority", headline.priority);
        self.boolean("commented", headline.commented, headline.title);
        self.string("title", headline.title);
        self.computed("anchor", &anchor(headline.title), headline.title);
        self.list("tags", &headline.tags, |writer, tag| writer.item_string(tag));
        if let Some(planning) = &headline.planning {
            self.builder.key_static("planning");
            let span = self.host(planning.span);
            self.mapping(span, |writer| {
                for (key, keyword) in
                    [("scheduled", "SCHEDULED"), ("deadline", "DEADLINE"), ("closed", "CLOSED")]
                {
                    if let Some(stamp) = planning.get(keyword).and_then(Timestamp::read) {
                        writer.builder.key_static(key);
                        writer.timestamp(&stamp);
                    }
                }
            });
        }
        self.properties(headline.properties.as_ref());
        let drawer = headline.properties.as_ref();
        self.optional("id", drawer.and_then(|drawer| drawer.get("ID")));
        self.optional("custom_id", drawer.and_then(|drawer| drawer.get("CUSTOM_ID")));
    }

    /// The arguments of code: of blocks, of `#+property:` lines and of properties.
    fn headers(&mut self, parts: &Parts<'_, '_>) {
        let mut all: Vec<(Header<'_>, Option<&str>)> = Vec::new();
        for block in &parts.elements.blocks {
            all.extend(block.headers.iter().map(|header| (*header, block.language)));
        }
        for keyword in parts.elements.keywords.iter().filter(|k| k.key.eq_ignore_ascii_case("PROPERTY")) {
            let (key, value) = keyword.value.split_once([' ', '\t']).unwrap_or((keyword.value, ""));
            property_headers(key, value, &mut all);
        }
        let drawers = parts.outline.headlines.iter().filter_map(|headline| headline.properties.as_ref());
        for (key, value) in drawers.chain(&parts.outline.properties).flat_map(|drawer| &drawer.entries) {
            property_headers(key, value, &mut all);
        }
        self.list("headers", &all, |writer, (header, language)| {
            writer.around(header.name, |writer| {
                writer.string("name", header.name);
                writer.string("value", header.value);
                writer.optional("language", *language);
            });
        });
    }

    fn block(&mut self, block: &Block<'_>) {
        let opener = self.span_of(block.opener);
        self.mapping(opener, |writer| {
            writer.computed("name", &block.name.to_ascii_lowercase(), block.name);
            writer.string("arguments", block.arguments);
            writer.optional("language", block.language);
            writer.optional("label", block.label);
            let content = &writer.text[block.content.clone()];
            writer.list("references", &code_labels(content), |writer, label| writer.item_string(label));
            let last = &writer.text[block.span.range()];
            let closer = last.rsplit('\n').next().unwrap_or_default().trim();
            writer.string("closer", closer);
        });
    }

    fn item(&mut self, item: &Item<'_>) {
        self.around(item.line.bullet, |writer| {
            writer.string("bullet", item.line.bullet);
            writer.integer("indent", item.indent as u64, item.line.bullet);
            if let Some(number) = item.line.number {
                writer.integer("number", number, item.line.bullet);
            }
            if let Some(counter) = item.line.counter {
                writer.integer("counter", counter, item.line.bullet);
            }
            writer.integer("position", item.position, item.line.bullet);
            writer.optional("checkbox", item.line.checkbox);
            writer.optional("term", item.line.term);
        });
    }

    /// What elements are called: by `#+name:` and its older forms.
    fn names(&mut self, elements: &Elements<'_>) {
        let names: Vec<&KeywordLine<'_>> =
            elements.keywords.iter().filter(|keyword| keyword.affiliated && is_name(keyword.key)).collect();
        self.list("names", &names, |writer, keyword| {
            writer.around(keyword.value, |writer| {
                writer.string("name", keyword.value);
                writer.computed("anchor", &anchor(keyword.value), keyword.value);
            });
        });
    }

    fn links(&mut self, parts: &Parts<'_, '_>) {
        let abbreviations: Vec<&str> = parts
            .elements
            .keywords
            .iter()
            .filter(|keyword| keyword.key.eq_ignore_ascii_case("LINK"))
            .filter_map(|keyword| keyword.value.split([' ', '\t']).next())
            .collect();
        self.list("links", &parts.objects.links, |writer, link| writer.link(link, &abbreviations));
    }

    fn link(&mut self, link: &Link<'_>, abbreviations: &[&str]) {
        let destination = Destination::read(link.target, link.format, |name| abbreviations.contains(&name));
        self.around(link.text, |writer| {
            let format = match link.format {
                LinkFormat::Bracket => "bracket",
                LinkFormat::Angle => "angle",
                LinkFormat::Plain => "plain",
            };
            let span = writer.span_of(link.target);
            writer.builder.field("format", Scalar::Static(format), span);
            writer.computed("type", destination.type_name(), link.target);
            writer.string("target", link.target);
            match destination {
                Destination::Typed(_, path) => writer.string("path", path),
                Destination::CustomId(path) | Destination::CodeLabel(path) | Destination::File(path) => {
                    writer.string("path", path);
                }
                Destination::Headline(title) => {
                    writer.string("path", title);
                    writer.computed("headline", &anchor(title), title);
                }
                Destination::Words(words) => {
                    writer.string("path", words);
                    writer.computed("words", &anchor(&words.replace('\\', "")), words);
                }
                Destination::Abbreviated(_) => {}
            }
            if let Some(description) = link.description {
                writer.string("description", description);
                let count = |bracket| description.matches(bracket).count() as u64;
                writer.integer("unclosed", count('[').saturating_sub(count(']')), description);
            }
            writer.string("after", link.after);
        });
    }

    fn timestamp(&mut self, stamp: &Timestamp<'_>) {
        self.around(stamp.text, |writer| {
            writer.string("text", stamp.text);
            writer.stamp(&stamp.start);
            if let Some(canonical) = stamp.canonical() {
                writer.computed("canonical", &canonical, stamp.text);
            }
            if let Some(end) = &stamp.end {
                writer.builder.key_static("end");
                let span = writer.span_of(end.date);
                writer.mapping(span, |writer| writer.stamp(end));
            }
        });
    }

    fn stamp(&mut self, stamp: &Stamp<'_>) {
        let at = stamp.diary.unwrap_or(stamp.date);
        self.boolean("active", stamp.is_active, at);
        if let Some(diary) = stamp.diary {
            self.string("diary", diary);
            return;
        }
        self.string("date", stamp.date);
        self.boolean("real", stamp.is_real(), stamp.date);
        self.optional("weekday", stamp.weekday);
        if let Some(weekday) = stamp.true_weekday() {
            self.computed("true_weekday", weekday, stamp.weekday.unwrap_or(stamp.date));
        }
        self.optional("time", stamp.time);
        self.optional("repeater", stamp.repeater);
        self.optional("warning", stamp.warning);
        self.list("unread", &stamp.unread, |writer, word| writer.item_string(word));
    }

    fn footnotes(&mut self, parts: &Parts<'_, '_>) {
        self.builder.key_static("footnotes");
        let whole = self.host(Span::new(0, self.text.len()));
        self.mapping(whole, |writer| {
            writer.list("definitions", &parts.elements.definitions, |writer, definition| {
                writer.around(definition.text, |writer| writer.string("label", definition.label));
            });
            writer.list("references", &parts.objects.references, |writer, reference| {
                writer.around(reference.text, |writer| {
                    writer.optional("label", reference.label);
                    writer.boolean("inline", reference.is_inline, reference.text);
                });
            });
        });
    }
}

/// Whether a keyword names the element below it.
fn is_name(key: &str) -> bool {
    ["NAME", "DATA", "LABEL", "RESNAME", "SOURCE", "SRCNAME", "TBLNAME"]
        .iter()
        .any(|name| key.eq_ignore_ascii_case(name))
}

/// The arguments in a property `header-args`, `header-args:python` or `header-args+`.
fn property_headers<'t>(key: &'t str, value: &'t str, all: &mut Vec<(Header<'t>, Option<&'t str>)>) {
    let Some(rest) = super::lines::strip_prefix_ignore_case(key, "header-args") else { return };
    let language = rest.strip_prefix(':').map(|language| language.trim_end_matches('+'));
    if language.is_some() || rest.is_empty() || rest == "+" {
        all.extend(babel::headers(value).into_iter().map(|header| (header, language)));
    }
}

/// Items of an OPTIONS line: `toc:nil H:3 ^:{}`.
fn options(value: &str) -> Vec<(&str, Option<&str>)> {
    let mut options = Vec::new();
    let mut rest = value;
    // The name has at least one character, so that `::t` is the item `:`.
    while let Some(first) = rest.chars().next() {
        let Some(colon) = rest[first.len_utf8()..].find(':') else { break };
        let (name, after) = rest.split_at(first.len_utf8() + colon);
        let after = &after[1..];
        let length = match after.strip_prefix('(').and_then(|inner| inner.find(')')) {
            Some(close) => close + 2,
            None => after.find([' ', '\t']).unwrap_or(after.len()),
        };
        options.push((name, Some(&after[..length]).filter(|value| !value.is_empty())));
        rest = after[length..].trim_start_matches([' ', '\t']);
    }
    options
}

/// The labels `(ref:label)` of lines of code.
fn code_labels(content: &str) -> Vec<&str> {
    const MARK: &str = "(ref:";
    let marks = memchr::memmem::find_iter(content.as_bytes(), MARK);
    let label = |at: usize| {
        let rest = &content[at + MARK.len()..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | ' ')))?;
        rest[end..].starts_with(')').then_some(&rest[..end])
    };
    marks.filter_map(label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_split_at_their_names() {
        let read = options("toc:nil ::t d:(not \"LOGBOOK\") H: x");
        assert_eq!(
            read,
            [("toc", Some("nil")), (":", Some("t")), ("d", Some("(not \"LOGBOOK\")")), ("H", None)]
        );
    }

    #[test]
    fn labels_of_code_lines_are_found() {
        assert_eq!(code_labels("x (ref:a)\ny (ref:b c) (ref:d\n"), ["a", "b c"]);
    }
}
