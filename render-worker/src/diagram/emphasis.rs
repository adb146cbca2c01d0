//! Bold and italic words of labels that the drawing library writes in HTML. What it writes for programs without HTML is the
//! words alone.

/// How a letter is written.
#[derive(Clone, Copy, Default, PartialEq)]
struct Emphasis {
    bold: bool,
    italic: bool,
}

impl Emphasis {
    fn style(self) -> &'static str {
        match (self.bold, self.italic) {
            (true, true) => "font-weight:bold;font-style:italic",
            (true, false) => "font-weight:bold",
            (false, true) => "font-style:italic",
            (false, false) => "",
        }
    }
}

/// The letters between tags, without whitespace.
fn letters(html: &str) -> Vec<(char, Emphasis)> {
    let mut found = Vec::new();
    let mut emphasis = Emphasis::default();
    for (index, part) in html.split('<').enumerate() {
        let (tag, text) = if index == 0 { ("", part) } else { part.split_once('>').unwrap_or((part, "")) };
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        match name {
            "b" | "strong" => emphasis.bold = !tag.starts_with('/'),
            "i" | "em" => emphasis.italic = !tag.starts_with('/'),
            _ => {}
        }
        let text = text.replace("&nbsp;", " ").replace("&#160;", " ");
        found.extend(text.chars().filter(|c| !c.is_whitespace()).map(|c| (c, emphasis)));
    }
    found
}

/// The drawing with the emphasis that its labels have in HTML: `html` is the same drawing with them.
pub(super) fn emphasized(svg: String, html: &str) -> String {
    const LABEL: &str = "-foreignobject-label-";
    const GROUP: &str = "<g id=\"";
    let objects = html.split("<foreignObject ").skip(1);
    let objects = objects
        .filter_map(|object| Some(letters(object.split_once('>')?.1.split("</foreignObject>").next()?)));
    let objects: Vec<_> = objects.collect();
    if objects.iter().flatten().all(|(_, emphasis)| *emphasis == Emphasis::default()) {
        return svg;
    }
    let mut result = String::with_capacity(svg.len() + 1024);
    let mut rest = svg.as_str();
    let mut next = 0;
    while let Some(at) = rest.find(GROUP) {
        let (before, group) = rest.split_at(at + GROUP.len());
        result.push_str(before);
        let end = group.find("</svg></g>").unwrap_or(group.len());
        let (label, after) = group.split_at(end);
        let is_label = label.split('"').next().is_some_and(|id| id.contains(LABEL));
        if !is_label {
            rest = group;
            continue;
        }
        rest = after;
        let plain = letters(label.split_once('>').map_or("", |(_, content)| content));
        // Both have their labels in the same order; empty ones are in one of them only.
        let same = |object: &Vec<(char, Emphasis)>| {
            object.len() == plain.len() && object.iter().zip(&plain).all(|(one, other)| one.0 == other.0)
        };
        match objects[next..].iter().position(same) {
            Some(skipped) => {
                next += skipped + 1;
                write(label, &objects[next - 1], &mut result);
            }
            None => result.push_str(label),
        }
    }
    result.push_str(rest);
    result
}

/// Writes a label whose letters have an emphasis.
fn write(label: &str, letters: &[(char, Emphasis)], result: &mut String) {
    let (head, content) = label.split_at(label.find('>').map_or(0, |end| end + 1));
    result.push_str(head);
    let mut letters = letters.iter().peekable();
    let mut open = Emphasis::default();
    let mut set = |emphasis: Emphasis, result: &mut String| {
        if emphasis != open {
            if open != Emphasis::default() {
                result.push_str("</tspan>");
            }
            if emphasis != Emphasis::default() {
                result.push_str("<tspan style=\"");
                result.push_str(emphasis.style());
                result.push_str("\">");
            }
            open = emphasis;
        }
    };
    let mut is_tag = false;
    for c in content.chars() {
        match c {
            '<' => {
                set(Emphasis::default(), result);
                is_tag = true;
            }
            '>' if is_tag => is_tag = false,
            _ if is_tag => {}
            _ if c.is_whitespace() => {
                // The space after the last emphasized word has no emphasis.
                let next = letters.peek().map_or_else(Emphasis::default, |(_, emphasis)| *emphasis);
                if next == Emphasis::default() {
                    set(next, result);
                }
            }
            _ => set(letters.next().map_or_else(Emphasis::default, |(_, emphasis)| *emphasis), result),
        }
        result.push(c);
    }
    set(Emphasis::default(), result);
}

#[cfg(test)]
mod tests {
    use super::{super::draw, *};

    #[test]
    fn words_of_mind_maps_are_bold_and_italic() {
        let svg = draw("mindmap\n  root[\"`**Root** with\n  a *second line* of it`\"]\n    b[Root of it]\n")
            .unwrap();
        for wanted in [
            "<tspan style=\"font-weight:bold\">Root</tspan> with",
            "<tspan style=\"font-style:italic\">second line</tspan>",
        ] {
            assert_eq!(svg.matches(wanted).count(), 1, "{wanted}: {svg}");
        }
        assert!(svg.contains(">Root of it<"), "{svg}");
    }

    #[test]
    fn labels_of_other_words_stay() {
        let html = "<svg><foreignObject x=\"1\"><b>One</b></foreignObject></svg>";
        let svg = |word: &str| {
            format!("<svg><g id=\"a-foreignobject-label-0\"><svg><text>{word}</text></svg></g></svg>")
        };
        assert_eq!(emphasized(svg("Other"), html), svg("Other"));
        assert_eq!(emphasized(svg("One"), html), svg("<tspan style=\"font-weight:bold\">One</tspan>"));
    }
}
