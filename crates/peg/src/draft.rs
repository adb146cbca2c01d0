use super::charset::Characters;

/// A step, in a form that is easy to work on; numbers are those of other steps.
#[derive(Debug, Clone)]
pub(super) enum Draft {
    /// A character of the set with this number.
    Char(usize),
    Text(String),
    TextAnyCase(String),
    Sequence(Vec<usize>),
    Choice(Vec<usize>),
    Repeat(usize, u32, u32),
    Not(usize),
    And(usize),
    Part {
        name: usize,
        body: usize,
        token: bool,
    },
    Push(usize),
    Peek,
    PeekSlice(i32, Option<i32>),
    PeekAll,
    Pop,
    PopAll,
    Drop,
    Start,
    End,
    /// What another step matches.
    Same(usize),
}

/// A grammar as steps, before they are put into tables.
pub(super) struct Drafts {
    pub(super) steps: Vec<Draft>,
    pub(super) sets: Vec<Characters>,
    pub(super) names: Vec<String>,
    pub(super) starts: Vec<(String, usize)>,
}
