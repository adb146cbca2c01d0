//! Sections as a part of the tree.

use std::ops::Range;

use super::{Item, List, Page, Section, Table};
use crate::{
    budget,
    tree::{Scalar, TreeBuilder},
};

pub(super) struct Writer<'w, 'a> {
    pub(super) page: &'w Page<'a>,
    pub(super) builder: &'w mut TreeBuilder,
}

impl Writer<'_, '_> {
    pub(super) fn write(mut self, sections: &[Section]) {
        self.list(super::KEY, 0..self.page.text().len(), sections, Self::section);
    }

    fn list<T>(
        &mut self,
        key: &'static str,
        range: Range<usize>,
        items: &[T],
        mut write: impl FnMut(&mut Self, &T),
    ) {
        let span = self.page.span(range);
        self.builder.key_static(key);
        self.builder.open_sequence(span);
        for item in budget::within(items) {
            write(self, item);
        }
        self.builder.close(None);
    }

    fn pieces(&mut self, key: &'static str, range: Range<usize>, pieces: &[Range<usize>]) {
        self.list(key, range, pieces, |writer, piece| writer.page.item(writer.builder, piece.clone()));
    }

    fn section(&mut self, section: &Section) {
        let span = self.page.span(section.range.clone());
        let start = section.range.start..section.range.start;
        self.builder.open_mapping(span);
        let title = section.title.as_ref();
        let place = self.page.span(title.map_or(start.clone(), |(_, range)| range.clone()));
        self.builder.field("level", Scalar::Integer(section.level.into()), place);
        if let Some((title, _)) = title {
            self.builder.field("title", Scalar::Text(title.trim()), place);
        }
        let whole = section.range.clone();
        self.pieces("paragraphs", whole.clone(), &section.paragraphs);
        self.list("lists", whole.clone(), &section.lists, Self::a_list);
        self.list("tables", whole.clone(), &section.tables, Self::table);
        self.pieces("sentences", whole.clone(), &section.sentences);
        self.pieces("code", whole.clone(), &section.code);
        self.list("sections", whole, &section.sections, Self::section);
        self.builder.close(None);
    }

    fn a_list(&mut self, list: &List) {
        let span = self.page.span(list.range.clone());
        self.builder.open_mapping(span);
        self.builder.field("ordered", Scalar::Bool(list.ordered), span);
        self.list("items", list.range.clone(), &list.items, Self::item);
        self.builder.close(None);
    }

    fn item(&mut self, item: &Item) {
        let span = self.page.span(item.range.clone());
        self.builder.open_mapping(span);
        if let Some(text) = &item.text {
            self.page.write(self.builder, "text", text.clone());
        }
        if let Some(done) = item.done {
            self.builder.field("done", Scalar::Bool(done), span);
        }
        self.list("lists", item.range.clone(), &item.lists, Self::a_list);
        self.builder.close(None);
    }

    fn table(&mut self, table: &Table) {
        let span = self.page.span(table.range.clone());
        self.builder.open_mapping(span);
        let (header, rows) =
            table.rows.split_first().map_or((&[][..], &[][..]), |(first, rows)| (first, rows));
        self.pieces("header", table.range.clone(), header);
        self.list("rows", table.range.clone(), rows, |writer, row| {
            let range = match (row.first(), row.last()) {
                (Some(first), Some(last)) => first.start..last.end,
                _ => 0..0,
            };
            let span = writer.page.span(range);
            writer.builder.open_sequence(span);
            for cell in budget::within(row) {
                writer.page.item(writer.builder, cell.clone());
            }
            writer.builder.close(None);
        });
        self.builder.close(None);
    }
}
