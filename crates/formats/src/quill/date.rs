use crate::calendar::is_date;

/// `2026-1-5` and `2026/01/05` as `2026-01-05`; nothing for what has more than one reading.
pub fn padded_date(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.trim().split(['-', '/', '.']).collect();
    let [year, month, day] = parts.as_slice() else { return None };
    let date = format!("{year}-{month:0>2}-{day:0>2}");
    (year.len() == 4 && is_date(&date)).then_some(date)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_with_one_reading_get_their_usual_form() {
        assert_eq!(padded_date("2026/1/5").as_deref(), Some("2026-01-05"));
        assert_eq!(padded_date("2026-2-30"), None);
        assert_eq!(padded_date("1/5/2026"), None);
    }
}
