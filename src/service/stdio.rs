use rmcp::{ServiceExt, service::ServerInitializeError};
use tokio_util::sync::CancellationToken;

use super::Service;

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

/// Serves one client over standard input and output until it closes the input or `stop` is cancelled.
/// Only protocol messages are written to standard output.
pub async fn serve_stdio(service: Service, stop: CancellationToken) -> Result<(), StdioError> {
    let transport = rmcp::transport::stdio();
    let running = match service.serve_with_ct(transport, stop).await {
        Ok(running) => running,
        // A client that closes the input at once is not an error.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => return Ok(()),
        Err(error) => return Err(Box::new(error).into()),
    };
    running.waiting().await?;
    Ok(())
}
