//! Text of bibliographies: TeX as Markdown.

/// Accents by their commands, as combining characters.
const ACCENTS: [(&str, char); 14] = [
    ("\"", '\u{308}'),
    ("'", '\u{301}'),
    ("`", '\u{300}'),
    ("^", '\u{302}'),
    ("~", '\u{303}'),
    ("=", '\u{304}'),
    (".", '\u{307}'),
    ("c", '\u{327}'),
    ("v", '\u{30C}'),
    ("u", '\u{306}'),
    ("H", '\u{30B}'),
    ("k", '\u{328}'),
    ("r", '\u{30A}'),
    ("d", '\u{323}'),
];

/// Accented letters that are common, composed; others keep their combining character.
const COMPOSED: [(&str, &str); 6] = [
    ("\u{308}", "aäeëiïoöuüyÿAÄEËIÏOÖUÜ"),
    ("\u{301}", "aáeéiíoóuúyýcćnńsśzźAÁEÉIÍOÓUÚYÝCĆNŃSŚZŹ"),
    ("\u{300}", "aàeèiìoòuùAÀEÈIÌOÒUÙ"),
    ("\u{302}", "aâeêiîoôuûAÂEÊIÎOÔUÛ"),
    ("\u{303}", "aãnñoõAÃNÑOÕ"),
    ("\u{30C}", "cčrřsšzžeěnňCČRŘSŠZŽ"),
];

/// Further commands that are characters.
const CHARACTERS: [(&str, &str); 18] = [
    ("ss", "ß"),
    ("o", "ø"),
    ("O", "Ø"),
    ("l", "ł"),
    ("L", "Ł"),
    ("ae", "æ"),
    ("AE", "Æ"),
    ("oe", "œ"),
    ("OE", "Œ"),
    ("aa", "å"),
    ("AA", "Å"),
    ("i", "i"),
    ("j", "j"),
    ("textendash", "–"),
    ("textemdash", "—"),
    ("LaTeX", "LaTeX"),
    ("TeX", "TeX"),
    ("textasciitilde", "~"),
];

/// The text of a value without its commands and braces. Emphasis and math stay as Markdown has them.
pub(super) fn text(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    let mut closing: Vec<&str> = Vec::new();
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '{' => closing.push(""),
            '}' => out.push_str(closing.pop().unwrap_or_default()),
            '~' => out.push('\u{a0}'),
            '\n' | '\r' | '\t' | ' ' => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            '$' => {
                let end = rest.find('$').map_or(rest.len(), |end| end + 1);
                out.push('$');
                out.push_str(&rest[..end]);
                rest = &rest[end..];
            }
            '\\' => rest = command(rest, &mut out, &mut closing),
            '*' | '_' | '[' | ']' | '<' | '@' | '^' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out.trim().replace("---", "—").replace("--", "–")
}

/// Reads what is after a backslash; gives what is left.
fn command<'t>(rest: &'t str, out: &mut String, closing: &mut Vec<&'static str>) -> &'t str {
    let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let length = if letters > 0 { letters } else { rest.chars().next().map_or(0, char::len_utf8) };
    let (name, after) = rest.split_at(length);
    let after_spaces = if letters > 0 { after.trim_start_matches(' ') } else { after };
    if let Some((_, accent)) = ACCENTS.iter().find(|(known, _)| *known == name) {
        let inner = after_spaces.trim_start_matches('{').trim_start_matches('\\');
        if let Some(letter) = inner.chars().next().filter(|letter| letter.is_alphabetic()) {
            let skipped = after_spaces.len() - inner.len() + letter.len_utf8();
            let opened = after_spaces.starts_with('{');
            accented(letter, *accent, out);
            let left = &after_spaces[skipped..];
            return if opened { left.strip_prefix('}').unwrap_or(left) } else { left };
        }
    }
    if let Some((_, text)) = CHARACTERS.iter().find(|(known, _)| *known == name) {
        out.push_str(text);
        return after_spaces.strip_prefix("{}").unwrap_or(after_spaces);
    }
    let mark = match name {
        "emph" | "textit" => "*",
        "textbf" => "**",
        "texttt" => "`",
        "&" | "%" | "#" | "_" | "$" | "{" | "}" | " " => {
            if name == "_" || name == "$" || name == "#" {
                out.push('\\');
            }
            out.push_str(name);
            return after;
        }
        "url" | "href" | "textsc" | "enquote" => "",
        _ => return after_spaces,
    };
    match after_spaces.strip_prefix('{') {
        Some(inner) => {
            out.push_str(mark);
            closing.push(mark);
            inner
        }
        None => after_spaces,
    }
}

fn accented(letter: char, accent: char, out: &mut String) {
    let of_accent =
        COMPOSED.iter().find(|(known, _)| known.starts_with(accent)).map_or("", |(_, pairs)| *pairs);
    let mut pairs = of_accent.chars();
    while let (Some(plain), Some(composed)) = (pairs.next(), pairs.next()) {
        if plain == letter {
            out.push(composed);
            return;
        }
    }
    out.extend([letter, accent]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_become_characters_and_marks() {
        for (tex, expected) in [
            (r#"M{\"u}ller, J{\'o}zef"#, "Müller, Józef"),
            (r#"M\"uller"#, "Müller"),
            (r"{\O}re \c{c}a {\L}\'od\'z", "Øre c\u{327}a Łódź"),
            (r"The {GNU} \emph{Book} \& more", "The GNU *Book* & more"),
            ("1--2 and --- x~y", "1–2 and — x\u{a0}y"),
            (r"$x^2$ 5\% a*b", r"$x^2$ 5% a\*b"),
            (r"\unknown{x}", "x"),
            ("{{{", ""),
        ] {
            assert_eq!(text(tex), expected, "{tex}");
        }
    }
}
