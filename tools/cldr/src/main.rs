//! Writes how languages write days, as CLDR says, for the layouts of the render worker:
//!
//! ```sh
//! cargo run --manifest-path tools/cldr/Cargo.toml            # writes render-worker/typst/dates.json
//! cargo run --manifest-path tools/cldr/Cargo.toml -- --check # ends with 1 where the file is another one
//! ```

use std::{error::Error, fs, process::ExitCode};

use icu_calendar::Gregorian;
use icu_datetime::{
    FixedCalendarDateTimeFormatter,
    fieldsets::{MD, YMD, YMDE},
    input::Date,
};
use icu_locale_core::Locale;
use serde_json::{Value, json};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../render-worker/typst/dates.json");

/// Languages and regions whose days layouts can write. In Estonian, a day with its weekday is written in another way than one without.
const LANGUAGES: &str = "ar bg ca cs da de de-AT el en en-AU en-CA en-IE en-IN en-NZ en-US en-ZA es eu fa fi fr fr-CA ga gl he hi hr hu \
                         id is it ja ko lt lv ms nb nl nl-BE pl pt ro ru sk sl sr sv th tr uk vi zh zh-HK zh-TW";

/// A year whose first day is a Monday, and what is not in another number of the same date.
const YEAR: i32 = 2035;
const DAY: u8 = 17;

macro_rules! written {
    ($locale:expr, $fields:expr, $month:expr, $day:expr) => {
        FixedCalendarDateTimeFormatter::<Gregorian, _>::try_new($locale.clone().into(), $fields)?
            .format(&Date::try_new_gregorian(YEAR, $month, $day)?)
            .to_string()
    };
}

/// How a language writes days: without and with the year for each month, and with each weekday, beginning with Monday.
fn days_of(language: &str) -> Result<Value, Box<dyn Error>> {
    // Without a region, days come before months in English, too.
    let name = if language == "en" { "en-GB" } else { language };
    let locale: Locale = format!("{name}-u-nu-latn").parse()?;
    let open = |text: String| {
        let once = text.matches(&DAY.to_string()).count() == 1;
        let open = text.replace(&DAY.to_string(), "{day}").replace(&YEAR.to_string(), "{year}");
        if once { Ok(open) } else { Err(format!("{language}: {text} does not have the day once")) }
    };
    let (mut days, mut dates, mut weekdays) = (Vec::new(), Vec::new(), Vec::new());
    for month in 1..=12 {
        days.push(open(written!(locale, MD::long(), month, DAY))?);
        dates.push(open(written!(locale, YMD::long(), month, DAY))?);
    }
    for day in 1..=7 {
        let (date, whole) = (written!(locale, YMD::long(), 1, day), written!(locale, YMDE::long(), 1, day));
        if !whole.contains(&date) {
            return Err(format!("{language}: {whole} does not contain {date}").into());
        }
        weekdays.push(whole.replace(&date, "{date}"));
    }
    Ok(json!({"days": days, "dates": dates, "weekdays": weekdays}))
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let lines: Result<Vec<String>, Box<dyn Error>> = LANGUAGES
        .split(' ')
        .map(|language| Ok(format!("  {}: {}", json!(language), days_of(language)?)))
        .collect();
    let text = format!("{{\n{}\n}}\n", lines?.join(",\n"));
    if std::env::args().any(|argument| argument == "--check") {
        if fs::read_to_string(FILE)? == text {
            return Ok(ExitCode::SUCCESS);
        }
        eprintln!(
            "render-worker/typst/dates.json is not what CLDR says now: run this program without `--check`"
        );
        return Ok(ExitCode::FAILURE);
    }
    fs::write(FILE, text)?;
    Ok(ExitCode::SUCCESS)
}
