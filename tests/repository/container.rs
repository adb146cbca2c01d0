//! The container: what its description promises, and, where it can be built, that it does so.
#![allow(clippy::print_stderr, reason = "what was skipped or counted is shown")]

use std::{
    path::Path,
    process::{Command, Stdio},
};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The instructions, with their continued lines joined.
fn instructions() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("Dockerfile")).unwrap().replace("\\\n", " ");
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn the_image_has_both_programs_pandoc_and_a_user_without_rights() {
    let all = instructions();
    let last = all.iter().rposition(|line| line.starts_with("FROM ")).expect("a stage");
    let image = &all[last..];
    let has = |part: &str| image.iter().any(|line| line.contains(part));
    assert!(last > 0, "what builds the programs is not part of the image");
    assert!(has("COPY --from=build") && has("--no-install-recommends pandoc"), "{image:?}");
    let user = image.iter().find_map(|line| line.strip_prefix("USER ")).expect("a user");
    let ids: Vec<u32> =
        user.split(':').map(|id| id.parse().expect("a number, which needs no lookup")).collect();
    assert!(ids.len() == 2 && !ids.contains(&0), "{user}");
    let after = image.iter().skip_while(|line| !line.starts_with("USER ")).skip(1);
    assert!(after.clone().all(|line| !line.starts_with("RUN ") && !line.starts_with("USER ")), "{image:?}");
    for line in &all {
        assert!(!line.starts_with("ADD ") && !line.contains("curl "), "nothing is fetched unchecked: {line}");
        let is_secret = (line.starts_with("ARG ") || line.starts_with("ENV ")) && line.contains("TOKEN");
        assert!(!is_secret, "the token is not part of the image: {line}");
    }
    let build = all[..last].join("\n");
    assert!(build.contains("--locked") && build.contains("--package proofmark-render"), "{build}");
}

#[test]
fn the_image_is_built_with_the_version_that_the_packages_need() {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let needed = manifest.lines().find_map(|line| line.strip_prefix("rust-version = ")).unwrap();
    let from = instructions().into_iter().find(|line| line.contains(" AS build")).unwrap();
    assert!(from.starts_with(&format!("FROM rust:{}-", needed.trim_matches('"'))), "{from}, {needed}");
}

/// The command of what builds images, where it works and the long build is asked for.
fn builder() -> Option<&'static str> {
    if std::env::var_os("PROOFMARK_TEST_CONTAINER").is_none() {
        eprintln!(
            "SKIPPED: PROOFMARK_TEST_CONTAINER is not set; building the image compiles the layout engine"
        );
        return None;
    }
    let works = |program: &&str| {
        let mut command = Command::new(program);
        command.arg("info").stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let found = ["docker", "podman"].into_iter().find(works);
    assert!(found.is_some(), "PROOFMARK_TEST_CONTAINER is set, and neither docker nor podman works here");
    found
}

#[test]
fn the_image_converts_with_a_read_only_file_system() {
    let Some(builder) = builder() else { return };
    let run = |arguments: &[&str]| {
        let output = Command::new(builder).args(arguments).current_dir(root()).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    run(&["build", "--tag", "proofmark-test", "."]);
    let script = "printf '# A\\n\\nText.\\n' | proofmark convert - --to docx -o -";
    let mut arguments = vec!["run", "--rm", "--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL"];
    arguments.extend(["--network", "none", "--entrypoint", "/bin/sh", "proofmark-test", "-c", script]);
    assert!(run(&arguments).starts_with(b"PK"));
    let user = run(&["run", "--rm", "--entrypoint", "/usr/bin/id", "proofmark-test", "-u"]);
    assert_eq!(String::from_utf8_lossy(&user).trim(), "10001");
}
