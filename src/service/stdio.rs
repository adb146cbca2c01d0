use std::time::Duration;

use rmcp::{ServiceExt, service::ServerInitializeError};
use tokio::{
    io::{BufReader, DuplexStream},
    sync::mpsc,
};
use tokio_util::sync::CancellationToken;

use super::{Service, lines};

/// Bytes between the lines of the client and the server.
const PIPE: usize = 64 * 1024;

/// Answers to lines that are not messages, until the client reads them.
const WAITING: usize = 16;

/// How long the last answers may take to be written.
const WRITING: Duration = Duration::from_secs(1);

/// Why serving over stdio failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StdioError {
    /// The client did not complete the handshake of the protocol.
    #[error("the client did not complete the MCP handshake: {0}")]
    Beginning(#[from] Box<ServerInitializeError>),
    /// The connection's task failed.
    #[error("serving stopped: {0}")]
    Task(#[from] tokio::task::JoinError),
}

/// Serves one client over standard input and output until it closes the input or `stop` is canceled.
/// Only protocol messages are written to standard output.
pub(crate) async fn serve_stdio(service: Service, stop: CancellationToken) -> Result<(), StdioError> {
    let limit = service.limits().body_bytes;
    let (requests, valid) = tokio::io::duplex(PIPE);
    let (responses, messages) = tokio::io::duplex(PIPE);
    let (answer, answers) = mpsc::channel(WAITING);
    tokio::spawn(lines::sift(BufReader::new(tokio::io::stdin()), valid, limit, answer));
    let writer = tokio::spawn(lines::write(BufReader::new(messages), answers, tokio::io::stdout()));
    let served = serve(service, (requests, responses), stop).await;
    // What was answered is written before the process ends.
    let _ = tokio::time::timeout(WRITING, writer).await;
    served
}

async fn serve(
    service: Service,
    transport: (DuplexStream, DuplexStream),
    stop: CancellationToken,
) -> Result<(), StdioError> {
    let running = match service.serve_with_ct(transport, stop).await {
        Ok(running) => running,
        // A client that closes the input at once is not an error.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => return Ok(()),
        Err(error) => return Err(Box::new(error).into()),
    };
    running.waiting().await?;
    Ok(())
}
