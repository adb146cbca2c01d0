/// Where in a rule file something is written: a path of keys and indices from the rule, which becomes
/// a JSON Pointer only when a fault is reported there.
#[derive(Debug, Clone, Copy)]
pub struct Field<'f> {
    parent: Option<&'f Field<'f>>,
    step: Step<'f>,
}

#[derive(Debug, Clone, Copy)]
enum Step<'f> {
    /// A JSON Pointer to start from.
    Start(&'f str),
    Key(&'f str),
    Index(usize),
}

impl<'f> Field<'f> {
    /// The value at a JSON Pointer.
    pub fn at(pointer: &'f str) -> Self {
        Self { parent: None, step: Step::Start(pointer) }
    }

    /// The value of a key.
    #[must_use]
    pub fn key(&'f self, key: &'f str) -> Self {
        Self { parent: Some(self), step: Step::Key(key) }
    }

    /// An item.
    #[must_use]
    pub fn index(&'f self, index: usize) -> Self {
        Self { parent: Some(self), step: Step::Index(index) }
    }

    /// The JSON Pointer.
    pub fn pointer(&self) -> String {
        let mut pointer = self.parent.map(Field::pointer).unwrap_or_default();
        match self.step {
            Step::Start(start) => pointer.push_str(start),
            Step::Key(key) => {
                pointer.push('/');
                pointer.push_str(&escape(key));
            }
            Step::Index(index) => {
                pointer.push('/');
                pointer.push_str(&index.to_string());
            }
        }
        pointer
    }
}

impl From<&Field<'_>> for String {
    fn from(field: &Field<'_>) -> Self {
        field.pointer()
    }
}

/// A key as a token of a JSON Pointer.
fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_rendered_as_a_json_pointer() {
        let rule = Field::at("/rules/0");
        let (check, item) = (rule.key("check"), rule.key("a/b"));
        assert_eq!(check.key("all").index(2).pointer(), "/rules/0/check/all/2");
        assert_eq!(item.pointer(), "/rules/0/a~1b");
    }
}
