//! The months in the languages of the web, and the digits that are not 0 to 9.
//!
//! Source: Unicode CLDR, Gregorian months, form `wide` as it stands in a date (compared with the copy in ICU by way of
//! `Intl.DateTimeFormat`, 2026-11-22), and common short forms. Short forms that are words of another language in a date's
//! company ("3 ago", "10 out") are left out, and so are names of different months in two languages (`listopada`: November in
//! Polish, October in Croatian).

/// Names of the months, January first; all forms of one month stand in one line, in lower case.
const MONTHS: [&str; 12] = [
    // German, French, Spanish, Italian, Portuguese, Dutch, Polish, Turkish, Swedish, Danish, Finnish, Czech, Romanian,
    // Hungarian, Indonesian, Russian, Ukrainian, Greek, Arabic (two ways), Hebrew, Persian has its own months.
    "januar jänner janvier janv enero ene gennaio janeiro januari stycznia styczeń ocak tammikuuta tammikuu ledna leden \
     ianuarie január января янв січня ιανουαρίου ιαν يناير ינואר",
    "februar feber février févr fevrier febrero febbraio fevereiro fev februari lutego luty şubat helmikuuta helmikuu února únor \
     februarie február февраля фев лютого φεβρουαρίου φεβ فبراير פברואר",
    "märz mär mrz mars marts marzo março marco maart marca marzec mart maaliskuuta maaliskuu března březen martie március maret марта \
     мар березня μαρτίου μαρ مارس מרץ מרס",
    "april avril avr abril abr aprile kwietnia kwiecień nisan huhtikuuta huhtikuu dubna duben aprilie április апреля апр квітня \
     απριλίου απρ أبريل ابريل אפריל",
    "mai maj mayo maggio maio mei maja mayıs toukokuuta toukokuu května květen május мая май травня μαΐου μαΐ مايو מאי",
    "juni juin junio giugno giu junho czerwca czerwiec haziran kesäkuuta kesäkuu června červen iunie június июня июн червня \
     ιουνίου ιουν يونيو يونيه יוני",
    "juli juillet juil julio luglio lug julho lipca lipiec temmuz heinäkuuta heinäkuu července červenec iulie július июля июл липня \
     ιουλίου ιουλ يوليو يوليه יולי",
    "august août aout agosto augustus augusti sierpnia sierpień ağustos elokuuta elokuu srpna srpen augusztus agustus августа авг \
     серпня αυγούστου αυγ أغسطس اغسطس אוגוסט",
    "september septembre septiembre settembre setembro września wrzesień eylül syyskuuta syyskuu září septembrie szeptember \
     сентября сен вересня σεπτεμβρίου σεπ سبتمبر ספטמבר",
    "oktober okt octobre octubre ottobre ott outubro października październik ekim lokakuuta lokakuu října říjen octombrie \
     október октября окт жовтня οκτωβρίου οκτ أكتوبر اكتوبر אוקטובר",
    "november novembre noviembre novembro listopadu kasım marraskuuta marraskuu noiembrie ноября ноя листопада νοεμβρίου νοε نوفمبر \
     נובמבר",
    "dezember dez décembre decembre déc diciembre dicembre dezembro dic grudnia grudzień aralık joulukuuta joulukuu prosince \
     prosinec decembrie desember декабря дек грудня δεκεμβρίου δεκ ديسمبر דצמבר",
];

/// Months in Thai and in Hindi: their marks are no letters, so they are looked for as they stand.
const MARKED: [[&str; 12]; 2] = [THAI, HINDI];

const HINDI: [&str; 12] = [
    "जनवरी",
    "फ़रवरी",
    "मार्च",
    "अप्रैल",
    "मई",
    "जून",
    "जुलाई",
    "अगस्त",
    "सितंबर",
    "अक्टूबर",
    "नवंबर",
    "दिसंबर",
];

const THAI: [&str; 12] = [
    "มกราคม",
    "กุมภาพันธ์",
    "มีนาคม",
    "เมษายน",
    "พฤษภาคม",
    "มิถุนายน",
    "กรกฎาคม",
    "สิงหาคม",
    "กันยายน",
    "ตุลาคม",
    "พฤศจิกายน",
    "ธันวาคม",
];

/// Years of the Buddhist calendar, in which Thailand counts, before ours.
const BUDDHIST: u16 = 543;

/// The number of a month, from 0, by its name in lower case. Hebrew writes "in" in front of it as one letter.
pub(super) fn month(word: &str) -> Option<usize> {
    let word = word.strip_prefix('ב').unwrap_or(word);
    let names = |names: &str| names.split_whitespace().any(|name| name == word);
    MONTHS.iter().position(|all| names(all))
}

/// Year, month (from 1) and day of a text in Thai or Hindi.
pub(super) fn marked(text: &str) -> Option<(u16, usize, String)> {
    let (month, name, at) = MARKED.iter().find_map(|names| {
        let mut all = names.iter().enumerate();
        all.find_map(|(month, name)| Some((month, name, text.find(name)?)))
    })?;
    let day = text[..at]
        .trim_end()
        .rsplit(|c: char| !c.is_ascii_digit())
        .next()?;
    let after = text[at + name.len()..].trim_start_matches(|c: char| !c.is_ascii_digit());
    let year: u16 = after.get(..4)?.parse().ok()?;
    let year = if year > 2400 { year - BUDDHIST } else { year };
    Some((year, month + 1, day.to_owned()))
}

/// The digits of a text as 0 to 9: Arabic, Persian, Devanagari, Bengali, Thai, and those as wide as a Chinese character
/// (Unicode, general category Nd: each set is ten in a row).
pub(super) fn with_plain_digits(text: &str) -> String {
    const ZEROS: [u32; 6] = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xff10];
    text.chars()
        .map(|c| {
            let digit = ZEROS
                .iter()
                .filter_map(|zero| u32::from(c).checked_sub(*zero))
                .find(|digit| *digit < 10);
            digit
                .and_then(|digit| char::from_digit(digit, 10))
                .unwrap_or(c)
        })
        .collect()
}
