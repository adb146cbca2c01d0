//! Writes how languages write days, numbers and amounts of money, as CLDR says, for the layouts of the render worker:
//!
//! ```sh
//! cargo run --manifest-path tools/cldr/Cargo.toml            # writes dates.json and numbers.json in render-worker/typst
//! cargo run --manifest-path tools/cldr/Cargo.toml -- --check # ends with 1 where a file is another one
//! ```

use std::{error::Error, fs, process::ExitCode};

use fixed_decimal::Decimal;
use icu_calendar::Gregorian;
use icu_datetime::{
    FixedCalendarDateTimeFormatter,
    fieldsets::{MD, YMD, YMDE},
    input::Date,
};
use icu_decimal::DecimalFormatter;
use icu_experimental::dimension::currency::{CurrencyType, formatter::CurrencyFormatter};
use icu_locale_core::Locale;
use serde_json::{Value, json};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../render-worker/typst");

/// Languages and regions whose days layouts can write. In Estonian, a day with its weekday is written in another way than one without.
const LANGUAGES: &str = "ar bg ca cs da de de-AT el en en-AU en-CA en-IE en-IN en-NZ en-US en-ZA es eu fa fi fr fr-CA ga gl he hi hr hu \
                         id is it ja ko lt lv ms nb nl nl-BE pl pt ro ru sk sl sr sv th tr uk vi zh zh-HK zh-TW";

/// Further languages and regions whose numbers layouts can write.
const OF_NUMBERS: &str = "bs de-CH de-LI en-CH es-AR es-CL es-CO es-MX es-US et fr-CH gu is it-CH kn mk ml mr ms pt-PT sq sr sw ta te ur";

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

/// How a language writes numbers and amounts of money.
fn numbers_of(language: &str) -> Result<Value, Box<dyn Error>> {
    let locale: Locale = format!("{language}-u-nu-latn").parse()?;
    let decimal = |number: &str| -> Result<String, Box<dyn Error>> {
        let formatter = DecimalFormatter::try_new(locale.clone().into(), Default::default())?;
        Ok(formatter.format(&number.parse::<Decimal>()?).to_string())
    };
    let euro = CurrencyType::try_from_str("eur")?;
    let money = |number: &str| -> Result<String, Box<dyn Error>> {
        let formatter = CurrencyFormatter::try_new_symbol(locale.clone().into(), euro, Default::default())?;
        Ok(formatter.format_fixed_decimal(&number.parse::<Decimal>()?).to_string())
    };
    let written = money("1234567.25")?;
    let is_digit = |c: char| c.is_ascii_digit();
    let (Some(start), Some(end)) = (written.find(is_digit), written.rfind(is_digit)) else {
        return Err(format!("{language}: {written} has no digits").into());
    };
    let number = &written[start..=end];
    let parts: Vec<&str> = number.split(|c: char| !is_digit(c)).collect();
    let signs: Vec<&str> = number.split(is_digit).filter(|sign| !sign.is_empty()).collect();
    let ([.., next, first, "25"], [group, .., point]) = (parts.as_slice(), signs.as_slice()) else {
        return Err(format!("{language}: {written} is not as expected").into());
    };
    let has_group = money("1234.25")?.contains(&format!("1{group}234"));
    let negative = money("-1234567.25")?;
    let open = |text: &str| {
        let open = text.replace(number, "{number}").replace('€', "{currency}").replace("EUR", "{currency}");
        let whole = open.matches("{number}").count() == 1 && open.matches("{currency}").count() == 1;
        if whole { Ok(open) } else { Err(format!("{language}: {text} is not a number and a currency")) }
    };
    let half = decimal("0.5")?;
    let plain = half.strip_prefix('0').and_then(|rest| rest.strip_suffix('5'));
    Ok(json!({
        "decimal": plain.ok_or_else(|| format!("{language}: {half} is not as expected"))?,
        "point": point, "group": group, "first": first.len(), "next": next.len(), "least": if has_group { 1 } else { 2 },
        "amount": open(&written)?, "negative": open(&negative)?,
    }))
}

/// A file with a line for each language.
fn table<'l>(
    languages: impl Iterator<Item = &'l str>,
    of: fn(&str) -> Result<Value, Box<dyn Error>>,
) -> Result<String, Box<dyn Error>> {
    let mut languages: Vec<&str> = languages.collect();
    languages.sort_unstable();
    languages.dedup();
    let lines: Result<Vec<String>, Box<dyn Error>> = languages
        .into_iter()
        .map(|language| Ok(format!("  {}: {}", json!(language), of(language)?)))
        .collect();
    Ok(format!("{{\n{}\n}}\n", lines?.join(",\n")))
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let further = OF_NUMBERS.split(' ');
    let files = [
        ("dates.json", table(LANGUAGES.split_whitespace(), days_of)?),
        ("numbers.json", table(LANGUAGES.split_whitespace().chain(further), numbers_of)?),
    ];
    let checks = std::env::args().any(|argument| argument == "--check");
    for (name, text) in files {
        let path = format!("{FOLDER}/{name}");
        if !checks {
            fs::write(path, text)?;
        } else if fs::read_to_string(path)? != text {
            eprintln!(
                "render-worker/typst/{name} is not what CLDR says now: run this program without `--check`"
            );
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}
