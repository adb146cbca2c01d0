//! The loop of an agent that only applies offered fixes: validate, apply, validate.

use std::collections::BTreeMap;

use proofmark::{
    Ruleset,
    internals::{rules::ENGINE_KIND, service::Options},
};
use serde_json::{Value, json};

use crate::client::{Client, Protocol};

/// Maximum number of rounds of validating and fixing.
const ROUNDS: usize = 5;

/// Number of documents.
const DOCUMENTS: usize = 50;

struct Broken {
    rule: String,
    kind: String,
    text: String,
}

/// Invalid examples of rules, one per rule, taken from all kinds in turn.
fn broken() -> Vec<Broken> {
    let ruleset = Ruleset::builtin();
    let mut by_kind: BTreeMap<String, Vec<Broken>> = BTreeMap::new();
    for rule in ruleset.rules().iter().filter(|rule| rule.enabled) {
        let examples = ruleset.help(rule).examples;
        let own = |sample: &proofmark::internals::rules::Sample| {
            sample.raw.files.is_empty() && sample.raw.run.is_none() && sample.raw.options.is_empty()
        };
        let Some(example) = examples.into_iter().find(|example| example.invalid && own(&example.sample))
        else {
            continue;
        };
        let kind = example.sample.raw.kind.clone().unwrap_or_else(|| rule.kinds[0].clone());
        if let Some(text) = example.sample.text.filter(|_| kind != ENGINE_KIND) {
            by_kind.entry(kind.clone()).or_default().push(Broken { rule: rule.id.clone(), kind, text });
        }
    }
    let mut chosen = Vec::new();
    let mut queues: Vec<std::vec::IntoIter<Broken>> = by_kind.into_values().map(Vec::into_iter).collect();
    while chosen.len() < DOCUMENTS {
        let before = chosen.len();
        for queue in &mut queues {
            chosen.extend(queue.next());
        }
        if chosen.len() == before {
            break;
        }
    }
    chosen.truncate(DOCUMENTS);
    chosen
}

fn offered(answer: &Value, least: &str) -> Vec<Value> {
    let likely = |fix: &Value| fix["applicability"] == "safe" || fix["applicability"] == least;
    let diagnostics = answer["diagnostics"].as_array().unwrap();
    let with_fix =
        diagnostics.iter().filter(|one| one["fixes"].as_array().is_some_and(|f| f.iter().any(likely)));
    with_fix.map(|one| one["fingerprint"].clone()).collect()
}

/// The outcome for a document, with the number of rounds.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Clean(usize),
    Better,
    Stuck,
}

async fn repair(client: &Client, document: &Broken) -> End {
    let Broken { kind, text, .. } = document;
    let mut text = text.clone();
    let mut last = client.get("validate", json!({"text": text, "kind": kind})).await;
    let first_total = last["total"].as_u64();
    for round in 0..=ROUNDS {
        if last["total"] == 0 {
            return End::Clean(round);
        }
        if offered(&last, "unsafe").is_empty() {
            break;
        }
        let fixed = client.get("fix_text", json!({"text": text, "kind": kind, "unsafe": true})).await;
        if fixed["text"] == Value::String(text.clone()) {
            break;
        }
        text = fixed["text"].as_str().unwrap().to_owned();
        let again = json!({"text": text, "kind": kind, "previous": last["result"]});
        last = client.get("validate", again).await;
        assert_eq!(last["result"], fixed["result"], "both tools return the same handle for the text");
    }
    if last["total"].as_u64() < first_total { End::Better } else { End::Stuck }
}

#[tokio::test]
async fn broken_documents_become_clean_with_offered_fixes_only() {
    let client = Client::new(Protocol::Stateless, &Options::default()).await;
    let documents = broken();
    let mut ends: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut clean, mut rounds, mut fixable) = (0, 0, 0);
    for document in &documents {
        let answer = client.get("validate", json!({"text": document.text, "kind": document.kind})).await;
        fixable += usize::from(!offered(&answer, "unsafe").is_empty());
        let end = repair(&client, document).await;
        if let End::Clean(count) = end {
            clean += 1;
            rounds += count;
        }
        ends.entry(format!("{end:?}")).or_default().push(format!("{}/{}", document.kind, document.rule));
    }
    println!(
        "{} broken documents: {fixable} with an offered fix, {clean} clean after {rounds} rounds in total",
        documents.len(),
    );
    for (end, which) in &ends {
        println!("{end}: {} {}", which.len(), which.join(" "));
    }
    assert!(clean * 2 >= fixable, "only {clean} of {fixable} documents with fixes became clean");
}

/// A fix that is applied by its fingerprint has the same effect as the finding's own fix, and harms
/// nothing: one that discards words or adds an error must not be offered as safe or unsafe.
#[tokio::test]
async fn every_offered_fix_can_be_applied_by_its_fingerprint() {
    let client = Client::new(Protocol::Stateless, &Options::default()).await;
    let mut harmful = Vec::new();
    for document in broken() {
        let Broken { kind, text, rule } = &document;
        let answer = client.get("validate", json!({"text": text, "kind": kind})).await;
        for fingerprint in offered(&answer, "unsafe") {
            let arguments = json!({"text": text, "kind": kind, "fixes": [fingerprint]});
            let fixed = client.get("fix_text", arguments).await;
            let is_gone = fixed["delta"]["fixed"].as_array().unwrap().contains(&fingerprint);
            if fixed["ok"] != true || !is_gone {
                harmful.push(format!("{kind} {rule}: {} {text:?}", fixed["next"]));
            }
        }
    }
    assert!(harmful.is_empty(), "{} fixes do harm:\n{}", harmful.len(), harmful.join("\n"));
}
