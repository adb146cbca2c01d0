use std::{pin::pin, time::Duration};

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

/// How long calls under way may take to finish after the input has ended: longer than the SDK waits for them.
const GRACE: Duration = Duration::from_secs(6);

/// How long the last answers may take to be written.
const WRITING: Duration = Duration::from_secs(1);

/// Why serving over stdio failed.
#[derive(Debug, thiserror::Error)]
pub enum StdioError {
    /// The client did not complete the handshake of the protocol.
    #[error("the client did not complete the MCP handshake: {0}")]
    Beginning(#[from] Box<ServerInitializeError>),
    /// The connection's task failed.
    #[error("serving stopped: {0}")]
    Task(#[from] tokio::task::JoinError),
}

/// Serves one client over standard input and output until it closes the input or `stop` is canceled, and then until
/// the calls under way have their answers. Only protocol messages are written to standard output.
pub async fn serve_stdio(service: Service, stop: CancellationToken) -> Result<(), StdioError> {
    let limit = service.limits().body_bytes;
    let (requests, valid) = tokio::io::duplex(PIPE);
    let (responses, messages) = tokio::io::duplex(PIPE);
    let (answer, answers) = mpsc::channel(WAITING);
    let input = lines::sift(BufReader::new(tokio::io::stdin()), valid, limit, answer);
    // To the server it is as if the client had closed the input.
    let stopped = stop.clone();
    tokio::spawn(async move {
        tokio::select! {
            () = input => {}
            () = stopped.cancelled() => {}
        }
    });
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
    let running = match service.serve(transport).await {
        Ok(running) => running,
        // A client that closes the input at once is not an error.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => return Ok(()),
        Err(error) => return Err(Box::new(error).into()),
    };
    let aborted = running.cancellation_token();
    let mut waiting = pin!(running.waiting());
    tokio::select! {
        ended = waiting.as_mut() => ended?,
        () = async { stop.cancelled().await; tokio::time::sleep(GRACE).await } => {
            tracing::warn!("running calls were aborted");
            aborted.cancel();
            waiting.await?
        }
    };
    Ok(())
}
