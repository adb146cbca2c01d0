/// Whether `text` is a day of the calendar, `2026-01-31`.
pub fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let digits = |part: &str, len: usize| part.len() == len && part.bytes().all(|b| b.is_ascii_digit());
    if !digits(year, 4) || !digits(month, 2) || !digits(day, 2) {
        return false;
    }
    let number = |part: &str| part.parse::<u32>().unwrap_or_default();
    let (year, month, day) = (number(year), number(month), number(day));
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    };
    (1..=days).contains(&day)
}

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
    fn dates_are_days_of_the_calendar() {
        for date in ["2026-01-31", "2024-02-29", "2000-02-29"] {
            assert!(is_date(date), "{date}");
        }
        for other in ["2026-02-29", "1900-02-29", "2026-13-01", "2026-1-1", "26-01-01", "2026-00-10", "x", ""]
        {
            assert!(!is_date(other), "{other}");
        }
        assert_eq!(padded_date("2026/1/5").as_deref(), Some("2026-01-05"));
        assert_eq!(padded_date("1/5/2026"), None);
    }
}
