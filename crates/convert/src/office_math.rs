//! Formulas as Office math, which is made from `MathML`.

use std::fmt::Write as _;

use roxmltree::Node;

use crate::{
    budget,
    formula_text::{BAR, accent},
    html::read_mathml,
    xml::escape,
};

/// The name space of Office math (ECMA-376).
const MATH: &str = "http://schemas.openxmlformats.org/officeDocument/2006/math";

/// Operators that have their limits and what they are applied to in one element.
const LARGE: &str = "∑∏∐∫∬∭∮⋂⋃⋀⋁⨁⨂";

/// Delimiters that grow with what is between them.
const OPENING: &str = "([{⟨⌊⌈|‖";
const CLOSING: &str = ")]}⟩⌋⌉|‖";

/// Steps that an element takes.
const ELEMENT: u64 = 20;

/// Whether TeX is text without marks: variables and sums need no typesetting.
pub(crate) fn is_text(tex: &str) -> bool {
    !tex.contains(['\\', '^', '_', '{'])
}

/// A formula of TeX as Office math; nothing where a part of it is unknown.
pub(crate) fn office_math(tex: &str, display: bool) -> Option<String> {
    let (content, number) = read_mathml(tex, display, |formula, number| {
        Some((element(formula)?, number.map(|text| run(&format!("   {text}"), "<m:nor/>"))))
    })?;
    let formula = format!("<m:oMath xmlns:m=\"{MATH}\">{content}{}</m:oMath>", number.unwrap_or_default());
    Some(if display { format!("<m:oMathPara xmlns:m=\"{MATH}\">{formula}</m:oMathPara>") } else { formula })
}

/// Text with the properties of its look.
fn run(text: &str, look: &str) -> String {
    let look = if look.is_empty() { String::new() } else { format!("<m:rPr>{look}</m:rPr>") };
    format!(
        "<m:r>{look}<a:rPr lang=\"en-US\"><a:latin typeface=\"Cambria Math\"/></a:rPr><m:t>{}</m:t></m:r>",
        escape(text)
    )
}

/// The parts of an element, one after the other.
fn row(nodes: &[Node<'_, '_>]) -> Option<String> {
    let mut out = String::new();
    let mut index = 0;
    while let Some(node) = nodes.get(index) {
        index += 1;
        match large(*node) {
            Some((operator, limits)) => {
                // It is applied to what follows.
                let operand = nodes.get(index).map_or_else(|| Some(String::new()), |next| element(*next))?;
                index += 1;
                out.push_str(&applied(operator, &limits, &operand)?);
            }
            None => out.push_str(&element(*node)?),
        }
    }
    Some(out)
}

/// The limits of a large operator, below and above it.
struct Limits<'a, 'i> {
    below: Option<Node<'a, 'i>>,
    above: Option<Node<'a, 'i>>,
    /// Whether they are beside the operator.
    beside: bool,
}

/// A large operator with its limits.
fn large<'a, 'i>(node: Node<'a, 'i>) -> Option<(&'a str, Limits<'a, 'i>)> {
    let parts: Vec<Node<'a, 'i>> = children(node);
    let at = |index: usize| parts.get(index).copied();
    let name = node.tag_name().name();
    let (below, above) = match name {
        "msub" | "munder" => (at(1), None),
        "msup" | "mover" => (None, at(1)),
        "msubsup" | "munderover" => (at(1), at(2)),
        _ => return None,
    };
    let operator = at(0).filter(|base| base.tag_name().name() == "mo")?.text()?.trim();
    let is_large = LARGE.contains(operator) && operator.chars().count() == 1;
    is_large.then_some((operator, Limits { below, above, beside: name.starts_with("ms") }))
}

fn applied(operator: &str, limits: &Limits<'_, '_>, operand: &str) -> Option<String> {
    let shown = |limit: Option<Node<'_, '_>>| limit.map_or(Some(String::new()), element);
    let hidden = |limit: Option<Node<'_, '_>>, name: &str| {
        if limit.is_none() { format!("<m:{name} m:val=\"1\"/>") } else { String::new() }
    };
    Some(format!(
        "<m:nary><m:naryPr><m:chr m:val=\"{operator}\"/><m:limLoc m:val=\"{}\"/>{}{}</m:naryPr><m:sub>{}</m:sub><m:sup>{}</m:sup><m:e>{operand}</m:e></m:nary>",
        if limits.beside { "subSup" } else { "undOvr" },
        hidden(limits.below, "subHide"),
        hidden(limits.above, "supHide"),
        shown(limits.below)?,
        shown(limits.above)?,
    ))
}

fn children<'a, 'i>(node: Node<'a, 'i>) -> Vec<Node<'a, 'i>> {
    node.children().filter(Node::is_element).collect()
}

/// The parts of a bracketed row without their brackets.
fn bracketed<'a, 'n, 'i>(nodes: &'n [Node<'a, 'i>]) -> Option<(&'a str, &'n [Node<'a, 'i>], &'a str)> {
    let [first, inner @ .., last] = nodes else { return None };
    let delimiter = |node: &Node<'a, 'i>, known: &str| {
        let text = node.text().unwrap_or_default().trim();
        let grows = node.tag_name().name() == "mo" && node.attribute("stretchy") != Some("false");
        (grows && (text.is_empty() || known.contains(text))).then_some(text)
    };
    let (open, close) = (delimiter(first, OPENING)?, delimiter(last, CLOSING)?);
    (!(open.is_empty() && close.is_empty())).then_some((open, inner, close))
}

fn element(node: Node<'_, '_>) -> Option<String> {
    if !budget::charge(ELEMENT) {
        return None;
    }
    let parts = children(node);
    let text = || node.text().unwrap_or_default();
    let part = |index: usize| parts.get(index).copied().and_then(element);
    let all = || row(&parts);
    Some(match node.tag_name().name() {
        "mrow" | "mstyle" | "mpadded" => match bracketed(&parts) {
            Some((open, inner, close)) => format!(
                "<m:d><m:dPr><m:begChr m:val=\"{}\"/><m:endChr m:val=\"{}\"/></m:dPr><m:e>{}</m:e></m:d>",
                escape(open),
                escape(close),
                row(inner)?
            ),
            None => all()?,
        },
        "mi" => {
            let is_plain = text().chars().count() > 1 || node.attribute("mathvariant") == Some("normal");
            run(text(), if is_plain { "<m:sty m:val=\"p\"/>" } else { "" })
        }
        "mn" | "mo" => run(text(), ""),
        "mtext" | "ms" => run(text(), "<m:nor/>"),
        "mspace" => run(" ", "<m:nor/>"),
        "mfrac" => {
            let thickness = node.attribute("linethickness").unwrap_or_default();
            let kind = if thickness.starts_with('0') { "<m:type m:val=\"noBar\"/>" } else { "" };
            format!("<m:f><m:fPr>{kind}</m:fPr><m:num>{}</m:num><m:den>{}</m:den></m:f>", part(0)?, part(1)?)
        }
        "msqrt" => {
            format!("<m:rad><m:radPr><m:degHide m:val=\"1\"/></m:radPr><m:deg/><m:e>{}</m:e></m:rad>", all()?)
        }
        "mroot" => format!("<m:rad><m:radPr/><m:deg>{}</m:deg><m:e>{}</m:e></m:rad>", part(1)?, part(0)?),
        "msub" => format!("<m:sSub><m:e>{}</m:e><m:sub>{}</m:sub></m:sSub>", part(0)?, part(1)?),
        "msup" => format!("<m:sSup><m:e>{}</m:e><m:sup>{}</m:sup></m:sSup>", part(0)?, part(1)?),
        "msubsup" => format!(
            "<m:sSubSup><m:e>{}</m:e><m:sub>{}</m:sub><m:sup>{}</m:sup></m:sSubSup>",
            part(0)?,
            part(1)?,
            part(2)?
        ),
        "munder" => format!("<m:limLow><m:e>{}</m:e><m:lim>{}</m:lim></m:limLow>", part(0)?, part(1)?),
        "mover" => over(&parts)?,
        "munderover" => {
            let lower = format!("<m:limLow><m:e>{}</m:e><m:lim>{}</m:lim></m:limLow>", part(0)?, part(1)?);
            format!("<m:limUpp><m:e>{lower}</m:e><m:lim>{}</m:lim></m:limUpp>", part(2)?)
        }
        "mtable" => table(&parts)?,
        _ => return None,
    })
}

/// Something with an accent, a bar or something else above it.
fn over(parts: &[Node<'_, '_>]) -> Option<String> {
    let [base, above] = parts else { return None };
    let own = element(*base)?;
    let Some(accent) = accent(*above) else {
        let above = element(*above)?;
        return Some(format!("<m:limUpp><m:e>{own}</m:e><m:lim>{above}</m:lim></m:limUpp>"));
    };
    if accent == BAR {
        return Some(format!("<m:bar><m:barPr><m:pos m:val=\"top\"/></m:barPr><m:e>{own}</m:e></m:bar>"));
    }
    Some(format!("<m:acc><m:accPr><m:chr m:val=\"{accent}\"/></m:accPr><m:e>{own}</m:e></m:acc>"))
}

fn table(rows: &[Node<'_, '_>]) -> Option<String> {
    let mut out = "<m:m><m:mPr/>".to_owned();
    for row in rows {
        out.push_str("<m:mr>");
        for cell in children(*row) {
            let _ = write!(out, "<m:e>{}</m:e>", self::row(&children(cell))?);
        }
        out.push_str("</m:mr>");
    }
    out.push_str("</m:m>");
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of elements with what is in them, without properties; text for runs.
    fn shown(node: Node<'_, '_>) -> String {
        let name = node.tag_name().name();
        if name == "r" {
            let mut words = node.descendants().filter_map(|node| node.text());
            return words.next().unwrap_or_default().to_owned();
        }
        let parts = children(node).into_iter().filter(|node| !node.tag_name().name().ends_with("Pr"));
        format!("{name}({})", parts.map(shown).collect::<String>())
    }

    fn shape(tex: &str) -> String {
        let xml = office_math(tex, false).unwrap_or_default();
        // The prefix of drawings is declared by the slide.
        let plain = xml.replace("<a:", "<").replace("</a:", "</");
        crate::xml::parse(&plain).map_or_else(|why| why, |document| shown(document.root_element()))
    }

    #[test]
    fn formulas_keep_their_structure() {
        for (tex, expected) in [
            ("x^2", "oMath(sSup(e(x)sup(2)))"),
            ("\\frac{a}{b}", "oMath(f(num(a)den(b)))"),
            ("\\sqrt{x}", "oMath(rad(deg()e(x)))"),
            ("\\hat{x}", "oMath(acc(e(x)))"),
        ] {
            assert_eq!(shape(tex), expected, "{tex}");
        }
        let sum = office_math("\\sum_{i=1}^n x_i", true).unwrap();
        assert!(
            sum.contains("<m:nary>") && sum.contains("m:val=\"∑\"") && sum.starts_with("<m:oMathPara"),
            "{sum}"
        );
        let brackets = office_math("\\left( \\frac{a}{b} \\right]", false).unwrap();
        assert!(brackets.contains("<m:begChr m:val=\"(\"/><m:endChr m:val=\"]\"/>"), "{brackets}");
        assert_eq!(office_math("\\unknown{x}", false), None);
    }
}
