//! The thread that owns the documents. It never validates: it takes messages in their order and hands work over.

use std::{
    collections::HashMap,
    io,
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TrySendError, select, unbounded};
use serde_json::{Value, json};

use crate::{
    budget::Budget,
    editor::{Checked, Client, EXPLAIN, Snapshot, rule_page},
    protocol::{
        ChangeParams, DocumentParams, ErrorCode, Message, Notification, OpenParams, Request, RequestId,
        Response, ResponseError, Uri,
    },
    uri::{path_of, uri_of},
};

use super::{
    Ended, capabilities,
    documents::{Document, Waiting},
    frames::{Incoming, Outgoing},
    pages::Pages,
    projects::{Options, Projects},
    requests::{self, failure, parsed, written},
    tasks::Pool,
};

/// Changes that follow each other faster than this belong together: the first is validated at once, the others when
/// there is a pause.
const BURST: Duration = Duration::from_millis(40);

/// More changes than a document has while it is open.
const REVISIONS: u64 = 1 << 32;

/// How long a change that follows others closely waits for further ones before the document is validated.
const PAUSE: Duration = Duration::from_millis(30);

/// How long a document has not changed until those that are compared with it are validated again.
const QUIET: Duration = Duration::from_millis(500);

/// What comes from the threads that work.
enum Done {
    Checked { uri: String, revision: u64, checked: Box<Checked> },
    Answered { id: RequestId, answer: Result<String, ResponseError> },
}

/// How far a session is.
#[derive(PartialEq, Eq)]
enum State {
    New,
    Running,
    ShutDown,
}

/// The server of one client.
pub(super) struct Server {
    state: State,
    client: Arc<Client>,
    rule_pages: Option<String>,
    pages: Pages,
    projects: Projects,
    documents: HashMap<String, Document>,
    /// Requests without an answer yet, and what ends their work.
    pending: HashMap<RequestId, Arc<AtomicBool>>,
    pool: Pool,
    outgoing: Sender<Outgoing>,
    done: (Sender<Done>, Receiver<Done>),
    asked: i32,
    /// The last revision that a document began with.
    revisions: u64,
}

impl Server {
    pub(super) fn new(options: Options, outgoing: Sender<Outgoing>) -> io::Result<Self> {
        Ok(Self {
            state: State::New,
            client: Arc::default(),
            rule_pages: options.rule_pages.clone(),
            pages: Pages::default(),
            projects: Projects::new(options),
            documents: HashMap::new(),
            pending: HashMap::new(),
            pool: Pool::new()?,
            outgoing,
            done: unbounded(),
            asked: 0,
            revisions: 0,
        })
    }

    /// Runs until the client says `exit` or sends nothing more.
    pub(super) fn run(mut self, received: &Receiver<Incoming>) -> Ended {
        let ended = loop {
            // Everything that has come already counts before a validation begins.
            while let Ok(done) = self.done.1.try_recv() {
                self.finish(done);
            }
            match received.try_recv() {
                Ok(incoming) => match self.take(incoming) {
                    Some(ended) => break ended,
                    None => continue,
                },
                Err(error) if error.is_disconnected() => break self.end(),
                Err(_) => {}
            }
            let wait = self.start_due();
            let worked = self.done.1.clone();
            let next = select! {
                recv(received) -> incoming => incoming.map(Some).map_err(|_| RecvTimeoutError::Disconnected),
                recv(worked) -> done => {
                    if let Ok(done) = done {
                        self.finish(done);
                    }
                    Ok(None)
                }
                default(wait) => Ok(None),
            };
            match next {
                Ok(Some(incoming)) => {
                    if let Some(ended) = self.take(incoming) {
                        break ended;
                    }
                }
                Ok(None) => {}
                Err(_) => break self.end(),
            }
        };
        // Work that no one waits for ends by itself.
        self.pending.values().for_each(|cancelled| cancelled.store(true, Ordering::Relaxed));
        self.documents.values_mut().for_each(Document::supersede);
        ended
    }

    fn end(&self) -> Ended {
        if self.state == State::ShutDown { Ended::Properly } else { Ended::Abruptly }
    }

    /// Takes what came from the client; whether the session has ended.
    fn take(&mut self, incoming: Incoming) -> Option<Ended> {
        match incoming {
            Incoming::Unreadable(why) => self.log(&why),
            Incoming::Message(message) => match *message {
                Message::Request(request) => {
                    let id = request.id.clone();
                    let taken = panic::catch_unwind(AssertUnwindSafe(|| self.request(request)));
                    if taken.is_err() {
                        self.answer(id, Err(failure(ErrorCode::InternalError, "the request has panicked")));
                    }
                }
                Message::Notification(notification) if notification.method == "exit" => {
                    return Some(self.end());
                }
                Message::Notification(notification) => {
                    let taken = panic::catch_unwind(AssertUnwindSafe(|| self.notification(notification)));
                    if taken.is_err() {
                        self.log("a notification has panicked");
                    }
                }
                Message::Response(_) => {}
            },
        }
        None
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        let refusal = match self.state {
            State::New if method != "initialize" => {
                Some((ErrorCode::ServerNotInitialized, "`initialize` comes first"))
            }
            State::ShutDown => Some((ErrorCode::InvalidRequest, "the server has shut down")),
            State::Running if method == "initialize" => {
                Some((ErrorCode::InvalidRequest, "the server is initialized already"))
            }
            _ => None,
        };
        if let Some((code, message)) = refusal {
            return self.answer(id, Err(failure(code, message)));
        }
        match method.as_str() {
            "initialize" => {
                let answer = self.initialize(&params);
                self.answer(id, written(answer));
            }
            "shutdown" => {
                self.state = State::ShutDown;
                self.answer(id, written(Value::Null));
            }
            "workspace/executeCommand" => {
                let answer = self.execute(&params);
                self.answer(id, answer.and_then(written));
            }
            "workspace/textDocumentContent" => {
                let answer = self.content(&params);
                self.answer(id, answer.and_then(written));
            }
            _ => self.ask(id, &method, params),
        }
    }

    /// Has a question about a document answered, after the document was validated.
    fn ask(&mut self, id: RequestId, method: &str, params: Value) {
        let Some(method) = requests::method(method) else {
            let message = format!("`{method}` is not supported");
            return self.answer(id, Err(failure(ErrorCode::MethodNotFound, message)));
        };
        let uri = params.pointer(method.document).and_then(Value::as_str).unwrap_or_default();
        let Some(document) = self.documents.get_mut(uri) else {
            let code = ErrorCode::InvalidParams;
            return self.answer(id, Err(failure(code, "the document is not open")));
        };
        let cancelled = Arc::new(AtomicBool::new(false));
        self.pending.insert(id.clone(), Arc::clone(&cancelled));
        let waiting = Waiting {
            id,
            version: document.version,
            answer: method.answer,
            any_version: method.any_version,
            params,
            cancelled,
        };
        if document.checked.is_some() || !method.needs_result {
            let uri = document.uri.0.clone();
            return self.dispatch(&uri, waiting);
        }
        document.waiting.push(waiting);
        if document.running.is_none() && document.due.is_none() {
            document.due = Some(Instant::now());
        }
    }

    fn dispatch(&mut self, uri: &str, waiting: Waiting) {
        let Some(mut snapshot) = self.snapshot(uri) else { return };
        let Waiting { id, params, answer, cancelled, version, any_version } = waiting;
        if !any_version && version != snapshot.version {
            return self
                .answer(id, Err(failure(ErrorCode::ContentModified, "the document has changed since")));
        }
        snapshot.cancelled = cancelled;
        let done = self.done.0.clone();
        self.pool.run(move || {
            let work = || panic::catch_unwind(AssertUnwindSafe(|| answer(&snapshot, params)));
            let budget = Budget { cancelled: Some(Arc::clone(&snapshot.cancelled)), ..Budget::default() };
            let answer = if snapshot.cancelled.load(Ordering::Relaxed) {
                Err(failure(ErrorCode::RequestCanceled, "canceled"))
            } else {
                budget.spend(work).0.unwrap_or_else(|_| {
                    Err(failure(
                        ErrorCode::InternalError,
                        "the request has panicked: this is a bug in Proofmark",
                    ))
                })
            };
            let _ = done.send(Done::Answered { id, answer });
        });
    }

    fn notification(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        if self.state != State::Running {
            return;
        }
        let taken = match method.as_str() {
            "initialized" => self.initialized(),
            "textDocument/didOpen" => parsed(params).map(|params| self.open(params)),
            "textDocument/didChange" => parsed(params).map(|params| self.change(params)),
            "textDocument/didClose" => parsed(params).map(|params| self.close(&params)),
            "textDocument/didSave" => parsed(params).map(|params: DocumentParams| self.save(&params)),
            "workspace/didChangeWatchedFiles" | "workspace/didChangeConfiguration" => {
                self.reload();
                Ok(())
            }
            "workspace/didChangeWorkspaceFolders" => {
                self.change_folders(&params);
                Ok(())
            }
            "$/cancelRequest" => {
                self.cancel(&params);
                Ok(())
            }
            _ => Ok(()),
        };
        if let Err(error) = taken {
            self.log(&format!("{method}: {}", error.message));
        }
    }

    fn initialize(&mut self, params: &Value) -> Value {
        self.state = State::Running;
        self.client = Arc::new(capabilities::client(params, self.rule_pages.as_deref()));
        let folders = params.get("workspaceFolders").and_then(Value::as_array);
        let named = folders.into_iter().flatten().filter_map(|folder| folder["uri"].as_str());
        let mut folders: Vec<PathBuf> = named.filter_map(|uri| path_of(&Uri(uri.to_owned()))).collect();
        if folders.is_empty() {
            let root = params.get("rootUri").and_then(Value::as_str);
            let root = root.and_then(|uri| path_of(&Uri(uri.to_owned())));
            let root = root.or_else(|| params.get("rootPath").and_then(Value::as_str).map(PathBuf::from));
            folders.extend(root);
        }
        self.projects.set_folders(folders);
        capabilities::server(&self.client)
    }

    /// Asks the client to report changes of files that results depend on.
    #[expect(clippy::unnecessary_wraps, reason = "notifications have one form")]
    fn initialized(&mut self) -> Result<(), ResponseError> {
        if self.client.watches_files {
            // Configurations, of other tools too, packs, quills, bibliographies, and lists of files that are left out.
            let globs = ["**/*.{yaml,yml,json,jsonc,toml,pest,bib}", "**/.*ignore", "**/.env"];
            let watchers: Vec<Value> = globs.iter().map(|glob| json!({"globPattern": glob})).collect();
            let registration = json!({
                "id": "files", "method": "workspace/didChangeWatchedFiles", "registerOptions": {"watchers": watchers},
            });
            self.request_of_client("client/registerCapability", json!({"registrations": [registration]}));
        }
        Ok(())
    }

    fn open(&mut self, params: OpenParams) {
        let uri = params.text_document.uri.0.clone();
        self.revisions += REVISIONS;
        let mut document = Document::new(params.text_document, self.revisions, self.client.unit);
        document.due = Some(Instant::now());
        self.keep_text(&document);
        if let Some(before) = self.documents.insert(uri.clone(), document) {
            self.forget(before);
        }
        self.validate_dependents(&uri, Duration::ZERO);
    }

    fn change(&mut self, params: ChangeParams) {
        let ChangeParams { text_document, content_changes } = params;
        let Some(document) = self.documents.get_mut(&text_document.uri.0) else { return };
        let now = Instant::now();
        let follows = document.changed.replace(now).is_some_and(|before| now - before < BURST);
        document.change(text_document.version, content_changes);
        document.due = Some(if follows { now + PAUSE } else { now });
        if let Some(path) = &document.path {
            self.projects.buffers().set(path, Arc::clone(&document.text));
        }
        self.validate_dependents(&text_document.uri.0, QUIET);
    }

    fn close(&mut self, params: &DocumentParams) {
        let uri = &params.text_document.uri;
        let Some(document) = self.documents.remove(&uri.0) else { return };
        if let Some(path) = &document.path {
            self.projects.buffers().remove(path);
        }
        self.forget(document);
        self.validate_dependents(&uri.0, Duration::ZERO);
        if !self.client.pulls {
            self.notify("textDocument/publishDiagnostics", json!({"uri": uri, "diagnostics": []}));
        }
    }

    fn keep_text(&self, document: &Document) {
        if let Some(path) = &document.path {
            self.projects.buffers().set(path, Arc::clone(&document.text));
        }
    }

    /// Ends the work for a document that is no longer open.
    fn forget(&mut self, mut document: Document) {
        document.supersede();
        for waiting in document.waiting {
            self.answer(waiting.id, Err(failure(ErrorCode::ContentModified, "the document was closed")));
        }
    }

    /// Validates the documents again that include or refer to a file whose text has changed, and after some time those that
    /// are compared with it.
    fn validate_dependents(&mut self, uri: &str, quiet: Duration) {
        let again = Instant::now() + quiet;
        for document in self.documents.values_mut().filter(|other| other.is_compared && other.uri.0 != uri) {
            document.again = Some(again);
        }
        self.validate_again(|document| {
            document.uri.0 != uri && document.reads.iter().any(|file| file.0 == uri)
        });
        self.validate_outdated();
    }

    /// Validates the documents again whose result has been out of date for long enough.
    fn validate_outdated(&mut self) {
        let now = Instant::now();
        self.validate_again(|document| document.again.is_some_and(|again| again <= now));
    }

    /// What others read from the file has changed.
    fn save(&mut self, params: &DocumentParams) {
        let path = path_of(&params.text_document.uri);
        let name = path
            .as_deref()
            .and_then(Path::extension)
            .map(|extension| extension.to_string_lossy().into_owned());
        if ["toml", "yaml", "yml", "json", "pest"].iter().any(|known| name.as_deref() == Some(*known)) {
            return self.reload();
        }
        // Others may refer to what the file declares.
        let uri = &params.text_document.uri;
        self.validate_again(|document| document.uri != *uri);
    }

    fn change_folders(&mut self, params: &Value) {
        let named = |key: &str| {
            let list = params.pointer(&format!("/event/{key}")).and_then(Value::as_array);
            let uris = list.into_iter().flatten().filter_map(|folder| folder["uri"].as_str());
            uris.filter_map(|uri| path_of(&Uri(uri.to_owned()))).collect::<Vec<_>>()
        };
        let removed = named("removed");
        let mut folders = self.projects.folders().to_vec();
        folders.retain(|folder| !removed.contains(folder));
        folders.extend(named("added"));
        self.projects.set_folders(folders);
        self.reload();
    }

    /// Validates the open documents again, with what is in files now.
    fn reload(&mut self) {
        self.projects.reload();
        self.validate_again(|_| true);
    }

    /// Validates some of the documents again.
    fn validate_again(&mut self, is_meant: impl Fn(&Document) -> bool) {
        let mut any = false;
        for document in self.documents.values_mut().filter(|document| is_meant(document)) {
            document.supersede();
            // One that is due already was announced.
            any |= document.due.replace(Instant::now() + PAUSE).is_none();
            document.again = None;
        }
        if any && self.client.pulls && self.client.refreshes {
            self.request_of_client("workspace/diagnostic/refresh", Value::Null);
        }
    }

    fn cancel(&mut self, params: &Value) {
        let Some(id) = params.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok())
        else {
            return;
        };
        let Some(cancelled) = self.pending.get(&id) else { return };
        cancelled.store(true, Ordering::Relaxed);
        for document in self.documents.values_mut() {
            document.waiting.retain(|waiting| waiting.id != id);
        }
        self.answer(id, Err(failure(ErrorCode::RequestCanceled, "canceled")));
    }

    /// Shows the page on a rule.
    fn execute(&mut self, params: &Value) -> Result<Value, ResponseError> {
        let command = params.get("command").and_then(Value::as_str).unwrap_or_default();
        if command != EXPLAIN {
            return Err(failure(ErrorCode::InvalidParams, format!("there is no command `{command}`")));
        }
        let rule = params.pointer("/arguments/0").and_then(Value::as_str).unwrap_or_default();
        let page = self.page(rule)?;
        if self.client.shows_documents {
            let file = self.pages.put(rule, &page).map_err(|error| {
                failure(ErrorCode::RequestFailed, format!("cannot write the page: {error}"))
            })?;
            self.request_of_client("window/showDocument", json!({"uri": uri_of(&file), "takeFocus": true}));
        }
        Ok(page.into())
    }

    /// The text of a page on a rule, for clients that ask for it by its URI.
    fn content(&mut self, params: &Value) -> Result<Value, ResponseError> {
        let uri = params.get("uri").and_then(Value::as_str).unwrap_or_default();
        let rule = uri.rsplit('/').next().and_then(|name| name.strip_suffix(".md")).unwrap_or_default();
        Ok(json!({"text": self.page(rule)?}))
    }

    fn page(&mut self, rule: &str) -> Result<String, ResponseError> {
        let mut places: Vec<Option<PathBuf>> =
            self.documents.values().map(|document| document.path.clone()).collect();
        places.push(None);
        let found = places.into_iter().find_map(|path| {
            let (opened, _) = self.projects.of(path.as_deref());
            let owner = path.as_deref().and_then(|path| opened.project.owner(path).ok());
            rule_page(owner.unwrap_or(&opened.project), rule, false)
        });
        found.ok_or_else(|| failure(ErrorCode::InvalidParams, format!("there is no rule `{rule}`")))
    }

    /// Begins the validations whose time has come; how long to wait for the next.
    fn start_due(&mut self) -> Duration {
        self.validate_outdated();
        let now = Instant::now();
        let is_due =
            |document: &Document| document.running.is_none() && document.due.is_some_and(|due| due <= now);
        let due: Vec<String> = self
            .documents
            .iter()
            .filter(|(_, document)| is_due(document))
            .map(|(uri, _)| uri.clone())
            .collect();
        for uri in due {
            self.start(&uri);
        }
        let waiting = self.documents.values().filter(|document| document.running.is_none());
        let next = waiting.filter_map(|document| document.due);
        let next = next.chain(self.documents.values().filter_map(|document| document.again)).min();
        next.map_or(Duration::from_mins(1), |next| next.saturating_duration_since(now))
    }

    fn start(&mut self, uri: &str) {
        let Some(snapshot) = self.snapshot(uri) else { return };
        let Some(document) = self.documents.get_mut(uri) else { return };
        (document.due, document.again) = (None, None);
        document.running = Some(Arc::clone(&snapshot.cancelled));
        let (uri, revision, done) = (uri.to_owned(), document.revision, self.done.0.clone());
        self.pool.run(move || {
            let _ = done.send(Done::Checked { uri, revision, checked: Box::new(snapshot.check()) });
        });
    }

    fn snapshot(&mut self, uri: &str) -> Option<Snapshot> {
        let document = self.documents.get(uri)?;
        let (opened, problem) = self.projects.of(document.path.as_deref());
        if let Some(problem) = problem {
            self.notify("window/showMessage", json!({"type": 1, "message": problem}));
        }
        let document = self.documents.get(uri)?;
        Some(Snapshot {
            client: Arc::clone(&self.client),
            project: opened.project,
            misconfigured: opened.misconfigured,
            uri: document.uri.clone(),
            path: document.path.clone(),
            language: Arc::clone(&document.language),
            version: document.version,
            text: Arc::clone(&document.text),
            lines: Arc::clone(&document.lines),
            checked: document.checked.clone(),
            read: Arc::clone(&document.read),
            cancelled: Arc::new(AtomicBool::new(false)),
        })
    }

    fn finish(&mut self, done: Done) {
        match done {
            // One that was canceled has its answer.
            Done::Answered { id, answer } if self.pending.contains_key(&id) => self.answer(id, answer),
            Done::Answered { .. } => {}
            Done::Checked { uri, revision, checked } => self.checked(&uri, revision, *checked),
        }
    }

    /// Takes the result of a validation, unless the document has changed since.
    fn checked(&mut self, uri: &str, revision: u64, checked: Checked) {
        let Some(document) = self.documents.get_mut(uri) else { return };
        document.running = None;
        if document.revision != revision {
            document.due.get_or_insert_with(Instant::now);
            return;
        }
        let checked = Arc::new(checked);
        document.checked = Some(Arc::clone(&checked));
        document.reads.clone_from(&checked.reads);
        document.is_compared = checked.is_compared;
        let waiting = std::mem::take(&mut document.waiting);
        if !self.client.pulls {
            let (uri, version) = (document.uri.clone(), document.version);
            let found = &checked.diagnostics;
            let params = format!(r#"{{"uri":{},"version":{version},"diagnostics":{found}}}"#, json!(uri));
            self.send(Outgoing::Notification { method: "textDocument/publishDiagnostics", params });
        }
        for waiting in waiting {
            self.dispatch(uri, waiting);
        }
    }

    /// Answers a request, with JSON.
    fn answer(&mut self, id: RequestId, answer: Result<String, ResponseError>) {
        self.pending.remove(&id);
        self.send(match answer {
            Ok(result) => Outgoing::Answer { id, result },
            Err(error) => Outgoing::from(Message::Response(Response { id, response_result: Err(error) })),
        });
    }

    fn request_of_client(&mut self, method: &str, params: Value) {
        self.asked += 1;
        let id = RequestId::from(format!("proofmark-{}", self.asked));
        self.send_message(Message::Request(Request { id, method: method.to_owned(), params }));
    }

    fn notify(&self, method: &str, params: Value) {
        self.send_message(Message::Notification(Notification { method: method.to_owned(), params }));
    }

    fn log(&self, message: &str) {
        self.notify("window/logMessage", json!({"type": 1, "message": message}));
    }

    fn send_message(&self, message: Message) {
        self.send(Outgoing::from(message));
    }

    /// Has a message written. A client that reads none gets no more.
    fn send(&self, message: Outgoing) {
        if let Err(TrySendError::Full(message)) = self.outgoing.try_send(message) {
            let _ = self.outgoing.send_timeout(message, Duration::from_secs(1));
        }
    }
}
