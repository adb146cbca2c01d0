//! Formulas as text with raised and lowered parts, for programs that show no others.

use roxmltree::Node;

use crate::{budget, html::read_mathml};

/// Steps that an element takes.
const ELEMENT: u64 = 20;

/// Characters that have a raised form in Unicode, and these forms.
const RAISED: (&str, &str) = ("0123456789+−-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ");

/// Characters that have a lowered form in Unicode, and these forms.
const LOWERED: (&str, &str) = ("0123456789+−-=()ijn", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ᵢⱼₙ");

/// A line above what it follows.
pub(crate) const BAR: char = '\u{305}';

/// Where a part of a formula is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    Line,
    Raised,
    Lowered,
}

/// Text of one look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) text: String,
    pub(crate) position: Position,
    /// Variables are italic.
    pub(crate) italic: bool,
}

/// A formula of TeX as text; nothing where a part of it is unknown.
pub(crate) fn formula_text(tex: &str) -> Option<Vec<Part>> {
    let mut line = Line::default();
    read_mathml(tex, false, |formula, number| {
        line.element(formula, Position::Line)?;
        if let Some(number) = number {
            line.push(&format!("   {number}"), Position::Line, false);
        }
        Some(())
    })?;
    if let Some(last) = line.parts.last_mut() {
        last.text.truncate(last.text.trim_end().len());
    }
    Some(line.parts)
}

/// What was written so far.
#[derive(Debug, Default)]
struct Line {
    parts: Vec<Part>,
    /// Whether the next row continues what is before it, as the second cell of an equation does.
    continues: bool,
}

impl Line {
    fn push(&mut self, text: &str, position: Position, italic: bool) {
        match self.parts.last_mut() {
            Some(last) if last.position == position && last.italic == italic => last.text.push_str(text),
            _ => self.parts.push(Part { text: text.to_owned(), position, italic }),
        }
    }

    /// A space, where there is something to part and no other space.
    fn space(&mut self) {
        if self.parts.last().is_some_and(|last| !last.text.ends_with(char::is_whitespace)) {
            self.push(" ", Position::Line, false);
        }
    }

    fn element(&mut self, node: Node<'_, '_>, at: Position) -> Option<()> {
        if !budget::charge(ELEMENT) {
            return None;
        }
        let parts: Vec<Node<'_, '_>> = node.children().filter(Node::is_element).collect();
        let part = |index: usize| parts.get(index).copied();
        let text = node.text().unwrap_or_default();
        match node.tag_name().name() {
            "mrow" | "mstyle" | "mpadded" | "mtd" => self.row(&parts, at)?,
            "mi" => {
                let is_variable =
                    text.chars().count() == 1 && node.attribute("mathvariant") != Some("normal");
                self.push(text, at, is_variable);
            }
            "mo" => self.push(&visible(text), at, false),
            "mn" | "mtext" | "ms" => self.push(text, at, false),
            "mspace" => self.space(),
            "mphantom" => {}
            "mfrac" if node.attribute("linethickness").is_some_and(|width| width.starts_with('0')) => {
                self.script(part(0)?, at, Position::Raised)?;
                self.script(part(1)?, at, Position::Lowered)?;
            }
            "mfrac" => {
                self.atom(part(0)?, at)?;
                self.push("/", at, false);
                self.atom(part(1)?, at)?;
            }
            "msqrt" => {
                self.push("√", at, false);
                self.bracketed(&parts, at)?;
            }
            "mroot" => {
                self.script(part(1)?, at, Position::Raised)?;
                self.push("√", at, false);
                self.atom(part(0)?, at)?;
            }
            "msub" | "munder" => {
                self.element(part(0)?, at)?;
                self.script(part(1)?, at, Position::Lowered)?;
            }
            "msup" => {
                self.element(part(0)?, at)?;
                self.script(part(1)?, at, Position::Raised)?;
            }
            "mover" => match accent(part(1)?) {
                Some(accent) => self.accented(part(0)?, accent, at)?,
                None => {
                    self.atom(part(0)?, at)?;
                    self.script(part(1)?, at, Position::Raised)?;
                }
            },
            "msubsup" | "munderover" => {
                self.element(part(0)?, at)?;
                self.script(part(1)?, at, Position::Lowered)?;
                self.script(part(2)?, at, Position::Raised)?;
            }
            "mtable" => {
                for (number, row) in parts.iter().enumerate() {
                    if number > 0 {
                        self.push("; ", at, false);
                    }
                    for (number, cell) in row.children().filter(Node::is_element).enumerate() {
                        self.continues = number > 0;
                        if number > 0 {
                            self.space();
                        }
                        self.element(cell, at)?;
                    }
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Elements one after the other, with spaces where typesetters have them.
    fn row(&mut self, nodes: &[Node<'_, '_>], at: Position) -> Option<()> {
        let continues = std::mem::take(&mut self.continues);
        // Characters that only say how others are read are not shown.
        let shown = |node: &&Node<'_, '_>| symbol(**node).is_none_or(|text| !visible(text).is_empty());
        let nodes: Vec<&Node<'_, '_>> = nodes.iter().filter(shown).collect();
        for (index, node) in nodes.iter().enumerate() {
            let before = index.checked_sub(1).and_then(|index| nodes.get(index));
            let after = nodes.get(index + 1);
            let is_on_line = at == Position::Line;
            let is_between = after.is_some() && before.map_or(continues, |before| !is_infix(**before));
            if is_on_line && is_infix(**node) && is_between {
                self.space();
                self.element(**node, at)?;
                self.space();
                continue;
            }
            // `sin x`, `a sin x`, and a sum and what is added.
            let follows_name = before.is_some_and(|before| is_named(**before)) && !opens(**node);
            let is_name = is_named(**node) && before.is_some_and(|before| !opens(**before));
            if is_on_line && (follows_name || is_name) {
                self.space();
            }
            self.element(**node, at)?;
            if is_on_line && after.is_some() && matches!(symbol(**node), Some("," | ";")) {
                self.space();
            }
        }
        Some(())
    }

    /// Something with an accent: a line is above all of its characters, other accents are above the last one.
    fn accented(&mut self, node: Node<'_, '_>, accent: char, at: Position) -> Option<()> {
        let mut inner = Line::default();
        inner.element(node, at)?;
        let count = inner.parts.len();
        for (index, part) in inner.parts.iter().enumerate() {
            let mut text = String::new();
            let mut rest = part.text.chars().peekable();
            while let Some(c) = rest.next() {
                text.push(c);
                if !c.is_whitespace() && (accent == BAR || (index + 1 == count && rest.peek().is_none())) {
                    text.push(accent);
                }
            }
            self.push(&text, part.position, part.italic);
        }
        Some(())
    }

    /// A part of a fraction or a root: in brackets unless it is one thing.
    fn atom(&mut self, node: Node<'_, '_>, at: Position) -> Option<()> {
        self.bracketed(&[node], at)
    }

    fn bracketed(&mut self, nodes: &[Node<'_, '_>], at: Position) -> Option<()> {
        if nodes.len() == 1 && is_one(nodes[0]) {
            return self.row(nodes, at);
        }
        self.push("(", at, false);
        self.row(nodes, at)?;
        self.push(")", at, false);
        Some(())
    }

    /// An exponent or an index. Within another one it has the forms of Unicode, or is written in the line.
    fn script(&mut self, node: Node<'_, '_>, at: Position, to: Position) -> Option<()> {
        if at == Position::Line {
            return self.element(node, to);
        }
        let mut inner = Line::default();
        inner.element(node, Position::Line)?;
        let text: String = inner.parts.iter().map(|part| part.text.as_str()).collect();
        let (mark, (plain, forms)) = if to == Position::Raised { ('^', RAISED) } else { ('_', LOWERED) };
        let form = |c: char| plain.chars().zip(forms.chars()).find(|(of, _)| *of == c).map(|(_, form)| form);
        match text.chars().map(form).collect::<Option<String>>() {
            Some(forms) => self.push(&forms, at, false),
            None if text.chars().count() == 1 => self.push(&format!("{mark}{text}"), at, false),
            None => self.push(&format!("{mark}({text})"), at, false),
        }
        Some(())
    }
}

/// An operator without the characters that only say how others are read.
fn visible(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '\u{2061}'..='\u{2064}')).collect()
}

/// The operator that an element is.
fn symbol<'a>(node: Node<'a, '_>) -> Option<&'a str> {
    (node.tag_name().name() == "mo").then(|| node.text().unwrap_or_default().trim())
}

/// Whether an element is an operator between two others: a relation, an arrow, a sum or a product.
fn is_infix(node: Node<'_, '_>) -> bool {
    let mut characters = symbol(node).unwrap_or_default().chars();
    let is_infix = |c: char| {
        "=<>+−-±×÷⋅∗∘∖∧∨∩∪:".contains(c)
            || matches!(c, '\u{2190}'..='\u{21ff}' | '\u{2208}'..='\u{220d}' | '\u{2223}'..='\u{2226}')
            || matches!(c, '\u{2234}'..='\u{22bf}' | '\u{22c4}'..='\u{22ee}' | '\u{27f0}'..='\u{27ff}')
            || matches!(c, '\u{2a7d}'..='\u{2ae0}')
    };
    characters.next().is_some_and(is_infix) && characters.next().is_none()
}

/// Whether an element is the name of a function, or a large operator, with its limits.
fn is_named(node: Node<'_, '_>) -> bool {
    let name = node.tag_name().name();
    if ["msub", "msup", "msubsup", "munder", "mover", "munderover"].contains(&name) {
        return node.first_element_child().is_some_and(is_named);
    }
    let text = node.text().unwrap_or_default();
    match name {
        "mi" => text.chars().count() > 1,
        "mo" => is_word(text) || matches!(text.trim(), "∑" | "∏" | "∐" | "∫" | "∬" | "∭" | "∮"),
        _ => false,
    }
}

/// Whether the text of an operator is a name, such as `sin`.
fn is_word(text: &str) -> bool {
    text.trim().chars().count() > 1 && text.trim().chars().all(char::is_alphabetic)
}

/// Whether an element begins with a bracket, or shows nothing.
fn opens(node: Node<'_, '_>) -> bool {
    let first = node.descendants().filter(Node::is_element).find(|node| node.text().is_some());
    first
        .and_then(symbol)
        .is_some_and(|text| visible(text).is_empty() || ["(", "[", "{", "|"].contains(&text))
}

/// Whether an element is one thing, such as a variable with its index.
fn is_one(node: Node<'_, '_>) -> bool {
    let mut parts = node.children().filter(Node::is_element);
    match node.tag_name().name() {
        "mi" | "mn" | "mo" | "mtext" | "msqrt" => true,
        "msub" | "msup" | "msubsup" | "mover" => parts.next().is_some_and(is_one),
        "mrow" | "mstyle" | "mpadded" => match (parts.next(), parts.next()) {
            (Some(only), None) => is_one(only),
            _ => false,
        },
        _ => false,
    }
}

/// The combining form of an accent.
pub(crate) fn accent(above: Node<'_, '_>) -> Option<char> {
    Some(match above.text().unwrap_or_default().trim() {
        "^" | "ˆ" | "\u{302}" => '\u{302}',
        "~" | "˜" | "\u{303}" => '\u{303}',
        "→" | "\u{20d7}" => '\u{20d7}',
        "˙" | "\u{307}" => '\u{307}',
        "¨" | "\u{308}" => '\u{308}',
        "ˇ" | "\u{30c}" => '\u{30c}',
        "¯" | "‾" | "―" | "_" | "\u{304}" | "\u{305}" | "\u{332}" => BAR,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text with raised parts between `^` marks, and lowered ones between `_` marks.
    fn shown(tex: &str) -> String {
        let parts = formula_text(tex).unwrap_or_default();
        let shown = parts.iter().map(|part| match part.position {
            Position::Line => part.text.clone(),
            Position::Raised => format!("^{}^", part.text),
            Position::Lowered => format!("_{}_", part.text),
        });
        shown.collect::<String>().replace("^^", "").replace("__", "")
    }

    #[test]
    fn formulas_are_text_that_can_be_read() {
        for (tex, expected) in [
            ("x^2 + y_1", "x^2^ + y_1_"),
            ("-x = a", "−x = a"),
            ("\\sum_{i=1}^n \\frac{x_i^2}{\\sqrt{n}}", "∑_i=1_^n^ x_i_^2^/√n"),
            ("\\frac{a + b}{2}", "(a + b)/2"),
            ("\\int_0^1 e^{-x^2}", "∫_0_^1^ e^−x²^"),
            ("\\sin x \\le f(a, b)", "sin x ≤ f(a, b)"),
            ("2\\cos(\\max x)", "2 cos(max x)"),
            ("\\overline{AB}, \\sin^2 x", "A\u{305}B\u{305}, sin^2^ x"),
            ("\\begin{aligned} a &= b \\\\ c &= d \\end{aligned}", "a = b; c = d"),
            ("\\hat{x} \\cdot \\vec{v}", "x\u{302} ⋅ v\u{20d7}"),
            ("\\sqrt[3]{x+1}", "^3^√(x + 1)"),
            ("\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}", "(a b; c d)"),
            ("x \\tag{1}", "x   (1)"),
        ] {
            assert_eq!(shown(tex), expected, "{tex}");
        }
        assert_eq!(formula_text("\\unknown{x}"), None);
    }

    #[test]
    fn variables_are_italic_and_numbers_are_not() {
        let parts = formula_text("2x").unwrap();
        assert_eq!(parts.iter().map(|part| part.italic).collect::<Vec<_>>(), [false, true]);
    }
}
