//! Pages of this program for browsers of this machine, with the connections and checks of the service.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    sync::Arc,
    thread,
};

use axum::{
    Router,
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use tokio_util::sync::CancellationToken;

use super::{
    admission::{Admission, admit, from_allowed_origin},
    connections::{self, Bounds},
};

/// What browsers may do with a page: load its script and its pictures from here, and nothing else; no page has it in a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The headers of all answers.
const HEADERS: [(HeaderName, &str); 5] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Most connections at a time: a browser has six.
const CONNECTIONS: usize = 64;

/// Serves pages at a port of this machine, on any free one when it is 0, until the program ends.
///
/// # Errors
/// Errors of the system, such as for a port that is taken.
pub fn serve_pages(port: u16, pages: Router) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let hosts = ["localhost", "127.0.0.1"];
    let origins: Arc<[String]> = hosts.map(|host| format!("http://{host}:{}", address.port())).into();
    let admission = Admission::new(&hosts.map(str::to_owned), 0);
    // The layer that is added last is asked first.
    let router = pages
        .layer(middleware::from_fn(from_this_site))
        .layer(middleware::from_fn_with_state(origins, from_allowed_origin))
        .layer(middleware::from_fn_with_state(admission, admit))
        .layer(middleware::from_fn(with_headers));
    let bounds = Bounds { all: CONNECTIONS, of_address: CONNECTIONS, ..Bounds::default() };
    let serve = move || {
        let serving = async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            connections::accept(listener, router, CancellationToken::new(), bounds).await
        };
        // The program goes on without its pages.
        let _ = runtime.block_on(serving);
    };
    thread::Builder::new().name("pages".to_owned()).spawn(serve)?;
    Ok(address)
}

async fn with_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Refuses what pages of other sites load. A link of theirs may lead to the first page.
async fn from_this_site(request: Request, next: Next) -> Response {
    let is_foreign = sent(request.headers(), "sec-fetch-site").is_some_and(|site| site == "cross-site");
    let is_link = request.uri().path() == "/"
        && sent(request.headers(), "sec-fetch-mode") == Some("navigate")
        && sent(request.headers(), "sec-fetch-dest") == Some("document");
    if is_foreign && !is_link { StatusCode::FORBIDDEN.into_response() } else { next.run(request).await }
}

fn sent<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}
