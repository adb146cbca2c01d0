//! Writing XML: what is opened is closed, and text and values are escaped, because nothing else can be written.

use std::fmt::{Display, Write as _};

use super::escape;

/// XML that is being written.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    out: String,
}

impl Writer {
    /// A part of a file, with the declaration of its version and encoding.
    pub(crate) fn part() -> Self {
        Self { out: "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n".to_owned() }
    }

    /// Begins an element, which gets attributes and then content.
    pub(crate) fn element(&mut self, name: &'static str) -> Element<'_> {
        self.out.push('<');
        self.out.push_str(name);
        Element { writer: self, name }
    }

    /// An element with neither attributes nor content.
    pub(crate) fn mark(&mut self, name: &'static str) {
        self.element(name).empty();
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.out.push_str(&escape(text));
    }

    /// XML that was written, or read and found to be well formed.
    pub(crate) fn written(&mut self, xml: &str) {
        self.out.push_str(xml);
    }

    pub(crate) fn finish(self) -> String {
        self.out
    }
}

/// The start of an element.
#[must_use = "an element is closed by its content"]
pub(crate) struct Element<'w> {
    writer: &'w mut Writer,
    name: &'static str,
}

impl Element<'_> {
    /// Adds an attribute.
    pub(crate) fn with(self, name: &str, value: impl Display) -> Self {
        let value = value.to_string();
        let _ = write!(self.writer.out, " {name}=\"{}\"", escape(&value));
        self
    }

    /// Adds an attribute where there is a value.
    pub(crate) fn with_some(self, name: &str, value: Option<impl Display>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds an attribute with this value where it is true.
    pub(crate) fn with_if(self, is_so: bool, name: &str, value: &str) -> Self {
        self.with_some(name, is_so.then_some(value))
    }

    /// Adds attributes: their names and values.
    pub(crate) fn with_all(self, all: &[(&str, &str)]) -> Self {
        all.iter().fold(self, |element, (name, value)| element.with(name, value))
    }

    /// Ends the element without content.
    pub(crate) fn empty(self) {
        self.writer.out.push_str("/>");
    }

    /// Ends the element with text as its content.
    pub(crate) fn text(self, text: &str) {
        self.content(|writer| writer.text(text));
    }

    /// Ends the element with other elements as its content.
    pub(crate) fn content(self, write: impl FnOnce(&mut Writer)) {
        let Self { writer, name } = self;
        writer.out.push('>');
        write(writer);
        let _ = write!(writer.out, "</{name}>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let mut writer = Writer::part();
        writer.element("a").with("b", "<\"&\u{1}").with_some("c", None::<u32>).content(|writer| {
            writer.mark("d");
            writer.element("e").with("f", 1).text("1 < 2 & 3");
        });
        let text = writer.finish();
        let read = crate::xml::parse(&text).unwrap();
        let root = read.root_element();
        assert_eq!((root.attribute("b"), root.attribute("c")), (Some("<\"&"), None));
        assert_eq!(root.last_element_child().and_then(|last| last.text()), Some("1 < 2 & 3"));
    }
}
