/// Why a schema cannot be used, and where in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{problem}", if pointer.is_empty() { String::new() } else { format!("`{pointer}`: ") })]
pub struct SchemaError {
    /// JSON Pointer to the keyword or subschema in the schema document.
    pub pointer: String,
    /// What is wrong there.
    pub problem: SchemaProblem,
}

/// What can be wrong with a schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaProblem {
    /// A subschema is neither an object nor a boolean.
    #[error("a schema must be an object, `true` or `false`")]
    NotASchema,
    /// A keyword has a value of the wrong type.
    #[error("expected {0}")]
    Expected(&'static str),
    /// `type` has a name that is not a type.
    #[error("`{0}` is not a type")]
    UnknownType(String),
    /// A regular expression that the linear-time engine does not accept.
    #[error("not a regular expression: {0}")]
    Pattern(String),
    /// A reference to a part that the schema does not have.
    #[error("the schema has nothing at `{0}`")]
    Unresolved(String),
    /// A reference to another schema.
    #[error("`{0}` is outside of this schema; references must stay inside it")]
    Remote(String),
    /// A schema in the schema that has its own identifier.
    #[error("a subschema with its own `$id` is not supported")]
    NestedResource,
    /// A subschema that applies itself to the same value.
    #[error("a `$ref` leads back to itself without a step into the value")]
    Circular,
    /// More subschemas apply to one value, each through another one, than evaluation follows.
    #[error("more than {0} schemas apply to the same value, each through the next")]
    TooDeep(usize),
    /// A `discriminator` without a property.
    #[error("the `discriminator` has no `propertyName`")]
    NoDiscriminatorProperty,
    /// A branch of a union that its discriminator cannot choose.
    #[error("the branch has no constant `{0}` for the `discriminator`")]
    NoDiscriminatorValue(String),
}
