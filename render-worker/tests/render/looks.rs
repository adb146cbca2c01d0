//! The look of the built-in quills: the pages of their examples as pictures of characters, so that a
//! change is seen in review. `PROOFMARK_BLESS=1` rewrites them.

use std::{fmt::Write as _, fs, path::Path};

use proofmark::internals::render::{Format, Library, Request};

use super::{builtin, document, messages, request};

/// Pixels an inch of the pictures.
pub(super) const PPI: f32 = 36.0;

/// Pixels of a character: about as high as wide on paper.
const CELL: (usize, usize) = (4, 8);

/// Characters that may differ: other processors round other edges of a letter.
const TOLERATED: usize = 40;

#[test]
fn built_in_quills_look_as_they_did() {
    let renderer = builtin();
    let library = Library::builtin();
    let names: Vec<&str> = library.quills().names().collect();
    assert_eq!(
        names,
        [
            "article",
            "certificate",
            "invoice",
            "letter",
            "memo",
            "memo_classic",
            "minutes",
            "product_catalog",
            "report",
            "resume"
        ]
    );
    let mut changed = Vec::new();
    for name in names {
        let text = library.example(name).expect("every quill has an example");
        let example = document(&text);
        let rendered = renderer.render(&Request { ppi: Some(PPI), ..request(&example, Format::Png) });
        assert_eq!(messages(&rendered.diagnostics), [""; 0], "{name}");
        let pages: Vec<String> = rendered.artifacts.iter().map(|page| look(&page.bytes)).collect();
        changed.extend(compared(name, &pages));
    }
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}

/// How the looks of pages differ from those that are kept under a name; nothing where they do not. Blessed ones
/// are kept.
pub(super) fn compared(name: &str, pages: &[String]) -> Option<String> {
    let look = pages.join("\n=== next page ===\n");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/looks/{name}.txt"));
    if std::env::var_os("PROOFMARK_BLESS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &look).unwrap();
        return None;
    }
    differing(&fs::read_to_string(&path).unwrap_or_default(), &look).map(|count| {
        format!("{name}: {count} characters differ; bless with PROOFMARK_BLESS=1 and look at the diff")
    })
}

/// How many characters of two looks differ, where they are more than other processors explain.
pub(super) fn differing(before: &str, now: &str) -> Option<usize> {
    let cells = |text: &str| -> Vec<Vec<char>> { text.lines().map(|line| line.chars().collect()).collect() };
    let (before, now) = (cells(before), cells(now));
    let differing: usize = (0..before.len().max(now.len()))
        .map(|row| {
            let line = |rows: &[Vec<char>]| rows.get(row).cloned().unwrap_or_default();
            let (a, b) = (line(&before), line(&now));
            // A line ends with its last ink.
            let cell = |line: &[char], at: usize| line.get(at).copied().unwrap_or(' ');
            (0..a.len().max(b.len())).filter(|at| cell(&a, *at) != cell(&b, *at)).count()
        })
        .sum();
    (before.len() != now.len() || differing > TOLERATED).then_some(differing)
}

/// A page as lines of characters, the darker the more ink.
pub(super) fn look(png: &[u8]) -> String {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let (width, height) = (info.width as usize, info.height as usize);
    let channels = info.color_type.samples();
    let ink = |x: usize, y: usize| {
        let at = (y * width + x) * channels;
        255 * 3 - pixels[at..at + 3].iter().map(|value| usize::from(*value)).sum::<usize>()
    };
    let mut look = String::new();
    for top in (0..height).step_by(CELL.1) {
        let mut line = String::new();
        for left in (0..width).step_by(CELL.0) {
            let cells = (top..(top + CELL.1).min(height))
                .flat_map(|y| (left..(left + CELL.0).min(width)).map(move |x| (x, y)));
            let sum: usize = cells.map(|(x, y)| ink(x, y)).sum();
            let share = sum * 100 / (CELL.0 * CELL.1 * 255 * 3);
            line.push(match share {
                0..=3 => ' ',
                4..=15 => '.',
                16..=30 => '+',
                31..=60 => '#',
                _ => '@',
            });
        }
        let _ = writeln!(look, "{}", line.trim_end());
    }
    look
}
