//! Words of code with classes by what they are, the classes that Pandoc gives them: `kw` keyword, `cf` control flow,
//! `fu` function, `bu` built-in, `im` import, `cn` constant, `dt` type, `dv` number, `fl` decimal number, `st` string,
//! `co` comment, `op` operator, `at` attribute or option, `va` variable, `ot` other, `in` information.

use std::fmt::Write as _;

use super::escape::text;

/// How a language is written. Lists are separated by spaces.
struct Language {
    names: &'static str,
    line_comments: &'static [&'static str],
    block_comments: &'static [(&'static str, &'static str)],
    quotes: &'static str,
    keywords: &'static str,
    control: &'static str,
    builtins: &'static str,
    imports: &'static str,
    types: &'static str,
    constants: &'static str,
    /// Characters of words beside letters, digits and the underscore.
    word: &'static str,
    ignores_case: bool,
}

const PLAIN: Language = Language {
    names: "",
    line_comments: &[],
    block_comments: &[],
    quotes: "\"'",
    keywords: "",
    control: "",
    builtins: "",
    imports: "",
    types: "",
    constants: "",
    word: "",
    ignores_case: false,
};

const C_COMMENTS: &[(&str, &str)] = &[("/*", "*/")];

const LANGUAGES: [Language; 13] = [
    Language {
        names: "python py python3",
        line_comments: &["#"],
        quotes: "\"'",
        keywords: "and as assert async await class def del global in is lambda nonlocal not or with",
        control: "break continue elif else except finally for if match case pass raise return try while yield",
        imports: "from import",
        builtins: "abs all any bool bytes callable chr classmethod dict dir enumerate eval exec filter float format frozenset getattr hasattr hash help hex id input int isinstance issubclass iter len list map max min next object open ord pow print property range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip",
        constants: "None True False",
        ..PLAIN
    },
    Language {
        names: "r",
        line_comments: &["#"],
        quotes: "\"'`",
        keywords: "function",
        control: "if else for while repeat break next return in",
        constants: "TRUE FALSE NULL NA NaN Inf NA_integer_ NA_real_ NA_character_",
        word: ".",
        ..PLAIN
    },
    Language {
        names: "julia jl",
        line_comments: &["#"],
        block_comments: &[("#=", "=#")],
        quotes: "\"",
        keywords: "abstract baremodule begin const do end function global let local macro module mutable primitive quote struct type where",
        control: "break catch continue else elseif finally for if in return try while",
        imports: "export import using",
        constants: "true false nothing missing",
        word: "!",
        ..PLAIN
    },
    Language {
        names: "javascript js typescript ts jsx tsx ojs",
        line_comments: &["//"],
        block_comments: C_COMMENTS,
        quotes: "\"'`",
        keywords: "async await class const delete extends function get in instanceof interface let new of private public readonly set static super this type typeof var void enum implements",
        control: "break case catch continue default do else finally for if return switch throw try while yield",
        imports: "export from import",
        constants: "true false null undefined NaN Infinity",
        builtins: "console document window Math JSON Object Array Promise",
        types: "any boolean number string unknown never",
        word: "$",
        ..PLAIN
    },
    Language {
        names: "c cpp c++ h cs csharp java kotlin scala swift go dart php stan d glsl arduino",
        line_comments: &["//"],
        block_comments: C_COMMENTS,
        quotes: "\"'",
        keywords: "abstract class const constexpr data enum explicit extends extern final fun func implements inline interface internal let mutable namespace new object operator override package private protected public sealed static struct template this trait typedef typename union using val var virtual volatile where",
        control: "break case catch continue default defer do else finally for foreach if goto match return select switch throw try while yield",
        imports: "import include",
        types: "auto bool boolean byte char double float int int32_t int64_t long real short signed size_t string String uint8_t unsigned vector matrix void",
        constants: "true false null nullptr nil NULL",
        ..PLAIN
    },
    Language {
        names: "rust rs",
        line_comments: &["//"],
        block_comments: C_COMMENTS,
        quotes: "\"",
        keywords: "as async await const crate dyn enum extern fn impl let mod move mut pub ref self Self static struct super trait type unsafe use where",
        control: "break continue else for if in loop match return while",
        types: "bool char f32 f64 i8 i16 i32 i64 isize str u8 u16 u32 u64 usize Box Option Result String Vec",
        constants: "true false None Some Ok Err",
        ..PLAIN
    },
    Language {
        names: "bash sh shell zsh fish console",
        line_comments: &["#"],
        quotes: "\"'",
        keywords: "function local export declare readonly",
        control: "case do done elif else esac fi for if in then until while return break continue",
        builtins: "alias cd echo eval exec exit printf pwd read set shift source test trap unset",
        word: "-",
        ..PLAIN
    },
    Language {
        names: "sql mysql postgresql",
        line_comments: &["--"],
        block_comments: C_COMMENTS,
        quotes: "\"'",
        keywords: "select from where group by order having insert into values update set delete create table drop alter add column index view join left right inner outer full on as and or not in is like between union all distinct limit offset primary key foreign references default case when then else end with exists asc desc",
        types: "int integer text varchar char date timestamp float double decimal boolean numeric",
        constants: "null true false",
        ignores_case: true,
        ..PLAIN
    },
    Language {
        names: "css scss sass less",
        line_comments: &["//"],
        block_comments: C_COMMENTS,
        keywords: "important",
        word: "-",
        ..PLAIN
    },
    Language {
        names: "lua",
        line_comments: &["--"],
        block_comments: &[("--[[", "]]")],
        keywords: "and end function local not or",
        control: "break do else elseif for goto if in repeat return then until while",
        builtins: "ipairs pairs print require tostring tonumber type",
        constants: "nil true false",
        ..PLAIN
    },
    Language {
        names: "ruby rb perl elixir",
        line_comments: &["#"],
        keywords: "alias and begin class def do end ensure lambda module my new not or our private proc public self sub super undef use defmodule",
        control: "break case else elsif for foreach if in last next redo rescue retry return then unless until when while yield",
        imports: "require include",
        builtins: "puts print p attr_accessor attr_reader",
        constants: "nil true false",
        word: "?!",
        ..PLAIN
    },
    Language {
        names: "toml ini dockerfile makefile make cmake properties gitignore powershell ps1 nix",
        line_comments: &["#"],
        constants: "true false",
        ..PLAIN
    },
    Language {
        names: "haskell hs ocaml fsharp elm matlab octave fortran ada sas",
        line_comments: &["--", "%", "!"],
        block_comments: &[("{-", "-}"), ("(*", "*)"), ("/*", "*/")],
        quotes: "\"",
        keywords: "class data deriving end fun function import instance in infix let module newtype of open program rec type val where subroutine",
        control: "case do else for if match then try while with",
        constants: "True False true false",
        ..PLAIN
    },
];

/// Pieces of text with their classes; text without a class has an empty one.
struct Painter {
    lines: Vec<String>,
}

impl Painter {
    /// Adds text, a piece for each line of it.
    fn add(&mut self, class: &str, piece: &str) {
        for (index, part) in piece.split('\n').enumerate() {
            if index > 0 {
                self.lines.push(String::new());
            }
            let Some(line) = self.lines.last_mut().filter(|_| !part.is_empty()) else { continue };
            if class.is_empty() {
                line.push_str(&text(part));
            } else {
                let _ = write!(line, "<span class=\"{class}\">{}</span>", text(part));
            }
        }
    }
}

/// Whether a language is known.
pub(super) fn is_known(name: &str) -> bool {
    LANGUAGES.iter().any(|known| known.names.split(' ').any(|own| own == name))
        || ["yaml", "json", "html", "xml", "markdown", "latex", "tex", "diff"].contains(&name)
}

/// The lines of code as HTML.
pub(super) fn highlight(language: &str, code: &str) -> Vec<String> {
    let mut painter = Painter { lines: vec![String::new()] };
    let name = language.trim_start_matches('{').trim_end_matches('}').to_ascii_lowercase();
    let found = LANGUAGES.iter().find(|known| known.names.split(' ').any(|own| own == name));
    match (found, name.as_str()) {
        (Some(language), _) => words(language, code, &mut painter),
        (None, "yaml" | "yml") => each_line(code, &mut painter, yaml),
        (None, "json" | "jsonc" | "geojson") => json(code, &mut painter),
        (None, "html" | "xml" | "svg") => tags(code, &mut painter),
        (None, "markdown" | "md" | "qmd" | "rmd") => markdown(code, &mut painter),
        (None, "latex" | "tex") => each_line(code, &mut painter, latex),
        (None, "diff" | "patch") => each_line(code, &mut painter, |line, painter| {
            let class = match line.bytes().next() {
                Some(b'+') => "va",
                Some(b'-') => "st",
                Some(b'@') => "dt",
                _ => "",
            };
            painter.add(class, line);
        }),
        _ => painter.add("", code),
    }
    painter.lines.truncate(code.lines().count());
    painter.lines
}

fn each_line(code: &str, painter: &mut Painter, mut paint: impl FnMut(&str, &mut Painter)) {
    for (index, line) in code.split('\n').enumerate() {
        if index > 0 {
            painter.lines.push(String::new());
        }
        paint(line, painter);
    }
}

/// The end of a string that begins with a quote, or of the line where it does not close.
fn string_end(rest: &str, quote: char) -> usize {
    let triple: String = std::iter::repeat_n(quote, 3).collect();
    if quote != '`' && rest.starts_with(&triple) {
        return rest[3..].find(&triple).map_or(rest.len(), |end| end + 6);
    }
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' if quote != '`' => return at,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

fn number_end(rest: &str) -> usize {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let mut last = ' ';
    for (at, c) in rest.char_indices() {
        let sign = matches!(c, '+' | '-') && matches!(last, 'e' | 'E') && !rest.starts_with("0x");
        if !is_part(c) && !sign {
            return at;
        }
        last = c;
    }
    rest.len()
}

/// Code of a language that consists of words, strings, numbers, operators and comments.
fn words(language: &Language, code: &str, painter: &mut Painter) {
    let lists = [
        ("kw", language.keywords),
        ("cf", language.control),
        ("im", language.imports),
        ("cn", language.constants),
        ("dt", language.types),
        ("bu", language.builtins),
    ];
    let is_shell = language.names.starts_with("bash");
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || language.word.contains(c);
    let mut rest = code;
    let mut at_start = true;
    while let Some(first) = rest.chars().next() {
        let starts = |marks: &[&str]| marks.iter().any(|mark| rest.starts_with(mark));
        let block = language.block_comments.iter().find(|(open, _)| rest.starts_with(open));
        let (class, end) = if let Some((open, close)) = block {
            ("co", rest[open.len()..].find(close).map_or(rest.len(), |end| open.len() + end + close.len()))
        } else if starts(language.line_comments) {
            ("co", rest.find('\n').unwrap_or(rest.len()))
        } else if language.quotes.contains(first) {
            ("st", string_end(rest, first))
        } else if first.is_ascii_digit() {
            let end = number_end(rest);
            (if rest[..end].contains('.') && !rest[..end].starts_with("0x") { "fl" } else { "dv" }, end)
        } else if first == '@' && rest[1..].starts_with(|c: char| c.is_alphabetic()) {
            ("at", 1 + rest[1..].find(|c: char| !is_word(c)).unwrap_or(rest.len() - 1))
        } else if is_shell && first == '$' {
            let end =
                rest[1..].find(|c: char| !is_word(c) && !matches!(c, '{' | '}')).unwrap_or(rest.len() - 1);
            ("va", 1 + end)
        } else if is_shell && first == '-' {
            ("at", rest.find(|c: char| !is_word(c)).unwrap_or(rest.len()))
        } else if first.is_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            let word = &rest[..end];
            let same = |own: &str| own == word || language.ignores_case && own.eq_ignore_ascii_case(word);
            let listed = lists.iter().find(|(_, list)| list.split(' ').any(same)).map(|(class, _)| *class);
            let called = rest[end..].starts_with('(');
            let argument = || {
                let next = rest[end..].trim_start_matches(' ');
                language.names == "r" && next.starts_with('=') && !next.starts_with("==")
            };
            let class = match listed {
                Some(class) => class,
                None if called => "fu",
                None if argument() => "at",
                None if is_shell && at_start => "ex",
                None => "",
            };
            (class, end)
        } else if rest.starts_with("<-") || rest.starts_with("|>") {
            (if language.names == "r" { "ot" } else { "op" }, 2)
        } else if "+-*/%=<>!&|^~?:".contains(first) {
            ("op", rest.find(|c: char| !"+-*/%=<>!&|^~?:".contains(c)).unwrap_or(rest.len()))
        } else {
            ("", first.len_utf8())
        };
        // A comment may follow operators directly.
        let end = if class == "op" {
            let marks =
                language.line_comments.iter().chain(language.block_comments.iter().map(|(open, _)| open));
            marks.filter_map(|mark| rest[..end].find(mark)).filter(|at| *at > 0).min().unwrap_or(end)
        } else {
            end
        };
        let (piece, after) = rest.split_at(end.max(first.len_utf8()).min(rest.len()));
        painter.add(class, piece);
        at_start = match first {
            '\n' | '|' | ';' | '&' => true,
            c if c.is_whitespace() => at_start,
            _ => false,
        };
        rest = after;
    }
}

/// A line of YAML: keys are functions, values attributes, as Pandoc has it.
fn yaml(line: &str, painter: &mut Painter) {
    let body = line.trim_start();
    let (space, _) = line.split_at(line.len() - body.len());
    painter.add("", space);
    if body.starts_with('#') {
        return painter.add("co", body);
    }
    let (dash, body) = match body.strip_prefix("- ") {
        Some(rest) => ("- ", rest),
        None => ("", body),
    };
    painter.add("kw", dash.trim_end());
    painter.add("", if dash.is_empty() { "" } else { " " });
    let key = body.find(':').filter(|at| {
        !body.starts_with(['"', '\'', '[', '{']) && (body.len() == at + 1 || body[at + 1..].starts_with(' '))
    });
    let value = match key {
        Some(at) => {
            painter.add("fu", &body[..at]);
            painter.add("kw", ":");
            &body[at + 1..]
        }
        None => body,
    };
    let (value, comment) = value.find(" #").map_or((value, ""), |at| value.split_at(at));
    let inner = value.trim_start();
    let number = inner.trim_end().parse::<f64>().is_ok();
    let class = match inner {
        _ if number => "dv",
        "true" | "false" | "null" => "ch",
        value if value.starts_with(['"', '\'']) => "st",
        value if value.starts_with(['|', '>']) => "ch",
        _ => "at",
    };
    painter.add(class, value);
    painter.add("co", comment);
}

fn json(code: &str, painter: &mut Painter) {
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let (class, end) = match first {
            '"' => {
                let end = string_end(rest, '"');
                (if rest[end..].trim_start().starts_with(':') { "dt" } else { "st" }, end)
            }
            c if c.is_ascii_digit() || c == '-' => {
                let end = 1 + number_end(&rest[1..]);
                (if rest[..end].contains('.') { "fl" } else { "dv" }, end)
            }
            c if c.is_ascii_alphabetic() => {
                ("kw", rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len()))
            }
            '{' | '}' | ',' => ("fu", 1),
            '[' | ']' => ("ot", 1),
            c => ("", c.len_utf8()),
        };
        let (piece, after) = rest.split_at(end);
        painter.add(class, piece);
        rest = after;
    }
}

fn tags(code: &str, painter: &mut Painter) {
    let mut rest = code;
    while !rest.is_empty() {
        if rest.starts_with("<!--") {
            let end = rest.find("-->").map_or(rest.len(), |end| end + 3);
            painter.add("co", &rest[..end]);
            rest = &rest[end..];
        } else if rest.starts_with('<') {
            let end = rest.find('>').map_or(rest.len(), |end| end + 1);
            tag(&rest[..end], painter);
            rest = &rest[end..];
        } else {
            let end = rest.find('<').unwrap_or(rest.len());
            painter.add("", &rest[..end]);
            rest = &rest[end..];
        }
    }
}

fn tag(tag: &str, painter: &mut Painter) {
    let name = tag.find(|c: char| c.is_whitespace()).unwrap_or(tag.trim_end_matches(['/', '>']).len());
    let open = tag.len() - tag.trim_start_matches(['<', '/', '!', '?']).len();
    painter.add("dt", &tag[..open.min(name)]);
    painter.add("kw", tag.get(open..name).unwrap_or_default());
    let mut rest = &tag[name.max(open)..];
    while let Some(first) = rest.chars().next() {
        let (class, end) = match first {
            '"' | '\'' => ("st", string_end(rest, first)),
            '>' | '/' | '?' => ("dt", 1),
            '=' => ("op", 1),
            c if c.is_whitespace() => ("", c.len_utf8()),
            c => {
                let end =
                    rest.find(|c: char| c.is_whitespace() || "=>/\"'".contains(c)).unwrap_or(rest.len());
                ("ot", end.max(c.len_utf8()))
            }
        };
        let (piece, after) = rest.split_at(end);
        painter.add(class, piece);
        rest = after;
    }
}

fn markdown(code: &str, painter: &mut Painter) {
    let mut fence: Option<usize> = None;
    let mut header = false;
    let mut index = 0;
    each_line(code, painter, |line, painter| {
        let body = line.trim_start();
        let run = body.len() - body.trim_start_matches('`').len();
        let first = index == 0;
        index += 1;
        if fence.is_none() && line == "---" && (first || header) {
            header = !header;
            return painter.add("co", line);
        }
        if header {
            return yaml(line, painter);
        }
        match fence {
            Some(open) => {
                if run >= open && body.trim_matches('`').trim().is_empty() {
                    fence = None;
                }
                painter.add("in", line);
            }
            None if run >= 3 => {
                fence = Some(run);
                painter.add("in", line);
            }
            None if body.starts_with('#') && body.trim_start_matches('#').starts_with(' ') => {
                painter.add("fu", line);
            }
            None if body.starts_with(":::") => painter.add("ot", line),
            None if body.starts_with('>') => painter.add("at", line),
            None if ["- ", "* ", "+ "].iter().any(|mark| body.starts_with(mark)) => {
                let at = line.len() - body.len() + 1;
                painter.add("ss", &line[..at]);
                spans(&line[at..], painter);
            }
            None => spans(line, painter),
        }
    });
}

/// Most bytes of a link or of marked words, so that long lines are read once.
const SPAN: usize = 400;

/// A line of Markdown: code, links, strong and emphasized words.
fn spans(line: &str, painter: &mut Painter) {
    let mut rest = line;
    while !rest.is_empty() {
        let marks =
            [("`", "`", "in"), ("**", "**", "dt"), ("![", ")", "al"), ("[", ")", "co"), ("*", "*", "dt")];
        let found = marks.iter().find_map(|(open, close, class)| {
            let inner = rest.strip_prefix(open)?;
            let inner = &inner[..inner.floor_char_boundary(SPAN)];
            let end = inner.find(close).filter(|end| *end > 0)?;
            (*close != ")" || inner[..end].contains("](")).then_some((*class, open.len() + end + close.len()))
        });
        let (class, end) = found.unwrap_or_else(|| {
            let next = rest.char_indices().skip(1).find(|(_, c)| "`*[!".contains(*c));
            ("", next.map_or(rest.len(), |(at, _)| at))
        });
        painter.add(class, &rest[..end]);
        rest = &rest[end..];
    }
}

fn latex(line: &str, painter: &mut Painter) {
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let (class, end) = match first {
            '%' => ("co", rest.len()),
            '\\' => {
                let letters = rest[1..].find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len() - 1);
                let one = rest[1..].chars().next().map_or(0, char::len_utf8);
                let class = if matches!(&rest[1..=letters], "begin" | "end") { "kw" } else { "fu" };
                (class, 1 + letters.max(one))
            }
            '$' => ("ss", rest[1..].find('$').map_or(1, |end| end + 2)),
            c => ("", rest.find(['%', '\\', '$']).unwrap_or(rest.len()).max(c.len_utf8())),
        };
        let (piece, after) = rest.split_at(end.min(rest.len()));
        painter.add(class, piece);
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_classes_by_what_they_are() {
        let painted = highlight("python", "def f(x):  # one\n    return x + 1.5\n").join("\n");
        for expected in [
            "<span class=\"kw\">def</span> <span class=\"fu\">f</span>(x)",
            "<span class=\"co\"># one</span>",
            "<span class=\"cf\">return</span> x <span class=\"op\">+</span> <span class=\"fl\">1.5</span>",
        ] {
            assert!(painted.contains(expected), "{expected} is missing in {painted}");
        }
    }

    #[test]
    fn pieces_end_at_lines() {
        let painted = highlight("js", "/* a\nb */ let s = `x\ny`;");
        assert_eq!(painted.len(), 3);
        assert!(painted[0].ends_with("<span class=\"co\">/* a</span>"), "{painted:?}");
        assert!(painted[2].starts_with("<span class=\"st\">y`</span>"), "{painted:?}");
    }

    #[test]
    fn text_of_code_stays() {
        let samples = [
            ("python", "x = \"\"\"a\nb\"\"\" # c\n@d\ndef é(): pass"),
            ("r", "x <- c(a = 1, b = \"t\") |> f()\n# end"),
            ("bash", "ls -la $HOME | grep \"x\" # y"),
            ("yaml", "a: 1 # b\n- c: \"d\"\n  e: [f]\n#g\nh"),
            ("json", "{\"a\": [1, -2.5, true], \"b\": \"c\\\"d\"}"),
            ("html", "<a href=\"x\">b</a><!-- c --><br/><"),
            ("markdown", "---\na: b\n---\n# T\n```{r}\n1\n```\n- *x* `y` [z](w) !"),
            ("latex", "\\begin{a} $x$ % y\n\\\\ \\"),
            ("sql", "SELECT a FROM b -- c"),
            ("haskell", "{- x\n-} f a = a --"),
            ("unknown", "a < b"),
        ];
        for (language, code) in samples {
            let painted = highlight(language, code).join("\n");
            let mut plain = String::new();
            let mut inside = false;
            for c in painted.chars() {
                match c {
                    '<' => inside = true,
                    '>' => inside = false,
                    c if !inside => plain.push(c),
                    _ => {}
                }
            }
            let plain =
                plain.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
            assert_eq!(plain, code, "{language}");
        }
    }
}
