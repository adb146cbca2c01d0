//! Documents that are made by a template engine: Helm and other Go templates, Jinja, ERB, Liquid, Mustache.
//!
//! An *action* is what the engine replaces, such as `{{ .Values.name }}`, `{% if x %}` or `<%= name %>`. What it leaves is not
//! known, so the text between the actions is read as the language of the document, and an error counts only where no action can
//! be the reason. A *block* is what lies between two actions that belong together (`if` and `end`), an *arm* one of its
//! alternatives.

mod certain;
mod evidence;
mod scan;
mod view;

pub use certain::Template;
pub use evidence::shows_template;
pub use scan::{Action, Engine, Role, actions};
pub use view::{Language, view};

#[cfg(test)]
mod tests;
