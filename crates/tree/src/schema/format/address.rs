//! Host names and email addresses.

use std::net::{Ipv4Addr, Ipv6Addr};

/// RFC 1123 §2.1, with the lengths of RFC 1034 §3.1: labels of letters, digits and hyphens. Hyphens as third and
/// fourth character are those of an A-label (RFC 5890 §2.3.2.1), whose encoded part is not decoded here.
pub(super) fn is_hostname(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(is_label)
}

fn is_label(label: &str) -> bool {
    let letters = label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let reserved = label.get(2..4) == Some("--");
    let encoded = label.get(..4).is_some_and(|prefix| prefix.eq_ignore_ascii_case("xn--")) && label.len() > 4;
    (1..=63).contains(&label.len())
        && letters
        && !label.starts_with('-')
        && !label.ends_with('-')
        && (!reserved || encoded)
}

/// RFC 5321 §4.1.2 `Mailbox`, with the length of §4.5.3.1.1.
pub(super) fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    local.len() <= 64 && (is_dot_string(local) || is_quoted_string(local)) && is_domain(domain)
}

fn is_dot_string(local: &str) -> bool {
    let atext = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&b);
    local.split('.').all(|atom| !atom.is_empty() && atom.bytes().all(atext))
}

/// Printable ASCII between quotes, with `\` before quotes and backslashes.
fn is_quoted_string(local: &str) -> bool {
    let inner = local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let Some(inner) = inner else { return false };
    let mut bytes = inner.bytes();
    while let Some(byte) = bytes.next() {
        let quoted = match byte {
            b'"' => return false,
            b'\\' => bytes.next(),
            other => Some(other),
        };
        if !quoted.is_some_and(|byte| (b' '..=b'~').contains(&byte)) {
            return false;
        }
    }
    true
}

/// A host name or an address literal (§4.1.3).
fn is_domain(domain: &str) -> bool {
    let Some(literal) = domain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
        return is_hostname(domain);
    };
    match literal.get(..5).filter(|tag| tag.eq_ignore_ascii_case("IPv6:")) {
        Some(tag) => literal[tag.len()..].parse::<Ipv6Addr>().is_ok(),
        None => literal.parse::<Ipv4Addr>().is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_letters_digits_and_hyphens() {
        let long = "a".repeat(63);
        for host in ["localhost", "a-b.example", "1.2.3", "xn--bcher-kva.example", &long] {
            assert!(is_hostname(host), "{host}");
        }
        let longer = "a".repeat(64);
        for host in ["", ".", "a.", "a..b", "-a", "a-", "a_b", "ab--c", "xn--", "é.example", &longer] {
            assert!(!is_hostname(host), "{host}");
        }
    }

    #[test]
    fn mailboxes_have_a_local_part_and_a_domain() {
        for email in ["a.b+c@example.org", "\"a b@\\\"\"@example.org", "a@[127.0.0.1]", "a@[IPv6:::1]"] {
            assert!(is_email(email), "{email}");
        }
        for email in
            ["a", "@b", "a@", "a..b@c", ".a@c", "a b@c", "\"a\"b\"@c", "Ada <ada@b.c>", "a@[x]", "é@b.c"]
        {
            assert!(!is_email(email), "{email}");
        }
    }
}
