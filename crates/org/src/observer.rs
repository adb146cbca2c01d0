//! Which resources have changed.

use std::collections::BTreeMap;

use super::{
    files::{Files, OrgError},
    resource::{self, TODO_STATES},
    uri::Location,
};
use crate::text::Fingerprint;

/// Most resources that a client may observe.
pub const MOST: usize = 100;

/// The resources that a client wants to know of, as it knows them.
#[derive(Debug, Default)]
pub struct Observer {
    seen: BTreeMap<String, Seen>,
    /// The version of the list of files that the client knows, where it wants to know of others.
    list: Option<u64>,
}

/// A resource as the client knows it.
#[derive(Debug)]
struct Seen {
    /// Hash of its content, or of why it cannot be read.
    content: String,
    /// The file that it is in; nothing where another one may have it, too.
    file: Option<String>,
    /// The version of that file, where it is one of those that are listed.
    version: Option<u64>,
}

/// The resources that have changed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// The URIs, as the client has written them.
    pub resources: Vec<String>,
    /// Whether there are other files than before.
    pub list: bool,
}

impl Observer {
    /// Observes a resource, which need not exist yet.
    ///
    /// # Errors
    /// [`OrgError`] for what is not the URI of one, and for too many.
    pub fn add(&mut self, files: &Files<'_>, uri: &str) -> Result<(), OrgError> {
        if self.seen.contains_key(uri) {
            return Ok(());
        }
        if self.seen.len() >= MOST {
            return Err(OrgError::invalid(format!("more than {MOST} resources are subscribed to")));
        }
        let file = match uri {
            TODO_STATES => None,
            uri => Location::parse(uri)?.file().map(|file| files.called(file)),
        };
        let version = file.as_ref().and_then(|file| files.version_of(file));
        self.seen.insert(uri.to_owned(), Seen { content: content(files, uri), file, version });
        Ok(())
    }

    /// Observes a resource that may have changed since the client has asked for it: [`Self::changed`] reports it once.
    ///
    /// # Errors
    /// As for [`Self::add`].
    pub fn add_unseen(&mut self, files: &Files<'_>, uri: &str) -> Result<(), OrgError> {
        self.add(files, uri)?;
        if let Some(seen) = self.seen.get_mut(uri) {
            *seen = Seen { content: String::new(), file: seen.file.take(), version: None };
        }
        Ok(())
    }

    /// Ends observing a resource.
    pub fn remove(&mut self, uri: &str) {
        self.seen.remove(uri);
    }

    /// Observes which files there are.
    pub fn add_list(&mut self, files: &Files<'_>) {
        self.list = Some(files.versions().list);
    }

    /// Whether a resource is in a file that is not listed: that of a symbolic link, or one that a walk leaves out. The
    /// versions say nothing of its changes.
    pub fn has_unlisted(&self) -> bool {
        self.seen.values().any(|seen| seen.file.is_some() && seen.version.is_none())
    }

    /// What has changed since the last time.
    pub fn changed(&mut self, files: &Files<'_>) -> Changed {
        let mut changed = Changed::default();
        let now = files.versions();
        if let Some(known) = &mut self.list {
            changed.list = *known != now.list;
            *known = now.list;
        }
        for (uri, seen) in &mut self.seen {
            let version = seen.file.as_ref().and_then(|file| files.version_of(file));
            if version.is_some() && version == seen.version {
                continue;
            }
            seen.version = version;
            let content = content(files, uri);
            if content != seen.content {
                seen.content = content;
                changed.resources.push(uri.clone());
            }
        }
        changed
    }
}

/// Whether a string is the URI of a resource, which need not exist.
pub fn is_resource(uri: &str) -> bool {
    uri == TODO_STATES || Location::parse(uri).is_ok()
}

fn content(files: &Files<'_>, uri: &str) -> String {
    let mut hash = Fingerprint::new();
    match resource::read(files, uri) {
        Ok(resource) => hash.add(&resource.text),
        Err(error) => hash.add("").add(&error.to_string()),
    };
    hash.hex()
}
