//! Notifications of changed Org files, to a client of a session and to one that listens on a stream.
#![expect(deprecated, reason = "clients of older protocol versions subscribe in this way")]

use std::{fs, future::Future, path::Path, time::Duration};

use proofmark::internals::service::{HttpOptions, Options, Service, Toolset, serve_http};
use rmcp::{
    ClientHandler, ClientServiceExt, RoleClient, ServiceExt,
    model::{
        CallToolRequestParams, ReadResourceRequestParams, ResourceUpdatedNotificationParam,
        ServerNotification, SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams,
    },
    service::{NotificationContext, RunningService, Subscription},
    transport::StreamableHttpClientTransport,
};
use serde_json::json;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio_util::sync::CancellationToken;

use crate::client::{Protocol, with_root};

const NOTES: &str = "* TODO Report\n** Part\ntext\n* Other\n:PROPERTIES:\n:ID: other-1\n:END:\n";

fn notes() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("notes.org"), NOTES).unwrap();
    folder
}

/// Writes a file in one step, so that no one sees a part of it.
fn put(path: &Path, text: impl AsRef<str>) {
    let new = path.with_extension("tmp");
    fs::write(&new, text.as_ref()).unwrap();
    fs::rename(new, path).unwrap();
}

fn options(root: &Path) -> Options {
    Options { toolsets: vec![Toolset::Org], ..with_root(root) }
}

/// What must come, comes within this time.
async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), what).await.expect("a notification")
}

/// A client that hands on what it is notified of: the URI of a resource, or `list`.
#[derive(Clone)]
struct Ear(UnboundedSender<String>);

impl ClientHandler for Ear {
    async fn on_resource_updated(
        &self,
        params: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let _ = self.0.send(params.uri);
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _ = self.0.send("list".to_owned());
    }
}

async fn session(options: &Options) -> (RunningService<RoleClient, Ear>, UnboundedReceiver<String>) {
    let service = Service::new(options).unwrap();
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move { service.serve(theirs).await.unwrap().waiting().await });
    let (heard, notifications) = mpsc::unbounded_channel();
    let client = Ear(heard).serve_with_lifecycle(ours, Protocol::Sessions.lifecycle()).await.unwrap();
    (client, notifications)
}

#[tokio::test]
async fn a_session_is_notified_of_what_it_subscribed_to() {
    let folder = notes();
    let file = folder.path().join("notes.org");
    let (client, mut notifications) = session(&options(folder.path())).await;
    let capabilities = client.peer_info().unwrap().capabilities.clone();
    let resources = capabilities.resources.unwrap();
    assert_eq!((resources.subscribe, resources.list_changed), (Some(true), Some(true)));
    let uris = ["org://notes.org/headline/Report", "org://id/other-1", "org://later.org"];
    for uri in uris {
        client.subscribe(SubscribeRequestParams::new(uri)).await.unwrap();
    }
    // A change of another part of the file is not one of the headline.
    put(&file, NOTES.replace("* Other", "* TODO Other"));
    assert_eq!(soon(notifications.recv()).await.unwrap(), uris[1]);
    put(&file, NOTES.replace("text", "more text").replace("* Other", "* TODO Other"));
    assert_eq!(soon(notifications.recv()).await.unwrap(), uris[0]);
    put(&folder.path().join("later.org"), "* Later\n");
    assert_eq!(soon(notifications.recv()).await.unwrap(), uris[2]);

    client.unsubscribe(UnsubscribeRequestParams::new(uris[0])).await.unwrap();
    put(&file, NOTES);
    assert_eq!(soon(notifications.recv()).await.unwrap(), uris[1], "and not the other one");
    let change = json!({"resourceUri": uris[1], "currentState": "", "newState": "TODO"});
    let request = CallToolRequestParams::new("org_update_todo_state")
        .with_arguments(change.as_object().unwrap().clone());
    assert_ne!(client.call_tool(request).await.unwrap().is_error, Some(true));
    assert_eq!(soon(notifications.recv()).await.unwrap(), uris[1], "by a tool");
}

#[tokio::test]
async fn a_session_is_notified_of_other_lists_than_the_one_it_has() {
    let folder = notes();
    let (client, mut notifications) = session(&options(folder.path())).await;
    client.list_all_resources().await.unwrap();
    put(&folder.path().join("new.org"), "* New\n");
    assert_eq!(soon(notifications.recv()).await.unwrap(), "list");
    let read = ReadResourceRequestParams::new("org://new.org");
    assert!(client.read_resource(read).await.is_ok());
    fs::remove_file(folder.path().join("new.org")).unwrap();
    assert_eq!(soon(notifications.recv()).await.unwrap(), "list");
}

#[tokio::test]
async fn subscriptions_are_limited_and_checked() {
    let folder = notes();
    let (client, _notifications) = session(&options(folder.path())).await;
    let wrong = client.subscribe(SubscribeRequestParams::new("file:///etc/passwd")).await.unwrap_err();
    assert!(wrong.to_string().contains("is not a resource URI"), "{wrong}");
    for number in 0..100 {
        client.subscribe(SubscribeRequestParams::new(format!("org://{number}.org"))).await.unwrap();
    }
    let one_more = client.subscribe(SubscribeRequestParams::new("org://one.org")).await.unwrap_err();
    assert!(one_more.to_string().contains("more than 100"), "{one_more}");
    client.subscribe(SubscribeRequestParams::new("org://5.org")).await.expect("it is subscribed to already");
}

#[tokio::test]
async fn without_the_tools_for_org_files_nothing_is_promised() {
    let (client, _notifications) = session(&Options::default()).await;
    let resources = client.peer_info().unwrap().capabilities.clone().resources.unwrap();
    assert_eq!((resources.subscribe, resources.list_changed), (None, None));
    assert!(client.subscribe(SubscribeRequestParams::new("org://notes.org")).await.is_err());
}

async fn next(subscription: &mut Subscription) -> String {
    match soon(subscription.next()).await.unwrap().expect("the stream goes on") {
        ServerNotification::ResourceUpdatedNotification(updated) => updated.params.uri,
        ServerNotification::ResourceListChangedNotification(_) => "list".to_owned(),
        other => panic!("{other:?}"),
    }
}

fn filter(uris: &[&str]) -> SubscriptionFilter {
    SubscriptionFilter::builder()
        .resources_list_changed()
        .resource_subscriptions(uris.iter().copied())
        .build()
}

/// Listens to a client's stream while files change.
async fn is_notified(client: &RunningService<RoleClient, ()>, folder: &Path) -> Subscription {
    let wanted = filter(&["org://notes.org/outline", "org://notes.org", "rules://QM001"]);
    let mut stream = client.listen(wanted).await.unwrap();
    let accepted = stream.acknowledged().resource_subscriptions.clone().unwrap();
    assert_eq!(accepted, ["org://notes.org/outline", "org://notes.org"]);
    let first = [next(&mut stream).await, next(&mut stream).await];
    assert_eq!(first, ["org://notes.org", "org://notes.org/outline"], "they may have changed meanwhile");
    put(&folder.join("notes.org"), NOTES.replace("text", "Text"));
    assert_eq!(next(&mut stream).await, "org://notes.org", "the outline is the same");
    fs::rename(folder.join("notes.org"), folder.join("other.org")).unwrap();
    let mut three = [next(&mut stream).await, next(&mut stream).await, next(&mut stream).await];
    three.sort();
    assert_eq!(three, ["list", "org://notes.org", "org://notes.org/outline"]);
    stream
}

#[tokio::test]
async fn a_stream_is_notified_of_what_it_asks_for() {
    let folder = notes();
    let service = Service::new(&options(folder.path())).unwrap();
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move { service.serve(theirs).await.unwrap().waiting().await });
    let client = ().serve_with_lifecycle(ours, Protocol::Stateless.lifecycle()).await.unwrap();
    let mut stream = is_notified(&client, folder.path()).await;
    stream.cancel().await.unwrap();
}

#[tokio::test]
async fn streams_over_http_end_with_the_server() {
    let folder = notes();
    let stop = CancellationToken::new();
    let service = Service::new(&options(folder.path())).unwrap();
    let server = serve_http(service, HttpOptions::loopback(0), stop.clone()).await.unwrap();
    let connect = |protocol: Protocol| {
        let transport = StreamableHttpClientTransport::from_uri(format!("http://{}/mcp", server.address()));
        ().serve_with_lifecycle(transport, protocol.lifecycle())
    };
    let client = connect(Protocol::Stateless).await.unwrap();
    let mut stream = is_notified(&client, folder.path()).await;
    let older = connect(Protocol::Sessions).await.unwrap();
    let resources = older.peer_info().unwrap().capabilities.clone().resources.unwrap();
    assert_eq!(
        (resources.subscribe, resources.list_changed),
        (None, None),
        "there are no sessions over HTTP"
    );
    let refused = older.subscribe(SubscribeRequestParams::new("org://other.org")).await.unwrap_err();
    assert!(refused.to_string().contains("subscriptions/listen"), "{refused}");
    stop.cancel();
    assert!(soon(stream.next()).await.unwrap().is_none());
    server.finished().await.unwrap();
}
