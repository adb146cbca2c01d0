//! What the drawing library leaves to browsers, or draws where it cannot be read: colors of labels, the order of classes,
//! labels of use cases, the place of labels beside a chart, titles over labels.

use std::cell::{Cell, RefCell};

use merman_render::text::TextStyle;

use super::{
    advance,
    elements::{area, attribute, each_from, each_tag, with_area},
    gantt, width,
};

/// The drawing of a type of diagram, corrected.
pub(super) fn corrected(svg: String) -> String {
    let kind = attribute(&svg, "aria-roledescription").unwrap_or_default().to_owned();
    let svg = with_whole_words(without_shifts(without_unknown_icons(svg)));
    match kind.as_str() {
        "flowchart-v2" | "flowchart" | "flowchart-elk" | "swimlane" => {
            labels_of_clouds(&colored_labels(&without_importance(svg)))
        }
        "usecase" => labels_of_use_cases(&svg),
        "kanban" => left_aligned_cards(&svg),
        "mindmap" => round_labels(&without_label_grounds(svg)),
        "gantt" => gantt::legible(&svg),
        "gitGraph" => title_above_tags(svg),
        "stateDiagram" => colored_labels(&svg),
        "treeView" => without_stub(&svg),
        "block" => forward_arrows(&colored_nodes(&svg)),
        "radar" => with_room_for_labels(svg),
        "c4" => lines_below_shapes(&titles_of_boundaries(&labels_of_relations(&svg))),
        "sequence" => arrows_beside_numbers(&svg),
        _ => svg,
    }
}

/// The drawing with labels that are not cut off at the width that they have in the text face: browsers that do not have it take a
/// wider one.
fn with_whole_words(svg: String) -> String {
    const CUT: &str = " style=\"overflow:hidden;";
    if svg.contains(CUT) { svg.replace(CUT, " style=\"overflow:visible;") } else { svg }
}

/// The drawing with a style sheet without `!important`. Every node has all its declarations, so that `style` wins over
/// classes and they over `default`; a renderer that does not know that an attribute wins over a sheet that is as important
/// would take the last class.
fn without_importance(svg: String) -> String {
    let Some(open) = svg.find("<style>") else { return svg };
    let Some(length) = svg[open..].find("</style>") else { return svg };
    let (sheet, rest) = svg[open..].split_at(length);
    format!("{}{}{rest}", &svg[..open], sheet.replace("!important", ""))
}

/// The drawing with the color, the weight and the slant of labels on their text: in HTML they are inherited, in SVG text has `fill`.
fn colored_labels(svg: &str) -> String {
    const LABEL: &str = "<g class=\"label\" style=\"";
    const LINE: &str = "class=\"text-inner-tspan\" font-weight=\"normal\"";
    const UPRIGHT: &str = "font-style=\"normal\" class";
    let mut result = String::with_capacity(svg.len() + 256);
    let mut rest = svg;
    while let Some(at) = rest.find(LABEL) {
        let (before, label) = rest.split_at(at);
        result.push_str(before);
        let end = label.find("</text>").unwrap_or(label.len());
        let (label, after) = label.split_at(end);
        let declarations = label[LABEL.len()..].split('"').next().unwrap_or_default();
        let value = |name: &str| {
            let mut parts = declarations.split(';').filter_map(|part| part.split_once(':'));
            let (_, value) = parts.find(|(known, _)| known.trim() == name)?;
            Some(value.replace("!important", "").trim().to_owned())
        };
        let fill = value("color").map(|color| format!(" style=\"fill:{color}\"")).unwrap_or_default();
        let weight = value("font-weight").unwrap_or_else(|| "normal".to_owned());
        let line = format!("class=\"text-inner-tspan\"{fill} font-weight=\"{weight}\"");
        let slanted =
            value("font-style").map(|style| label.replace(UPRIGHT, &format!("font-style=\"{style}\" class")));
        result.push_str(&slanted.as_deref().unwrap_or(label).replace(LINE, &line));
        rest = after;
    }
    result.push_str(rest);
    result
}

/// The drawing in which text that runs from right to left is where it is to be. Only its first letter, which is at its end,
/// would be moved by a shift, so positions have the shift in them.
fn without_shifts(svg: String) -> String {
    let runs_to_the_left = |c: char| matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fefc}');
    if !svg.chars().any(runs_to_the_left) {
        return svg;
    }
    let unshifted = |tag: &str| {
        let (y, dy) = (attribute(tag, "y")?, attribute(tag, "dy")?);
        let style = || tag.split_once("font-size:").map(|(_, rest)| rest);
        let size = || parts(attribute(tag, "font-size").or_else(style)?);
        let (at, unit) = parts(y)?;
        let sum = match (unit, parts(dy)?) {
            (unit, (by, same)) if same == unit => at + by,
            ("" | "px", (by, "em")) => at + by * size()?.0,
            _ => return None,
        };
        let moved = tag.replacen(&format!(" dy=\"{dy}\""), "", 1);
        Some(moved.replacen(&format!(" y=\"{y}\""), &format!(" y=\"{sum:.2}{unit}\""), 1))
    };
    each_tag(&each_tag(&svg, "<text ", unshifted), "<tspan ", unshifted)
}

/// A number and its unit.
fn parts(length: &str) -> Option<(f64, &str)> {
    let end = length.find(|c: char| !c.is_ascii_digit() && !"+-.".contains(c)).unwrap_or(length.len());
    Some((length[..end].parse().ok()?, &length[end..]))
}

/// The drawing with a ring for icons that are in a set which is not there: a question mark looks like a mistake.
fn without_unknown_icons(svg: String) -> String {
    const MARK: &str = "<text transform=\"translate(21.16 64.67)\"";
    const RING: &str =
        "<circle cx=\"40\" cy=\"40\" r=\"20\" fill=\"none\" stroke=\"#fff\" stroke-width=\"4\"/>";
    if !svg.contains(MARK) {
        return svg;
    }
    each_from(&svg, MARK, |text| {
        let end = text.find("</text>")? + "</text>".len();
        text[..end].contains(">?<").then(|| (RING.to_owned(), end))
    })
}

/// The drawing with labels in the middle of clouds and bangs, the shapes that begin with an arc: their middle is at the position
/// of their group, which is that of their left edge.
fn labels_of_clouds(svg: &str) -> String {
    const SHAPE: &str = "<path class=\"basic label-container\" d=\"M0 0&#10;a";
    each_from(svg, SHAPE, |shape| {
        let label = shape.find("<g class=\"label\"")?;
        let at = label + shape[label..].find(" transform=\"translate(")? + " transform=\"translate(".len();
        let length = shape[at..].starts_with('-').then(|| shape[at..].find([',', ' ', ')']))??;
        Some((format!("{}0", &shape[..at]), at + length))
    })
}

/// The drawing with labels in the colors of their nodes or of their classes. Labels are defined once, in black.
fn colored_nodes(svg: &str) -> String {
    const NODE: &str = "<g class=\"node ";
    const LABEL: &str = "<g class=\"label\"";
    let sheet = svg.split("</style>").next().unwrap_or_default();
    let of_class = |class: &str| {
        let (_, color) = sheet.rsplit_once(&format!(".{class} tspan{{fill:"))?;
        color.split(['}', ';', '!']).next()
    };
    let mut result = svg.to_owned();
    for node in svg.split(NODE).skip(1) {
        let classes = node.split('"').next().unwrap_or_default();
        let Some((_, label)) = node.split_once(LABEL) else { continue };
        let own = label.split('>').next().and_then(|tag| tag.split_once("style=\"color:"));
        let own = own.and_then(|(_, color)| color.split([';', '"']).next());
        let by_class = || classes.split(' ').filter_map(of_class).next_back();
        let Some(color) = own.or_else(by_class).map(str::trim) else { continue };
        let Some(name) = attribute(label, "href").and_then(|link| link.strip_prefix('#')) else { continue };
        let Some(at) = result.find(&format!("<g id=\"{name}\"")) else { continue };
        let end = result[at..].find("</text>").map_or(result.len(), |end| at + end);
        let colored = result[at..end].replace("fill:#000000", &format!("fill:{color}"));
        result.replace_range(at..end, &colored);
    }
    result
}

/// The drawing with arrows that point to their end also where blocks are so near to each other that the line, which is as much shorter
/// as its head is long, turns back.
fn forward_arrows(svg: &str) -> String {
    each_tag(svg, "<path d=\"M", |tag| {
        let line = attribute(tag, "d").filter(|_| tag.contains("flowchart-link"))?;
        let numbers: Option<Vec<f64>> =
            line[1..].split(['L', 'C', ',']).map(|number| number.parse().ok()).collect();
        let numbers = numbers.filter(|numbers| numbers.len() >= 4)?;
        let [from_x, from_y, x, y] = numbers[numbers.len() - 4..] else { return None };
        let (whole_x, whole_y) = (x - numbers[0], y - numbers[1]);
        let turns_back = (x - from_x) * whole_x + (y - from_y) * whole_y < 0.0;
        turns_back.then(|| tag.replacen(line, &format!("M{},{}L{x},{y}", numbers[0], numbers[1]), 1))
    })
}

/// The drawing with labels where their shapes are. The middle of every text is at the position of its group, which is that of
/// its left edge: labels of use cases and actors move to the middle, the title of a boundary begins there.
fn labels_of_use_cases(svg: &str) -> String {
    const LABEL: &str = "<g class=\"";
    const CENTERED: &str = "text-anchor=\"middle\"";
    each_from(svg, LABEL, |label| {
        let (class, after) = label[LABEL.len()..].split_once('"')?;
        let position = after.strip_prefix(" transform=\"translate(")?;
        let end = position.find("</text>").unwrap_or(position.len());
        let text = &position[..end];
        if !text.contains("<text ") || !text.contains(CENTERED) {
            return None;
        }
        let (head, _) = label.split_at(label.len() - position.len());
        let is = |name: &str| class.split(' ').any(|known| known == name);
        if is("label") && position.starts_with('-') {
            let x = position.find([',', ' ', ')'])?;
            return Some((format!("{head}0"), head.len() + x));
        }
        let title = || text.replace(CENTERED, "text-anchor=\"start\"");
        is("system-boundary-title").then(|| (format!("{head}{}", title()), head.len() + end))
    })
}

/// The drawing with labels in the middle of their relations, on a ground of their own: they begin there, and end below shapes. The
/// second line of a label begins where the wider one of both does.
fn labels_of_relations(svg: &str) -> String {
    const LABEL: &str = "<text x=\"";
    const STYLE: &str = "style=\"text-anchor:middle;font-size:12px;";
    const GROUND: &str = "paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round;";
    let style = TextStyle { font_size: 12.0, ..TextStyle::default() };
    let first = Cell::new(0.0_f64);
    each_from(svg, LABEL, |label| {
        let end = label.find("</text>")?;
        let tag = &label[..label.find('>')?];
        let (x, _) = label[LABEL.len()..].split_once('"')?;
        let words = label[..end].split('<').filter_map(|part| part.split_once('>')).map(|(_, words)| words);
        let own = width(&words.collect::<String>(), &style);
        let is_second = attribute(tag, "font-style") == Some("italic");
        let wider = if is_second { own.max(first.get()) } else { own };
        first.set(wider);
        let left = x.parse::<f64>().ok()? - wider / 2.0;
        let (head, rest) = label[..end].split_at(tag.find(STYLE)? + "style=\"".len());
        let head = head.replacen(x, &format!("{left:.2}"), 1);
        Some((format!("{head}{GROUND}{rest}"), end))
    })
}

/// The drawing with titles of boundaries at their lower left corner, as C4 has them: relations cross the middle and the top.
fn titles_of_boundaries(svg: &str) -> String {
    const BOUNDARY: &str = "<g><rect x=\"";
    const TITLE: &str = "<text ";
    /// Between a title and the left edge, the baseline of the last line and the lower edge, and two lines, in pixels.
    const INDENT: f64 = 12.0;
    const ABOVE: f64 = 14.0;
    const NEXT: f64 = 17.0;
    each_from(svg, BOUNDARY, |group| {
        let end = group.find("</g>")?;
        let tag = group[..end].split('>').nth(1).filter(|tag| tag.contains(" stroke-dasharray=\""))?;
        let number = |name: &str| attribute(tag, name)?.parse::<f64>().ok();
        let (left, bottom) = (number("x")? + INDENT, number("y")? + number("height")? - ABOVE);
        // There is room for two lines.
        let below = group[..end].matches(TITLE).count().checked_sub(1).filter(|below| *below < 2)?;
        let y = Cell::new(bottom - if below == 1 { NEXT } else { 0.0 });
        let titles = each_tag(&group[..end], TITLE, |tag| {
            let (x, top) = (attribute(tag, "x")?, attribute(tag, "y")?);
            let tag = tag.replacen(&format!(" x=\"{x}\""), &format!(" x=\"{left}\""), 1);
            let tag = tag.replacen(&format!(" y=\"{top}\""), &format!(" y=\"{}\"", y.get()), 1);
            y.set(y.get() + NEXT);
            Some(tag.replace("text-anchor:middle", "text-anchor:start"))
        });
        Some((titles, end))
    })
}

/// The drawing with lines of relations below shapes, so that they do not run through words. Their labels stay above.
fn lines_below_shapes(svg: &str) -> String {
    const SHAPE: &str = " class=\"node c4-shape";
    // A shape is in a group that places it.
    let groups = svg.find(SHAPE).map(|at| svg[..at].rmatch_indices("<g ").map(|(open, _)| open).take(2));
    let Some(shapes) = groups.and_then(Iterator::last) else { return svg.to_owned() };
    let lines = RefCell::new(String::new());
    let (before, drawn) = svg.split_at(shapes);
    let take = |tag: &str| {
        let is_relation =
            ["marker-end=\"url(#", "marker-start=\"url(#"].iter().any(|marker| tag.contains(marker));
        (is_relation && tag.ends_with("/>")).then(|| {
            lines.borrow_mut().push_str(tag);
            String::new()
        })
    };
    let rest = each_tag(&each_tag(drawn, "<line ", take), "<path ", take);
    format!("{before}<g>{}</g>{rest}", lines.into_inner())
}

/// The drawing with arrows that begin beside the number of their message where they have a head there: the number would cover it.
fn arrows_beside_numbers(svg: &str) -> String {
    const LINE: &str = "<line x1=\"";
    /// Radius of a number, and the distance of the arrow from it, in pixels.
    const ROOM: f64 = 15.0;
    if !svg.contains("-sequencenumber)") {
        return svg.to_owned();
    }
    each_from(svg, LINE, |line| {
        let (tag, rest) = line.split_at(line.find("/>")? + 2);
        let head = attribute(tag, "marker-start").filter(|head| head.ends_with("-arrowhead)"));
        let next = head.and_then(|_| rest.strip_prefix(LINE))?.split('>').next()?;
        let next = next.contains("-sequencenumber)").then(|| next.split('"').next())??;
        let number = |text: &str| text.parse::<f64>().ok();
        let (written, middle) = (attribute(tag, "x1")?, number(next)?);
        let (start, end) = (number(written)?, number(attribute(tag, "x2")?)?);
        let moved = middle + ROOM * (end - start).signum();
        let is_covered = (start - middle).abs() < ROOM;
        is_covered.then(|| (tag.replacen(written, &moved.to_string(), 1), tag.len()))
    })
}

/// The drawing with labels of cards that begin at the left, also where they have several lines.
fn left_aligned_cards(svg: &str) -> String {
    const CARD: &str = "data-merman-source-classes=\"items ";
    each_tag(svg, "<text ", |tag| {
        let x = attribute(tag, "x").filter(|_| tag.contains(CARD))?;
        let tag = tag.replacen(&format!(" x=\"{x}\""), " x=\"0\"", 1);
        Some(
            tag.replace("text-anchor=\"middle\"", "text-anchor=\"start\"")
                .replace("text-anchor:middle", "text-anchor:start"),
        )
    })
}

/// The drawing of a mind map whose labels have no ground of their own: nodes have one.
fn without_label_grounds(svg: String) -> String {
    const GROUND: &str = "<rect x=\"0\" y=\"0\" ";
    if !svg.contains("labelBkg") {
        return svg;
    }
    each_tag(&svg, GROUND, |tag| {
        attribute(tag, "fill").is_some_and(|fill| fill.starts_with("rgba(")).then(String::new)
    })
}

/// The drawing of a mind map with circles that go around all lines of their labels.
fn round_labels(svg: &str) -> String {
    const CIRCLE: &str = "<circle class=\"basic label-container\" r=\"";
    /// Room between the corners of a label and the circle, in pixels.
    const ROOM: f64 = 4.0;
    let grown = Cell::new(0.0_f64);
    let svg = each_from(svg, CIRCLE, |circle| {
        let (radius, after) = circle[CIRCLE.len()..].split_once('"')?;
        // The label is as far to the left and up as half of it is wide and high.
        let (_, position) = after.split_once("<g class=\"label\" transform=\"translate(")?;
        let (x, y) = position.split(')').next()?.split_once(',')?;
        let corner = x.trim().parse::<f64>().ok()?.hypot(y.trim().parse().ok()?);
        let more = corner + ROOM - radius.parse::<f64>().ok()?;
        grown.set(grown.get().max(more));
        (more > 0.0).then(|| (format!("{CIRCLE}{:.2}", corner + ROOM), CIRCLE.len() + radius.len()))
    });
    // A circle at the edge of the drawing has room there, too.
    let more = grown.get().ceil();
    match area(&svg) {
        Some([left, top, width, height]) if more > 0.0 => {
            with_area(&svg, [left - more, top - more, width + 2.0 * more, height + 2.0 * more])
        }
        _ => svg,
    }
}

/// The drawing with its title over the labels of tags, which are above the first branch.
fn title_above_tags(svg: String) -> String {
    const TITLE: &str = "class=\"gitTitleText\"";
    const TAG: &str = "<polygon class=\"tag-label-bkg\" points=\"";
    /// Room between the baseline of the title and a tag, in pixels.
    const ROOM: f64 = 10.0;
    let Some(open) = svg.find(TITLE).and_then(|at| svg[..at].rfind("<text ")) else { return svg };
    let y = attribute(&svg[open..], "y").and_then(|y| Some((y, y.parse::<f64>().ok()?)));
    let points = svg.split(TAG).skip(1).filter_map(|tag| tag.split('"').next());
    let heights =
        points.flat_map(|points| points.split_whitespace().skip(1).step_by(2).filter_map(|y| y.parse().ok()));
    let top = heights.fold(f64::MAX, f64::min) - ROOM;
    let (Some((written, y)), Some([left, above, width, height])) = (y, area(&svg)) else { return svg };
    if top >= y {
        return svg;
    }
    let title = svg[open..].replacen(&format!(" y=\"{written}\""), &format!(" y=\"{top}\""), 1);
    with_area(&format!("{}{title}", &svg[..open]), [left, above - (y - top), width, height + (y - top)])
}

/// The drawing of a tree whose root has no line before it, of which only the end would be in the drawing.
fn without_stub(svg: &str) -> String {
    each_tag(svg, "<line x1=\"-", |tag| {
        let (x, end) = (attribute(tag, "x1")?, attribute(tag, "x2")?);
        (end == "0").then(|| tag.replacen(x, "0", 1))
    })
}

/// The drawing of a radar chart with room for the labels at its sides, which browsers show outside of the drawing.
fn with_room_for_labels(svg: String) -> String {
    const LABEL: &str = "class=\"radarAxisLabel\"";
    const SIZE: &str = ".radarAxisLabel{font-size:";
    /// Size of a label where the style sheet has none, and room beyond it, in pixels.
    const DEFAULT_SIZE: f64 = 12.0;
    const MARGIN: f64 = 4.0;
    let Some([left, top, width, height]) = area(&svg) else { return svg };
    let size = svg
        .split_once(SIZE)
        .and_then(|(_, rest)| rest.split("px").next()?.parse().ok())
        .unwrap_or(DEFAULT_SIZE);
    // Positions of labels are relative to the middle of the chart.
    let wanted = svg.split("<text ").filter(|text| text.contains(LABEL)).filter_map(|text| {
        let (attributes, rest) = text.split_once('>')?;
        let attributes = format!(" {attributes}");
        let shown = rest.split('<').next()?;
        let length = shown.chars().map(advance).sum::<f64>() * size;
        let beyond =
            if attribute(&attributes, "text-anchor") == Some("middle") { length / 2.0 } else { length };
        Some(attribute(&attributes, "x")?.parse::<f64>().ok()?.abs() + beyond + MARGIN)
    });
    let more = (wanted.fold(0.0, f64::max) - width / 2.0).ceil();
    if more <= 0.0 {
        return svg;
    }
    with_area(&svg, [left - more, top, width + 2.0 * more, height])
}

#[cfg(test)]
mod tests {
    use crate::diagram::draw;

    #[test]
    fn classes_and_styles_win_over_the_default_class() {
        let elk = draw("flowchart-elk LR\n  A --> B\n  style B fill:#0af,color:#fff\n").unwrap();
        assert!(elk.contains("style=\"fill:#fff\" font-weight=\"normal\">B<"), "{elk}");
        let text = "flowchart LR\n  A[One]:::big --> C[Two]\n  classDef default fill:#eee\n  \
                    classDef big fill:#fc0,color:#c00,font-weight:bold\n  style C fill:#0af,color:#fff\n";
        let svg = draw(text).unwrap();
        let sheet = svg.split("</style>").next().unwrap();
        assert!(!sheet.contains("!important"), "{sheet}");
        assert!(svg.contains("style=\"fill:#c00\" font-weight=\"bold\">One<"), "{svg}");
        assert!(svg.contains("style=\"fill:#fff\" font-weight=\"normal\">Two<"), "{svg}");
    }

    #[test]
    fn labels_of_blocks_are_whole_and_have_their_colors() {
        let svg = draw("block-beta\n  a[\"A\"] b[\"B\"]\n  style a fill:#0a0,color:#fff\n").unwrap();
        assert!(svg.contains("fill:#fff") && !svg.contains("overflow:hidden"), "{svg}");
        let svg =
            draw("block-beta\n  a[\"A\"] b[\"B\"]\n  classDef red fill:#900,color:#fed\n  class b red\n")
                .unwrap();
        let labels: Vec<&str> = svg.split("<text ").skip(1).collect();
        assert!(labels[0].contains("fill:#000000") && labels[1].contains("fill:#fed"), "{labels:?}");
    }

    #[test]
    fn labels_of_clouds_and_bangs_are_in_the_middle() {
        let svg = draw(
            "flowchart LR\n  a@{ shape: cloud, label: \"Cloud\" } --> b@{ shape: bang, label: \"Bang\" }\n",
        );
        let svg = svg.unwrap();
        let labels: Vec<&str> = svg.split("<g class=\"node ").skip(1).collect();
        for label in labels {
            let position = label.split("<g class=\"label\"").nth(1).unwrap().split('>').next().unwrap();
            assert!(position.contains("translate(0,"), "{position}");
        }
    }

    #[test]
    fn an_icon_of_a_set_that_is_not_there_is_a_ring() {
        let svg = draw("architecture-beta\n  service a(logos:x)[A]\n  service b(disk)[B]\n").unwrap();
        assert!(svg.contains("<circle cx=\"40\"") && !svg.contains(">?<"), "{svg}");
    }

    #[test]
    fn lines_from_right_to_left_are_not_shifted() {
        let shifts = |text: &str| {
            let svg = draw(text).unwrap();
            let tags = svg.split('<').filter(|tag| tag.starts_with("text ") || tag.starts_with("tspan "));
            let tags: Vec<String> = tags.map(str::to_owned).collect();
            tags.into_iter().filter(|tag| tag.contains(" y=") && tag.contains(" dy=")).count()
        };
        assert!(shifts("flowchart LR\n  A[One<br/>two] --> B\n") > 0);
        assert_eq!(shifts("flowchart LR\n  A[مرحبا<br/>بالعالم] --> B[שלום]\n"), 0);
        assert_eq!(shifts("sequenceDiagram\n  A->>B: رسالة\n  Note over A: ملاحظة\n"), 0);
    }

    #[test]
    fn labels_of_use_cases_are_in_the_middle() {
        let svg = draw(
            "usecase-beta\n    actor Ann\n    systemBoundary Shop\n        Buy\n    end\n    Ann --> Buy\n",
        )
        .unwrap();
        let label = svg.split("<ellipse").nth(1).unwrap();
        assert!(label.contains("<g class=\"label\" transform=\"translate(0,"), "{label}");
        let actor = svg.split("usecase-actor-label\"").nth(1).unwrap();
        assert!(actor.starts_with(" transform=\"translate(0,"), "{actor}");
        let title = svg.split("system-boundary-title\"").nth(1).unwrap().split("</text>").next().unwrap();
        assert!(title.contains("text-anchor=\"start\"") && !title.contains("middle"), "{title}");
    }

    #[test]
    fn long_labels_of_cards_begin_at_the_left() {
        let text = "kanban\n  [Now]\n    a[Something that is so long that it does not fit into one line of a card]\n";
        let svg = draw(text).unwrap();
        let lines: Vec<&str> = svg.split("<text ").skip(1).filter(|line| line.contains("\"items ")).collect();
        assert!(lines.len() > 1 && lines.iter().all(|line| line.starts_with("x=\"0\"")), "{lines:?}");
    }

    #[test]
    fn labels_of_relations_are_in_their_middle() {
        let svg =
            draw("C4Context\n  Person(a, \"A\")\n  System(b, \"B\")\n  Rel(a, b, \"borrows books from\")\n")
                .unwrap();
        let relation = svg.split("<line").last().unwrap();
        let at = |name: &str| super::attribute(relation, name).unwrap().parse::<f64>().unwrap();
        let label: f64 =
            relation.split("<text x=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        let middle = f64::midpoint(at("x1"), at("x2"));
        assert!((label - middle).abs() < 3.0, "{label} is not near {middle}");
    }

    #[test]
    fn lines_of_relations_are_below_shapes_and_both_lines_of_a_label_are_centered() {
        let svg = draw(
            "C4Context\n  Person(a, \"A\")\n  System(b, \"B\")\n  Rel(a, b, \"borrows books from\", \"HTTP\")\n  Rel(b, a, \"reminds\")\n",
        )
        .unwrap();
        let relations = svg.match_indices("marker-end=\"url(#").map(|(at, _)| at);
        assert!(relations.clone().count() == 2 && relations.max() < svg.find("<rect"), "{svg}");
        let label = |words: &str| {
            let open = svg[..svg.find(words).unwrap()].rfind("<text x=\"").unwrap();
            super::attribute(&svg[open..], "x").unwrap().parse::<f64>().unwrap()
        };
        assert!((label("borrows") - label("[HTTP]")).abs() < 0.1, "{svg}");
    }

    #[test]
    fn titles_of_boundaries_are_at_their_lower_left() {
        let svg =
            draw("C4Container\n  System_Boundary(s, \"Shop\") {\n    Container(a, \"A\", \"Rust\")\n  }\n")
                .unwrap();
        let text = &svg[svg[..svg.find(">Shop<").unwrap()].rfind("<text ").unwrap()..];
        let tag = text.split('>').next().unwrap();
        assert!(tag.contains("text-anchor:start"), "{tag}");
    }

    #[test]
    fn arrows_in_both_directions_begin_beside_their_number() {
        let svg = draw("sequenceDiagram\n  autonumber\n  A<<->>B: both\n  A->>B: one\n").unwrap();
        let number = |tag: &str, name: &str| super::attribute(tag, name).unwrap().parse::<f64>().unwrap();
        let lines: Vec<String> = svg.split("<line ").skip(1).map(|line| format!(" {line}")).collect();
        let at = lines
            .iter()
            .position(|line| {
                line.split('>').next().unwrap().contains("marker-start=\"url(#merman-arrowhead)")
            })
            .unwrap();
        assert!(number(&lines[at], "x1") > number(&lines[at + 1], "x1") + 12.0, "{}", lines[at]);
    }

    #[test]
    fn arrows_between_blocks_point_to_their_ends() {
        let svg = draw("block-beta\n  columns 2\n  a[\"A\"] space\n  b[(\"B\")] c\n  a --> b\n").unwrap();
        let is_line = |path: &&str| path.split('>').next().is_some_and(|tag| tag.contains("flowchart-link"));
        let line = svg.split("<path d=\"M").skip(1).find(is_line).unwrap();
        let line = line.split('"').next().unwrap();
        let numbers: Vec<f64> = line.split(['L', 'C', ',']).map(|number| number.parse().unwrap()).collect();
        let [.., before, _, end] = numbers[..] else { panic!("{line}") };
        assert!(end > before, "{line}");
    }

    #[test]
    fn words_are_not_cut_off() {
        for text in ["kanban\n  [Now]\n    a[Letters]\n", "mindmap\n  Garden\n    Beans\n"] {
            let svg = draw(text).unwrap();
            assert!(svg.contains("overflow:visible") && !svg.contains("\"overflow:hidden"), "{svg}");
        }
    }

    #[test]
    fn circles_go_around_labels_of_several_lines() {
        let svg =
            draw("mindmap\n  root\n    a((one<br/>two<br/>three))\n    ::icon(mdi mdi-fire)\n").unwrap();
        let radius: f64 =
            svg.split("label-container\" r=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        assert!(radius > 36.0, "{radius}");
        assert!(!svg.contains("fill=\"rgba("), "{svg}");
    }

    #[test]
    fn circles_at_the_edge_are_in_the_drawing() {
        let svg = draw("mindmap\n  root\n    a((one<br/>two<br/>three))\n").unwrap();
        let [left, top, width, height] = super::area(&svg).unwrap();
        let node = svg.split("<g class=\"node ").find(|node| node.contains("<circle ")).unwrap();
        let number = |text: &str| text.trim().parse::<f64>().unwrap();
        let (x, y) =
            node.split("translate(").nth(1).unwrap().split(')').next().unwrap().split_once(',').unwrap();
        let (x, y, radius) = (number(x), number(y), number(super::attribute(node, "r").unwrap()));
        assert!(left < x - radius && x + radius < left + width, "{left} {x} {radius} {width}");
        assert!(top < y - radius && y + radius < top + height, "{top} {y} {radius} {height}");
    }

    #[test]
    fn a_title_is_above_the_tags_of_commits() {
        let svg = draw("---\ntitle: Releases\n---\ngitGraph\n  commit tag: \"v1\"\n  commit\n").unwrap();
        let title = svg[..svg.find("\"gitTitleText\"").unwrap()].rfind("<text ").unwrap();
        let y: f64 = super::attribute(&svg[title..], "y").unwrap().parse().unwrap();
        let points = svg.split("tag-label-bkg\" points=\"").nth(1).unwrap().split('"').next().unwrap();
        let top = points.split(' ').skip(1).step_by(2).map(|y| y.parse::<f64>().unwrap()).fold(0.0, f64::min);
        assert!(y < top && super::area(&svg).unwrap()[1] < y - 20.0, "{y} {top}");
    }

    #[test]
    fn states_have_the_weight_and_the_slant_of_their_class() {
        let svg = draw(
            "stateDiagram-v2\n  classDef bad font-style:italic,font-weight:bold,color:#c00\n  [*] --> Crash\n  class Crash bad\n",
        )
        .unwrap();
        let label = svg.split("</tspan>").find(|label| label.ends_with(">Crash")).unwrap();
        let tag = label.rsplit('<').next().unwrap();
        assert!(tag.contains("font-style=\"italic\"") && tag.contains("font-weight=\"bold\""), "{tag}");
        assert!(tag.contains("fill:#c00"), "{tag}");
    }

    #[test]
    fn a_tree_begins_at_its_root() {
        let svg = draw("treeView-beta\n  \"a\"\n    \"b\"\n").unwrap();
        assert!(svg.contains("<line ") && !svg.contains("<line x1=\"-"), "{svg}");
    }

    #[test]
    fn a_subgraph_has_the_direction_of_its_diagram() {
        let svg = draw("flowchart TD\n  subgraph One\n    A --> B --> C --> D\n  end\n").unwrap();
        let area: Vec<f64> = super::attribute(&svg, "viewBox")
            .unwrap()
            .split(' ')
            .map(|number| number.parse().unwrap())
            .collect();
        assert!(area[3] > area[2], "{area:?}");
    }

    #[test]
    fn labels_at_the_sides_of_a_radar_chart_are_in_the_drawing() {
        let radar = |left: &str| {
            let svg = draw(&format!(
                "radar-beta\n  axis a[\"Top\"], b[\"R\"], c[\"Low\"], d[\"{left}\"]\n  curve x{{1, 2, 3, 4}}\n"
            ));
            let svg = svg.unwrap();
            super::attribute(&svg, "viewBox").unwrap().to_owned()
        };
        assert_eq!(radar("L"), "0 0 700 700");
        let wide = radar("Comfort of the seat");
        let left: f64 = wide.split(' ').next().unwrap().parse().unwrap();
        assert!((-120.0..-60.0).contains(&left), "{wide}");
    }
}
