/// The path that `path` names in `folder`, without `.` and, as far as there is a folder to leave, without `..`.
pub fn joined(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn parent_folders_are_resolved_and_those_above_the_start_stay() {
        assert_eq!(joined("a/b", "../c.yaml"), "a/c.yaml");
        assert_eq!(joined("a/", "./b//c.yaml"), "a/b/c.yaml");
        assert_eq!(joined("", "../../a.yaml"), "../../a.yaml");
    }
}
