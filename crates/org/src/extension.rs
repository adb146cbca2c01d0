/// Whether the name of a file is that of an Org file, or of an archive where those count.
pub(super) fn is_org(name: &str, archives: bool) -> bool {
    let ends =
        |end: &str| name.len() >= end.len() && name[name.len() - end.len()..].eq_ignore_ascii_case(end);
    name.is_char_boundary(name.len().saturating_sub(4)) && ends(".org")
        || archives && name.is_char_boundary(name.len().saturating_sub(12)) && ends(".org_archive")
}
