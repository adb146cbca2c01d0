//! How the parts of a document are written.

use crate::Form;

/// The parts of an Org file, from the outline inwards.
pub(super) fn all() -> Vec<Form> {
    let form =
        |name, about, statements| Form { name, about, headers: Vec::new(), statements, connectors: &[] };
    vec![
        form(
            "headline",
            "Stars and one space, then a TODO keyword, a priority, the title, and tags. A star and a space at the start of a line begin a headline also inside blocks and drawers; write a comma before it there.",
            &[
                ("*", "* TODO [#A] Write the report [1/2] :work:urgent:"),
                ("DONE", "** DONE Collect figures"),
                ("COMMENT", "* COMMENT Not exported"),
            ],
        ),
        form(
            "planning",
            "The line directly below a headline: dates of the task, in capitals.",
            &[
                ("SCHEDULED:", "SCHEDULED: <2026-01-30 Fri>"),
                ("DEADLINE:", "DEADLINE: <2026-01-31 Sat 10:00 +1w -2d>"),
                ("CLOSED:", "CLOSED: [2026-01-29 Thu 17:00]"),
            ],
        ),
        form(
            "timestamp",
            "Active in `<…>`, which the agenda shows, inactive in `[…]`: date, weekday, time, repeater, warning. A range has two with `--` between them.",
            &[
                ("<", "<2026-01-31 Sat 10:00-11:30 +1w>"),
                ("[", "[2026-01-26 Mon]--[2026-01-27 Tue]"),
                ("--", "<2026-01-28 Wed>--<2026-01-29 Thu>"),
                ("+", "<2026-01-30 Fri .+1d/3d>"),
                ("%%", "<%%(diary-float t 4 2) Sun>"),
            ],
        ),
        form(
            "properties",
            "A drawer directly below the headline or its planning line; each line is `:KEY: value`. The properties of a file come first in it.",
            &[(
                ":PROPERTIES:",
                ":PROPERTIES:\n:ID: 3f1c0b52-8a54-4c5e-9d0e-0b6a2f4f8e11\n:Effort: 1:30\n:END:",
            )],
        ),
        form(
            "drawer",
            "Lines between `:NAME:` and `:END:`.",
            &[(
                ":LOGBOOK:",
                ":LOGBOOK:\nCLOCK: [2026-01-31 Sat 10:00]--[2026-01-31 Sat 11:30] =>  1:30\n:END:",
            )],
        ),
        form(
            "block",
            "Lines between `#+begin_NAME` and `#+end_NAME`.",
            &[
                ("#+begin_src", "#+begin_src python :results output\nprint(1)\n#+end_src"),
                ("#+begin_example", "#+begin_example\n,* not a headline\n#+end_example"),
                ("#+begin_quote", "#+begin_quote\nA text.\n#+end_quote"),
                ("#+begin_export", "#+begin_export html\n<b>x</b>\n#+end_export"),
            ],
        ),
        form(
            "keyword",
            "A setting of the file, or of the element directly below it.",
            &[
                ("#+TITLE:", "#+TITLE: Report"),
                ("#+TODO:", "#+TODO: TODO NEXT | DONE CANCELED"),
                ("#+FILETAGS:", "#+FILETAGS: :work:"),
                ("#+NAME:", "#+CAPTION: Prices\n#+NAME: prices\n| Lamp | 9.95 |"),
            ],
        ),
        form(
            "list",
            "Items begin with `-`, `+`, or a number.",
            &[
                ("-", "- [ ] open\n- [X] done\n- term :: what it means"),
                ("1.", "1. first\n2. second"),
                ("[@", "4. [@4] begins at four"),
            ],
        ),
        form(
            "link",
            "In double brackets, with a description: to a page, a file, a headline, a CUSTOM_ID, an ID, or a target.",
            &[
                ("[[", "[[https://example.org][a page]]"),
                ("file:", "[[file:notes.org::*Plan][a headline of a file]]"),
                ("*", "[[*Plan][a headline]]"),
                ("#", "[[#plan][a CUSTOM_ID]]"),
                ("id:", "[[id:3f1c0b52-8a54-4c5e-9d0e-0b6a2f4f8e11][an ID]]"),
                ("<<", "<<target>> and [[target]]"),
            ],
        ),
        form(
            "footnote",
            "A reference, and a definition at the start of a line.",
            &[("[fn:", "Text[fn:1].\n\n[fn:1] The note.")],
        ),
    ]
}
