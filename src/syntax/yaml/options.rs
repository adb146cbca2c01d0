/// Whose verdict counts on what is YAML at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// `serde_yaml` 0.9, which is `libyaml`.
    #[default]
    SerdeYaml,
    /// `PyYAML` 6, whose scanner is like `libyaml`'s but takes no tabs between tokens.
    PyYaml,
    /// Whatever `libyaml` or the grammar of YAML 1.2 accepts.
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

/// What a key that stands twice in a mapping means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DuplicateKeys {
    /// The document is wrong.
    #[default]
    Reject,
    /// The last one counts.
    LastWins,
}

/// What becomes of tags outside `tag:yaml.org,2002:`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tags {
    /// `!tag x` is the mapping `{"!tag": x}`.
    #[default]
    Wrap,
    /// `!tag x` is `x`.
    Ignore,
}

/// How much a fragment may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Documents {
    /// One YAML document; a second one is a fault.
    #[default]
    One,
    /// Any number; where there are several the value is the sequence of theirs.
    Any,
}

/// How a fragment is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct YamlOptions {
    /// What is YAML at all.
    pub dialect: Dialect,
    /// Types of plain scalars.
    pub schema: Schema,
    /// Keys that stand twice.
    pub duplicate_keys: DuplicateKeys,
    /// Deepest nesting of collections, the topmost included.
    pub depth: usize,
    /// Most nodes that aliases may add.
    pub alias_nodes: usize,
    /// Whether `<<: *base` brings in the entries of `base`.
    pub merge_keys: bool,
    /// Whether what is valid but likely not meant is observed too.
    pub report_traps: bool,
    /// Tags of the document's own.
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
    /// As `PyYAML`'s `SafeLoader` reads.
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
