// Writes how languages write dates, for conversions: names, ordinals and weeks of Day.js, which Quarto uses for patterns, and
// the styles of CLDR.
//
//     node tools/dates/write.mjs PACKAGES            writes crates/convert/src/dates.json
//     node tools/dates/write.mjs PACKAGES --check    ends with 1 where the file is another one
//
// PACKAGES is a folder with `node_modules`, where `npm install dayjs@1.11.23 cldr-dates-full@48.2.0` has been run.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const LANGUAGES =
  "bg ca cs da de de-at el en en-au en-ca en-gb en-ie en-in en-nz es et eu fi fr fr-ca gl he hr hu id is it ja ko lt lv ms nb nl " +
  "nl-be pl pt pt-br ro ru sk sl sr-cyrl sv tr uk vi zh zh-hk zh-tw";
// What CLDR calls the languages that Day.js names in another way.
const OF_CLDR = { nb: "no", "pt-br": "pt", "sr-cyrl": "sr", "zh-hk": "zh-Hant-HK", "zh-tw": "zh-Hant", "nl-be": "nl-BE" };

const path = resolve(import.meta.dirname, "../../crates/convert/src/dates.json");
const packages = createRequire(resolve(process.argv[2] ?? ".", "package.json"));

function ofCldr(language) {
  const [base, region] = language.split("-");
  const name = OF_CLDR[language] ?? (region ? `${base}-${region.toUpperCase()}` : base);
  return packages(`cldr-dates-full/main/${name}/ca-gregorian.json`).main[name].dates.calendars.gregorian;
}

// Names in the order of the week or the year, as CLDR lists them by keys.
const listed = (names) => Object.values(names);
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// A pattern of CLDR with our keys, and the names of months that it uses.
function style(pattern, calendar, usual) {
  const tokens = { EEEE: "{weekday}", cccc: "{weekday}", d: "{day}", dd: "{0day}", M: "{month}", MM: "{0month}", y: "{year}", yy: "{yy}", yyyy: "{year}" };
  let names = usual;
  let out = "";
  for (const [token, quoted, letters] of pattern.matchAll(/'([^']*)'|(([A-Za-z])\3*)|[^A-Za-z']+/g)) {
    if (quoted !== undefined) out += quoted || "'";
    else if (!letters) out += token;
    else if (/^[ML]{3,4}$/.test(letters)) {
      const width = letters.length === 4 ? "wide" : "abbreviated";
      names = listed(calendar.months[letters[0] === "M" ? "format" : "stand-alone"][width]);
      out += "{name}";
    } else if (tokens[letters]) out += tokens[letters];
    else throw new Error(`the pattern ${pattern} has ${letters}`);
  }
  return same(names, usual) ? { pattern: out } : { pattern: out, names };
}

// The numbers of days as ordinals: all of them, or one for all. English has a rule instead.
function ordinals(language, locale) {
  if (language.startsWith("en")) return undefined;
  const of = (day) => String(locale.ordinal ? locale.ordinal(day) : day).replace(/^\[|\]$/g, "");
  const all = Array.from({ length: 31 }, (_, index) => of(index + 1));
  const open = all.map((text, index) => text.replace(String(index + 1), "{day}"));
  return open.every((text) => text === open[0]) ? [open[0]] : all;
}

// Names of months that are a function of the pattern, with and without a day.
function months(names) {
  if (Array.isArray(names)) return [names, undefined];
  const of = (list, format) => list ?? Array.from({ length: 12 }, (_, month) => names({ month: () => month }, format));
  return [of(names.s, "MMMM"), of(names.f, "D MMMM")];
}

function words(language) {
  const locale = packages(`dayjs/locale/${language}.js`);
  const calendar = ofCldr(language);
  const [own, ofDays] = months(locale.months);
  const [short, shortOfDays] = months(locale.monthsShort ?? own.map((name) => name.slice(0, 3)));
  const formats = calendar.dateFormats;
  const form = String(formats.full._value ?? formats.full).includes("cccc") ? "stand-alone" : "format";
  const full = listed(calendar.days[form].wide);
  const of = (name) => style(formats[name]._value ?? formats[name], calendar, own);
  return {
    months: own,
    months_of_days: ofDays,
    months_short: short,
    months_short_of_days: shortOfDays,
    weekdays: locale.weekdays,
    weekdays_short: locale.weekdaysShort ?? locale.weekdays.map((name) => name.slice(0, 3)),
    weekdays_min: locale.weekdaysMin ?? locale.weekdays.map((name) => name.slice(0, 2)),
    weekdays_full: same(full, locale.weekdays) ? undefined : full,
    ordinals: ordinals(language, locale),
    // The first day of a week, from 0 for Sunday, and the day of January that the first week has.
    week: [locale.weekStart ?? 0, locale.yearStart ?? 1],
    full: of("full"),
    long: of("long"),
    medium: of("medium"),
    short: of("short"),
  };
}

const lines = LANGUAGES.split(" ").map((language) => `  ${JSON.stringify(language)}: ${JSON.stringify(words(language))}`);
const text = `{\n${lines.join(",\n")}\n}\n`;
if (!process.argv.includes("--check")) writeFileSync(path, text);
else if (readFileSync(path, "utf8") !== text) {
  console.error("crates/convert/src/dates.json is not what Day.js and CLDR say: run this program without `--check`");
  process.exit(1);
}
