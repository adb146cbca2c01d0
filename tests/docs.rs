//! The documentation says what the program does: the commands in its pages are executed.
//!
//! `TRYCMD=overwrite cargo test --test docs` writes the current output into the pages.

#[test]
fn commands_in_the_pages_print_what_the_pages_show() {
    let cases = trycmd::TestCases::new();
    cases.case("README.md").case("docs/guide/*.md").case("docs/how-to/*.md");
    cases.env("NO_COLOR", "1").env("COLUMNS", "120");
    cases.run();
}
