/// A count with its noun: `1 file`, `2 files`, `2 fixes`.
pub(crate) fn plural(count: usize, noun: &str) -> String {
    let ending = match noun.ends_with('x') {
        _ if count == 1 => "",
        true => "es",
        false => "s",
    };
    format!("{count} {noun}{ending}")
}
