//! Values of CSS as values of Typst.

use std::collections::BTreeMap;

/// Names of colors in CSS and their values.
const COLORS: &str = include_str!("css_colors.txt");

/// Names of colors that Typst has too. Its values differ a little from those of CSS.
const TYPST_COLORS: [(&str, &str); 18] = [
    ("aqua", "7fdbff"),
    ("black", "000"),
    ("blue", "0074d9"),
    ("eastern", "239dad"),
    ("fuchsia", "f012be"),
    ("gray", "aaa"),
    ("green", "2ecc40"),
    ("lime", "01ff70"),
    ("maroon", "85144b"),
    ("navy", "001f3f"),
    ("olive", "3d9970"),
    ("orange", "ff851b"),
    ("purple", "b10dc9"),
    ("red", "ff4136"),
    ("silver", "ddd"),
    ("teal", "39cccc"),
    ("white", "fff"),
    ("yellow", "ffdc00"),
];

/// A component of a color, or an opacity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Component {
    Number(f64),
    Percent(f64),
}

/// A color of CSS.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Color {
    Named(String),
    /// Hexadecimal digits: with one digit per component, or with two.
    Hex {
        values: Vec<u8>,
        short: bool,
    },
    Components(Vec<Component>),
}

/// A number as Typst reads it: with two decimals at most.
pub(crate) fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The declarations of a `style` attribute.
pub(super) fn declarations(style: &str) -> impl Iterator<Item = (&str, &str)> {
    style.split(';').filter_map(|clause| {
        let (key, value) = clause.split_once(':')?;
        let value = value.trim();
        (!value.is_empty()).then_some((key.trim(), value.trim_end_matches("!important").trim_end()))
    })
}

fn component(text: &str) -> Option<Component> {
    match text.strip_suffix('%') {
        Some(number) => number.parse().ok().map(Component::Percent),
        None if text == "none" => Some(Component::Percent(0.0)),
        None => text.parse().ok().map(Component::Number),
    }
}

/// An opacity, or the last component of a color, in percent.
pub(super) fn opacity(text: &str) -> Option<f64> {
    let percent = match text.trim().strip_suffix('%') {
        Some(number) => number.parse::<f64>().ok()?,
        None if text.trim() == "none" => 100.0,
        None => text.trim().parse::<f64>().ok()?.min(1.0) * 100.0,
    };
    percent.is_finite().then_some(percent)
}

/// Reads a color.
pub(super) fn color(text: &str) -> Option<Color> {
    let text = text.trim();
    if let Some(digits) = text.strip_prefix('#') {
        let short = matches!(digits.len(), 3 | 4);
        if !(short || matches!(digits.len(), 6 | 8)) || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let step = if short { 1 } else { 2 };
        let values = (0..digits.len()).step_by(step).map(|at| {
            let value = u8::from_str_radix(&digits[at..at + step], 16).unwrap_or_default();
            if short { value * 17 } else { value }
        });
        return Some(Color::Hex { values: values.collect(), short });
    }
    let inner = text.strip_prefix("rgba(").or_else(|| text.strip_prefix("rgb("));
    if let Some(inner) = inner {
        let inner = inner.strip_suffix(')')?;
        let (colors, alpha) = match inner.split_once('/') {
            Some((colors, alpha)) => (colors, Some(alpha)),
            None => (inner, None),
        };
        let parts: Vec<&str> =
            colors.split([',', ' ']).map(str::trim).filter(|part| !part.is_empty()).collect();
        let alpha = alpha.or_else(|| parts.get(3).copied());
        if !(3..=4).contains(&parts.len()) {
            return None;
        }
        let mut components: Vec<Component> =
            parts[..3].iter().map(|part| component(part)).collect::<Option<_>>()?;
        if let Some(alpha) = alpha {
            components.push(Component::Percent(opacity(alpha)?));
        }
        return Some(Color::Components(components));
    }
    let name = text.to_ascii_lowercase();
    let known = named(&name).is_some() || TYPST_COLORS.iter().any(|(known, _)| *known == name);
    known.then_some(Color::Named(name))
}

/// The hexadecimal digits of a name of a color in CSS.
fn named(name: &str) -> Option<&'static str> {
    COLORS.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))
}

/// Red, green and blue of a color.
pub(crate) fn rgb(text: &str) -> Option<[u8; 3]> {
    let of_digits = |digits: &str| {
        let part = |index: usize| u8::from_str_radix(digits.get(2 * index..2 * index + 2)?, 16).ok();
        Some([part(0)?, part(1)?, part(2)?])
    };
    match color(text)? {
        Color::Hex { values, .. } => values.get(..3)?.try_into().ok(),
        Color::Named(name) => named(&name).and_then(of_digits),
        Color::Components(parts) => {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the values are between 0 and 255"
            )]
            let part = |index: usize| {
                Some(match parts.get(index)? {
                    Component::Number(value) => value.clamp(0.0, 255.0) as u8,
                    Component::Percent(value) => (value.clamp(0.0, 100.0) * 2.55) as u8,
                })
            };
            Some([part(0)?, part(1)?, part(2)?])
        }
    }
}

impl Color {
    /// The color in Typst, with an opacity in percent.
    pub(super) fn typst(self, opacity: Option<f64>) -> String {
        match self {
            Self::Named(name) => {
                let own = TYPST_COLORS.iter().find(|(known, _)| *known == name).map(|(_, digits)| *digits);
                match (opacity, own) {
                    (None, Some(_)) => name,
                    (Some(_), Some(digits)) => {
                        color(&format!("#{digits}")).map_or(name, |color| color.typst(opacity))
                    }
                    (_, None) => {
                        let digits = named(&name).unwrap_or("000000");
                        let Some(Self::Hex { values, .. }) = color(&format!("#{digits}")) else {
                            return name;
                        };
                        let components = values.iter().map(|value| Component::Number((*value).into()));
                        Self::Components(components.collect()).typst(opacity)
                    }
                }
            }
            Self::Hex { mut values, short } => {
                if let Some(opacity) = opacity {
                    let alpha = f64::from(values.get(3).copied().unwrap_or(255)) / 255.0 * opacity / 100.0;
                    values.truncate(3);
                    #[allow(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "within 0 to 255"
                    )]
                    values.push((alpha * 255.0).clamp(0.0, 255.0) as u8);
                }
                let digits: String = values
                    .iter()
                    .map(|value| if short { format!("{:x}", value >> 4) } else { format!("{value:02x}") })
                    .collect();
                format!("rgb(\"#{digits}\")")
            }
            Self::Components(mut components) => {
                if let Some(opacity) = opacity {
                    let alpha = match components.get(3) {
                        Some(Component::Percent(percent)) => percent * opacity / 100.0,
                        Some(Component::Number(_)) | None => opacity,
                    };
                    components.truncate(3);
                    components.push(Component::Percent(alpha));
                }
                let parts: Vec<String> = components
                    .iter()
                    .map(|component| match component {
                        Component::Number(value) => number(*value),
                        Component::Percent(value) => format!("{}%", number(*value)),
                    })
                    .collect();
                format!("rgb({})", parts.join(", "))
            }
        }
    }
}

/// A length of CSS: pixels become points, percent become shares of the size of the font.
pub(crate) fn length(text: &str) -> Option<String> {
    let text = text.trim();
    if text == "0" {
        return Some("0pt".to_owned());
    }
    let end = text.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '+' | '-'))?;
    let (value, unit) = text.split_at(end);
    let value: f64 = value.parse().ok()?;
    match unit {
        "px" => Some(format!("{}pt", number(value * 0.75))),
        "pt" | "in" | "cm" | "mm" | "em" => Some(text.to_owned()),
        "rem" => Some(format!("{}em", number(value))),
        "%" => Some(format!("{}em", number(value / 100.0))),
        _ => None,
    }
}

/// A weight of a font: a number, or a name of Typst in quotes.
pub(crate) fn weight(text: &str) -> Option<String> {
    if let Ok(value) = text.parse::<u32>() {
        return (1..=1000).contains(&value).then(|| value.to_string());
    }
    let name = match text.to_ascii_lowercase().as_str() {
        "normal" | "regular" => "regular",
        "thin" => "thin",
        "light" => "light",
        "medium" => "medium",
        "bold" => "bold",
        "black" => "black",
        "ultra-light" | "extra-light" => "extralight",
        "demi-bold" | "semi-bold" => "semibold",
        "ultra-bold" | "extra-bold" => "extrabold",
        _ => return None,
    };
    Some(quoted(name))
}

/// A list of fonts.
pub(crate) fn fonts(text: &str) -> String {
    let names: Vec<String> = text
        .split(',')
        .map(|name| name.trim().trim_matches(['"', '\'']))
        .filter(|name| !name.is_empty())
        .map(quoted)
        .collect();
    let comma = if names.len() == 1 { "," } else { "" };
    format!("({}{comma})", names.join(", "))
}

/// A string of Typst.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The sides of a border, in the order of CSS.
const SIDES: [&str; 4] = ["top", "right", "bottom", "left"];

/// Part of a stroke: its value, or that there is no border.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Stroke {
    Value(String),
    Removed,
}

/// The borders of a cell.
#[derive(Debug, Default)]
pub(super) struct Borders {
    sides: [BTreeMap<&'static str, Stroke>; 4],
    is_set: [bool; 4],
}

const STYLES: [&str; 15] = [
    "none",
    "hidden",
    "dotted",
    "dashed",
    "solid",
    "double",
    "groove",
    "ridge",
    "inset",
    "outset",
    "inherit",
    "initial",
    "revert",
    "revert-layer",
    "unset",
];

fn thickness(text: &str) -> Option<Stroke> {
    let text = match text {
        "thin" => "1px",
        "medium" => "3px",
        "thick" => "5px",
        other => other,
    };
    let width = length(text)?;
    Some(if width == "0pt" { Stroke::Removed } else { Stroke::Value(width) })
}

fn dash(text: &str) -> Option<Stroke> {
    match text {
        "none" => Some(Stroke::Removed),
        "dotted" | "dashed" => Some(Stroke::Value(quoted(text))),
        _ => None,
    }
}

fn paint(text: &str) -> Option<Stroke> {
    color(text).map(|color| Stroke::Value(color.typst(None)))
}

/// The words of a value; what is in parentheses belongs to its word.
fn words(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut depth, mut start) = (0_usize, None);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if c.is_whitespace() && depth == 0 {
            out.extend(start.take().map(|from| &text[from..at]));
        } else {
            start.get_or_insert(at);
        }
    }
    out.extend(start.map(|from| &text[from..]));
    out
}

impl Borders {
    /// Takes over a declaration whose key begins with `border`.
    pub(super) fn declare(&mut self, key: &str, value: &str) {
        let parts: Vec<&str> = key.split('-').skip(1).collect();
        let side = |name: &str| SIDES.iter().position(|side| *side == name);
        match parts.as_slice() {
            [] => (0..4).for_each(|at| self.shorthand(at, value)),
            [name] => match side(name) {
                Some(at) => self.shorthand(at, value),
                None => self.all(name, value),
            },
            [name, property] => {
                if let Some((at, (key, read))) = side(name).zip(reader(property)) {
                    self.is_set[at] = true;
                    self.put(at, key, read(value));
                }
            }
            _ => {}
        }
    }

    fn put(&mut self, side: usize, key: &'static str, value: Option<Stroke>) {
        match value {
            Some(value) => self.sides[side].insert(key, value),
            None => self.sides[side].remove(key),
        };
    }

    /// One to four values for the sides.
    fn all(&mut self, property: &str, value: &str) {
        let Some((key, read)) = reader(property) else { return };
        let words = words(value);
        let items: Vec<Stroke> = words.iter().take(5).filter_map(|word| read(word)).collect();
        let of = |at: usize| match items.len() {
            1 => items.first(),
            2 => items.get(at % 2),
            3 => items.get(if at == 3 { 1 } else { at }),
            4 => items.get(at),
            _ => None,
        };
        let values: [Option<Stroke>; 4] = std::array::from_fn(|at| of(at).cloned());
        for (at, value) in values.into_iter().enumerate() {
            self.is_set[at] = true;
            self.put(at, key, value);
        }
    }

    /// `2px solid red` in any order.
    fn shorthand(&mut self, side: usize, value: &str) {
        let (mut width, mut style, mut color) = ("medium", "solid", Some(Stroke::Value("black".to_owned())));
        for word in words(value).into_iter().take(3) {
            if STYLES.contains(&word) {
                style = word;
            } else if matches!(word, "thin" | "medium" | "thick")
                || word.starts_with(|c: char| c.is_ascii_digit() || c == '.')
            {
                width = word;
            } else if let Some(found) = paint(word) {
                color = Some(found);
            }
        }
        self.is_set[side] = true;
        for (key, value) in [("thickness", thickness(width)), ("dash", dash(style)), ("paint", color)] {
            self.put(side, key, value);
        }
    }

    /// The strokes of a cell: one for all sides where they are equal.
    pub(super) fn typst(&self) -> Option<String> {
        let kept =
            |at: usize| self.is_set[at] && !self.sides[at].values().any(|value| *value == Stroke::Removed);
        let dictionary = |at: usize| {
            let entries: Vec<String> = self.sides[at]
                .iter()
                .filter_map(|(key, value)| match value {
                    Stroke::Value(value) => Some(format!("{key}: {value}")),
                    Stroke::Removed => None,
                })
                .collect();
            (!entries.is_empty()).then(|| format!("({})", entries.join(", ")))
        };
        let sides: Vec<(&str, Option<String>)> = [("bottom", 2), ("left", 3), ("right", 1), ("top", 0)]
            .map(|(name, at)| (name, dictionary(at).filter(|_| kept(at))))
            .to_vec();
        let first = sides[0].1.clone();
        if sides.iter().all(|(_, value)| *value == first) {
            return first;
        }
        let entries: Vec<String> = sides
            .into_iter()
            .filter_map(|(name, value)| value.map(|value| format!("{name}: {value}")))
            .collect();
        (!entries.is_empty()).then(|| format!("({})", entries.join(", ")))
    }
}

type Read = fn(&str) -> Option<Stroke>;

/// The key in a stroke of Typst that a property of a border is, and how it is read.
fn reader(property: &str) -> Option<(&'static str, Read)> {
    match property {
        "width" => Some(("thickness", thickness)),
        "style" => Some(("dash", dash)),
        "color" => Some(("paint", paint)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, share: Option<f64>) -> Option<String> {
        color(text).map(|color| color.typst(share))
    }

    #[test]
    fn colors_keep_their_notation() {
        for (css, typst) in [
            ("maroon", "maroon"),
            ("mediumseagreen", "rgb(60, 179, 113)"),
            ("#4b0082cd", "rgb(\"#4b0082cd\")"),
            ("rgb(0, 0, 127)", "rgb(0, 0, 127)"),
            ("rgb(200 100 200 / 0.3)", "rgb(200, 100, 200, 30%)"),
        ] {
            assert_eq!(shown(css, None).as_deref(), Some(typst), "{css}");
        }
        assert_eq!(shown("#4682b4", Some(50.0)).as_deref(), Some("rgb(\"#4682b47f\")"));
        assert_eq!(shown("rgb(70, 130, 180)", Some(50.0)).as_deref(), Some("rgb(70, 130, 180, 50%)"));
        assert_eq!(shown("nothing", None), None);
        assert_eq!(shown("#12", None), None);
    }

    #[test]
    fn lengths_that_typst_has_not_are_none() {
        assert_eq!(length("8px").as_deref(), Some("6pt"));
        assert_eq!(length("80%").as_deref(), Some("0.8em"));
        assert_eq!(length("0.21cm").as_deref(), Some("0.21cm"));
        assert_eq!((length("2ex"), length("wide")), (None, None));
    }

    #[test]
    fn borders_are_strokes() {
        let stroke = |declared: &[(&str, &str)]| {
            let mut borders = Borders::default();
            for (key, value) in declared {
                borders.declare(key, value);
            }
            borders.typst()
        };
        assert_eq!(
            stroke(&[("border", "3px dashed rgb(1, 2, 3)")]).as_deref(),
            Some("(dash: \"dashed\", paint: rgb(1, 2, 3), thickness: 2.25pt)")
        );
        assert_eq!(
            stroke(&[("border-style", "dotted dashed dashed none")]).as_deref(),
            Some("(bottom: (dash: \"dashed\"), right: (dash: \"dashed\"), top: (dash: \"dotted\"))")
        );
        assert_eq!(
            stroke(&[("border-width", "2px 4px")]).as_deref(),
            Some(
                "(bottom: (thickness: 1.5pt), left: (thickness: 3pt), right: (thickness: 3pt), top: (thickness: 1.5pt))"
            )
        );
        assert_eq!(stroke(&[("border-width", "1pt 2pt 3pt 4pt 5pt")]), None);
        assert_eq!(stroke(&[("border-left-color", "red"), ("border-left-style", "none")]), None);
    }
}
