/// The parser that decides what is valid YAML.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// `serde_yaml` 0.9, which is `libyaml`.
    #[default]
    SerdeYaml,
    /// `PyYAML` 6, whose scanner is like that of `libyaml` but rejects tabs between tokens.
    PyYaml,
    /// Everything that `libyaml` or the grammar of YAML 1.2 accepts.
    Any,
}

/// How plain scalars get their type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Schema {
    /// The core schema of YAML 1.2, as `serde_yaml` 0.9 reads it: besides the specification it takes
    /// `0b` integers and signs before every base, reads a finite float wherever Rust does, and
    /// refuses integers that fit neither `i64` nor `u64`.
    #[default]
    Core12,
    /// YAML 1.1 as `PyYAML`'s `SafeLoader` reads it: yes/no/on/off, `017`, `12:30`, `1_000`. Dates
    /// stay strings.
    Yaml11,
}

/// The meaning of a duplicate key in a mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DuplicateKeys {
    /// The document is invalid.
    #[default]
    Reject,
    /// The last one wins.
    LastWins,
}

/// How tags outside `tag:yaml.org,2002:` are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tags {
    /// `!tag x` is the mapping `{"!tag": x}`.
    #[default]
    Wrap,
    /// `!tag x` is `x`.
    Ignore,
}

/// Number of YAML documents that a fragment may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Documents {
    /// One YAML document; a second one is an error.
    #[default]
    One,
    /// Any number; the value of several documents is the sequence of their values.
    Any,
}

/// Options for reading a fragment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct YamlOptions {
    /// The YAML dialect.
    pub dialect: Dialect,
    /// Types of plain scalars.
    pub schema: Schema,
    /// Duplicate keys.
    pub duplicate_keys: DuplicateKeys,
    /// Maximum nesting depth of collections, including the outermost.
    pub depth: usize,
    /// Maximum number of nodes that aliases may add.
    pub alias_nodes: usize,
    /// Whether `<<: *base` merges the entries of `base`.
    pub merge_keys: bool,
    /// Whether traps are reported too.
    pub report_traps: bool,
    /// Custom tags.
    pub tags: Tags,
    /// Number of YAML documents.
    pub documents: Documents,
}

impl Default for YamlOptions {
    fn default() -> Self {
        Self {
            dialect: Dialect::default(),
            schema: Schema::default(),
            duplicate_keys: DuplicateKeys::default(),
            depth: 64,
            alias_nodes: 100_000,
            merge_keys: false,
            report_traps: true,
            tags: Tags::default(),
            documents: Documents::default(),
        }
    }
}

impl YamlOptions {
    /// The options of `PyYAML`'s `SafeLoader`.
    pub fn py_yaml() -> Self {
        Self {
            dialect: Dialect::PyYaml,
            schema: Schema::Yaml11,
            duplicate_keys: DuplicateKeys::LastWins,
            merge_keys: true,
            ..Self::default()
        }
    }
}
