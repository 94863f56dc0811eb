//! The months in the languages of the web, and the digits that are not 0 to 9.
//!
//! Source: Unicode CLDR, Gregorian months, forms `wide` and `abbreviated`, as they stand in a date and alone, of some 90 languages
//! (ICU 78 by way of `Intl.DateTimeFormat`, 2026-11-22), and common other forms. Short forms that are words of another
//! language in a date's company ("3 ago", "10 out") are read where the language is known, and so are names of different months in
//! two languages (`listopada`: November in Polish, October in Croatian).

use std::sync::LazyLock;

use super::calendars::Calendar;
use crate::hashing::Table;

/// Names of the months, January first; all forms of one month stand together, as [`folded`] writes them, the words of one name
/// joined by `_`.
const MONTHS: [&str; 12] = [
    "jänner janvier janv enero ene gennaio janeiro januari stycznia styczeń ocak tammikuuta tammikuu ledna leden \
     ianuarie január января янв січня ιανουαρίου ιαν ینایر ינואר tammi janúar januára siječnja siječanj sij јануар \
     јан јануари януари январь січень січ студзеня студзень сту sausio sausis janvāris jaanuar jaan ian oca yanvar \
     yan јанвар қаңтар қаң ýanwar ýan հունվարի հունվար հնվ იანვარი იან جانفی کانون_الثانی ژانویه جنوری rêbendan \
     کانوونی_دووەم ינו jannar जनवरी जानेवारी जाने জানুযারি জানু জানুৱাৰী જાન્યુઆરી જાન્યુ ਜਨਵਰੀ ஜனவரி జనవరి ಜನವರಿ \
     ജനുവരി ജനു ມັງກອນ មករា ဇန်နဝါရီ ဇန် ጃንዋሪ janaayo jannaayo janairu januarie janar urtarrila gener xaneiro xan \
     eanáir ionawr জানুযারী ජනවාරි",
    "feber février févr fevrier febrero febbraio fevereiro fev februari lutego luty şubat helmikuuta helmikuu února \
     únor februarie február февраля фев лютого φεβρουαρίου φεβ فبرایر פברואר helmi febrúar úno februára veljače \
     veljača velj фебруар феб февруари февраль февр лютий лют лютага люты vasario vasaris februāris veebruar veebr \
     şub fevral феврал ақпан ақп fewral փետրվարի փետրվար փտվ თებერვალი თებ فیفری شباط فوریه فروری فبروری فېبروری \
     sibat شوبات פבר frar फरवरी फेब्रुवारी फेब्रु फेब्रुअरी ফেব্রুযারি ফেব ফেব্ৰুৱাৰী ফেব্ৰু ફેબ્રુઆરી ફેબ્રુ ਫਰਵਰੀ \
     பிப்ரவரி பிப் ఫిబ్రవరి ఫిబ్ర ಫೆಬ್ರವರಿ ಫೆಬ್ರ ഫെബ്രുവരി ഫെബ്രു ກຸມພາ កុម្ភៈ ဖေဖော်ဝါရီ pebrero ፌብሩዋሪ febraayo \
     faburairu shkurt shk otsaila febrer febreiro feabhra chwefror පෙබරවාරි ফেব্রুযারী",
    "märz mär mrz mars marts marzo março marco maart marca marzec mart maaliskuuta maaliskuu března březen martie \
     március maret марта мар березня μαρτίου μαρ مارس מרץ מרס mrt maalis bře marec ožujka ožujak ožu март березень \
     бер сакавіка сакавік сак kovo kovas märts márc наурыз нау մարտի մարտ մրտ მარტი მარ آذار مارچ adar ئازار marzu \
     मार्च মার্চ মাৰ্চ માર્ચ ਮਾਰਚ மார்ச் மார் మార్చి ಮಾರ್ಚ್ മാർച്ച് മാർ ມີນາ មីនា မတ် mac marso machi ማርች maarso \
     maris martxoa març márta mawrth මාර්තු",
    "avril avr abril abr aprile kwietnia kwiecień nisan huhtikuuta huhtikuu dubna duben aprilie április апреля апр \
     квітня απριλίου απρ ابریل אפריל huhti apríl dub apríla travnja travanj април апрель квітень квіт красавіка \
     красавік кра balandžio balandis aprīlis aprill ápr nis aprel апрел сәуір сәу ապրիլի ապրիլ ապր აპრილი აპრ افریل \
     نیسان آوریل اپریل nîsan אפר अप्रैल एप्रिल एप्रि अप्रिल এপ্রিল এপ্রি এপ্ৰিল એપ્રિલ ਅਪ੍ਰੈਲ ਅਪ੍ਰੈ ஏப்ரல் ஏப் \
     ఏప్రిల్ ఏప్రి ಏಪ್ರಿಲ್ ಏಪ್ರಿ ഏപ്രിൽ ഏപ്രി ເມສາ មេសា ဧပြီ aprili ኤፕሪል ኤፕሪ abriil afirilu prill apirila aibreán \
     ebrill අප්රේල්",
    "mai maj mayo maggio maio mei maja mayıs toukokuuta toukokuu května květen május мая май травня μαΐου μαΐ مایو \
     מאי touko maí kvě mája máj svibnja svibanj svi мај травень трав gegužės gegužė maijs мамыр мам maý մայիսի մայիս \
     մյս მაისი მაი مای ایار مئی gulan ئایار mejju മേയ് ພຶດສະພາ ឧសភា maayo mayu maiatza maig bealtaine මැයි",
    "juni juin junio giugno giu junho czerwca czerwiec haziran kesäkuuta kesäkuu června červen iunie június июня июн \
     червня ιουνίου ιουν یونیو یونیه יוני kesä júní jún čvn júna junij lipnja lipanj јун јуни юни июнь червень черв \
     чэрвеня чэрвень чэр birželio birželis jūnijs jūn juuni iun haz iyun iyn ијун ијн маусым мау iýun հունիսի հունիս \
     հնս ივნისი ივნ جوان حزیران ژوئن جون hezîran حوزەیران ġunju जून जुन জুন જૂન ਜੂਨ ஜூன் జూన్ ಜೂನ್ ജൂൺ ມິຖຸນາ មិថុនា \
     ဇွန် hunyo juun yuni junie qershor qer ekaina juny xuño meitheamh mehefin ජූනි",
    "juli juillet juil julio luglio julho lipca lipiec temmuz heinäkuuta heinäkuu července červenec iulie július июля \
     июл липня ιουλίου ιουλ یولیو یولیه יולי heinä júlí júl čvc júla julij srpnja srpanj јул јули юли июль липень лип \
     ліпеня ліпень ліп liepos liepa jūlijs jūl juuli iul iyul iyl ијул ијл шілде шіл iýul հուլիսի հուլիս հլս ივლისი \
     ივლ یولیوز جویلیه تموز ژوئیه جولائی جولای tîrmeh تەمووز lulju जुलाई जुल जुलै জুলাই জুল જુલાઈ ਜੁਲਾਈ ਜੁਲਾ ஜூலை \
     జులై ಜುಲೈ ജൂലൈ ກໍລະກົດ កក្កដា ဇူလိုင် julai hulyo ጁላይ luulyo yuli julie korrik korr uztaila juliol xullo xul \
     iúil gorffennaf",
    "août aout agosto augustus augusti sierpnia sierpień ağustos elokuuta elokuu srpna srpen augusztus agustus \
     августа авг серпня αυγούστου αυγ اغسطس אוגוסט elo ágúst ágú augusta avgust avg kolovoza kolovoz kol август \
     серпень серп жніўня жнівень жні rugpjūčio rugpjūtis augusts ağu avqust avq тамыз там awgust awg օգոստոսի օգոստոս \
     օգս აგვისტო აგვ غشت اوت اگست اګست tebax ئاب אוג awwissu अगस्त ऑगस्ट अगस्ट আগস্ট আগষ্ট ઑગસ્ટ ਅਗਸਤ ஆகஸ்ட் ఆగస్టు \
     ಆಗಸ್ಟ್ ഓഗസ്റ്റ് ສິງຫາ សីហា ဩဂုတ် ogos agosti ኦገስት ኦገስ ogosto agusta gusht gush abuztua agost lúnasa awst අගෝස්තු \
     অগাস্ট",
    "septembre septiembre settembre setembro września wrzesień eylül syyskuuta syyskuu září septembrie szeptember \
     сентября сен вересня σεπτεμβρίου σεπ سبتمبر ספטמבר syys zář septembra rujna rujan ruj септембар сеп septembar \
     септември сентябрь сент вересень вер верасня верасень rugsėjo rugsėjis septembris szept eyl sentyabr сентјабр \
     қыркүйек қыр sentabr sentýabr սեպտեմբերի սեպտեմբեր սեպ სექტემბერი სექ شتنبر ایلول سپتامبر ستمبر سېپتمبر سپتمبر \
     îlon ئەیلوول ספט settembru सितंबर सित सप्टेंबर सप्टें सेप्टेम्बर সেপ্টেম্বর সেপ সেপ্ট ছেপ্তেম্বৰ ছেপ্তে \
     સપ્ટેમ્બર સપ્ટે ਸਤੰਬਰ ਸਤੰ செப்டம்பர் செப் సెప్టెంబర్ సెప్టెం ಸೆಪ್ಟೆಂಬರ್ ಸೆಪ್ಟೆಂ സെപ്റ്റംബർ സെപ്റ്റം ກັນຍາ កញ្ញា \
     စက်တင်ဘာ စက် setyembre septemba ሴፕቴምበር ሴፕቴ sebtembar sebteembar satumba shtator sht iraila setembre meán_fómhair \
     medi සැප්තැම්බර් سپٹمبر",
    "oktober okt octobre octubre ottobre ott outubro października październik ekim lokakuuta lokakuu října říjen \
     octombrie október октября окт жовтня οκτωβρίου οκτ اکتوبر אוקטובר loka říj októbra октобар oktobar октомври \
     октябрь жовтень жовт кастрычніка кастрычнік кас spalio spalis oktobris oktoober eki oktyabr октјабр қазан қаз \
     oktabr oktýabr հոկտեմբերի հոկտեմբեր հոկ ოქტომბერი ოქტ تشرین_الاول تشرین الاول اکتبر cotmeh تشرینی_یەکەم אוק \
     ottubru अक्टूबर अक्टू ऑक्टोबर ऑक्टो अक्टोबर অক্টোবর অক্টো অক্টোবৰ ઑક્ટોબર ઑક્ટો ਅਕਤੂਬਰ ਅਕਤੂ அக்டோபர் அக் \
     అక్టోబర్ అక్టో ಅಕ್ಟೋಬರ್ ಅಕ್ಟೋ ഒക്ടോബർ ഒക്ടോ ຕຸລາ តុលា အောက်တိုဘာ အောက် oktubre oktoba ኦክቶበር ኦክቶ oktoobar tetor \
     urria deireadh_fómhair hydref ඔක්තෝබර්",
    "novembre noviembre novembro listopadu kasım marraskuuta marraskuu noiembrie ноября ноя листопада νοεμβρίου νοε \
     نوفمبر נובמבר marras nóvember nóv novembra studenoga studeni stu новембар нов novembar ноември ное ноябрь нояб \
     листопад лист лістапада лістапад ліс lapkričio lapkritis novembris kas noyabr noy нојабр ној қараша қар noýabr \
     noý նոյեմբերի նոյեմբեր նոյ ნოემბერი ნოე نونبر تشرین_الثانی نوامبر نومبر mijdar تشرینی_دووەم נוב novembru नवंबर \
     नोव्हेंबर नोव्हें नोभेम्बर নভেম্বর নভে নৱেম্বৰ নৱে નવેમ્બર નવે ਨਵੰਬਰ ਨਵੰ நவம்பர் నవంబర్ నవం ನವೆಂಬರ್ ನವೆಂ നവംബർ \
     നവം ພະຈິກ វិច្ឆិកា နိုဝင်ဘာ နို nobyembre novemba ኖቬምበር ኖቬም noofeembar nuwamba nëntor nën azaroa samhain \
     tachwedd නොවැම්බර් studenog",
    "dezember dez décembre decembre déc diciembre dicembre dezembro dic grudnia grudzień aralık joulukuuta joulukuu \
     prosince prosinec decembrie desember декабря дек грудня δεκεμβρίου δεκ دیسمبر דצמבר des joulu decembra prosinca \
     prosinac децембар дец decembar декември декабрь грудень груд снежня снежань сне gruodžio gruodis decembris \
     detsember dets dekabr dek декабр желтоқсан жел դեկտեմբերի դեկտեմբեր դեկ დეკემბერი დეკ دجنبر کانون_الاول دسامبر \
     دسمبر berfanbar کانونی_یەکەم דצמ diċembru दिसंबर दिस डिसेंबर डिसें डिसेम्बर ডিসেম্বর ডিসে ডিচেম্বৰ ডিচে ડિસેમ્બર \
     ડિસે ਦਸੰਬਰ ਦਸੰ டிசம்பர் டிச డిసెంబర్ డిసెం ಡಿಸೆಂಬರ್ ಡಿಸೆಂ ഡിസംബർ ഡിസം ທັນວາ ធ្នូ ဒီဇင်ဘာ disember disyembre \
     desemba ዲሴምበር ዲሴም diseembar disamba dhjetor dhj abendua desembre decembro nollaig rhagfyr දෙසැම්බර්",
];

/// Months of the Persian calendar, in Iran and in Afghanistan.
const PERSIAN: [&str; 12] = [
    "فروردین حمل",
    "اردیبهشت ثور",
    "خرداد جوزا",
    "تیر سرطان",
    "مرداد امرداد اسد",
    "شهریور سنبله",
    "مهر میزان",
    "آبان عقرب",
    "آذر قوس",
    "دی جدی",
    "بهمن دلو",
    "اسفند حوت",
];

/// Months of the Ethiopian calendar.
const ETHIOPIAN: [&str; 13] = [
    "መስከረም",
    "ጥቅምት",
    "ኅዳር ህዳር",
    "ታኅሣሥ ታህሳስ ታኅሳስ ታሕሣሥ",
    "ጥር",
    "የካቲት",
    "መጋቢት",
    "ሚያዝያ ሚያዚያ",
    "ግንቦት",
    "ሰኔ",
    "ሐምሌ ሀምሌ",
    "ነሐሴ ነሃሴ",
    "ጳጉሜን ጳጉሜ",
];

/// Names that say a month in one language and something else in another: month from 0, and the languages.
const OF_LANGUAGE: [(&str, usize, &[&str]); 8] = [
    ("listopada", 10, &["pl"]),
    ("listopada", 9, &["hr", "bs"]),
    ("lis", 10, &["pl"]),
    ("srp", 7, &["cs"]),
    ("srp", 6, &["hr", "bs"]),
    ("ago", 7, &["es", "it", "pt", "gl"]),
    ("set", 8, &["it", "pt"]),
    ("out", 9, &["pt", "gl"]),
];

/// Months in Thai, which writes no spaces around them: they are looked for as they stand, the short form after the long one.
const THAI: [[&str; 2]; 12] = [
    ["มกราคม", "ม.ค."],
    ["กุมภาพันธ์", "ก.พ."],
    ["มีนาคม", "มี.ค."],
    ["เมษายน", "เม.ย."],
    ["พฤษภาคม", "พ.ค."],
    ["มิถุนายน", "มิ.ย."],
    ["กรกฎาคม", "ก.ค."],
    ["สิงหาคม", "ส.ค."],
    ["กันยายน", "ก.ย."],
    ["ตุลาคม", "ต.ค."],
    ["พฤศจิกายน", "พ.ย."],
    ["ธันวาคม", "ธ.ค."],
];

/// The century of a year of two digits in Thai.
const THAI_CENTURY: u16 = 2500;

static BY_NAME: LazyLock<Table<&str, (Calendar, usize)>> = LazyLock::new(|| {
    let of = |calendar, months: &'static [&'static str]| {
        let names = |all: &'static str| all.split_whitespace();
        let numbered = months.iter().enumerate();
        numbered.flat_map(move |(at, all)| names(all).map(move |name| (name, (calendar, at))))
    };
    // What is a month of two calendars is one of ours.
    of(Calendar::Persian, &PERSIAN)
        .chain(of(Calendar::Ethiopian, &ETHIOPIAN))
        .chain(of(Calendar::Gregorian, &MONTHS))
        .collect()
});

/// Calendar and number of a month, from 0, by its name as [`words`] gives it.
pub(super) fn month(word: &str, language: Option<&str>) -> Option<(Calendar, usize)> {
    // Hebrew writes "in" in front of it as one letter.
    let word = word.strip_prefix('ב').unwrap_or(word);
    let known = BY_NAME.get(word).copied();
    known.or_else(|| {
        let language = language?.split('-').next()?;
        let is_it = |(name, _, languages): &&(&str, usize, &[&str])| *name == word && languages.contains(&language);
        let (_, month, _) = OF_LANGUAGE.iter().find(is_it)?;
        Some((Calendar::Gregorian, *month))
    })
}

/// The words and numbers of a text, folded.
pub(super) fn words(text: &str) -> Vec<String> {
    // The vowel signs of India, Laos, Burma and Cambodia are no letters to Unicode, but parts of words.
    let is_mark = |c: char| {
        matches!(c, '\u{900}'..='\u{963}' | '\u{966}'..='\u{96f}' | '\u{971}'..='\u{df3}' | '\u{eb0}'..='\u{ecf}'
            | '\u{1000}'..='\u{1049}' | '\u{1780}'..='\u{17d3}' | '\u{200c}'..='\u{200d}' | '\u{64b}'..='\u{655}')
    };
    text.split(|c: char| !(c.is_alphanumeric() || is_mark(c))).filter(|word| !word.is_empty()).map(folded).collect()
}

/// A word as it is compared: in lower case, without signs that are written or left out, and with one of several letters that
/// look alike (of Arabic and Persian; one Bengali letter can be two characters).
fn folded(word: &str) -> String {
    word.chars()
        .flat_map(char::to_lowercase)
        .filter_map(|c| match c {
            '\u{200c}' | '\u{200d}' | '\u{307}' | '\u{93c}' | '\u{9bc}' | '\u{a3c}' | '\u{64b}'..='\u{655}' => None,
            '\u{9df}' => Some('\u{9af}'),
            '\u{95e}' => Some('\u{92b}'),
            'أ' | 'إ' => Some('ا'),
            'ۀ' | 'ة' => Some('ه'),
            'ي' | 'ى' => Some('ی'),
            'ك' => Some('ک'),
            _ => Some(c),
        })
        .collect()
}

/// Year, month (from 1) and day of a text in Thai.
pub(super) fn thai(text: &str) -> Option<(u16, u8, u8)> {
    // Each letter of Thai begins with this byte, and most texts have none.
    if !text.as_bytes().contains(&0xe0) {
        return None;
    }
    let (month, name, at) = THAI.iter().zip(1..).find_map(|(names, month)| {
        let at = |name: &&'static str| Some((month, *name, text.find(*name)?));
        names.iter().find_map(at)
    })?;
    let day = text[..at].trim_end().rsplit(|c: char| !c.is_ascii_digit()).next()?;
    let after = text[at + name.len()..].trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    let year: u16 = after[..end].parse().ok()?;
    let year = match end {
        // A time stands behind a day without a year: "22 พ.ย. 09:14".
        2 if !after[end..].starts_with([':', '.']) => THAI_CENTURY + year,
        4 => year,
        _ => return None,
    };
    Some((year, month, day.parse().ok()?))
}

/// The digits of a text as 0 to 9: of Arabic, Persian, the scripts of India, Thai, Lao, Tibetan, Burmese and Khmer, and
/// those as wide as a Chinese character (Unicode, general category Nd: each set is ten in a row).
pub(super) fn with_plain_digits(text: &str) -> String {
    const ZEROS: [u32; 17] = [
        0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0x1040,
        0x17e0, 0xff10,
    ];
    text.chars()
        .map(|c| {
            let digit = ZEROS.iter().filter_map(|zero| u32::from(c).checked_sub(*zero)).find(|digit| *digit < 10);
            digit.and_then(|digit| char::from_digit(digit, 10)).unwrap_or(c)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_as_they_are_compared_and_say_one_month() {
        let mut known = Table::default();
        for (at, names) in MONTHS.iter().enumerate() {
            for name in names.split_whitespace() {
                let as_words = words(&name.replace('_', " ")).join("_");
                assert_eq!(as_words, *name);
                assert_eq!(*known.entry(name).or_insert(at), at, "{name}");
            }
        }
        assert!(known.len() > 1000);
        for names in PERSIAN.iter().chain(&ETHIOPIAN) {
            for name in names.split_whitespace() {
                assert_eq!(words(name).join("_"), *name);
            }
        }
    }
}
