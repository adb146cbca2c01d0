//! The list `extends` in the text of a configuration.

/// The text with `source` in the list, in the place of `old` where that is in it; nothing where the list cannot be found.
pub(super) fn with(text: &str, source: &str, old: Option<&str>) -> Option<String> {
    let quoted = format!("\"{source}\"");
    if text.contains(&quoted) {
        return Some(text.to_owned());
    }
    if let Some(old) = old.map(|old| format!("\"{old}\"")).filter(|old| text.contains(old)) {
        return Some(text.replacen(&old, &quoted, 1));
    }
    let (mark, body) = text.strip_prefix('\u{feff}').map_or(("", text), |body| ("\u{feff}", body));
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        let trimmed = line.trim_start();
        if trimmed.starts_with('[') {
            break;
        }
        let value =
            trimmed.strip_prefix("extends").map(str::trim_start).and_then(|rest| rest.strip_prefix('='));
        if let Some(value) = value {
            let inside = value.trim_start().strip_prefix('[')?;
            let open = at + line.len() - inside.len();
            let comma = if body[open..].trim_start().starts_with(']') { "" } else { ", " };
            return Some(format!("{mark}{}{quoted}{comma}{}", &body[..open], &body[open..]));
        }
        at += line.len();
    }
    let end = if body.contains("\r\n") { "\r\n" } else { "\n" };
    Some(format!("{mark}extends = [{quoted}]{end}{body}"))
}

#[cfg(test)]
mod tests {
    use super::with;

    #[test]
    fn the_list_is_made_or_changed() {
        for (text, old, expected) in [
            ("", None, "extends = [\"b\"]\n"),
            ("[files]\nexclude = []\n", None, "extends = [\"b\"]\n[files]\nexclude = []\n"),
            ("# ours\nextends = []\r\n", None, "# ours\nextends = [\"b\"]\r\n"),
            ("extends = [\"a\"]\n", None, "extends = [\"b\", \"a\"]\n"),
            ("extends=[\n  \"a\",\n]\n", None, "extends=[\"b\", \n  \"a\",\n]\n"),
            ("extends = [\"a\"]\n", Some("a"), "extends = [\"b\"]\n"),
            ("extends = [\"b\"]\n", None, "extends = [\"b\"]\n"),
            ("[x]\nextends = []\n", None, "extends = [\"b\"]\n[x]\nextends = []\n"),
        ] {
            assert_eq!(with(text, "b", old).as_deref(), Some(expected), "{text:?}");
        }
        assert_eq!(with("extends = \"a\"\n", "b", None), None);
    }
}
