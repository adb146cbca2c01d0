/// Bounds on a rendered document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Most pages.
    pub(super) pages: usize,
    /// Most bytes of all artifacts.
    pub(super) bytes: u64,
}
