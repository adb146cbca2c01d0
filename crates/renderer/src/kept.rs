use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use base64::Engine as _;
use uuid::Uuid;

use super::Format;
use crate::calendar;

/// What addresses start with.
pub(super) const SCHEME: &str = "quillmark://render/";

/// A rendered document that is kept.
#[derive(Debug)]
pub struct Kept {
    pub(super) id: Uuid,
    /// The quill that it was rendered with.
    pub quill: String,
    /// What it is.
    pub format: Format,
    /// The document; of one page for formats of pages.
    pub bytes: Arc<[u8]>,
    /// When it was rendered.
    pub made: SystemTime,
}

impl Kept {
    /// Its address, `quillmark://render/UUID`.
    pub fn uri(&self) -> String {
        format!("{SCHEME}{}", self.id)
    }

    /// The bytes in base 64.
    pub fn base64(&self) -> String {
        base64::engine::general_purpose::STANDARD.encode(&self.bytes)
    }

    /// When it was rendered, as `2026-01-31 12:00:00 UTC`.
    pub fn time(&self) -> String {
        let seconds = self.made.duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs());
        let (day, rest) = (calendar::day(seconds), seconds % 86_400);
        format!("{day} {:02}:{:02}:{:02} UTC", rest / 3600, rest / 60 % 60, rest % 60)
    }
}
