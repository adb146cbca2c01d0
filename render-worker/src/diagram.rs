//! Mermaid diagrams as SVG that layouts can place.
//!
//! Labels are plain SVG text, since a layout has no HTML, in the text face and with its widths. Time, the
//! number of nodes and the size of the result are bounded.

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{LazyLock, Mutex, PoisonError},
    time::Duration,
};

use merman_core::{Engine, MermaidConfig, OperationControl, ParseOptions};
use merman_render::{
    LayoutOptions,
    environment::{
        MeasurementProfileId, RenderEnvironment, TextMeasurementPolicy, TextMeasurementProfile,
        TextMeasurementProfileIdentity,
    },
    family,
    svg::{SvgDebugOptions, SvgPipeline, SvgRenderOptions},
    text::{DeterministicTextMeasurer, TextStyle},
};
use serde_json::{Value, json};
use ttf_parser::Face;

use crate::fonts;

mod corrections;
mod elements;
mod emphasis;
mod gantt;
mod labels;
mod lengths;

/// Longest time one diagram may take.
const LONGEST: Duration = Duration::from_secs(5);

/// The family of labels.
const FAMILY: &str = "Roboto";

/// The families of labels that a drawing names: browsers that do not have the first one take another without serifs.
const FAMILIES: &str = "Roboto, sans-serif";

/// The families of labels that are code.
const MONOSPACED: &str = "DejaVu Sans Mono, monospace";

/// Draws a diagram.
///
/// # Errors
/// Why it cannot be drawn faithfully.
pub(crate) fn draw(text: &str) -> Result<String, String> {
    drawn(text).map_err(|error| error.lines().next().unwrap_or_default().trim().to_owned())
}

/// A drawing for browsers: they may not have the text face.
pub(crate) fn for_browsers(svg: &str) -> String {
    lengths::fixed(svg)
}

fn drawn(text: &str) -> Result<String, String> {
    let site = json!({
        "htmlLabels": false,
        // Nodes are as wide as their labels; a minimum would leave labels of states at the left. A subgraph without a
        // direction has that of the diagram, as in the layout that Mermaid 12 uses.
        "flowchart": {"htmlLabels": false, "minNodeWidth": 0, "inheritDir": true},
        "state": {"minNodeWidth": 0},
        "class": {"htmlLabels": false},
        "journey": {"width": journey_width(text)},
        "kanban": {"sectionWidth": column_width(text)},
        "theme": "neutral",
        // Compact shapes without shadows, as suits paper.
        "look": "classic",
        "fontFamily": FAMILY,
        "themeVariables": variables(text),
        // Text has no outline, although the shape of an actor has one.
        "themeCSS": ".edgeLabel rect { opacity: 1; } .usecase-actor text { stroke: none; }",
        "securityLevel": "strict",
        // What a diagram may not choose. Strokes by hand need a browser.
        "secure": ["secure", "securityLevel", "maxTextSize", "maxEdges", "look", "fontFamily", "htmlLabels"],
    });
    let engine = Engine::new().with_site_config(MermaidConfig::from_value(site));
    let control = OperationControl::new().with_deadline(LONGEST);
    let parsed = engine
        .parse_diagram_for_render_model_controlled_sync(
            &with_open_bodies(text),
            ParseOptions::strict(),
            &control,
        )
        .map_err(|error| error.to_string())?
        .map_err(|error| error.to_string())?
        .ok_or("it names no type of diagram")?;
    let environment = RenderEnvironment::deterministic().with_text_measurement_policy(measuring()?);
    let session = environment.begin_session_with_control(control).map_err(|error| error.to_string())?;
    let artifact = family::prepare(parsed, &LayoutOptions::headless_svg_defaults(), session)
        .map_err(|error| error.to_string())?;
    let rendered = artifact
        .render_svg(&SvgRenderOptions::default(), &SvgDebugOptions::default())
        .map_err(|error| error.to_string())?;
    let html = rendered.svg().to_owned();
    let safe = rendered.finalize_resvg(&SvgPipeline::resvg_safe()).map_err(|error| error.to_string())?;
    let svg = emphasis::emphasized(with_built_in_faces(safe.into_parts().0.as_str()), &html);
    Ok(labels::centered(&corrections::corrected(without_negative_widths(svg))))
}

/// The words that a drawing shows.
pub(crate) fn words(svg: &str) -> impl Iterator<Item = &str> {
    let parts = svg.split('<').filter_map(|part| part.split_once('>'));
    parts.filter(|(tag, _)| !tag.starts_with("style")).map(|(_, words)| words)
}

/// Colors that lines and areas of a diagram have in turn: each is at least three times as light or dark as the page, and
/// five times as [`INK`], so that it is seen on the page and text on it is read.
const COLORS: [&str; 12] = [
    "#5b8dbf", "#d07f3f", "#5a9e74", "#b279b5", "#8c8f94", "#c97d74", "#3f9aa8", "#a0923a", "#7f86c8",
    "#b8865a", "#6f9d4f", "#a97f95",
];

/// The color of text on the colors.
const INK: &str = "#111111";

/// The color of lines that the theme would draw almost white: those of actors and of frames around messages.
const LINE: &str = "#8c8f94";

/// The settings of the theme: the family of labels, and colors that can be distinguished and read, unless the diagram chooses a theme
/// or colors.
fn variables(text: &str) -> Value {
    let mut variables = json!({"fontFamily": FAMILY});
    if chooses_theme(text) {
        return variables;
    }
    for (index, color) in COLORS.iter().enumerate() {
        variables[format!("cScale{index}")] = json!(color);
        variables[format!("cScaleLabel{index}")] = json!(INK);
        variables[format!("venn{}", index + 1)] = json!(color);
    }
    for (index, color) in COLORS.iter().enumerate() {
        variables[format!("pie{}", index + 1)] = json!(color);
    }
    for index in 0..8 {
        variables[format!("git{index}")] = json!(COLORS[index]);
        variables[format!("gitBranchLabel{index}")] = json!(INK);
    }
    variables["pieSectionTextColor"] = json!(INK);
    variables["xyChart"] = json!({"plotColorPalette": COLORS.join(",")});
    for line in ["actorBorder", "actorLineColor", "labelBoxBorderColor"] {
        variables[line] = json!(LINE);
    }
    variables["noteBkgColor"] = json!("#fff5d6");
    variables["noteTextColor"] = json!(INK);
    variables["noteBorderColor"] = json!("#a0923a");
    variables
}

/// The diagram with the members of each class in lines of their own: the drawing library does not read a body in one line.
fn with_open_bodies(text: &str) -> Cow<'_, str> {
    let body = |line: &str| {
        let (head, rest) =
            line.split_once('{').filter(|(head, _)| head.trim_start().starts_with("class "))?;
        Some((head.to_owned(), rest.trim_end().strip_suffix('}')?.trim().to_owned()))
    };
    let is_class = text.lines().any(|line| line.trim_start().starts_with("classDiagram"));
    if !is_class || !text.lines().any(|line| body(line).is_some()) {
        return Cow::Borrowed(text);
    }
    let lines = text.lines().map(|line| match body(line) {
        Some((head, members)) => format!("{head}{{\n{members}\n}}\n"),
        None => format!("{line}\n"),
    });
    Cow::Owned(lines.collect())
}

/// Width of the boxes of a journey, in pixels: that of its longest task, within reason.
fn journey_width(text: &str) -> f64 {
    const ORDINARY: f64 = 150.0;
    const WIDEST: f64 = 420.0;
    let style = TextStyle { font_size: 14.0, ..TextStyle::default() };
    let tasks = text.lines().filter_map(|line| line.split_once(':')).map(|(task, _)| task.trim());
    tasks.map(|task| width(task, &style) + 24.0).fold(ORDINARY, f64::max).min(WIDEST)
}

/// Width of the columns of a board, in pixels: that of its longest word, within reason. A word is not broken, so one that is
/// wider than its card would be drawn over the next column.
fn column_width(text: &str) -> f64 {
    const ORDINARY: f64 = 200.0;
    const WIDEST: f64 = 640.0;
    /// Room on both sides between a column and the words of its cards.
    const ROOM: f64 = 50.0;
    let style = TextStyle { font_size: 16.0, ..TextStyle::default() };
    let is_bracket = |c: char| "[](){}\"'`".contains(c);
    // The name of a card is not shown where its label is.
    let labels =
        without_header(text).lines().map(|line| line.find(is_bracket).map_or(line, |at| &line[at..]));
    let words = labels.flat_map(|label| label.split(|c: char| c.is_whitespace() || is_bracket(c)));
    words.map(|word| width(word, &style) + ROOM).fold(ORDINARY, f64::max).min(WIDEST)
}

/// A diagram without its header.
fn without_header(text: &str) -> &str {
    let header = text.trim_start().strip_prefix("---").and_then(|rest| rest.split_once("\n---"));
    header.map_or(text, |(_, body)| body)
}

/// Whether the header or a directive of a diagram has a theme or variables of one.
fn chooses_theme(text: &str) -> bool {
    let header = text.trim_start().strip_prefix("---").and_then(|rest| rest.split("\n---").next());
    let directives = text.split("%%{").skip(1).filter_map(|rest| rest.split("}%%").next());
    header.into_iter().chain(directives).any(|settings| settings.contains("theme"))
}

/// The drawing without lines of negative width: browsers ignore such a declaration, and then the line has the width that it
/// has otherwise; pages would not have the line.
fn without_negative_widths(svg: String) -> String {
    const DECLARATION: &str = "stroke-width:";
    let is_negative = |at: usize| svg[at + DECLARATION.len()..].trim_start().starts_with('-');
    let negative: Vec<usize> =
        svg.match_indices(DECLARATION).map(|(at, _)| at).filter(|at| is_negative(*at)).collect();
    let mut result = svg;
    for at in negative.into_iter().rev() {
        let length = result[at..].find([';', '}', '"']).unwrap_or(result.len() - at);
        let ends = result[at + length..].starts_with(';');
        result.replace_range(at..at + length + usize::from(ends), "");
    }
    result
}

/// The drawing with the built-in families in place of those that browsers have: text in a family that a
/// layout does not have would be left out.
fn with_built_in_faces(svg: &str) -> String {
    const NAME: &str = "font-family";
    let mut result = String::with_capacity(svg.len() + 64);
    let mut rest = svg;
    while let Some(at) = rest.find(NAME) {
        let value = rest[at + NAME.len()..].trim_start();
        let (head, value) = match value.split_at_checked(1) {
            Some((":", value)) => (":", value),
            Some(("=", value)) if value.starts_with('"') => ("=\"", &value[1..]),
            _ => {
                result.push_str(&rest[..at + NAME.len()]);
                rest = &rest[at + NAME.len()..];
                continue;
            }
        };
        let is_css = in_style(&svg[..svg.len() - rest.len() + at]);
        let end = if head == ":" { value_end(value, is_css) } else { value.find('"').unwrap_or(value.len()) };
        let written = value[..end].to_ascii_lowercase();
        let is_monospaced = ["mono", "courier", "consolas"].iter().any(|name| written.contains(name));
        result.push_str(&rest[..at]);
        result.push_str(NAME);
        result.push_str(head);
        result.push_str(if is_monospaced { MONOSPACED } else { FAMILIES });
        rest = &value[end..];
    }
    result.push_str(rest);
    result.replacen("<svg ", &format!("<svg font-family=\"{FAMILIES}\" "), 1)
}

/// Whether a style sheet is open at the end of a piece of SVG.
fn in_style(text: &str) -> bool {
    text.rfind("<style").is_some_and(|open| !text[open..].contains("</style"))
}

/// The end of a value in CSS: before `;` or `}`, and in an attribute before its quote. The `;` of an entity does
/// not end it.
fn value_end(value: &str, is_css: bool) -> usize {
    let mut entity = false;
    for (at, c) in value.char_indices() {
        match c {
            '&' => entity = true,
            ';' if entity => entity = false,
            ';' | '}' => return at,
            '"' if !is_css => return at,
            _ => {}
        }
    }
    value.len()
}

/// Text is as wide as in the text face.
fn measuring() -> Result<TextMeasurementPolicy, String> {
    let profile = MeasurementProfileId::new("proofmark-text-face").map_err(|error| format!("{error:?}"))?;
    let identity = TextMeasurementProfileIdentity::new(profile, "1").map_err(|error| format!("{error:?}"))?;
    let measurer = DeterministicTextMeasurer::default().with_width_callback(width);
    Ok(TextMeasurementPolicy::uniform(TextMeasurementProfile::new(identity, measurer)))
}

static FACE: LazyLock<Option<Face<'static>>> = LazyLock::new(|| Face::parse(fonts::text_face(), 0).ok());

/// Advances of characters in em.
static ADVANCES: LazyLock<Mutex<HashMap<char, f64>>> = LazyLock::new(Mutex::default);

/// How wide a piece of text is, in pixels.
fn width(text: &str, style: &TextStyle) -> f64 {
    let mut known = ADVANCES.lock().unwrap_or_else(PoisonError::into_inner);
    let em: f64 = text.chars().map(|c| *known.entry(c).or_insert_with(|| advance(c))).sum();
    // Bold letters of the face are a little wider than regular ones.
    let bold = style.font_weight.as_deref().is_some_and(|weight| {
        weight.starts_with("bold") || weight.parse::<u32>().is_ok_and(|weight| weight >= 600)
    });
    em * style.font_size * if bold { 1.04 } else { 1.0 }
}

/// The advance of a character in em; where the face does not have it, that of a square for scripts such as Chinese, and of an
/// ordinary letter for others.
fn advance(c: char) -> f64 {
    if typst::text::is_default_ignorable(c) {
        return 0.0;
    }
    let is_letter = matches!(c, '\u{250}'..='\u{10ff}' | '\u{1200}'..='\u{1fff}' | '\u{fb1d}'..='\u{fefc}');
    advance_in_face(c).unwrap_or(if is_letter { 0.62 } else { 1.0 })
}

/// The advance in em of a character that the text face has.
fn advance_in_face(c: char) -> Option<f64> {
    let face = FACE.as_ref()?;
    let advance = face.glyph_hor_advance(face.glyph_index(c)?)?;
    Some(f64::from(advance) / f64::from(face.units_per_em()))
}

#[cfg(test)]
mod tests {
    use super::{elements::attribute, *};

    #[test]
    fn labels_are_plain_text_in_the_text_face() {
        let svg = draw("flowchart LR\n  A[Start] --> B{Ready?}\n  B -->|yes| C[Done]\n").unwrap();
        assert!(svg.contains("Ready?") && svg.contains("Roboto"), "{svg}");
        assert!(!svg.contains("foreignObject") && !svg.contains("<script"), "{svg}");
    }

    #[test]
    fn families_of_browsers_are_replaced() {
        let svg = "<svg id=\"x\"><style>a{font-family:\"trebuchet ms\",arial;fill:red}b{font-family:courier}</style>\
                   <text style=\"font-family:&quot;Open Sans&quot;, sans-serif;x:y\" font-family=\"verdana\">font-family</text></svg>";
        let expected = "<svg font-family=\"Roboto, sans-serif\" id=\"x\"><style>a{font-family:Roboto, sans-serif;fill:red}\
                        b{font-family:DejaVu Sans Mono, monospace}</style><text style=\"font-family:Roboto, sans-serif;x:y\" \
                        font-family=\"Roboto, sans-serif\">font-family</text></svg>";
        assert_eq!(with_built_in_faces(svg), expected);
    }

    #[test]
    fn columns_of_a_board_are_as_wide_as_their_longest_word() {
        let ordinary = "kanban\n  [Now]\n    a[Water the plants]\n";
        let long = "kanban\n  [Now]\n    a[Donaudampfschifffahrtsgesellschaft]\n";
        let named = "---\nconfig:\n  kanban:\n    ticketBaseUrl: 'https://tickets.example/browse/of/the/garden/#TICKET#'\n---\n\
                     kanban\n  [Now]\n    a-name-that-is-longer-than-a-card-is-wide[Water]\n";
        assert!([ordinary, named].iter().all(|text| (column_width(text) - 200.0).abs() < 0.1));
        let card = |text: &str| {
            let svg = draw(text).unwrap();
            let rect = svg.split("<rect ").find(|rect| rect.contains("label-container")).unwrap().to_owned();
            attribute(&rect, "width").unwrap().parse::<f64>().unwrap()
        };
        let word = width(
            "Donaudampfschifffahrtsgesellschaft",
            &TextStyle { font_size: 16.0, ..TextStyle::default() },
        );
        assert!(card(ordinary) < word && word < card(long), "{} {word} {}", card(ordinary), card(long));
        assert!(column_width(&format!("kanban\n  [{}]\n", "x".repeat(500))) < 641.0);
    }

    #[test]
    fn lines_of_negative_width_have_their_ordinary_width() {
        let svg = "<style>.a{stroke-width:-1;fill:red}.b{stroke-width: -3}.c{stroke-width:3}</style>";
        let expected = "<style>.a{fill:red}.b{}.c{stroke-width:3}</style>";
        assert_eq!(without_negative_widths(svg.to_owned()), expected);
        let deep = (1..9).map(|depth| format!("{}n{depth}\n", "  ".repeat(depth))).collect::<String>();
        assert!(!draw(&format!("mindmap\n{deep}")).unwrap().contains("stroke-width:-"));
    }

    #[test]
    fn colors_are_ours_unless_the_diagram_chooses_a_theme() {
        let pie = "pie\n  \"a\" : 1\n  \"b\" : 2\n";
        for (head, ours) in
            [("", true), ("%%{init: {'theme': 'dark'}}%%\n", false), ("---\ntitle: x\n---\n", true)]
        {
            assert_eq!(variables(&format!("{head}{pie}"))["cScale0"].is_string(), ours, "{head}");
        }
        let mindmap = draw("mindmap\n  root\n    a\n    b\n").unwrap();
        assert!(COLORS[..2].iter().all(|color| mindmap.contains(color)), "{mindmap}");
    }

    #[test]
    fn words_of_a_drawing_are_those_that_it_shows() {
        let svg = "<svg><style>.漢{fill:red}</style><text id=\"字\">Grüße <tspan>你好</tspan></text></svg>";
        assert_eq!(words(svg).collect::<String>(), "Grüße 你好");
    }

    #[test]
    fn members_of_a_class_in_one_line_are_drawn() {
        let svg = draw("classDiagram\n  class A { +size() }\n  class B {}\n  A --> B\n").unwrap();
        assert!(svg.contains("+size()") && svg.contains(">B<"), "{svg}");
    }

    #[test]
    fn a_broken_diagram_is_not_drawn() {
        assert!(draw("flowchart LR\n  A[Start --> B\n").is_err());
        assert!(draw("no diagram at all\n").is_err());
    }

    #[test]
    fn a_hostile_diagram_is_refused_in_time() {
        let edges: String = (0..20_000).map(|n| format!("  n{n} --> n{}\n", (n * 7919) % 20_000)).collect();
        let start = std::time::Instant::now();
        assert!(draw(&format!("flowchart LR\n{edges}")).is_err());
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}
