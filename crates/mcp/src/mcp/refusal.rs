/// Why a call failed, and what to do instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// One line each.
    pub(super) reasons: Vec<String>,
    /// Whether the arguments are wrong, so that an example helps.
    pub(super) arguments: bool,
    /// The next call to make.
    pub(super) next: Option<String>,
}

impl Refusal {
    /// The arguments are not valid.
    pub(super) fn arguments(reasons: Vec<String>) -> Self {
        Self { reasons, arguments: true, next: None }
    }

    /// The arguments are valid, but what they ask for does not exist or is not allowed.
    pub(super) fn because(reason: impl Into<String>) -> Self {
        Self { reasons: vec![reason.into()], arguments: false, next: None }
    }

    /// Adds the next call to make.
    #[must_use]
    pub(super) fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }
}
