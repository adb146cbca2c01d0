//! URIs of RFC 3986.

use std::net::Ipv6Addr;

/// §3 `URI`: a scheme and what follows it.
pub(super) fn is_uri(text: &str) -> bool {
    split_scheme(text).is_some_and(|(_, rest)| is_relative_part(rest))
}

/// §4.1 `URI-reference`: a URI, or a reference whose first path segment has no colon (§4.2).
pub(super) fn is_reference(text: &str) -> bool {
    let colon = text.find([':', '/', '?', '#']).is_some_and(|at| text[at..].starts_with(':'));
    is_uri(text) || (!colon && is_relative_part(text))
}

/// A `http` or `https` URI with a host (RFC 9110 §4.2).
pub(super) fn is_url(text: &str) -> bool {
    let Some((scheme, rest)) = split_scheme(text) else { return false };
    let web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    let host =
        rest.strip_prefix("//").is_some_and(|host| !host.is_empty() && !host.starts_with(['/', '?', '#']));
    web && host && is_relative_part(rest)
}

/// §3.1 `scheme`.
fn split_scheme(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    let letters = |b: u8| b.is_ascii_alphanumeric() || b"+-.".contains(&b);
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.bytes().all(letters);
    is_scheme.then_some((scheme, rest))
}

/// What follows a scheme, or the whole of a relative reference (§3.2 to §3.5).
fn is_relative_part(text: &str) -> bool {
    let (text, fragment) = text.split_once('#').unwrap_or((text, ""));
    let (text, query) = text.split_once('?').unwrap_or((text, ""));
    let path = match text.strip_prefix("//") {
        Some(rest) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            if !is_authority(authority) {
                return false;
            }
            path
        }
        None => text,
    };
    consists_of(path, b":@/") && consists_of(query, b":@/?") && consists_of(fragment, b":@/?")
}

/// §3.2 `authority`: user information, host, port.
fn is_authority(text: &str) -> bool {
    let (user, host) = text.rsplit_once('@').unwrap_or(("", text));
    let (host, port) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((literal, port)) => {
            if !is_ip_literal(literal) {
                return false;
            }
            ("", port.strip_prefix(':').or_else(|| port.is_empty().then_some("")))
        }
        None => match host.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (host, Some("")),
        },
    };
    let is_port = port.is_some_and(|port| port.bytes().all(|b| b.is_ascii_digit()));
    consists_of(user, b":") && consists_of(host, b"") && is_port
}

/// §3.2.2 `IP-literal`, between its brackets.
fn is_ip_literal(text: &str) -> bool {
    let Some(future) = text.strip_prefix(['v', 'V']) else { return text.parse::<Ipv6Addr>().is_ok() };
    let Some((version, address)) = future.split_once('.') else { return false };
    let hexadecimal = !version.is_empty() && version.bytes().all(|b| b.is_ascii_hexdigit());
    hexadecimal && !address.is_empty() && !address.contains('%') && consists_of(address, b":")
}

/// Unreserved characters, subdelimiters and percent-encoded bytes (§2), and some others.
fn consists_of(text: &str, others: &[u8]) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let holds = match byte {
            b'%' => (0..2).all(|_| bytes.next().is_some_and(|b| b.is_ascii_hexdigit())),
            b if b.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(&b) => true,
            b => others.contains(&b),
        };
        if !holds {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_those_of_the_standard() {
        // The examples of §1.1.2.
        for uri in [
            "ftp://ftp.is.co.za/rfc/rfc1808.txt",
            "ldap://[2001:db8::7]/c=GB?objectClass?one",
            "mailto:John.Doe@example.com",
            "news:comp.infosystems.www.servers.unix",
            "tel:+1-816-555-1212",
            "telnet://192.0.2.16:80/",
            "urn:oasis:names:specification:docbook:dtd:xml:4.1.2",
            "http://[v1.x]:8/%20",
        ] {
            assert!(is_uri(uri), "{uri}");
        }
        for text in [
            "", "a", ":a", "1a:b", "a:[b", "a:%2", "a://b:x/", "a://[::1", "a://[g]/", "a:b c", "a:\\b",
            "é:b",
        ] {
            assert!(!is_uri(text), "{text}");
        }
    }

    #[test]
    fn references_may_be_relative() {
        for reference in ["", "#a", "?a", "//h/p", "a/b:c", "./a:b", "http:a"] {
            assert!(is_reference(reference), "{reference}");
        }
        for text in ["1:a", "a b", "#a#b", "<a>"] {
            assert!(!is_reference(text), "{text}");
        }
    }

    #[test]
    fn urls_have_a_host() {
        assert!(is_url("https://example.org:80/a") && is_url("HTTP://example.org"));
        assert!(!is_url("https:///a") && !is_url("ftp://example.org") && !is_url("https:example.org"));
    }
}
