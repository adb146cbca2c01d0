//! The server of pages where the program is built without the HTTP server of the feature `mcp`.

use std::{convert::Infallible, io, sync::Arc};

/// A server that shows pages.
#[derive(Debug)]
pub(super) struct PageServer(Infallible);

impl PageServer {
    pub(super) fn start(_: u16) -> io::Result<Self> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "this program is built without the feature `mcp`"))
    }

    pub(super) fn url(&self) -> String {
        match self.0 {}
    }

    pub(super) fn show(&self, _: Vec<Arc<[u8]>>, _: String) {
        match self.0 {}
    }
}
