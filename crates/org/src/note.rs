use super::clock::Moment;

/// A note on a change of a TODO keyword.
#[derive(Debug, Clone, Copy)]
pub struct Note<'n> {
    pub(super) text: &'n str,
    pub(super) now: Moment,
    /// Whether it goes into the drawer `LOGBOOK`, where the file does not say so.
    pub(super) into_drawer: bool,
}
