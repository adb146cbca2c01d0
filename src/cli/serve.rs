use std::{
    env,
    io::{self, IsTerminal},
    net::{SocketAddr, ToSocketAddrs},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

#[cfg(feature = "render")]
use crate::{
    calendar,
    project::LeftOut,
    render::{Reload, Renderer, Store, WorkerProgram},
};
use crate::{
    project::{
        Access, Client, Overrides, Project,
        config::{self, Answers},
    },
    service::{self, HttpOptions, Service, Toolset},
};
use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

use super::{
    Global,
    arguments::{EnvironmentArguments, QuillArguments, RuleArguments},
    exit::{Exit, Fault},
    project::open,
};
#[cfg(feature = "render")]
use super::{library::library, watch};

/// Serve agents by the Model Context Protocol, over standard input and output or HTTP
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark serve                              one client, over standard input and output
  proofmark serve --root docs                  the same; files below docs may be read and patched
  proofmark serve --http 127.0.0.1:8000        many clients, at http://127.0.0.1:8000/mcp
  proofmark serve --watch                      reload changed quills while running
  PROOFMARK_LOG=debug proofmark serve          log more; the log goes to standard error

Claude Code:     claude mcp add proofmark -- proofmark serve --root .
Inspector:       npx @modelcontextprotocol/inspector --cli proofmark serve --method tools/list")]
pub(super) struct Arguments {
    /// Listen for HTTP at this address instead
    #[arg(long, value_name = "ADDRESS")]
    http: Option<String>,
    /// Folder that tools may read and write below [default: the configured folders, else the working directory]
    #[arg(long, value_name = "FOLDER")]
    root: Vec<PathBuf>,
    /// Offer no tool that reads or writes files by their path
    #[arg(long, conflicts_with = "root")]
    no_files: bool,
    /// Families of tools to offer besides the core: learn, repair, quills, mermaid, org, quarto [default: learn, repair,
    /// and those that the documents below the folders need]
    #[arg(long, value_delimiter = ',', value_name = "FAMILIES")]
    toolsets: Vec<String>,
    /// What answers of tools consist of [default: both]
    #[arg(long, value_name = "FORM")]
    answers: Option<AnswerForm>,
    /// Families of tools to leave out: learn, repair, quills, mermaid, org, quarto
    #[arg(long, value_delimiter = ',', value_name = "FAMILIES")]
    without: Vec<String>,
    /// Environment variable with the token that HTTP clients must send
    #[arg(long, value_name = "NAME")]
    token_variable: Option<String>,
    /// Reload quills when their files change; a broken quill keeps its last valid version
    #[arg(long)]
    watch: bool,
    /// Dialect of the documents, if their kind has several
    #[arg(long, value_name = "DIALECT")]
    dialect: Option<String>,
    #[command(flatten)]
    environment: EnvironmentArguments,
    #[command(flatten)]
    rules: RuleArguments,
    #[command(flatten)]
    quills: QuillArguments,
}

/// What the answer of a tool consists of.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum AnswerForm {
    /// Text with everything, and structured content
    Both,
    /// Only text
    Text,
    /// Structured content, with its verdict and the next step as text
    Structured,
}

impl From<AnswerForm> for Answers {
    fn from(form: AnswerForm) -> Self {
        match form {
            AnswerForm::Both => Self::Both,
            AnswerForm::Text => Self::Text,
            AnswerForm::Structured => Self::Structured,
        }
    }
}

impl Arguments {
    /// The overrides of the configuration.
    fn overrides(&self) -> Overrides {
        self.quills.with(Overrides {
            client: Client::Service,
            rules: self.rules.overrides(),
            dialect: self.dialect.clone(),
            environment: self.environment.of_elsewhere(),
            access: match (self.no_files, self.root.as_slice()) {
                (true, _) => Access::Below(Vec::new()),
                (false, []) => Access::Configured,
                (false, roots) => Access::Below(roots.to_vec()),
            },
            ..Overrides::default()
        })
    }

    /// What is logged unless the environment says otherwise: who watches wants to see what is reloaded.
    fn log(&self) -> &'static str {
        if self.watch { "warn,proofmark=info" } else { "warn" }
    }
}

pub(super) fn run(arguments: &Arguments, global: &Global) -> Result<Exit, Fault> {
    start_log(arguments.log());
    #[cfg(not(feature = "render"))]
    if arguments.watch {
        return Err(Fault::without_renderer("--watch"));
    }
    let project = Arc::new(open(global, arguments.overrides())?);
    let config = project.config();
    let http = arguments.http.as_ref().or(config.server.address.as_ref());
    let http = http.map(|address| http_options(address, arguments, &config.server)).transpose()?;
    let without = arguments.without.iter().map(|name| name.parse::<Toolset>().map_err(unusable));
    let without = without.collect::<Result<Vec<_>, Fault>>()?;
    let mut options = service::Options::of(Arc::clone(&project)).map_err(unusable)?;
    options.without.extend(without);
    options.answers = arguments.answers.map_or(options.answers, Into::into);
    if !arguments.toolsets.is_empty() {
        let chosen = arguments.toolsets.iter().filter(|name| *name != "core");
        let chosen = chosen.map(|name| name.parse::<Toolset>().map_err(unusable));
        options.toolsets = chosen.collect::<Result<_, Fault>>()?;
    }
    #[cfg(feature = "render")]
    let watched = arguments.watch.then(|| watch::QuillFolders::look(&config.quills));
    #[cfg(feature = "render")]
    let rendering = rendering(&project);
    #[cfg(feature = "render")]
    {
        project.use_quills(rendering.renderer.library().nameable());
        options.rendering = Some(Arc::clone(&rendering));
    }
    #[cfg(not(feature = "render"))]
    super::project::report_left_out(&project);
    let service = Service::new(&options).map_err(unusable)?;
    #[cfg(feature = "render")]
    if let Some(watched) = watched {
        watch_quills(watched, project, rendering)?;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(serve(service, http));
    // A read of standard input that waits for the next line cannot be canceled.
    runtime.shutdown_background();
    outcome
}

/// What renders documents, with workers started ahead. Without a worker program, calls that need one are
/// refused; the others are answered.
#[cfg(feature = "render")]
fn rendering(project: &Project) -> Arc<service::Rendering> {
    let config = project.config();
    let mut render = config.render.clone();
    // A rendering that is stopped in time has an answer; a call that is given up has none.
    let least = Duration::from_millis(100);
    render.timeout = render.timeout.min(config.server.limits.deadline.saturating_sub(least).max(least));
    let library = Arc::new(library(project));
    let worker = WorkerProgram::installed(render.worker.as_deref());
    let renderer = Renderer::new(library, &render, worker);
    match renderer.check_worker() {
        Ok(()) => renderer.start_ahead(),
        Err(error) => tracing::warn!("{error}; {}", error.hint()),
    }
    Arc::new(service::Rendering { renderer, store: Store::new(&render) })
}

/// Reloads changed quills from now on, for new calls.
#[cfg(feature = "render")]
fn watch_quills(
    watched: watch::QuillFolders,
    project: Arc<Project>,
    rendering: Arc<service::Rendering>,
) -> Result<(), Fault> {
    rendering.renderer.library().read_ahead();
    let watch = move || {
        watched.watch(|| {
            let reload = rendering.renderer.reload(&project.config().quills, &project, &calendar::today());
            project.use_quills(rendering.renderer.library().nameable());
            log_reload(&reload, &project);
        });
    };
    std::thread::Builder::new().name("quills".to_owned()).spawn(watch)?;
    Ok(())
}

#[cfg(feature = "render")]
fn log_reload(reload: &Reload, project: &Project) {
    let mut findings = reload.diagnostics.clone();
    for problem in &reload.problems {
        match project.left_out(problem) {
            LeftOut::Findings(found) => findings.extend(found.diagnostics),
            LeftOut::Because(why) => tracing::warn!("{why}"),
        }
    }
    for one in findings {
        let place = &one.location;
        let layout = one.related.first().map(|related| &related.location);
        let layout = layout.map(|at| format!(" ({}:{}:{})", at.file, at.line, at.column));
        let layout = layout.unwrap_or_default();
        tracing::warn!("{}:{}:{}: {} {}{layout}", place.file, place.line, place.column, one.id, one.message);
    }
    let names = |names: &[String]| names.join(", ");
    if !reload.kept.is_empty() {
        tracing::warn!("quills with errors, previous version kept: {}", names(&reload.kept));
    }
    if !reload.taken.is_empty() {
        tracing::info!("quills reloaded: {}", names(&reload.taken));
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

/// Waits for a signal to end the process.
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

/// Lets the log go to standard error, as lines of JSON unless it is a terminal.
fn start_log(usual: &str) {
    let asked = env::var("PROOFMARK_LOG").ok();
    let filter = asked.and_then(|asked| EnvFilter::try_new(own_events(&asked)).ok());
    let filter = filter.unwrap_or_else(|| EnvFilter::new(usual));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    let started =
        if io::stderr().is_terminal() { log.with_ansi(false).try_init() } else { log.json().try_init() };
    // There is a log already only when the process was not begun by `main`.
    let _ = started;
}

/// A level alone is that of the program's own events: the libraries below it log whole messages, with the documents.
fn own_events(asked: &str) -> String {
    let is_level = asked.trim().parse::<tracing::Level>().is_ok();
    if is_level { format!("warn,proofmark={}", asked.trim()) } else { asked.to_owned() }
}

/// A service that cannot be made from what is configured and asked for.
fn unusable(error: service::ServiceError) -> Fault {
    Fault::usage(error.to_string())
}

fn http_options(address: &str, arguments: &Arguments, server: &config::Server) -> Result<HttpOptions, Fault> {
    let hint = "an address is a host and a port, such as 127.0.0.1:8000";
    let mut found = address.to_socket_addrs().ok().into_iter().flatten();
    let parsed: Option<SocketAddr> = found.next();
    let address =
        parsed.ok_or_else(|| Fault::with_hint(format!("`{address}` is not a valid address"), hint))?;
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
