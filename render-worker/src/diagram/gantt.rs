//! Gantt charts: dates of the axis and labels of tasks.

use std::collections::HashMap;

use merman_render::text::TextStyle;

use super::{
    elements::{area, attribute, each_from, each_tag},
    width,
};

/// The drawing with what can be read: dates that do not run into each other, labels in or beside their bars, and milestones that
/// are diamonds in browsers, too.
pub(super) fn legible(svg: &str) -> String {
    sparse_axis(&labels_beside_bars(&diamonds(svg)))
}

/// The drawing with milestones that are turned by an attribute: browsers do not read the style of the drawing library, whose angle
/// has no unit.
fn diamonds(svg: &str) -> String {
    const TURNED: &str = "transform:rotate(45) scale(0.8,0.8);";
    if !svg.contains(TURNED) {
        return svg.to_owned();
    }
    each_tag(&svg.replace(TURNED, ""), "<rect id=\"", |tag| {
        let number = |name: &str| attribute(tag, name)?.parse::<f64>().ok();
        let origin = attribute(tag, "transform-origin")?;
        attribute(tag, "class").filter(|class| class.contains("milestone"))?;
        let (x, y) = (number("x")? + number("width")? / 2.0, number("y")? + number("height")? / 2.0);
        let turn = format!("transform=\"translate({x} {y}) rotate(45) scale(0.8) translate({} {})\"", -x, -y);
        Some(tag.replacen(&format!("transform-origin=\"{origin}\""), &turn, 1))
    })
}

/// The drawing with dates of its axis that do not run into each other: those without room are left out, their lines are not.
fn sparse_axis(svg: &str) -> String {
    const TICK: &str = "<g class=\"tick\" ";
    /// Width of a digit, and the distance of two dates, in pixels.
    const DIGIT: f64 = 5.6;
    const DISTANCE: f64 = 8.0;
    let mut result = String::with_capacity(svg.len());
    let mut rest = svg;
    let (mut last, mut free) = (f64::MAX, f64::MIN);
    while let Some(at) = rest.find(TICK) {
        let (before, tick) = rest.split_at(at);
        result.push_str(before);
        let end = tick.find("</g>").unwrap_or(tick.len());
        let (tick, after) = tick.split_at(end);
        rest = after;
        let x = attribute(tick, "transform").and_then(|moved| {
            moved.strip_prefix("translate(")?.split([',', ' ', ')']).next()?.parse::<f64>().ok()
        });
        let text = tick.find("<text ").zip(tick.find("</text>"));
        let (Some(x), Some((open, close))) = (x, text) else {
            result.push_str(tick);
            continue;
        };
        // The next axis begins at the left again.
        if x < last {
            free = f64::MIN;
        }
        last = x;
        let shown = tick[open..close].rsplit('>').next().unwrap_or_default();
        let half = f64::from(u32::try_from(shown.chars().count()).unwrap_or(u32::MAX)) * DIGIT / 2.0;
        if x - half < free {
            result.push_str(&tick[..open]);
            result.push_str(&tick[close + "</text>".len()..]);
        } else {
            result.push_str(tick);
            free = x + half + DISTANCE;
        }
    }
    result.push_str(rest);
    result
}

/// The drawing with labels in the middle of their bars where they fit, and beside them otherwise: labels in a bar may have the
/// color of the page. The drawing library places them by the end of a task with the days that are excluded, and a bar ends before.
fn labels_beside_bars(svg: &str) -> String {
    const BAR: &str = "<rect id=\"";
    const LABEL: &str = "<text id=\"";
    const INSIDE: &str = "taskText taskText";
    /// Size of labels, the room that they need in a bar, and their distance from it, in pixels.
    const SIZE: f64 = 11.0;
    const ROOM: f64 = 4.0;
    const DISTANCE: f64 = 5.0;
    let number = |tag: &str, name: &str| attribute(tag, name)?.parse::<f64>().ok();
    let bars: HashMap<&str, (f64, f64)> = svg
        .split(BAR)
        .skip(1)
        .filter_map(|bar| {
            let tag = bar.split('>').next()?;
            Some((tag.split('"').next()?, (number(tag, "x")?, number(tag, "width")?)))
        })
        .collect();
    let Some([left, _, whole, _]) = area(svg) else { return svg.to_owned() };
    let style = TextStyle { font_size: SIZE, ..TextStyle::default() };
    each_from(svg, LABEL, |label| {
        let (tag, rest) = label.split_at(label.find('>')? + 1);
        let (start, length) = *bars.get(tag[LABEL.len()..].split('"').next()?.strip_suffix("-text")?)?;
        let (x, class) = (attribute(tag, "x")?, attribute(tag, "class")?);
        if class.contains("milestone") {
            // A square that is turned, at four fifths of its size.
            let corner = length * (0.8 * std::f64::consts::SQRT_2 - 1.0) / 2.0;
            let at = if class.starts_with("taskTextOutsideLeft") {
                start - corner - DISTANCE
            } else if class.starts_with("taskTextOutsideRight") {
                start + length + corner + DISTANCE
            } else {
                return None;
            };
            let tag = tag.replacen(&format!(" x=\"{x}\""), &format!(" x=\"{at}\""), 1);
            return Some((tag, label.len() - rest.len()));
        }
        let section = class.strip_prefix(INSIDE)?;
        let shown = width(rest.split('<').next()?.trim(), &style);
        let end = start + length;
        let (at, side) = if shown + ROOM <= length {
            (start + length / 2.0, None)
        } else if end + DISTANCE + shown <= left + whole {
            (end + DISTANCE, Some("Right"))
        } else {
            (start - DISTANCE, Some("Left"))
        };
        let tag = tag.replacen(&format!(" x=\"{x}\""), &format!(" x=\"{at}\""), 1);
        let beside = |side| format!("taskTextOutside{side} taskTextOutside{section}");
        let moved = side.map_or_else(|| tag.clone(), |side| tag.replacen(class, &beside(side), 1));
        Some((moved, label.len() - rest.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::super::draw;

    #[test]
    fn labels_that_are_wider_than_their_bars_are_beside_them() {
        let svg = draw(
            "gantt\n  dateFormat YYYY-MM-DD\n  excludes weekends\n  Short : a, 2014-01-06, 20d\n  \
             A task with a long label : b, 2014-01-09, 3d\n  The last task, which is at the end : c, after a, 2d\n",
        )
        .unwrap();
        let label = |name: &str| svg.split("<text id=\"").find(|label| label.contains(name)).unwrap();
        assert!(label("Short").contains("class=\"taskText taskText0"));
        assert!(
            label("A task").contains("class=\"taskTextOutsideRight taskTextOutside0"),
            "{}",
            label("A task")
        );
        assert!(
            label("The last").contains("class=\"taskTextOutsideLeft taskTextOutside0"),
            "{}",
            label("The last")
        );
    }

    #[test]
    fn milestones_are_turned_in_browsers_and_on_pages() {
        let svg = draw(
            "gantt\n  dateFormat YYYY-MM-DD\n  Task : a, 2026-01-01, 9d\n  Done : milestone, after a, 0d\n",
        )
        .unwrap();
        let bars: Vec<&str> =
            svg.split("<rect id=\"").skip(1).filter_map(|bar| bar.split('>').next()).collect();
        let turned: Vec<bool> = bars.iter().map(|bar| bar.contains("rotate(45)")).collect();
        assert_eq!(turned, [false, true], "{bars:?}");
        assert!(!svg.contains("transform:rotate"), "{svg}");
    }

    #[test]
    fn the_label_of_a_milestone_does_not_touch_it() {
        let svg = draw(
            "gantt\n  dateFormat YYYY-MM-DD\n  Before : a, 2026-01-01, 9d\n  A milestone : milestone, m, 2026-01-02, 0d\n  \
             Last : b, 2026-01-02, 40d\n",
        )
        .unwrap();
        let number = |of: &str, name: &str| {
            let tag = svg.split('<').find(|tag| tag.contains(&format!("id=\"merman-{of}\"")))?;
            tag.split(&format!(" {name}=\"")).nth(1)?.split('"').next()?.parse::<f64>().ok()
        };
        let side = number("m", "width").unwrap();
        let corner = number("m", "x").unwrap() + side / 2.0 + side * 0.8 / std::f64::consts::SQRT_2;
        let label = number("m-text", "x").unwrap();
        assert!((label - corner - 5.0).abs() < 0.01, "{label} {corner} {svg}");
    }

    #[test]
    fn dates_of_an_axis_do_not_run_into_each_other() {
        let tasks: String =
            (1..30).map(|day| format!("  Task {day} : t{day}, 2026-01-{day:02}, 2d\n")).collect();
        let svg = draw(&format!("gantt\n  dateFormat YYYY-MM-DD\n  section S\n{tasks}")).unwrap();
        let lines = svg.matches("class=\"tick\"").count();
        let dates = svg
            .split("class=\"tick\"")
            .skip(1)
            .filter(|tick| tick.split("</g>").next().is_some_and(|tick| tick.contains("<text ")));
        let dates = dates.count();
        assert!(lines > 10 && dates >= 4 && dates <= lines / 2, "{dates} of {lines}");
    }
}
