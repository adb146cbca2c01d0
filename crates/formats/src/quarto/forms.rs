//! How the parts of a document are written.

use crate::Form;

/// The forms of a Quarto document.
pub(super) fn all() -> Vec<Form> {
    let form =
        |name, about, statements| Form { name, about, headers: Vec::new(), statements, connectors: &[] };
    vec![
        form(
            "header",
            "Options of the document, as YAML between two lines of `---` at the start. Options of one output format are below `format`.",
            &[("---", "---\ntitle: Report\nformat:\n  pptx:\n    reference-doc: brand.pptx\n---")],
        ),
        form(
            "div",
            "A block with attributes, between lines of at least three colons, with empty lines around it.",
            &[(":::", "::: {.callout-note title=\"Mind\"}\nText.\n:::")],
        ),
        form(
            "callout",
            "A div of the class `callout-note`, `callout-tip`, `callout-warning`, `callout-caution` or `callout-important`; a heading in it is its title.",
            &[("::: {.callout-tip}", "::: {.callout-tip}\n## Title\n\nText.\n:::")],
        ),
        form(
            "cell",
            "Code that Quarto executes or draws, with options in comments at its start. Proofmark does not execute it.",
            &[
                ("```{python}", "```{python}\n#| label: fig-sales\n#| fig-cap: Sales\nplot()\n```"),
                (
                    "```{mermaid}",
                    "```{mermaid}\n%%| label: fig-flow\n%%| fig-cap: The flow\nflowchart LR\n  A --> B\n```",
                ),
            ],
        ),
        form(
            "cross-reference",
            "A label with a prefix (`fig-`, `tbl-`, `sec-`, `eq-`, `lst-`, `thm-` and others), and `@label` in the text.",
            &[
                ("![", "![Elephants](elephants.png){#fig-elephants}"),
                (":", ": Sales by year {#tbl-sales}"),
                ("##", "## Methods {#sec-methods}"),
                ("$$", "$$\nE = mc^2\n$$ {#eq-energy}"),
                ("@", "See @fig-elephants, @tbl-sales and @sec-methods."),
            ],
        ),
        form(
            "citation",
            "A key of the bibliography that the header names, in brackets.",
            &[("[@", "Programs are literature [@knuth1984, p. 97].")],
        ),
        form(
            "shortcode",
            "A word with arguments between `{{<` and `>}}` that Quarto replaces.",
            &[
                ("{{< include", "{{< include _part.qmd >}}"),
                ("{{< meta", "{{< meta title >}}"),
                ("{{< video", "{{< video https://example.org/a.mp4 >}}"),
                ("{{< pagebreak", "{{< pagebreak >}}"),
            ],
        ),
        form(
            "footnote",
            "A mark in the text and a definition anywhere in the document.",
            &[("[^", "Text.[^1]\n\n[^1]: The note.")],
        ),
        form(
            "conditional",
            "Content for some output formats only.",
            &[(
                "::: {.content-visible",
                "::: {.content-visible when-format=\"html\"}\nOnly on the web.\n:::",
            )],
        ),
    ]
}
