//! The session layer: the same document with the same configuration has the same findings and fixes through
//! every client.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed expectation fails the test"
)]

mod clients;
mod differences;
mod folder;
#[cfg(feature = "render")]
mod rendering;
#[path = "../support/sandbox.rs"]
mod sandbox;
#[cfg(feature = "mcp")]
mod server;

use std::collections::BTreeSet;

use serde_json::Value;

use self::{
    clients::{CLIENTS, FIXERS, LINES, check, lines},
    folder::{DOCUMENTS, Folder},
};

#[test]
fn every_client_reports_the_same_findings() {
    let folder = Folder::new();
    let mut ids = BTreeSet::new();
    for document in DOCUMENTS {
        let expected = check(&folder, document).expect("a file can be checked");
        ids.extend(expected.iter().map(|finding| finding["id"].as_str().unwrap().to_owned()));
        for (client, findings) in CLIENTS {
            let Some(found) = findings(&folder, document) else { continue };
            assert_eq!(shown(&found), shown(&expected), "{client}: {document}");
        }
    }
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    assert_eq!(ids, folder::IDS, "every part of the configuration has an effect");
}

#[test]
fn clients_that_show_less_show_the_same() {
    let folder = Folder::new();
    for document in DOCUMENTS {
        let expected = lines(&check(&folder, document).expect("a file can be checked"));
        for (client, shown) in LINES {
            let Some(found) = shown(&folder, document) else { continue };
            assert_eq!(found, expected, "{client}: {document}");
        }
    }
}

#[test]
fn every_client_applies_the_same_fixes() {
    let folder = Folder::new();
    let mut changed = 0;
    for document in DOCUMENTS {
        let Some(text) = folder.text(document) else { continue };
        let expected = clients::fix(&folder, document).expect("a file can be fixed");
        changed += usize::from(expected != text);
        for (client, fixed) in FIXERS {
            let Some(fixed) = fixed(&folder, document) else { continue };
            assert_eq!(fixed, expected, "{client}: {document}");
        }
    }
    assert!(changed >= 6, "only {changed} documents have fixes");
}

fn shown(findings: &[Value]) -> String {
    findings.iter().map(|finding| format!("{finding:#}\n")).collect()
}
