mod law;

use std::sync::Arc;

use super::*;
use crate::pandoc::json;

/// The document as Pandoc would show it, without what is the same everywhere.
fn ast(text: &str) -> String {
    let read = read(Arc::new(Source::new("a.qmd", text)), true, &|_| None);
    let text = serde_json::to_string(&json::blocks(&read.blocks)).unwrap_or_default();
    text.replace("[\"\",[],[]]", "{}")
        .replace("{\"t\":\"Space\"}", "_")
        .replace("\"t\":", "")
        .replace("\"c\":", "")
        .replace('"', "")
}

#[test]
fn emphasis_nests_and_unmatched_marks_are_text() {
    assert_eq!(
        ast("a **b *c* d** e*"),
        "[{Para,[{Str,a},_,{Strong,[{Str,b},_,{Emph,[{Str,c}]},_,{Str,d}]},_,{Str,e*}]}]"
    );
    assert_eq!(ast("snake_case_name"), "[{Para,[{Str,snake_case_name}]}]");
    assert_eq!(ast("***x***"), "[{Para,[{Emph,[{Strong,[{Str,x}]}]}]}]");
}

#[test]
fn lists_are_tight_without_empty_lines() {
    assert_eq!(
        ast("- a\n  - b\n- c"),
        "[{BulletList,[[{Plain,[{Str,a}]},{BulletList,[[{Plain,[{Str,b}]}]]}],[{Plain,[{Str,c}]}]]}]"
    );
    assert_eq!(ast("- a\n\n- b"), "[{BulletList,[[{Para,[{Str,a}]}],[{Para,[{Str,b}]}]]}]");
    assert_eq!(
        ast("3) a\n4) b"),
        "[{OrderedList,[[3,{Decimal},{OneParen}],[[{Plain,[{Str,a}]}],[{Plain,[{Str,b}]}]]]}]"
    );
}

#[test]
fn divs_end_with_their_own_colons() {
    assert_eq!(
        ast("::: a\nb\n\n:::: c\nd\n::::\n:::\n\ne"),
        "[{Div,[[,[a],[]],[{Para,[{Str,b}]},{Div,[[,[c],[]],[{Para,[{Str,d}]}]]}]]},{Para,[{Str,e}]}]"
    );
}

#[test]
fn notes_are_where_they_are_referred_to() {
    // Expected is what Pandoc 3.9 gives.
    assert_eq!(
        ast("a[^b]\n\n- [^b]: c\n\n> d\n    > e"),
        "[{Para,[{Str,a},{Note,[{Para,[{Str,c}]}]}]},{BulletList,[[]]},{BlockQuote,[{Para,[{Str,d}]}]},{CodeBlock,[{},> e]}]"
    );
    assert_eq!(
        ast("a[^1]\n\n[^1]: b\n\n    c\n\nd^[e]"),
        "[{Para,[{Str,a},{Note,[{Para,[{Str,b}]},{Para,[{Str,c}]}]}]},{Para,[{Str,d},{Note,[{Para,[{Str,e}]}]}]}]"
    );
}

#[test]
fn tables_of_four_notations_are_read() {
    let cells = |text: &str| {
        let read = read(Arc::new(Source::new("a.qmd", text)), true, &|_| None);
        match read.blocks.as_slice() {
            [Block::Table(table)] => {
                let row = |row: &Vec<crate::model::Cell>| {
                    row.iter()
                        .map(|cell| crate::model::plain_blocks(&cell.blocks))
                        .collect::<Vec<_>>()
                        .join("|")
                };
                table.head.iter().chain(&table.rows).map(row).collect::<Vec<_>>().join("/")
            }
            other => format!("{other:?}"),
        }
    };
    assert_eq!(cells("| a | b |\n|---|---|\n| 1 | `x|y` |"), "a|b/1|x|y");
    assert_eq!(cells("+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+"), "a|b/1|2");
    assert_eq!(cells("  a     b\n----- -----\n 1     2\n"), "a|b/1|2");
    assert_eq!(
        cells("-----------\n a    b\n---- ------\n1    two\n     lines\n\n2    x\n-----------\n"),
        "a|b/1|two lines/2|x"
    );
}

#[test]
fn links_images_and_spans_have_attributes() {
    assert_eq!(ast("[a](b){.c}"), "[{Para,[{Link,[[,[c],[]],[{Str,a}],[b,]]}]}]");
    assert_eq!(ast("[a]{.c}"), "[{Para,[{Span,[[,[c],[]],[{Str,a}]]}]}]");
    assert_eq!(ast("[a][r]\n\n[r]: http://x"), "[{Para,[{Link,[{},[{Str,a}],[http://x,]]}]}]");
}

#[test]
fn quotes_and_dashes_become_typographic() {
    assert_eq!(ast("\"a\" -- it's..."), "[{Para,[{Str,“a”},_,{Str,–},_,{Str,it’s…}]}]");
}

#[test]
fn a_fence_of_a_div_ends_what_is_in_it() {
    let table = "{Table,[[tbl-a,[],[]],[null,[{Plain,[{Str,Sales}]}]]";
    let read = ast("::: x\n| a |\n|---|\n| 1 |\n\n: Sales {#tbl-a}\n:::\n\nb");
    assert!(read.starts_with(&format!("[{{Div,[[,[x],[]],[{table}")), "{read}");
    assert!(read.ends_with("{Para,[{Str,b}]}]"), "{read}");
    assert_eq!(
        ast("::: x\n- a\n:::\n"),
        "[{Div,[[,[x],[]],[{BulletList,[[{Plain,[{Str,a}]}]]}]]}]",
        "an item ends too"
    );
    assert_eq!(ast(" ::: x\na"), "[{Para,[{Str,:::},_,{Str,x},{SoftBreak},{Str,a}]}]", "no indentation");
}

#[test]
fn an_item_is_a_paragraph_where_an_empty_line_follows_it() {
    assert_eq!(
        ast("- a\n\n  b\n- c\n"),
        "[{BulletList,[[{Para,[{Str,a}]},{Para,[{Str,b}]}],[{Para,[{Str,c}]}]]}]"
    );
    assert_eq!(
        ast("- a\n- b\n\nc"),
        "[{BulletList,[[{Plain,[{Str,a}]}],[{Plain,[{Str,b}]}]]},{Para,[{Str,c}]}]"
    );
    assert_eq!(
        ast("T\n\n:   d\n"),
        "[{DefinitionList,[[[{Str,T}],[[{Para,[{Str,d}]}]]]]}]",
        "a definition after an empty line is a paragraph"
    );
}

#[test]
fn quotation_marks_open_before_words_and_close_after_them() {
    assert_eq!(ast("**x**'s 'y' 'z"), "[{Para,[{Strong,[{Str,x}]},{Str,’s},_,{Str,‘y’},_,{Str,’z}]}]");
    assert_eq!(ast("e.g. a, i.e.\nb"), "[{Para,[{Str,e.g.\u{a0}a,},_,{Str,i.e.},{SoftBreak},{Str,b}]}]");
}

#[test]
fn only_fences_that_are_closed_are_code() {
    assert_eq!(ast("```\na\n\nb"), "[{Para,[{Str,```},{SoftBreak},{Str,a}]},{Para,[{Str,b}]}]");
    assert_eq!(
        ast("a\n~~~\nb\n~~~"),
        "[{Para,[{Str,a},{SoftBreak},{Str,~~~},{SoftBreak},{Str,b},{SoftBreak},{Str,~~~}]}]"
    );
    assert_eq!(ast("```\n\ta\n```"), "[{CodeBlock,[{},    a]}]");
}

#[test]
fn headings_are_targets_of_their_words() {
    assert_eq!(
        ast("## A *b*\n\n[A *b*] [c]"),
        "[{Header,[2,{},[{Str,A},_,{Emph,[{Str,b}]}]]},{Para,[{Link,[{},[{Str,A},_,{Emph,[{Str,b}]}],[#a-b,]]},_,{Str,[c]}]}]"
    );
}

#[test]
fn spans_of_html_and_citations_in_lists_are_read() {
    assert_eq!(ast("<span class=\"smallcaps\">a</span>"), "[{Para,[{SmallCaps,[{Str,a}]}]}]");
    let cited = ast("@a [@b]");
    assert!(cited.matches("citationId").count() == 2 && cited.contains("AuthorInText"), "{cited}");
    assert_eq!(ast("<span>a"), "[{Para,[{RawInline,[html,<span>]},{Str,a}]}]");
}

#[test]
fn tags_that_can_be_both_are_blocks_where_one_begins() {
    assert_eq!(
        ast("<button>a</button> b\n\nc <button>d</button>"),
        "[{RawBlock,[html,<button>]},{Plain,[{Str,a}]},{RawBlock,[html,</button>]},{Para,[{Str,b}]},\
         {Para,[{Str,c},_,{RawInline,[html,<button>]},{Str,d},{RawInline,[html,</button>]}]}]"
    );
    assert_eq!(
        ast("<label>a</label>"),
        "[{Para,[{RawInline,[html,<label>]},{Str,a},{RawInline,[html,</label>]}]}]"
    );
}

#[test]
fn attributes_at_the_end_of_a_line_end_a_caption() {
    let shown = |text: &str| {
        let read = read(Arc::new(Source::new("a.qmd", text)), true, &|_| None);
        let [Block::Table(table), rest @ ..] = read.blocks.as_slice() else { panic!("{:?}", read.blocks) };
        format!(
            "{} {} {}",
            crate::model::plain(&table.caption),
            table.attr.id,
            crate::model::plain_blocks(rest)
        )
    };
    let table = "| a |\n|---|\n| 1 |\n\n";
    assert_eq!(shown(&format!("{table}: Cap {{#tbl-x}}\nSee b.\n")).trim(), "Cap tbl-x See b.");
    assert_eq!(shown(&format!("{table}: Cap\ntwo {{#tbl-x}}\n")).trim(), "Cap two tbl-x");
    assert_eq!(shown(&format!("{table}: Cap [s]{{.x}}\nSee b.\n")).trim(), "Cap s See b.");
}

#[test]
fn a_fence_in_code_that_is_open_ends_no_paragraph() {
    assert_eq!(ast("```{a b} c`d\ne\n```\n\nf"), "[{Para,[{Code,[{},{a b} c`d e]}]},{Para,[{Str,f}]}]");
    assert_eq!(ast("a ` b\n```\nc\n```"), "[{Para,[{Str,a},_,{Str,`},_,{Str,b}]},{CodeBlock,[{},c]}]");
}
