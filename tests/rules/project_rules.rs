//! Rules that compare the documents of a project: the packs `requirements` and `crossrefs` of `examples/packs`.

use serde_json::Value;

use crate::sandbox::Sandbox;

fn project(documents: &[(&str, &str)]) -> Sandbox {
    let packs = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/packs");
    let sandbox = Sandbox::with(documents);
    sandbox.write(
        "proofmark.toml",
        format!("[packs]\npaths = [\"{packs}/requirements\", \"{packs}/crossrefs\"]\n"),
    );
    sandbox
}

fn found(sandbox: &Sandbox, arguments: &[&str]) -> Vec<Value> {
    let run =
        sandbox.run(&[&["check", "--config", "proofmark.toml", "--format", "json"], arguments].concat());
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    report["diagnostics"].as_array().unwrap().clone()
}

#[test]
fn a_requirement_is_defined_once_in_the_project() {
    let sandbox = project(&[
        ("b.md", "text\n\n```yaml\nreq: REQ-1\n```\n"),
        ("a/one.md", "```yaml\nreq: REQ-1\n```\n\n```yaml\nreq: REQ-2\n```\n"),
        ("c.md", "```yaml\nreq: REQ-3\n```\n"),
    ]);
    let all = found(&sandbox, &[]);
    assert_eq!(all.len(), 1, "{all:#?}");
    assert_eq!((&all[0]["id"], &all[0]["location"]["file"]), (&"RQ001".into(), &"b.md".into()));
    let first = &all[0]["related"][0]["location"];
    assert_eq!(
        (&first["file"], &first["line"], &first["column"]),
        (&"a/one.md".into(), &2.into(), &6.into())
    );
    assert_eq!(all[0]["message"], "the requirement `REQ-1` is defined twice, first in `a/one.md`");
    let alone = found(&sandbox, &["b.md"]);
    assert_eq!(alone, all, "one file has the findings that it has among the others");
    assert_eq!(found(&sandbox, &["a", "c.md"]), [Value::Null; 0]);
}

#[test]
fn references_lead_to_ids_of_other_documents() {
    let sandbox = project(&[
        ("a.md", "---\nid: DOC-100\n---\n"),
        ("b.md", "---\nid: DOC-200\ndepends: [DOC-100, DOC-101, DOC-200]\n---\n"),
        ("c.md", "---\nid: DOC-100\n---\n"),
    ]);
    let all = found(&sandbox, &[]);
    let ids: Vec<_> = all
        .iter()
        .map(|one| (one["location"]["file"].as_str().unwrap(), one["id"].as_str().unwrap()))
        .collect();
    assert_eq!(ids, [("b.md", "XR001"), ("c.md", "XR002")]);
    assert_eq!(all[0]["fix_hint"], "did you mean `DOC-100`?");
    assert_eq!(all[0]["related"][0]["location"]["file"], "a.md");
    let run = sandbox.run(&["check", "--config", "proofmark.toml"]);
    assert!(run.stdout.contains("the other document (a.md:2"), "{}", run.stdout);
}

#[test]
fn the_packs_are_well_formed() {
    for pack in ["requirements", "crossrefs", "manifests", "prose", "asyncapi", "dotenv", "gherkin"] {
        let folder = format!("{}/examples/packs/{pack}", env!("CARGO_MANIFEST_DIR"));
        let run = Sandbox::new().run(&["rules", "test", &folder]);
        assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    }
}

#[test]
fn a_record_and_a_buffer_see_the_same_project() {
    let sandbox = project(&[("a.md", "---\nid: DOC-1\n---\n"), ("b.md", "---\nid: DOC-2\n---\n")]);
    let text = "---\nid: DOC-2\ndepends: [DOC-1, DOC-2, DOC-9]\n---\n";
    let record = serde_json::json!({"id": "r", "name": "b.md", "text": text});
    let results = sandbox.batch(&["--config", "proofmark.toml", "--allow-root", "."], &[record]);
    let ids: Vec<_> =
        results[0]["diagnostics"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect();
    assert_eq!(ids, ["XR001"], "{results:#?}");
}

#[test]
fn other_documents_are_read_as_they_are_configured() {
    let sandbox = project(&[
        ("notes.yaml", "---\nid: DOC-100\n---\n"),
        ("b.md", "---\nid: DOC-200\ndepends: [DOC-100]\n---\n"),
    ]);
    let unknown = found(&sandbox, &["b.md"]);
    assert_eq!(unknown[0]["id"], "XR001");
    assert_eq!(
        found(&sandbox, &["b.md", "--kind", "markdown"]),
        unknown,
        "the kind asked for is that of `b.md`"
    );
}

/// The findings about links: file, line and column, and id.
fn links(sandbox: &Sandbox, arguments: &[&str]) -> Vec<String> {
    let findings = found(sandbox, &[arguments, &["--select", "MD137,MD138"]].concat());
    let line = |one: &Value| {
        let at = &one["location"];
        format!(
            "{}:{}:{} {}",
            at["file"].as_str().unwrap(),
            at["line"],
            at["column"],
            one["id"].as_str().unwrap()
        )
    };
    findings.iter().map(line).collect()
}

#[test]
fn links_lead_to_files_and_anchors() {
    let sandbox = Sandbox::with(&[
        ("proofmark.toml", ""),
        ("README.md", "# Top\n\n[a](docs/guide.md#install) [b](docs/guide.md#setup) [c](docs/missing.md)\n"),
        ("docs/guide.md", "# Guide\n\n## Install\n\n![chart](img/chart.png) [up](../README.md#top)\n"),
        ("docs/index.md", "# Index\n\n[g]: guide.md#instal\n\nSee [the guide][g] and [it](./guide.md).\n"),
        ("docs/sub%20folder/x.md", "text\n"),
        ("docs/sub folder/y.md", "[i](../#index) [j](../#no) [k](../guide) [l](../../docs) [m](y.md#no)\n"),
        (
            "other.md",
            "[a](docs/sub%20folder/y.md) [b](https://x.y/z.md) [c](/z.md) [d](mailto:a@b.c) [e]({{ url }})\n",
        ),
    ]);
    let expected = [
        "README.md:3:57 MD137",
        "README.md:3:32 MD138",
        "docs/guide.md:5:10 MD137",
        "docs/index.md:5:5 MD138",
        "docs/sub folder/y.md:1:20 MD138",
        "docs/sub folder/y.md:1:62 MD138",
    ];
    let mut all = links(&sandbox, &[]);
    all.sort_by_key(|found| found.split(' ').next_back().map(str::to_owned));
    all.sort_by_key(|found| found.split(':').next().map(str::to_owned));
    assert_eq!(all, expected);
    let findings = found(&sandbox, &["docs/index.md", "--select", "MD138"]);
    assert_eq!(findings[0]["fix_hint"], "did you mean `#install`?");
    let near = &findings[0]["related"][0]["location"];
    assert_eq!((&near["file"], &near["line"]), (&"docs/guide.md".into(), &3.into()));
}

#[test]
fn links_of_a_buffer_lead_to_the_files_around_it() {
    let sandbox = Sandbox::with(&[("docs/a.md", "# A\n"), ("outside.md", "# Outside\n")]);
    let record = |text: &str| {
        let record = serde_json::json!({"name": "docs/new.md", "text": text});
        let results = sandbox.batch(&["--allow-root", ".", "--select", "MD137,MD138"], &[record]);
        results[0]["diagnostics"].as_array().unwrap().len()
    };
    assert_eq!(record("# New\n\n[a](a.md#a) [b](new.md#new) [c](../outside.md)\n"), 0);
    assert_eq!(record("# New\n\n[a](a.md#b) [b](new.md#old) [c](../missing.md)\n"), 3);
    assert_eq!(
        record("# New\n\n[a](../../../etc/missing.md)\n"),
        0,
        "what is outside of the folders is not looked at"
    );
    let record = serde_json::json!({"kind": "markdown", "text": "[a](missing.md)\n"});
    assert_eq!(sandbox.batch(&["--allow-root", "."], &[record])[0]["diagnostics"], serde_json::json!([]));
}

#[test]
fn a_link_of_a_page_to_a_missing_file_is_one_finding() {
    let page = |link: &str| format!("---\nQUILL: letter\n---\n\n[it]({link})\n");
    let sandbox =
        Sandbox::with(&[("proofmark.toml", ""), ("other.md", "# Other\n"), ("a.md", &page("missing.md"))]);
    let ids = || {
        let found = found(&sandbox, &["a.md", "--select", "MD137,MD138,FM604"]);
        found.iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids(), ["MD137"]);
    sandbox.write("a.md", page("other.md#no"));
    assert_eq!(ids(), ["MD138"]);
    sandbox.write("a.md", page("other.md"));
    assert_eq!(ids(), ["FM604"]);
}

#[test]
fn a_document_looks_up_values_of_others() {
    let sandbox = project(&[
        ("a.md", "---\nid: DOC-1\nreplaced_by: DOC-2\n---\n"),
        ("b.md", "---\nid: DOC-2\nreplaces: DOC-9\nstatus: withdrawn\n---\n"),
        ("c.md", "---\nid: DOC-3\ndepends: [DOC-1, DOC-2]\n---\n"),
    ]);
    let all = found(&sandbox, &[]);
    let ids: Vec<_> = all
        .iter()
        .map(|one| (one["location"]["file"].as_str().unwrap(), one["id"].as_str().unwrap()))
        .collect();
    assert_eq!(ids, [("a.md", "XR004"), ("c.md", "XR003")]);
    assert_eq!(all[0]["fix_hint"], "write `replaces: DOC-1` in `b.md`");
    assert_eq!(all[0]["related"][0]["location"]["file"], "b.md");
    assert_eq!(all[1]["fix_hint"], "see `b.md` for what to use instead");
    assert_eq!(
        found(&sandbox, &["c.md"]),
        all[1..],
        "one file has the findings that it has among the others"
    );
    sandbox.write("b.md", "---\nid: DOC-2\nreplaces: DOC-1\n---\n");
    assert_eq!(found(&sandbox, &[]), [Value::Null; 0]);
}

#[test]
fn labels_select_pods_of_other_files_and_of_the_same_one() {
    let sandbox = Sandbox::with(&[
        ("web.yaml", "kind: Deployment\nspec: {template: {metadata: {labels: {app: web, tier: front}}}}\n"),
        (
            "services.yaml",
            "kind: Service\nspec: {selector: {app: web, tier: front}}\n---\nkind: Service\nspec: {selector: {app: wbe}}\n---\nkind: Service\nspec: {selector: {app: db}}\n---\nkind: Pod\nmetadata: {labels: {app: db}}\n",
        ),
        ("proofmark.toml", "[rules]\nselect = [\"KU309\"]\n[rules.KU309]\nproject = true\n"),
    ]);
    let all = found(&sandbox, &["services.yaml"]);
    let lines: Vec<_> = all.iter().map(|one| one["location"]["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [5], "{all:#?}");
}

#[test]
fn a_finding_in_another_file_names_the_reference_that_leads_there() {
    let sandbox = Sandbox::with(&[
        ("asyncapi.yaml", "channels:\n  a: {messages: {one: {$ref: 'parts/a.yaml#/one'}}}\n"),
        ("parts/a.yaml", "one: {$ref: 'b.yaml#/x'}\n"),
        ("parts/b.yaml", "x:\n  payload: {}\n"),
    ]);
    let packs = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/packs");
    sandbox.write("proofmark.toml", format!("[packs]\npaths = [\"{packs}/asyncapi\"]\n"));
    let all = found(&sandbox, &["asyncapi.yaml"]);
    assert_eq!(all.len(), 1, "{all:#?}");
    assert_eq!((&all[0]["id"], &all[0]["location"]["file"]), (&"AS001".into(), &"parts/b.yaml".into()));
    let related = &all[0]["related"][0]["location"];
    assert_eq!((&related["file"], &related["line"]), (&"asyncapi.yaml".into(), &2.into()));
}
