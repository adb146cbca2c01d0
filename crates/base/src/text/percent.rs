use std::borrow::Cow;

/// A part of a URI without its percent-encoding (RFC 3986 §2.1): `%C3%A9` is `é`. What is not UTF-8 afterwards
/// becomes replacement characters.
pub fn percent_decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return text.into();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let digits =
            tail.get(..2).filter(|digits| *first == b'%' && digits.iter().all(u8::is_ascii_hexdigit));
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::percent_decoded;

    #[test]
    fn encoded_bytes_are_utf8() {
        assert_eq!(percent_decoded("/$defs/a%20b%25"), "/$defs/a b%");
        assert_eq!(percent_decoded("r%C3%A9sum%c3%a9"), "résumé");
        assert_eq!(percent_decoded("%é/%+1%"), "%é/%+1%");
    }
}
