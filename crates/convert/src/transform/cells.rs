//! Code cells: shown as code, never executed.

use super::{
    Context, LossKind,
    diagrams::{self, Appearance},
};
use crate::{
    html::escape,
    model::{Attr, Block, Inline, Rewrite},
};

/// Makes code of cells, without their options.
pub(super) fn apply(blocks: Vec<Block>, context: &mut Context<'_>) -> Vec<Block> {
    Cells { context }.rewrite(blocks)
}

struct Cells<'a, 'c> {
    context: &'a mut Context<'c>,
}

/// The marks that begin the options of a cell.
const MARKS: [&str; 7] = ["#|", "%%|", "//|", "--|", "*|", "'|", ";;|"];

struct Options {
    pairs: Vec<(String, String)>,
    code: String,
}

impl Options {
    fn read(text: &str) -> Self {
        let mut pairs = Vec::new();
        let mut rest = text;
        while let Some(line) = rest.split_inclusive('\n').next() {
            let words = line.trim_start();
            let Some(option) = MARKS.iter().find_map(|mark| words.strip_prefix(mark)) else { break };
            if let Some((key, value)) = option.trim().split_once(':') {
                pairs.push((key.trim().to_owned(), value.trim().trim_matches(['"', '\'']).to_owned()));
            }
            rest = &rest[line.len()..];
        }
        Self { pairs, code: rest.to_owned() }
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// Attributes of code with the options that are about how it is shown.
    fn of_code(&self, mut attr: Attr) -> Attr {
        const KEYS: [&str; 6] =
            ["filename", "lst-label", "lst-cap", "code-fold", "code-summary", "code-line-numbers"];
        for key in KEYS {
            if let Some(value) = self.get(key) {
                attr.pairs.push((key.to_owned(), value.to_owned()));
            }
        }
        attr
    }
}

impl Cells<'_, '_> {
    fn cell(&mut self, mut attr: Attr, text: &str, out: &mut Vec<Block>) {
        let language = attr.take("cell").unwrap_or_default();
        let options = Options::read(text);
        let drawn = matches!(language.as_str(), "mermaid" | "dot");
        let hidden = |key: &str| options.get(key) == Some("false");
        let echo = self.context.metadata.at("execute.echo").and_then(serde_json::Value::as_bool);
        let shown = !hidden("echo") && (drawn || echo != Some(false));
        if hidden("include") {
            return;
        }
        // A cell that is not to be executed has no result.
        let wanted = !hidden("eval")
            && self.context.metadata.at("execute.eval") != Some(&serde_json::Value::Bool(false));
        if !drawn && wanted {
            let what =
                if shown { format!("cell {language}") } else { format!("result of the cell {language}") };
            let kind = if shown { LossKind::NotExecuted } else { LossKind::Dropped };
            self.context.lose(kind, attr.place, what);
        }
        if language == "mermaid" && !hidden("eval") {
            if let Some(picture) = self.picture(&attr, &options) {
                if options.get("echo") == Some("true") {
                    let code = options.of_code(Attr { place: attr.place, ..Attr::class("mermaid") });
                    self.code(code, options.code.trim_end().to_owned(), out);
                }
                out.push(picture);
                return;
            }
        } else if drawn && !hidden("eval") {
            self.context.lose(LossKind::Simplified, attr.place, "diagram");
        }
        let mut classes = vec![language.clone()];
        if !drawn {
            classes.push("cell-code".to_owned());
        }
        let code = options.of_code(Attr { classes, place: attr.place, ..Attr::default() });
        let mut shown_code = Vec::new();
        if shown {
            self.code(code, options.code.trim_end().to_owned(), &mut shown_code);
        }
        let label = options.get("label").filter(|label| label.contains('-')).unwrap_or_default();
        let caption = ["fig-cap", "tbl-cap"].iter().find_map(|key| options.get(key)).unwrap_or_default();
        let is_float = label.starts_with("fig-") || label.starts_with("tbl-");
        let mut inner = shown_code;
        if is_float {
            if !caption.is_empty() {
                inner.push(Block::Para(crate::reader::read_inlines(caption, true)));
            }
            let attr = Attr { place: attr.place, ..Attr::default() }.with_id(label);
            out.push(Block::Div(attr, inner));
        } else if self.context.is_html() && !drawn {
            out.push(Block::Div(Attr { place: attr.place, ..Attr::class("cell") }, inner));
        } else {
            out.extend(inner);
        }
    }
}

impl Cells<'_, '_> {
    /// The picture of a cell that is a diagram.
    fn picture(&mut self, attr: &Attr, options: &Options) -> Option<Block> {
        let appearance = Appearance {
            label: options.get("label"),
            caption: options.get("fig-cap"),
            alternative: options.get("fig-alt"),
            width: options.get("fig-width"),
            align: options.get("fig-align"),
        };
        diagrams::drawn(self.context, attr, &options.code, &appearance)
    }

    /// Code with its file name above it, and folded where that is asked for.
    fn code(&mut self, mut attr: Attr, text: String, out: &mut Vec<Block>) {
        if self.context.is_html() {
            let metadata = self.context.metadata;
            let own = attr.take("code-fold");
            let of_document = metadata.at("code-fold").and_then(crate::metadata::scalar);
            let fold = own.or(of_document.filter(|_| attr.has_class("cell-code")));
            let Some(state) = fold.filter(|state| state != "false") else {
                out.push(Block::Code(attr, text));
                return;
            };
            let summary = attr.take("code-summary");
            let summary = summary.as_deref().or_else(|| metadata.words("code-summary")).unwrap_or("Code");
            let open = if state == "show" { " open=\"\"" } else { "" };
            let place = attr.place;
            let raw = |text: String| Block::Raw { format: "html".to_owned(), text, place };
            let summary = escape(summary);
            out.push(raw(format!("<details class=\"code-fold\"{open}>\n<summary>{summary}</summary>")));
            out.push(Block::Code(attr, text));
            out.push(raw("</details>".to_owned()));
            return;
        }
        attr.take("code-fold");
        attr.take("code-summary");
        let docusaurus = self.context.format.id == "docusaurus-md";
        match attr.take("filename") {
            Some(name) if docusaurus => {
                let language = attr.classes.first().cloned().unwrap_or_default();
                let fence = "`".repeat(3.max(longest_run(&text) + 1));
                let text = format!("{fence}{language} title=\"{name}\"\n{text}\n{fence}");
                out.push(Block::Raw { format: "markdown".to_owned(), text, place: attr.place });
            }
            Some(name) => {
                out.push(Block::Para(vec![Inline::Strong(vec![Inline::Str(name)])]));
                out.push(Block::Code(attr, text));
            }
            None => out.push(Block::Code(attr, text)),
        }
    }
}

/// Code with the fences that it shows: those with two or more pairs of braces lose one, `{{python}}` is `{python}`.
fn unescaped(text: &str) -> String {
    if !text.contains("```{{") {
        return text.to_owned();
    }
    let lines = text.split('\n').map(|line| {
        let fence = line.trim_start();
        let braces = fence.trim_start_matches('`');
        let is_fence = fence.len() - braces.len() >= 3 && braces.starts_with("{{");
        match braces.rfind("}}").filter(|_| is_fence && !braces.starts_with("{{<")) {
            Some(close) => {
                let before = &line[..line.len() - braces.len()];
                format!("{before}{}{}", &braces[1..close], &braces[close + 1..])
            }
            None => line.to_owned(),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The longest run of backticks in code.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

impl Rewrite for Cells<'_, '_> {
    fn blocks(&mut self, blocks: Vec<Block>) -> Vec<Block> {
        let mut out = Vec::with_capacity(blocks.len());
        for block in blocks {
            match block {
                Block::Code(attr, text) if attr.get("cell").is_some() => self.cell(attr, &text, &mut out),
                Block::Code(mut attr, text) if attr.get("shown").is_some() => {
                    let language = attr.take("shown").unwrap_or_default();
                    attr.classes = vec!["markdown".to_owned()];
                    out.push(Block::Code(attr, format!("```{{{language}}}\n{text}\n```")));
                }
                Block::Code(attr, text) if is_plain_diagram(&attr) => {
                    match diagrams::drawn(self.context, &attr, &text, &Appearance::default()) {
                        Some(picture) => out.push(picture),
                        None => self.code(attr, text, &mut out),
                    }
                }
                Block::Code(mut attr, text) => {
                    attr.pairs.retain(|(key, _)| key != "shortcodes");
                    self.code(attr, unescaped(&text), &mut out);
                }
                other => out.push(other),
            }
        }
        out
    }

    fn inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        for inline in &inlines {
            if let Inline::Code(attr, text) = inline
                && is_executed(text)
            {
                self.context.lose(LossKind::NotExecuted, attr.place, "inline code");
            }
        }
        inlines
    }
}

/// Whether a fence has nothing but a diagram: with further attributes, it is a listing of one.
fn is_plain_diagram(attr: &Attr) -> bool {
    attr.classes == ["mermaid"] && attr.pairs.is_empty()
}

/// Whether Quarto executes inline code.
fn is_executed(text: &str) -> bool {
    text.starts_with("r ") || (text.starts_with('{') && !text.starts_with("{{") && text.contains("} "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_fences_lose_a_pair_of_braces() {
        assert_eq!(unescaped("```{{python}}\n1\n```"), "```{python}\n1\n```");
        assert_eq!(unescaped("  ````{{{r}}}"), "  ````{{r}}");
        assert_eq!(unescaped("```{r}\n{{< meta x >}}"), "```{r}\n{{< meta x >}}");
    }
}
