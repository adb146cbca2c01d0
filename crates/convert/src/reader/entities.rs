//! Entities of HTML.

use crate::budget::Lazy;

/// The character of an entity, without its marks.
pub(super) fn entity(name: &str) -> Option<String> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code).filter(|c| *c != '\0').map(|c| c.to_string());
    }
    let at = ENTITIES.binary_search_by_key(&name, |(known, _)| *known).ok()?;
    let codes = ENTITIES[at].1.split('-').filter_map(|code| u32::from_str_radix(code, 16).ok());
    Some(codes.filter_map(char::from_u32).collect())
}

/// The names of entities in HTML, sorted, and the code points that they stand for.
static ENTITIES: Lazy<Vec<(&str, &str)>> =
    Lazy::new(|| include_str!("entities.txt").lines().filter_map(|line| line.split_once(' ')).collect());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_are_characters() {
        assert_eq!(entity("#x41").as_deref(), Some("A"));
        assert_eq!(entity("nbsp").as_deref(), Some("\u{a0}"));
        assert_eq!(entity("nothing"), None);
    }
}
