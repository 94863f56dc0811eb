//! What pleas are made of, in many languages: words in lower case, each of which is common alone.

/// What a word may be of. Some are several: "síguenos" is a call, and says whom.
pub(super) const CALL: u8 = 1;
pub(super) const US: u8 = 2;
pub(super) const LOGIN: u8 = 4;

/// What readers are asked to do: forms that are hardly anything else.
#[rustfmt::skip]
pub(super) const CALLS: &[&str] = &[
    "subscribe", "abonnieren", "abonniere", "herunterladen", "suivez", "abonnez", "rejoignez", "téléchargez", "retrouvez", "inscrivez",
    "signalez", "écrivez", "envoyez", "suscríbete", "suscríbase", "suscribite", "únete", "únase", "unite", "descargue", "inscreva",
    "assine", "acompanhe", "baixe", "iscriviti", "iscrivetevi", "unisciti", "segnalalo", "segnalacelo", "segueix", "seguiu", "subscriu",
    "abonneer", "prenumerera", "mejla", "følg", "tilmeld", "seuraathan", "obserwuj", "obserwujcie", "dołącz", "polub", "śledź",
    "pobierz", "napisz", "piszcie", "zapisz", "subskrybuj", "wyślij", "prześlij", "sledujte", "stáhněte", "napište", "odebírejte",
    "přihlaste", "dejte", "pošlete", "nahlaste", "stiahnite", "napíšte", "odoberajte", "prihláste", "dajte", "pošlite", "nahláste",
    "kövessen", "kövess", "kövesse", "kövesd", "töltse", "töltsd", "iratkozzon", "iratkozz", "csatlakozzon", "csatlakozz", "írjon", "írj",
    "jelezze", "jelezd", "küldje", "küldd", "urmărește", "urmăriți", "urmăreşte", "urmăriţi", "abonează", "abonați", "descarcă",
    "descărcați", "alătură", "pratite", "preuzmite", "pridružite", "javite", "pošaljite", "pretplatite", "pišite", "sledite", "prenesite",
    "sporočite", "takip", "katılın", "indirin", "bildirin", "yazın", "gönderin", "tıklayın", "izləyin", "qoşulun", "abunə", "yükləyin",
    "göndərin", "obuna", "kuzating", "kuzatib", "yuklab", "yuboring", "ikuti", "dapatkan", "unduh", "gabung", "bergabung", "laporkan",
    "kirimkan", "sertai", "dõi", "tải", "gửi", "báo", "sumali", "ipaalam", "jiunge", "pakua", "jisajili", "sekite", "atsisiųskite",
    "prenumeruokite", "rašykite", "praneškite", "siųskite", "prisijunkite", "seko", "sekojiet", "lejupielādē", "lejupielādējiet",
    "pievienojies", "pievienojieties", "rakstiet", "ziņo", "ziņojiet", "jälgi", "jälgige", "liitu", "saatke", "andke", "kirjutage",
    "ndiqni", "bashkohu", "bashkohuni", "shkarkoni", "abonohu", "abonohuni", "shkruani", "dërgoni",
];

/// The same of words that are other words too: the first or second of a sentence.
#[rustfmt::skip]
pub(super) const OPENINGS: &[&str] = &[
    "follow", "join", "download", "sign", "click", "write", "email", "folgen", "folge",
    "folgt", "schreiben", "schreib", "senden", "schicken", "melden", "suivre", "sigue", "siga", "sigan", "descarga",
    "envía", "escribe", "clique", "participe", "receba", "envie", "escreva", "segui", "scarica", "segnala", "scrivi",
    "descarrega", "escriu", "envia", "volg", "meld", "stuur", "mail", "följ", "ladda", "gilla", "maila", "tipsa", "skriv", "abonner",
    "hent", "seuraa", "lataa", "tilaa", "liity", "lähetä", "ilmoita", "kirjoita", "daj", "intră", "scrie", "trimite",
    "prati", "katıl", "klik", "kirim", "raksti", "laadi", "telli", "saada", "kirjuta", "teata", "ndiqe",
];

/// Calls of two words that are nothing alone, and say whom.
#[rustfmt::skip]
pub(super) const PHRASES: &[&str] = &[
    "følg os", "skriv til os", "send os", "na ndiqni", "na ndiqe", "na shkruani", "na dërgoni", "urmărește-ne", "urmăriți-ne",
    "scrie-ne", "scrieți-ne", "trimite-ne", "mari bergabung",
];

/// Calls that say whom in the same word.
#[rustfmt::skip]
pub(super) const CALLS_US: &[&str] = &[
    "síguenos", "síganos", "seguinos", "escríbenos", "escríbanos", "envíanos", "acompáñanos", "seguici", "seguiteci", "scrivici", "scriveteci",
    "segnalaci", "contattaci", "tufuate", "tuandikie",
];

/// Who asks, and where one is to write to.
#[rustfmt::skip]
pub(super) const ASKING: &[&str] = &[
    "us", "our", "uns", "unser", "unsere", "unserem", "unseren", "unserer", "nous", "notre", "nos", "rédaction", "nuestro", "nuestra",
    "nuestros", "nuestras", "redacción", "nosso", "nossa", "nossos", "nossas", "redação", "redacção", "nostro", "nostra", "nostri",
    "nostre", "noi", "redazione", "nostres", "redacció", "ons", "onze", "redactie", "oss", "vår", "vårt", "våra", "redaktionen",
    "redaktion", "våre", "redaksjonen", "vores", "meitä", "meidät", "meille", "meidän", "sovelluksemme", "uutiskirjeemme",
    "kanavamme", "toimitukseen", "toimitukselle", "nas", "nam", "nasz", "naszą", "nasze", "naszej", "naszego", "naszym", "redakcji",
    "redakcję", "nás", "nám", "naši", "naše", "našeho", "našem", "naší", "našich", "redakci", "našu", "našom", "našej", "redakcii",
    "minket", "bennünket", "nekünk", "alkalmazásunk", "alkalmazásunkat", "hírlevelünk", "hírlevelünkre", "csatornánk", "csatornánkat",
    "csatornánkra", "csatornánkhoz", "oldalunk", "oldalunkat", "szerkesztőségünk", "szerkesztőségnek", "nostru", "noastră",
    "noastre", "noștri", "redacția", "redacției", "naš", "našem", "našo", "našoj", "uredništvo", "uredništvu", "redakciji", "redakciju",
    "bizi", "bize", "bizim", "kanalımıza", "kanalımızı", "uygulamamızı", "sayfamızı", "hesabımızı", "bültenimize", "bizə", "tətbiqimizi",
    "səhifəmizi", "səhifəmizə", "bizni", "bizga", "kanalimizga", "kanalimizni", "kanalimizda", "ilovamizni", "sahifamizga",
    "sahifamizni", "kami", "redaksi", "chúng", "soạn", "aming", "amin", "namin", "kaming", "yetu", "zetu", "mus", "mums",
    "mūsų", "redakcijai", "mūsu", "meid", "meie", "meile", "toimetusele", "tonë", "tona",
];

/// Where subscribers are sent to.
#[rustfmt::skip]
pub(super) const LOGINS: &[&str] = &[
    "log", "login", "sign", "anmelden", "einloggen", "connecter", "connectez", "sesión", "sesion", "sessió", "entrar", "sessão", "accedi", "logga", "logg", "kirjaudu", "zaloguj", "přihlaste", "přihlásit", "prihláste", "lépjen", "lépj", "jelentkezzen",
    "autentifică", "conectează", "intră", "prijavite", "prijavi", "giriş", "masuk", "nhập", "prisijunkite", "ienāc", "logi", "hyni",
    "kyçu", "daxil", "kiring", "ingia",
];

/// How the names of channels begin, and of programs and letters to subscribe to: nearly the same in all languages, with endings of
/// their own.
#[rustfmt::skip]
pub(super) const CHANNELS: &[&str] = &[
    "facebook", "instagram", "whatsapp", "telegram", "viber", "youtube", "tiktok", "twitter", "linkedin", "zalo", "bluesky",
    "mastodon", "newsletter", "app", "apps", "appen", "appli", "aplicaci", "aplicativo", "aplicação", "applicazione", "aplikac",
    "aplikác", "aplicați", "sovellu", "alkalmazás", "uygulama", "programėl", "lietotn", "äpp", "aplikacion", "tətbiq", "ilovam",
    "hírlev", "naujienlaišk", "nyhetsbrev", "nyhedsbrev", "uutiskir", "uudiskir", "boletín", "boletim", "bülten", "bulteni",
];

/// Those of two words.
#[rustfmt::skip]
pub(super) const TWO: &[&str] = &[
    "google news", "google haber", "wiadomościach google", "google noticias", "google notícias", "google actualités", "notre application",
    "ứng dụng", "programu yetu", "google vijesti", "google zprávách",
];

/// How the words for a mistake begin that readers are asked to report, or for what they are asked to tell.
#[rustfmt::skip]
pub(super) const MISTAKES: &[&str] = &[
    "mistake", "error", "typo", "fehler", "erreur", "coquille", "erro", "errore", "refuso", "fout", "feil", "fejl", "felet", "virhe",
    "błąd", "błęd", "chyb", "hiba", "hibát", "greșeal", "greşeal", "pogrešk", "grešk", "napak", "hata", "kesalahan", "lỗi", "klaid",
    "kļūd", "viga", "gabim", "səhv", "xato", "tip", "tipp", "vinkki", "uutisvinkki", "vihje", "temat", "zgodb", "vijest", "naujien",
];

/// How the words for a subscriber begin.
#[rustfmt::skip]
pub(super) const SUBSCRIBERS: &[&str] = &[
    "subscri", "abo", "abonn", "suscri", "assinant", "assinatura", "prenumer", "tilaaj", "předplat", "predplat", "előfizet", "abon",
    "pretplat", "naročni", "langganan", "berlangganan", "bao", "tellija", "abunə", "obunach",
];
