//! What calls to act are made of, in lower case.

/// What is to be done.
#[rustfmt::skip]
pub(super) const DEEDS: &[&str] = &[
    "book", "schedule", "request", "get", "claim", "arrange", "reserve",
    // German, Dutch
    "buchen", "vereinbaren", "anfordern", "testen", "sichern", "anfragen", "einholen", "aanvragen", "boeken", "plannen",
    "inplannen", "probeer", "vraag", "boek",
    // French, Italian
    "demander", "demandez", "obtenir", "obtenez", "essayer", "essayez", "réserver", "réservez", "prendre", "prenez", "planifier",
    "planifiez", "profitez", "richiedi", "prenota", "ottieni", "attiva",
    // Spanish, Portuguese, Catalan
    "solicita", "solicite", "solicitar", "pide", "pida", "pedir", "agenda", "agende", "agendar", "reserva", "reserve", "reservar",
    "obtén", "obtenga", "consigue", "peça", "experimente", "marque", "sol·licita",
    "demana",
    // Swedish, Danish, Norwegian, Finnish
    "boka", "begär", "bestil", "bestill", "varaa", "pyydä",
    // Polish, Czech, Slovak, Hungarian, Romanian, Croatian
    "zamów", "umów", "poproś", "odbierz", "objednat", "objednejte", "vyžádat", "vyzkoušet", "získat", "získejte", "objednať",
    "získať", "kérjen", "kérj", "kérek", "foglaljon", "solicită", "solicitați", "programează", "cere", "cereți", "zatražite", "rezervirajte",
    // Turkish, Indonesian
    "alın", "iste", "isteyin", "oluştur", "minta", "jadwalkan", "dapatkan",
    // Russian, Ukrainian, Bulgarian, Greek
    "заказать", "закажите", "получить", "получите", "записаться", "запишитесь", "попробовать", "замовити", "замовте", "отримати",
    "отримайте", "записатися", "заявете", "поискайте", "запазете", "ζητήστε", "κλείστε", "δοκιμάστε",
];

/// With what a business begins.
#[rustfmt::skip]
pub(super) const THINGS: &[&str] = &[
    "demo", "demos", "consultation", "quote", "estimate", "valuation", "walkthrough",
    // German, Dutch
    "testversion", "testphase", "beratung", "erstberatung", "beratungsgespräch", "erstgespräch", "beratungstermin", "angebot",
    "kostenvoranschlag", "demotermin", "proefperiode", "offerte", "adviesgesprek", "kennismakingsgesprek",
    // French, Italian
    "démo", "démonstration", "devis", "preventivo", "consulenza", "dimostrazione",
    // Spanish, Portuguese, Catalan
    "demostración", "presupuesto", "asesoría", "cotización", "consultoría", "demonstração", "orçamento",
    "pressupost",
    // Swedish, Danish, Norwegian, Finnish
    "offert", "provperiod", "rådgivning", "tilbud", "prøveperiode", "esittely", "tarjous", "kokeilu", "demon",
    // Polish, Czech, Slovak, Hungarian, Romanian, Croatian
    "wycenę", "konsultację", "ofertę", "prezentację", "nabídku", "konzultaci", "ponuku", "konzultáciu", "ajánlatot", "árajánlatot",
    "bemutatót", "konzultációt", "ofertă", "consultație", "demonstrație", "ponudu", "demonstraciju",
    // Turkish, Indonesian
    "teklif", "penawaran", "konsultasi",
    // Russian, Ukrainian, Bulgarian, Greek
    "демо", "демонстрацию", "консультацию", "расчёт", "расчет", "демонстрацію", "консультацію", "розрахунок", "оферта", "консултация",
    "προσφορά", "επίδειξη",
];

/// Both in one.
#[rustfmt::skip]
pub(super) const PHRASES: &[&str] = &[
    "get started", "sign up free", "try for free", "try it for free", "start for free", "sign up for free", "free trial", "try it free",
    "create a free account", "contact sales", "talk to sales",
    // German, Dutch
    "kostenlos testen", "kostenlos starten", "jetzt starten", "unverbindlich anfragen", "gratis proberen",
    // French, Italian, Spanish, Portuguese
    "essai gratuit", "essayer gratuitement", "prova gratis", "prova gratuita", "prueba gratis", "prueba gratuita", "empieza gratis",
    "teste grátis", "experimente grátis",
    // Swedish, Danish, Norwegian, Finnish, Polish, Czech
    "testa gratis", "prøv gratis", "kokeile ilmaiseksi", "wypróbuj za darmo", "vyzkoušet zdarma",
    // Turkish, Indonesian, Vietnamese, Thai
    "ücretsiz dene", "coba gratis", "dùng thử miễn phí", "đăng ký tư vấn", "ทดลองใช้ฟรี",
    // Russian, Ukrainian, Arabic, Hindi
    "попробовать бесплатно", "спробувати безкоштовно", "تجربة مجانية", "मुफ़्त ट्रायल",
    // Chinese, Japanese, Korean
    "免费试用", "免費試用", "预约演示", "預約演示", "無料体験", "無料で試す", "資料請求", "무료 체험", "데모 신청",
];
