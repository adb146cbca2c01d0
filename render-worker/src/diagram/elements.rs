//! Elements of a drawing: their attributes, the area that is shown, and others in their place.

pub(super) fn attribute<'s>(element: &'s str, name: &str) -> Option<&'s str> {
    let (_, value) = element.split_once(&format!(" {name}=\""))?;
    value.split('"').next()
}

/// The drawing with other elements in place of those whose tags begin so; those for which there is none stay.
pub(super) fn each_tag(svg: &str, begin: &str, change: impl Fn(&str) -> Option<String>) -> String {
    each_from(svg, begin, |element| {
        let end = element.find('>')? + 1;
        Some((change(&element[..end])?, end))
    })
}

/// The drawing with changes where these words are: `change` gets the drawing from there on, and gives the text that comes in
/// place of its first bytes, and their number.
pub(super) fn each_from(svg: &str, begin: &str, change: impl Fn(&str) -> Option<(String, usize)>) -> String {
    let mut result = String::with_capacity(svg.len());
    let mut rest = svg;
    while let Some(at) = rest.find(begin) {
        let (before, found) = rest.split_at(at);
        result.push_str(before);
        let (text, length) = change(found).unwrap_or_else(|| (begin.to_owned(), begin.len()));
        result.push_str(&text);
        rest = &found[length..];
    }
    result.push_str(rest);
    result
}

/// The area of a drawing that is shown: left, top, width and height.
pub(super) fn area(svg: &str) -> Option<[f64; 4]> {
    let numbers: Option<Vec<f64>> =
        attribute(svg, "viewBox")?.split(' ').map(|number| number.parse().ok()).collect();
    <[f64; 4]>::try_from(numbers?.as_slice()).ok()
}

/// The drawing with another area, in the same scale.
pub(super) fn with_area(svg: &str, [left, top, width, height]: [f64; 4]) -> String {
    let Some(written) = attribute(svg, "viewBox") else { return svg.to_owned() };
    let before = written.split(' ').nth(2).unwrap_or_default();
    svg.replacen(&format!("viewBox=\"{written}\""), &format!("viewBox=\"{left} {top} {width} {height}\""), 1)
        .replacen(&format!("max-width:{before}px"), &format!("max-width:{width}px"), 1)
}
