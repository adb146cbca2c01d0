//! The report on a document's diagrams, and the verdicts that Mermaid's own tool adds.

use std::{sync::Arc, time::Duration};

use proofmark::{
    Kind, Outcome, ParseOptions, Ruleset, Settings, Source, Validator,
    internals::{
        diagrams::{self, DiagramReport, IssueType, MermaidCli, MermaidCliError},
        kinds::{markdown::Markdown, mermaid::Mermaid},
    },
};

const PAGE: &str = "# Title\n\n```mermaid\ngraph TD\n  A --> B\n```\n\n```{mermaid}\nsequenceDiagram\n  A->>B: hi\n  \
                    loop x\n  A->>B: ho\n```\n";

fn validated(kind: &dyn Kind, text: &str) -> (Outcome, Arc<Ruleset>) {
    let ruleset = Ruleset::builtin();
    let validator = Validator::new(Arc::clone(&ruleset), Settings::default());
    let source = Arc::new(Source::new("page.md", text));
    (validator.validate(&source, kind, &ParseOptions::default()), ruleset)
}

fn report(kind: &dyn Kind, text: &str, strict: bool) -> DiagramReport {
    let (outcome, ruleset) = validated(kind, text);
    diagrams::report(&outcome, &ruleset, strict, Duration::from_millis(2))
}

#[test]
fn every_block_has_a_result_with_lines_in_the_page_and_in_the_block() {
    let report = report(&Markdown, PAGE, false);
    assert!(!report.success);
    assert_eq!((report.total_blocks, report.valid_blocks, report.invalid_blocks), (2, 1, 1));
    let [good, bad] = report.results.as_slice() else { panic!("two blocks") };
    assert!(good.is_valid && good.error_message.is_none());
    assert_eq!((good.start_line, good.end_line, good.diagram_type.as_str()), (3, 6, "flowchart"));
    assert_eq!((bad.start_line, bad.end_line, bad.error_line), (8, 13, Some(3)));
    assert_eq!(bad.code, Some("MERMAID_VALIDATION_FAILED"));
    assert_eq!(report.metadata.total_validation_time_ms, 2);
}

#[test]
fn a_diagram_file_is_one_block() {
    let report = report(&Mermaid, "graph TD\n  A[x --> B\n", false);
    assert_eq!(
        (report.total_blocks, report.results[0].start_line, report.results[0].error_line),
        (1, 1, Some(2))
    );
}

#[test]
fn an_unclosed_fence_is_an_issue_at_its_line() {
    let report = report(&Markdown, "text\n\n```mermaid\ngraph TD\nA --> B\n", false);
    assert_eq!(report.total_blocks, 1);
    let issue = &report.unblocked_issues[0];
    assert_eq!(
        (issue.line, issue.issue_type, issue.context.as_str()),
        (3, IssueType::Unclosed, "```mermaid")
    );
}

#[test]
fn issues_outside_of_blocks_have_a_type_and_are_reported_once_per_line() {
    let text = "```mermiad\ngraph TD\n  A --> B\n```\n\n```\nerDiagram\n  A ||--o{ B : has\n```\n\ngraph TD\nA --> B\n";
    let report = report(&Markdown, text, false);
    let issues: Vec<_> = report
        .unblocked_issues
        .iter()
        .map(|i| (i.line, i.issue_type, i.severity, i.keyword.as_deref()))
        .collect();
    let expected = [
        (1, IssueType::Typo, "error", None),
        (6, IssueType::Malformed, "error", None),
        (11, IssueType::Unblocked, "warning", Some("graph")),
        (12, IssueType::Unblocked, "warning", None),
    ];
    assert_eq!(issues, expected);
    assert!(!report.success);
}

#[test]
fn strict_mode_treats_warnings_as_errors() {
    let text = "```mermaid\nstateDiagram-v2\n  A => B\n```\n";
    let (lax, strict) = (report(&Markdown, text, false), report(&Markdown, text, true));
    assert!(!lax.results[0].warnings.is_empty(), "the arrow is read as a state");
    assert!(lax.success && lax.results[0].is_valid);
    assert!(!strict.success && !strict.results[0].is_valid);
}

#[test]
fn a_missing_tool_is_reported_and_changes_no_verdict() {
    let (outcome, ruleset) = validated(&Markdown, PAGE);
    let mut report = diagrams::report(&outcome, &ruleset, false, Duration::ZERO);
    let before = report.results.clone();
    diagrams::cross_check(&mut report, &outcome, &MermaidCli::find(&|_| None));
    assert_eq!(report.results, before);
    assert_eq!(report.validation_engine, "native");
    assert_eq!(report.engine_error.unwrap().code, "MERMAID_CLI_NOT_FOUND");
}

#[cfg(unix)]
#[test]
fn diagrams_rejected_by_the_tool_are_invalid_and_a_hanging_tool_is_stopped() {
    use std::{fs, os::unix::fs::PermissionsExt};
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("mmdc");
    let script =
        "#!/bin/sh\ncase \"$(cat)\" in *'A --> B'*) echo 'Parse error on line 2:' >&2; exit 1;; esac\n";
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = program.to_str().unwrap().to_owned();
    let tool = MermaidCli::find(&|name| (name == "MERMAID_CLI_PATH").then(|| path.clone())).unwrap();
    let (outcome, ruleset) = validated(&Markdown, PAGE);
    let mut report = diagrams::report(&outcome, &ruleset, false, Duration::ZERO);
    diagrams::cross_check(&mut report, &outcome, &Ok(tool));
    assert_eq!((report.valid_blocks, report.invalid_blocks, report.validation_engine), (0, 2, "mermaid-cli"));
    assert_eq!(report.results[0].error_message.as_deref(), Some("mermaid-cli: Parse error on line 2:"));

    fs::write(&program, "#!/bin/sh\nexec sleep 600\n").unwrap();
    let tool = MermaidCli { program, timeout: Duration::from_millis(50), total: Duration::MAX };
    assert!(matches!(tool.fault("graph TD"), Err(MermaidCliError::Timeout(_))));
    let tool = MermaidCli { timeout: Duration::from_mins(1), total: Duration::from_millis(50), ..tool };
    let mut report = diagrams::report(&outcome, &ruleset, false, Duration::ZERO);
    diagrams::cross_check(&mut report, &outcome, &Ok(tool));
    let error = report.engine_error.unwrap();
    assert_eq!((error.code, report.validation_engine), ("MERMAID_CLI_TIMEOUT", "native"));
    assert!(error.message.contains("0 of 2 diagrams in 50 ms"), "{}", error.message);
}

#[cfg(unix)]
#[test]
fn what_the_tool_has_started_ends_with_it() {
    use std::{fs, os::unix::fs::PermissionsExt, process::Command, time::Instant};
    let folder = tempfile::tempdir().unwrap();
    let (program, pipe) = (folder.path().join("mmdc"), folder.path().join("pipe"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let run = |last: &str| {
        let script = format!("#!/bin/sh\n( exec sleep 30 ) 3> '{}' &\n{last}\n", pipe.display());
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let (path, started) = (pipe.clone(), Instant::now());
        // The end of the pipe is read when no process has it open any more.
        let ended = std::thread::spawn(move || fs::read(path));
        let tool =
            MermaidCli { program: program.clone(), timeout: Duration::from_secs(2), total: Duration::MAX };
        let fault = tool.fault("graph TD");
        ended.join().unwrap().unwrap();
        assert!(started.elapsed() < Duration::from_secs(20), "{last}");
        fault
    };
    assert!(matches!(run("exec sleep 30"), Err(MermaidCliError::Timeout(_))));
    assert_eq!(run("echo wrong >&2; sleep 0.2; exit 1"), Ok(Some("wrong".to_owned())));
    assert_eq!(run("sleep 0.2"), Ok(None));
}

#[test]
fn clients_of_a_service_use_the_tool_where_it_is_allowed() {
    assert_eq!(MermaidCli::find_allowed(false, &|_| None).unwrap_err().code(), "MERMAID_CLI_NOT_ALLOWED");
    assert_eq!(MermaidCli::find_allowed(true, &|_| None).unwrap_err().code(), "MERMAID_CLI_NOT_FOUND");
    let program = std::env::current_exe().unwrap().to_str().unwrap().to_owned();
    let named = |name: &str| (name == "MERMAID_CLI_PATH").then(|| program.clone());
    assert!(MermaidCli::find_allowed(false, &named).is_ok());
}
