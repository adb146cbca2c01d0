use std::{
    env,
    io::{self, IsTerminal},
    net::{SocketAddr, ToSocketAddrs},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use proofmark::{
    config,
    engine::Validator,
    kinds::Kind,
    service::{self, HttpOptions, Service, Toolset},
};
#[cfg(feature = "render")]
use proofmark::{
    engine,
    kinds::quill::{Problem, SharedQuills},
    render::{Reload, Renderer, Store, Trial, WorkerProgram},
};
use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

use super::{
    Global,
    exit::{Exit, Fault},
    project::{Project, RuleArguments},
};
#[cfg(feature = "render")]
use super::{quills::nameable, watch};

/// Serve agents by the Model Context Protocol, over standard input and output or HTTP
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark serve                              one client, over standard input and output
  proofmark serve --root docs                  the same; files below docs may be read and patched
  proofmark serve --http 127.0.0.1:8000        many clients, at http://127.0.0.1:8000/mcp
  proofmark serve --watch                      take up changed quills while running
  PROOFMARK_LOG=debug proofmark serve          log more; the log goes to standard error

Claude Code:     claude mcp add proofmark -- proofmark serve --root .
Inspector:       npx @modelcontextprotocol/inspector --cli proofmark serve --method tools/list")]
pub(super) struct Arguments {
    /// Listen for HTTP at this address instead
    #[arg(long, value_name = "ADDRESS")]
    http: Option<String>,
    /// Folder that tools may read and write below; the configured ones, else the working directory
    #[arg(long, value_name = "FOLDER")]
    root: Vec<PathBuf>,
    /// Offer no tool that reads or writes files by their path
    #[arg(long, conflicts_with = "root")]
    no_files: bool,
    /// Families of tools that are not offered: learn, repair, quills, mermaid
    #[arg(long, value_delimiter = ',', value_name = "FAMILIES")]
    without: Vec<String>,
    /// Environment variable with the token that HTTP clients must send
    #[arg(long, value_name = "NAME")]
    token_variable: Option<String>,
    /// Take up changes of the quills in folders; of a broken one the last good files stay in use
    #[cfg(feature = "render")]
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    rules: RuleArguments,
}

impl Arguments {
    /// What is logged unless the environment says otherwise: who watches wants to see what is taken up.
    #[cfg_attr(not(feature = "render"), expect(clippy::unused_self, reason = "there is nothing to watch"))]
    fn log(&self) -> &'static str {
        #[cfg(feature = "render")]
        if self.watch {
            return "warn,proofmark=info";
        }
        "warn"
    }
}

pub(super) fn run(arguments: &Arguments, global: &Global) -> Result<Exit, Fault> {
    start_log(arguments.log());
    let project = Arc::new(Project::load(global, &arguments.rules)?);
    let config = &project.workspace.config;
    let http = arguments.http.as_ref().or(config.server.address.as_ref());
    let http = http.map(|address| http_options(address, arguments, &config.server)).transpose()?;
    #[cfg(feature = "render")]
    let watched = arguments.watch.then(|| watch::QuillFolders::look(&config.quills));
    #[cfg(feature = "render")]
    let rendering = rendering(&project);
    #[cfg(feature = "render")]
    let shared = SharedQuills::from(nameable(&rendering.renderer.library()));
    let options = service::Options {
        validator: Arc::clone(project.base()),
        files: Some(Arc::new(Configured(Arc::clone(&project)))),
        roots: roots(arguments, &project),
        #[cfg(feature = "render")]
        quills: shared.clone(),
        #[cfg(not(feature = "render"))]
        quills: project.quills().as_ref().clone().into(),
        #[cfg(feature = "render")]
        rendering: Some(Arc::clone(&rendering)),
        templates: Some(project.workspace.folder.join(&config.templates)),
        limits: limits(&config.server),
        without: without(config.server.without.iter().chain(&arguments.without))?,
    };
    let service = Service::new(&options).map_err(|error| Fault::usage(error.to_string()))?;
    #[cfg(feature = "render")]
    if let Some(watched) = watched {
        watch_quills(watched, project, rendering, shared)?;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(serve(service, http));
    // A reader of standard input that waits for the next line cannot be told to stop.
    runtime.shutdown_background();
    outcome
}

/// What renders documents, with workers started ahead. Without a worker program, calls that need one are
/// refused; the others are answered.
#[cfg(feature = "render")]
fn rendering(project: &Project) -> Arc<service::Rendering> {
    let config = &project.workspace.config;
    let mut render = config.render.clone();
    // A rendering that is stopped in time has an answer; a call that is given up has none.
    let least = Duration::from_millis(100);
    render.timeout = render.timeout.min(config.server.deadline.saturating_sub(least).max(least));
    let library = Arc::new(super::quills::library(project));
    let worker = WorkerProgram::installed(render.worker.as_deref());
    let renderer = Renderer::new(library, &render, worker);
    match renderer.check_worker() {
        Ok(()) => renderer.start_ahead(),
        Err(error) => tracing::warn!("{error}; {}", error.hint()),
    }
    Arc::new(service::Rendering { renderer, store: Store::new(&render) })
}

/// Takes up changed quills from now on, for new calls.
#[cfg(feature = "render")]
fn watch_quills(
    watched: watch::QuillFolders,
    project: Arc<Project>,
    rendering: Arc<service::Rendering>,
    shared: SharedQuills,
) -> Result<(), Fault> {
    rendering.renderer.library().read_ahead();
    let watch = move || {
        let config = &project.workspace.config.quills;
        watched.watch(|| {
            let trial = Trial { date: &engine::today(), limits: project.limits() };
            let reload = rendering.renderer.reload(config, &trial, project.base());
            shared.replace(nameable(&rendering.renderer.library()));
            log_reload(&reload, &project);
        });
    };
    std::thread::Builder::new().name("quills".to_owned()).spawn(watch)?;
    Ok(())
}

#[cfg(feature = "render")]
fn log_reload(reload: &Reload, project: &Project) {
    let judged = reload.problems.iter().flat_map(|problem| match problem {
        Problem::Faults(document) => project.base().judge(document),
        _ => Vec::new(),
    });
    for one in judged.chain(reload.diagnostics.iter().cloned()) {
        let place = &one.location;
        let layout = one.related.first().map(|related| &related.location);
        let behind = layout.map(|at| format!(" ({}:{}:{})", at.file, at.line, at.column));
        let behind = behind.unwrap_or_default();
        tracing::warn!("{}:{}:{}: {} {}{behind}", place.file, place.line, place.column, one.id, one.message);
    }
    for problem in &reload.problems {
        if let Some(what) = super::project::left_out(problem) {
            tracing::warn!("{what}");
        }
    }
    let names = |names: &[String]| names.join(", ");
    if !reload.kept.is_empty() {
        tracing::warn!("quills with faults, kept as they last were: {}", names(&reload.kept));
    }
    if !reload.taken.is_empty() {
        tracing::info!("quills taken up: {}", names(&reload.taken));
    }
    if !reload.removed.is_empty() {
        tracing::info!("quills removed: {}", names(&reload.removed));
    }
}

async fn serve(service: Service, http: Option<HttpOptions>) -> Result<Exit, Fault> {
    let stop = CancellationToken::new();
    tokio::spawn({
        let stop = stop.clone();
        async move {
            signal().await;
            tracing::info!("stopping");
            stop.cancel();
        }
    });
    match http {
        None => service::serve_stdio(service, stop).await.map_err(|error| Fault::usage(error.to_string()))?,
        Some(options) => {
            let server = service::serve_http(service, options, stop).await;
            server.map_err(|error| Fault::usage(error.to_string()))?.finished().await?;
        }
    }
    Ok(Exit::Clean)
}

/// Waits until somebody wants the process to end.
async fn signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

/// Lets the log go to standard error, as lines of JSON where nobody reads along.
fn start_log(usual: &str) {
    let filter = EnvFilter::try_from_env("PROOFMARK_LOG").unwrap_or_else(|_| EnvFilter::new(usual));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    let started =
        if io::stderr().is_terminal() { log.with_ansi(false).try_init() } else { log.json().try_init() };
    // There is a log already only when the process was not begun by `main`.
    let _ = started;
}

fn roots(arguments: &Arguments, project: &Project) -> Vec<PathBuf> {
    let configured = &project.workspace.config.server.roots;
    let chosen = match (arguments.no_files, arguments.root.as_slice(), configured.as_slice()) {
        (true, ..) => return Vec::new(),
        (_, [], []) => return vec![project.workspace.folder.clone()],
        (_, [], configured) => configured,
        (_, given, _) => given,
    };
    chosen.iter().map(|root| project.workspace.folder.join(root)).collect()
}

fn limits(server: &config::Server) -> service::Limits {
    let text_bytes = server.text_bytes;
    let limits = service::Limits::default();
    service::Limits {
        text_bytes,
        diagnostics: server.diagnostics,
        concurrency: server.concurrency,
        deadline: server.deadline,
        // A text may be six times as long as JSON.
        body_bytes: limits.body_bytes.max(text_bytes.saturating_mul(6)),
        ..limits
    }
}

fn without<'n>(names: impl Iterator<Item = &'n String>) -> Result<Vec<Toolset>, Fault> {
    names
        .map(|name| name.parse().map_err(|error: service::ServiceError| Fault::usage(error.to_string())))
        .collect()
}

/// What the project's configuration says of single files.
struct Configured(Arc<Project>);

impl service::FileSettings for Configured {
    fn validator(&self, path: &Path) -> Arc<Validator> {
        self.0.validator_for(&self.0.workspace.configured_name(path))
    }

    fn kind(&self, path: &Path) -> Option<Arc<dyn Kind>> {
        let name = self.0.workspace.configured_name(path);
        self.0.ruleset.kind(self.0.workspace.config.kind_of(&name)?).cloned()
    }
}

fn http_options(address: &str, arguments: &Arguments, server: &config::Server) -> Result<HttpOptions, Fault> {
    let hint = "an address is a host and a port, such as 127.0.0.1:8000";
    let mut found = address.to_socket_addrs().ok().into_iter().flatten();
    let parsed: Option<SocketAddr> = found.next();
    let address = parsed.ok_or_else(|| Fault::with_hint(format!("`{address}` is no address"), hint))?;
    let variable = arguments.token_variable.as_ref().or(server.token_variable.as_ref());
    let token = variable.map(|name| {
        env::var(name).map_err(|_| Fault::usage(format!("the environment variable {name} holds no token")))
    });
    Ok(HttpOptions {
        address,
        hosts: server.allowed_hosts.clone(),
        origins: server.allowed_origins.clone(),
        token: token.transpose()?,
        grace: Duration::from_secs(5),
    })
}
