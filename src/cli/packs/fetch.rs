//! Fetching the files of a revision with git.

use std::{
    collections::BTreeMap,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use crate::{
    project::{MOST_BYTES, MOST_FILES, RemoteSource, content_hash},
    text::visible,
};

use super::super::exit::Fault;

/// The files of a revision.
pub(super) struct Fetched {
    /// Its commit.
    pub(super) commit: String,
    /// Its files by their names below the folder that is asked for.
    pub(super) files: BTreeMap<String, Vec<u8>>,
}

impl Fetched {
    pub(super) fn hash(&self) -> String {
        content_hash(self.files.iter().map(|(name, content)| (name.as_str(), content.as_slice())))
    }
}

/// Fetches a revision of a source. Git runs in an empty repository of its own: it checks nothing out, and starts no
/// program that a repository names.
pub(super) fn fetch(source: &RemoteSource, revision: &str) -> Result<Fetched, Fault> {
    let folder = tempfile::tempdir().map_err(|error| Fault::write(Path::new("a temporary folder"), error))?;
    let git = |arguments: &[&str]| run(folder.path(), arguments, source);
    git(&["init", "--quiet", "--bare", "."])?;
    git(&[
        "fetch",
        "--quiet",
        "--depth",
        "1",
        "--no-tags",
        "--no-recurse-submodules",
        "--",
        &source.address,
        revision,
    ])?;
    let commit = git(&["rev-parse", "--verify", "FETCH_HEAD^{commit}"])?;
    let commit = String::from_utf8_lossy(&commit).trim().to_owned();
    let tree = format!("{commit}:{}", source.folder);
    let entries = git(&["ls-tree", "-r", "-z", "--full-tree", &tree])?;
    let entries = entries.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
    let mut wanted: Vec<(String, String)> = Vec::new();
    for entry in entries {
        let entry =
            std::str::from_utf8(entry).map_err(|_| refused(source, "a file name in it is not UTF-8"))?;
        let Some((about, name)) = entry.split_once('\t') else { continue };
        let mut about = about.split(' ');
        let (mode, kind, object) = (about.next(), about.next(), about.next());
        if mode == Some("120000") || kind != Some("blob") {
            return Err(refused(source, &format!("`{}` is a symbolic link or a submodule", visible(name))));
        }
        if !is_usable(name) {
            return Err(refused(
                source,
                &format!("`{}` is not a name that every system can have", visible(name)),
            ));
        }
        wanted.extend(object.map(|object| (name.to_owned(), object.to_owned())));
    }
    if wanted.len() > MOST_FILES {
        return Err(refused(
            source,
            &format!("it has more than {MOST_FILES} files; name a folder with `#folder`"),
        ));
    }
    let files = contents(folder.path(), &wanted, source)?;
    Ok(Fetched { commit, files })
}

/// The contents of objects, by the names of their files.
fn contents(
    folder: &Path,
    wanted: &[(String, String)],
    source: &RemoteSource,
) -> Result<BTreeMap<String, Vec<u8>>, Fault> {
    let mut process = command(folder, &["cat-file", "--batch", "--buffer"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| refused(source, &format!("git cannot be started: {error}")))?;
    let asked: String = wanted.iter().map(|(_, object)| format!("{object}\n")).collect();
    let input = process.stdin.take();
    let writer =
        std::thread::spawn(move || input.map_or(Ok(()), |mut input| input.write_all(asked.as_bytes())));
    let output = process.wait_with_output().map_err(|error| refused(source, &error.to_string()))?;
    let _ = writer.join();
    let mut rest = output.stdout.as_slice();
    let mut files = BTreeMap::new();
    let mut total = 0;
    let incomplete = || refused(source, "git gave less than it has");
    for (name, _) in wanted {
        let end = rest.iter().position(|byte| *byte == b'\n').ok_or_else(incomplete)?;
        let head = String::from_utf8_lossy(&rest[..end]);
        let size: usize =
            head.rsplit(' ').next().and_then(|size| size.parse().ok()).ok_or_else(incomplete)?;
        total += size;
        if total > MOST_BYTES {
            let most = MOST_BYTES >> 20;
            return Err(refused(
                source,
                &format!("it is larger than {most} MiB; name a folder with `#folder`"),
            ));
        }
        let content = rest.get(end + 1..end + 1 + size).ok_or_else(incomplete)?;
        files.insert(name.clone(), content.to_vec());
        rest = rest.get(end + 2 + size..).unwrap_or_default();
    }
    Ok(files)
}

/// Whether a name in a repository can be a file below a folder, on every system and without surprise.
fn is_usable(name: &str) -> bool {
    let is_part = |part: &str| {
        let plain = !part.is_empty() && part != "." && part != ".." && !part.eq_ignore_ascii_case(".git");
        plain && !part.chars().any(|c| c.is_control() || "\\:*?\"<>|".contains(c))
    };
    name.len() <= 1_000 && name.split('/').all(is_part)
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command
        .args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0"])
        .args(arguments)
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_ALLOW_PROTOCOL", "https:ssh:http:file")
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .current_dir(folder);
    command
}

fn run(folder: &Path, arguments: &[&str], source: &RemoteSource) -> Result<Vec<u8>, Fault> {
    let output = command(folder, arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| refused(source, &format!("git cannot be started: {error}")))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let why = String::from_utf8_lossy(&output.stderr);
    let why = why.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("git failed").to_owned();
    Err(refused(source, visible(&why).trim_start_matches("fatal: ")))
}

fn refused(source: &RemoteSource, why: &str) -> Fault {
    Fault::usage(format!("{} cannot be fetched: {why}", visible(&source.to_string())))
}
