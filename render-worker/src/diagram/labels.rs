//! Labels of edges in the middle of their backgrounds, and both in the middle of the edge.
//!
//! The drawing library places backgrounds where a browser would find the text. In class, entity and state diagrams
//! it is then beside the text that a layout draws.

use std::fmt::Write as _;

const LABEL: &str = "<g class=\"edgeLabel\" ";
const BACKGROUND: &str = "<rect class=\"background\" ";

/// Height of a line of labels as browsers measure it, in em.
const LINE: f64 = 1.1875;

/// The middle of lowercase and capital letters above the baseline, in em.
const MIDDLE: f64 = 0.36;

/// Distance of the baselines of two lines, in em.
const NEXT: f64 = 1.1;

/// The drawing with centered labels.
pub(super) fn centered(svg: &str) -> String {
    let mut result = String::with_capacity(svg.len() + 256);
    let mut rest = svg;
    while let Some(at) = rest.find(LABEL) {
        let (before, label) = rest.split_at(at);
        result.push_str(before);
        let end = label[LABEL.len()..].find(LABEL).map_or(label.len(), |next| next + LABEL.len());
        let (label, after) = label.split_at(end);
        match Parts::of(label) {
            Some(parts) => parts.write(&mut result),
            None => result.push_str(label),
        }
        rest = after;
    }
    result.push_str(rest);
    result
}

/// A label: what is around its background and its text.
struct Parts<'l> {
    /// Up to the position of the label.
    head: &'l str,
    /// From the position to the background.
    inner: &'l str,
    width: f64,
    height: f64,
    text: &'l str,
    /// What follows the text, without the end of a group around it.
    tail: &'l str,
}

impl<'l> Parts<'l> {
    fn of(label: &'l str) -> Option<Self> {
        const POSITION: &str = "transform=\"translate(";
        let group = label.find("<g class=\"label\" ")?;
        let position = group + label[group..].find(POSITION)?;
        let end = position + label[position..].find(")\"")? + 2;
        let background = end + label[end..].find(BACKGROUND)?;
        let close = background + label[background..].find("/>")? + 2;
        let number = |name: &str| -> Option<f64> {
            let written = label[background..close].split_once(name)?.1;
            written.split('"').next()?.parse().ok()
        };
        let text = close + label[close..].find("<text ")?;
        let text_end = text + label[text..].find("</text>")? + "</text>".len();
        // Nothing but a group is between the two.
        let grouped = match &label[close..text] {
            "" => false,
            group if group.starts_with("<g ") && group.matches('<').count() == 1 => true,
            _ => return None,
        };
        let tail = &label[text_end..];
        Some(Self {
            head: &label[..position],
            inner: &label[end..background],
            width: number(" width=\"")?,
            height: number(" height=\"")?,
            text: &label[text..text_end],
            tail: if grouped { tail.strip_prefix("</g>")? } else { tail },
        })
    }

    fn write(&self, result: &mut String) {
        let Self { head, inner, width, height, text, tail } = self;
        let lines = text.matches("text-outer-tspan").count().max(1);
        let lines = f64::from(u32::try_from(lines).unwrap_or(u32::MAX));
        // Labels have one of two sizes.
        let em = if height / lines < 16.0 * LINE { 14.0 } else { 16.0 };
        // The baseline of the first line is one em below.
        let above = em * (1.0 - MIDDLE + NEXT * (lines - 1.0) / 2.0);
        let (left, top) = (-width / 2.0, -height / 2.0);
        let _ = write!(
            result,
            "{head}transform=\"translate(0,0)\"{inner}{BACKGROUND}x=\"{left}\" y=\"{top}\" width=\"{width}\" \
             height=\"{height}\"/><g transform=\"translate(0,{:.2})\">{text}</g>{tail}",
            -above
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A label as class, entity and state diagrams have it.
    fn label(around: (&str, &str)) -> String {
        format!(
            "<svg><g class=\"edgeLabel\" transform=\"translate(9, 9)\"><g class=\"label\" data-id=\"e\" \
             transform=\"translate(-20, -11.5)\"><g><rect class=\"background\" style=\"stroke:none\" x=\"0\" y=\"0\" \
             width=\"40\" height=\"23\"/>{}<text y=\"-10.1\" text-anchor=\"middle\"><tspan class=\"text-outer-tspan row\" \
             x=\"0\" y=\"-0.1em\" dy=\"1.1em\">uses</tspan></text>{}</g></g></g><rect/></svg>",
            around.0, around.1
        )
    }

    #[test]
    fn text_is_in_the_middle_of_its_background() {
        let expected = "<svg><g class=\"edgeLabel\" transform=\"translate(9, 9)\"><g class=\"label\" data-id=\"e\" \
                        transform=\"translate(0,0)\"><g><rect class=\"background\" x=\"-20\" y=\"-11.5\" width=\"40\" \
                        height=\"23\"/><g transform=\"translate(0,-10.24)\"><text y=\"-10.1\" text-anchor=\"middle\">\
                        <tspan class=\"text-outer-tspan row\" x=\"0\" y=\"-0.1em\" dy=\"1.1em\">uses</tspan></text></g></g>\
                        </g></g><rect/></svg>";
        assert_eq!(centered(&label(("", ""))), expected);
        assert_eq!(centered(&label(("<g transform=\"translate(20, 11.5)\">", "</g>"))), expected);
    }

    #[test]
    fn what_is_not_a_label_with_a_background_stays() {
        for svg in
            ["<svg><g class=\"edgeLabel\" x=\"1\"></g></svg>", "<svg/>", "<svg><g class=\"edgeLabel\" "]
        {
            assert_eq!(centered(svg), svg);
        }
    }
}
