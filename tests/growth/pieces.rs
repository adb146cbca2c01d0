//! The same short pieces again and again, for every kind.

use proofmark::Ruleset;

use crate::{Case, grows_with_size};

/// Pieces that some reader treats in a special way.
const PIECES: &[&str] = &[
    "a",
    "a ",
    "a\n",
    "\n",
    "a: b\n",
    "- ",
    "- a\n",
    "? ",
    "[",
    "[a](",
    "![",
    "(",
    "{",
    "{{",
    "}}",
    "<",
    "<!--",
    "<!-- proofmark-ignore all: why -->\n",
    "# proofmark-ignore all: why\n",
    "\"",
    "'",
    "`",
    "```\n",
    "~~~\n",
    "*",
    "**a ",
    "_a_",
    "&a ",
    "*a ",
    "!a ",
    "|\n",
    ">",
    "> a\n",
    "---\n",
    ":::\n",
    "::: {.a}\n",
    "[^a]",
    "[^a]: b\n\n",
    "[a]: b\n",
    "[[a]]\n",
    "$",
    "${A}",
    "#",
    "# a\n\n",
    "* a\n",
    "#+begin_src\n",
    ":a: b\n",
    "|a|b|\n",
    "%%{",
    "a = 1\n",
    "[a]\n",
    "\u{feff}",
    "\r",
    "\t",
];

/// Every piece again and again in every kind.
pub(crate) fn cases() -> Vec<Case> {
    let ruleset = Ruleset::builtin();
    let mut cases = Vec::new();
    for kind in ruleset.kinds().names() {
        for piece in PIECES {
            cases.push(Case::new(kind, "a.txt", &format!("{piece:?}"), move |size| piece.repeat(size)));
            let framed = move |size: usize| format!("---\ntitle: a\n---\n{}\n---\n", piece.repeat(size));
            cases.push(Case::new(kind, "a.txt", &format!("{piece:?} after a header"), framed));
        }
    }
    cases
}

#[test]
fn work_for_repeated_pieces_grows_with_their_number() {
    grows_with_size(&cases());
}
