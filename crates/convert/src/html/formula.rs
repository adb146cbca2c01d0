//! Formulas of TeX as `MathML`, which browsers show without a script.

use math_core::{LatexToMathML, MathCoreConfig, MathDisplay};
use roxmltree::Node;

use super::escape::escape;
use crate::{budget::Lazy, xml};

/// Longest formula in bytes.
const LONGEST: usize = 8 << 10;

/// Most commands and groups within each other. The converter reads them recursively, on this thread's stack.
const DEEPEST: usize = 60;

static CONVERTER: Lazy<Option<LatexToMathML>> =
    Lazy::new(|| LatexToMathML::new(MathCoreConfig::default()).ok());

/// A formula as `MathML` Core with its TeX as an annotation; nothing where it has commands that are not known, or is
/// too long.
pub(crate) fn mathml(tex: &str, display: bool) -> Option<String> {
    if tex.len() > LONGEST || depth(tex) > DEEPEST {
        return None;
    }
    let (formula, number) = numbered(tex);
    let style = if display { MathDisplay::Block } else { MathDisplay::Inline };
    let formula = unnumbered(formula);
    let converted = CONVERTER.as_ref()?.convert_with_local_state(&formula, style).ok()?.mathml;
    let start = converted.find('>')? + 1;
    let end = converted.rfind("</math>")?;
    let (open, content) = (&converted[..start], &converted[start..end]);
    let annotation = escape(tex.trim());
    let formula = format!(
        "{open}<semantics><mrow>{content}</mrow><annotation encoding=\"application/x-tex\">{annotation}</annotation></semantics></math>"
    );
    Some(match number {
        Some(number) => format!("<span class=\"eq-number\">({})</span>{formula}", escape(number)),
        None => formula,
    })
}

/// Reads the [`mathml`] of a formula: its outermost element and its number, in brackets.
pub(crate) fn read_mathml<T>(
    tex: &str,
    display: bool,
    read: impl FnOnce(Node<'_, '_>, Option<&str>) -> Option<T>,
) -> Option<T> {
    let mathml = format!("<x>{}</x>", mathml(tex, display)?);
    let document = xml::parse(&mathml).ok()?;
    let semantics = document.descendants().find(|node| node.tag_name().name() == "semantics")?;
    let number = document.descendants().find(|node| node.attribute("class") == Some("eq-number"));
    read(semantics.first_element_child()?, number.and_then(|node| node.text()))
}

/// How deep commands and groups are within each other, at most. A command that follows another one directly may be
/// its argument, as in `\sqrt\sqrt x`.
fn depth(tex: &str) -> usize {
    let (mut deepest, mut chain, mut open) = (0, 0, Vec::new());
    let mut rest = tex;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        match c {
            '\\' => {
                let name = rest[1..].find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len() - 1);
                // A symbol such as `\\` or `\{` has no arguments.
                length =
                    if name > 0 { name + 1 } else { 1 + rest[1..].chars().next().map_or(0, char::len_utf8) };
                match &rest[1..=name] {
                    "" => chain = 0,
                    "left" | "begin" => {
                        open.push(chain + 1);
                        chain = 0;
                    }
                    "right" | "end" => {
                        open.pop();
                        chain = 0;
                    }
                    _ => chain += 1,
                }
            }
            '{' => {
                open.push(chain + 1);
                chain = 0;
            }
            '}' => {
                open.pop();
                chain = 0;
            }
            '^' | '_' => chain += 1,
            c if c.is_whitespace() => {}
            _ => chain = 0,
        }
        deepest = deepest.max(open.iter().sum::<usize>() + chain);
        if deepest > DEEPEST {
            break;
        }
        rest = &rest[length..];
    }
    deepest
}

/// A formula and the number that it ends with: `x \tag{1}`.
fn numbered(tex: &str) -> (&str, Option<&str>) {
    let tex = tex.trim();
    let tagged = tex.strip_suffix('}').and_then(|rest| rest.rsplit_once("\\tag{"));
    match tagged {
        Some((formula, number)) if !number.contains(['{', '}', '\\']) => (formula.trim_end(), Some(number)),
        _ => (tex, None),
    }
}

/// Environments without numbers of their own: numbers are those of the document.
fn unnumbered(tex: &str) -> String {
    const NUMBERED: [&str; 6] = ["equation", "align", "gather", "multline", "alignat", "flalign"];
    let mut out = tex.to_owned();
    for name in NUMBERED {
        for edge in ["begin", "end"] {
            out = out.replace(&format!("\\{edge}{{{name}}}"), &format!("\\{edge}{{{name}*}}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_mathml_with_their_source() {
        let formula = mathml("a_1 < b", false).unwrap();
        assert!(formula.starts_with("<math><semantics><mrow><msub>"), "{formula}");
        assert!(
            formula.ends_with("application/x-tex\">a_1 &lt; b</annotation></semantics></math>"),
            "{formula}"
        );
        assert!(mathml("x", true).unwrap().starts_with("<math display=\"block\">"));
    }

    #[test]
    fn numbers_are_beside_formulas_and_come_from_the_document() {
        let formula = mathml("x \\tag{1.2}", true).unwrap();
        assert!(formula.starts_with("<span class=\"eq-number\">(1.2)</span><math"), "{formula}");
        let aligned = mathml("\\begin{align} a &= b \\\\ c &= d \\end{align}", true).unwrap();
        assert!(!aligned.contains("(1)"), "{aligned}");
    }

    #[test]
    fn what_is_not_known_or_too_long_stays_tex() {
        assert_eq!(mathml("\\unknown{x}", false), None);
        assert_eq!(mathml(&"x".repeat(LONGEST + 1), false), None);
        assert_eq!(mathml(&format!("{}x{}", "{".repeat(99), "}".repeat(99)), false), None);
    }

    #[test]
    fn depth_is_that_of_arguments_and_groups() {
        for (tex, expected) in [
            ("x", 0),
            ("\\frac{a}{b} + \\frac{c}{d}", 2),
            ("\\sqrt\\sqrt{x}", 3),
            ("\\left( x^{2} \\right) \\\\ \\alpha", 3),
            ("\\begin{a} \\{ x \\end{a}", 2),
        ] {
            assert_eq!(depth(tex), expected, "{tex}");
        }
        let sum = "a_{1} + \\alpha ".repeat(300);
        assert!(depth(&sum) <= 3 && mathml(&sum, true).is_some());
    }

    /// The stack of a thread is smaller than that of the program.
    #[test]
    fn nested_formulas_do_not_exhaust_the_stack() {
        let run = || {
            for part in
                ["{", "\\frac{", "x^{", "\\sqrt", "\\left(", "\\begin{bmatrix}", "\\text{", "_{", "\\hat{"]
            {
                let _ = mathml(&part.repeat(100_000), true);
                for count in [DEEPEST, DEEPEST / 2] {
                    let _ = mathml(&part.repeat(count), true);
                    let _ = mathml(&format!("{}x{}", part.repeat(count), "}".repeat(count)), true);
                }
            }
        };
        std::thread::Builder::new().stack_size(1 << 20).spawn(run).unwrap().join().unwrap();
    }

    #[test]
    fn text_in_formulas_is_escaped() {
        let formula = mathml("\\text{<script>alert(1)</script>}", false).unwrap();
        assert!(!formula.contains("<script"), "{formula}");
    }
}
