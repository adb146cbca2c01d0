//! Shortcodes within strings: targets of links, attributes, code.

use crate::budget;

/// Replaces the shortcodes of a string; `replace` gives the text of one, or nothing to leave it.
pub(super) fn expanded(text: &str, replace: &mut dyn FnMut(&str) -> Option<String>) -> Option<String> {
    if !text.contains("{{<") {
        return None;
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("{{<").filter(|_| budget::is_left()) {
        let Some(length) = rest[start..].find(">}}").map(|end| end + 3) else { break };
        let example = rest[..start].ends_with('{') || rest[start..].starts_with("{{</*");
        let mark = &rest[start..start + length];
        out.push_str(&rest[..start]);
        if example {
            let shown = mark.replace("{{</*", "{{<").replace("*/>}}", ">}}");
            if out.ends_with('{') {
                out.pop();
            }
            out.push_str(&shown);
            rest = &rest[start + length..];
            rest = rest.strip_prefix('}').filter(|_| !mark.contains("/*")).unwrap_or(rest);
            continue;
        }
        match replace(mark) {
            Some(value) => {
                budget::allocate(value.len());
                out.push_str(&value);
            }
            None => out.push_str(mark),
        }
        rest = &rest[start + length..];
    }
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortcodes_in_strings_are_replaced_and_examples_shown() {
        let mut replace = |text: &str| text.contains("meta").then(|| "X".to_owned());
        assert_eq!(expanded("a/{{< meta k >}}.png", &mut replace).as_deref(), Some("a/X.png"));
        assert_eq!(expanded("{{{< meta k >}}}", &mut replace).as_deref(), Some("{{< meta k >}}"));
        assert_eq!(expanded("{{</* meta k */>}}", &mut replace).as_deref(), Some("{{< meta k >}}"));
        assert_eq!(expanded("plain", &mut replace), None);
    }
}
