use crate::kinds::org::Edited;

/// The value of a property of a headline, or of the nearest one above it that has it, with the position of that
/// headline; or of the file.
pub(super) fn get(document: &Edited, index: usize, key: &str) -> Option<(String, Option<usize>)> {
    let mut at = Some(index);
    while let Some(index) = at {
        let headline = document.headline(index);
        if let Some(value) = headline.properties.as_ref().and_then(|drawer| drawer.get(key)) {
            return Some((value.to_owned(), Some(index)));
        }
        at = headline.parent;
    }
    let own = document.properties().as_ref().and_then(|drawer| drawer.get(key)).map(str::to_owned);
    Some((own.or_else(|| of_keyword(document, key))?, None))
}

/// The value that a `#+PROPERTY:` line gives to all headlines.
fn of_keyword(document: &Edited, key: &str) -> Option<String> {
    document.keywords().rev().find_map(|(name, value)| {
        let (property, value) = value.split_once([' ', '\t'])?;
        let is_named = name.eq_ignore_ascii_case("PROPERTY") && property.eq_ignore_ascii_case(key);
        is_named.then(|| value.trim().to_owned())
    })
}
