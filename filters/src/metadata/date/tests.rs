use super::*;

#[test]
fn days_are_read_in_the_forms_that_have_one_reading() {
    for value in [
        "2026-01-09",
        "2026-01-09T08:00:00+00:00",
        "2026/1/9",
        "20260109",
        "January 9, 2026",
        "Jan. 9th 2026",
        "Fri, 09 Jan 2026 08:00:00 GMT",
        "9 January 2026",
        "9.1.2026",
        "09.01.2026, 08:00",
        "Published on January 9, 2026",
        "2603.01234v2 [cs.SD] 09 Jan 2026",
    ] {
        assert_eq!(parse(value).as_deref(), Some("2026-01-09"), "{value}");
    }
    for value in ["09/01/2026", "Market 9, 2026", "yesterday", "", "2026", "2026-13-40", "ééééé"] {
        assert_eq!(parse(value), None, "{value}");
    }
}

#[test]
fn days_are_read_in_the_languages_of_the_web() {
    for value in [
        "21. November 2026",
        "21. März 2026 um 8 Uhr",
        "1er août 2026",
        "Publié le 21 février 2026",
        "21 de noviembre de 2026",
        "21 dicembre 2026",
        "21 de março de 2026",
        "21 listopadu 2026",
        "21 Kasım 2026",
        "21 ноября 2026 г.",
        "21 Νοεμβρίου 2026",
        "21 نوفمبر 2026",
        "٢١ نوفمبر ٢٠٢٦",
        "21 בנובמבר 2026",
        "21 พฤศจิกายน 2569",
        "21 नवंबर 2026",
        "21 พ.ย. 2569 09:14 น.",
        "21 พ.ย. 69",
        "২১ নভেম্বর ২০২৬, ০৯:১৪",
        "21 நவம்பர் 2026",
        "21 نومبر 2026",
        "۳۰ آبان ۱۴۰۵",
        "۲۱ نوامبر ۲۰۲۶",
        "21 تشرين الثاني 2026",
        "21 نونبر 2026",
        "21 ноември 2026, 09:14 ч.",
        "21 ნოემბერი, 2026",
        "21 ኖቬምበር 2026",
        "ኅዳር 12 2019",
        "2026. november 21. 9:14",
        "2026 m. lapkričio 21 d.",
        "21. novembra 2026",
        "入力 2026.11.21. 午前 9:14",
        "입력 2026. 11. 21. 09:14",
        "Julkaistu 21.11.2026 9:14",
        "21. 11. 2026",
        "발행일: 2026-11-21 09:14",
        "令和8年11月21日",
        "民國115年11月21日",
        "Ngày 21 tháng 11, 2026",
        "2026年11月21日",
        "公開日：２０２６年１１月２１日",
        "2026년 11월 21일",
    ] {
        let day = parse(value).unwrap_or_else(|| panic!("{value}"));
        let wanted = match value {
            _ if value.contains("août") => "2026-08-01",
            _ if value.contains("März") || value.contains("março") => "2026-03-21",
            _ if value.contains("février") => "2026-02-21",
            _ if value.contains("dicembre") => "2026-12-21",
            _ => "2026-11-21",
        };
        assert_eq!(day, wanted, "{value}");
    }
    for value in [
        "3 days ago, 2026",
        "10 out of 2026 people",
        "2026年",
        "21 mai",
        "22 พ.ย. 09:14",
        "21 listopada 2026",
        "21 out 2026",
        "21.11.26",
        "1405/08/30",
    ] {
        assert_eq!(parse(value), None, "{value}");
    }
}

#[test]
fn of_two_numbers_the_language_tells_the_day() {
    let day = |value: &str, language: Option<&str>| parse_shown(value, language);
    let january = Some("2026-01-09".to_owned());
    for language in ["fr", "vi", "pt-BR", "en-GB"] {
        assert_eq!(day("Le 09/01/2026, 14:20", Some(language)), january, "{language}");
    }
    for language in [None, Some("en"), Some("en-US")] {
        assert_eq!(day("09/01/2026", language), None, "{language:?}");
        assert_eq!(day("1/21/2026", language), Some("2026-01-21".to_owned()));
        assert_eq!(day("21/1/2026", language), Some("2026-01-21".to_owned()));
        assert_eq!(day("Thứ ba, 3/3/2026", language), Some("2026-03-03".to_owned()));
    }
    for value in ["1/2", "24/7 since 2026", "1/2/3/2026", "13/13/2026", "1.2.3.2026", "2026/1"] {
        assert_eq!(day(value, Some("fr")), None, "{value}");
    }
}

#[test]
fn the_path_tells_the_day() {
    let url = |path: &str| Url::parse("https://example.org").unwrap().join(path).unwrap();
    assert_eq!(from_path(&url("/2026/01/09/a")).as_deref(), Some("2026-01-09"));
    assert_eq!(from_path(&url("/a/2026/b")), None);
}

#[test]
fn what_is_written_alike_in_several_languages_is_read_in_a_known_one() {
    for (value, language, wanted) in [
        ("21 listopada 2026", "pl", "2026-11-21"),
        ("21. listopada 2026.", "hr", "2026-10-21"),
        ("22. studenoga 2026.", "hr", "2026-11-22"),
        ("21 out 2026", "pt-BR", "2026-10-21"),
        ("21 ago 2026", "es", "2026-08-21"),
        ("21.11.26, 09:14", "he", "2026-11-21"),
        ("21/11/26", "fr", "2026-11-21"),
        ("21-11-2026", "vi", "2026-11-21"),
        ("21/11/2569", "th", "2026-11-21"),
        ("۱۴۰۵/۰۸/۳۰ - ۰۹:۱۴", "fa", "2026-11-21"),
    ] {
        assert_eq!(parse_shown(value, Some(language)).as_deref(), Some(wanted), "{value}");
    }
    for (value, language) in
        [("26.11.21", "ko"), ("1405/08/30", "ar"), ("11/12/26", "en"), ("3.12.1", "de"), ("10.20.30", "de")]
    {
        assert_eq!(parse_shown(value, Some(language)), None, "{value}");
    }
}

#[test]
fn the_first_day_of_unix_time_is_none() {
    for value in ["1970-01-01T00:00:00Z", "19700101", "January 1, 1970"] {
        assert_eq!(parse(value), None, "{value}");
    }
    assert_eq!(parse("1970-01-02").as_deref(), Some("1970-01-02"));
}
