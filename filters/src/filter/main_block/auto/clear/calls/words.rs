//! What calls to act are made of, in lower case.

/// What is to be done.
#[rustfmt::skip]
pub(super) const DEEDS: &[&str] = &[
    "book", "schedule", "request", "get", "start", "claim", "arrange", "reserve", "try", "receive",
    // German, Dutch
    "buchen", "vereinbaren", "anfordern", "starten", "testen", "sichern", "anfragen", "einholen", "aanvragen", "boeken", "plannen",
    "inplannen", "probeer", "vraag", "boek",
    // French, Italian
    "demander", "demandez", "obtenir", "obtenez", "essayer", "essayez", "réserver", "réservez", "prendre", "prenez", "planifier",
    "planifiez", "démarrer", "démarrez", "profitez", "richiedi", "prenota", "inizia", "ottieni", "attiva",
    // Spanish, Portuguese, Catalan
    "solicita", "solicite", "solicitar", "pide", "pida", "pedir", "agenda", "agende", "agendar", "reserva", "reserve", "reservar",
    "empieza", "inicia", "obtén", "obtenga", "consigue", "solicitar", "peça", "comece", "inicie", "experimente", "marque", "sol·licita",
    "demana",
    // Swedish, Danish, Norwegian, Finnish
    "boka", "begär", "få", "starta", "bestil", "bestill", "varaa", "pyydä", "aloita",
    // Polish, Czech, Slovak, Hungarian, Romanian, Croatian
    "zamów", "umów", "poproś", "rozpocznij", "odbierz", "objednat", "objednejte", "vyžádat", "vyzkoušet", "získat", "získejte", "objednať",
    "získať", "kérjen", "kérj", "kérek", "foglaljon", "solicită", "solicitați", "programează", "cere", "cereți", "zatražite", "rezervirajte",
    // Turkish, Indonesian
    "al", "alın", "iste", "isteyin", "başlat", "başlatın", "oluştur", "minta", "jadwalkan", "dapatkan", "mulai",
    // Russian, Ukrainian, Bulgarian, Greek
    "заказать", "закажите", "получить", "получите", "записаться", "запишитесь", "начать", "попробовать", "замовити", "замовте", "отримати",
    "отримайте", "записатися", "почати", "заявете", "поискайте", "запазете", "ζητήστε", "κλείστε", "ξεκινήστε", "δοκιμάστε",
];

/// With what a business begins.
#[rustfmt::skip]
pub(super) const THINGS: &[&str] = &[
    "demo", "demos", "trial", "consultation", "quote", "quotes", "estimate", "appointment", "valuation", "walkthrough",
    // German, Dutch
    "testversion", "testphase", "beratung", "erstberatung", "beratungsgespräch", "erstgespräch", "beratungstermin", "termin", "angebot",
    "kostenvoranschlag", "demotermin", "proefperiode", "offerte", "adviesgesprek", "kennismakingsgesprek",
    // French, Italian
    "démo", "démonstration", "essai", "devis", "consultation", "prova", "preventivo", "consulenza", "appuntamento", "dimostrazione",
    // Spanish, Portuguese, Catalan
    "demostración", "prueba", "presupuesto", "cita", "asesoría", "cotización", "consultoría", "demonstração", "orçamento", "teste", "consulta",
    "avaliação", "pressupost",
    // Swedish, Danish, Norwegian, Finnish
    "offert", "provperiod", "rådgivning", "tilbud", "prøveperiode", "esittely", "tarjous", "kokeilu", "demon",
    // Polish, Czech, Slovak, Hungarian, Romanian, Croatian
    "wycenę", "konsultację", "ofertę", "prezentację", "nabídku", "konzultaci", "ponuku", "konzultáciu", "ajánlatot", "árajánlatot",
    "bemutatót", "konzultációt", "ofertă", "consultație", "demonstrație", "ponudu", "demonstraciju",
    // Turkish, Indonesian
    "teklif", "deneme", "denemeyi", "randevu", "penawaran", "konsultasi",
    // Russian, Ukrainian, Bulgarian, Greek
    "демо", "демонстрацию", "консультацию", "расчёт", "расчет", "демонстрацію", "консультацію", "розрахунок", "оферта", "консултация",
    "προσφορά", "επίδειξη", "ραντεβού",
];

/// Both in one.
#[rustfmt::skip]
pub(super) const PHRASES: &[&str] = &[
    "get started", "sign up free", "sign up now", "sign up today", "create account", "create an account", "create free account", "create a free account", "create free profile", "get matched", "no credit card", "get in touch", "contact us", "contact sales", "talk to sales", "talk to an expert", "speak to an expert",
    "speak with an expert", "talk to us", "try for free", "try it for free", "start for free", "sign up for free", "free trial", "try it free",
    "let's talk", "let’s talk", "hire us", "work with us",
    // German, Dutch
    "kostenlos testen", "kostenlos starten", "jetzt starten", "unverbindlich anfragen", "kontaktieren sie uns", "kontakt aufnehmen",
    "gratis proberen", "neem contact op",
    // French, Italian, Spanish, Portuguese
    "essai gratuit", "essayer gratuitement", "contactez-nous", "nous contacter", "prova gratis", "prova gratuita", "contattaci",
    "prueba gratis", "prueba gratuita", "contáctanos", "contacta con nosotros", "empieza gratis", "teste grátis", "experimente grátis",
    "fale conosco", "entre em contato", "fale com um especialista",
    // Swedish, Danish, Norwegian, Finnish, Polish, Czech
    "kontakta oss", "kontakt os", "kontakt oss", "prova gratis", "prøv gratis", "ota yhteyttä", "kokeile ilmaiseksi",
    "wypróbuj za darmo", "skontaktuj się z nami", "vyzkoušet zdarma", "kontaktujte nás",
    // Turkish, Indonesian, Vietnamese, Thai
    "ücretsiz dene", "bize ulaşın", "coba gratis", "hubungi kami", "dùng thử miễn phí", "liên hệ với chúng tôi", "đăng ký tư vấn",
    "ทดลองใช้ฟรี", "ติดต่อเรา",
    // Russian, Ukrainian, Arabic, Hebrew, Hindi
    "попробовать бесплатно", "оставить заявку", "свяжитесь с нами", "спробувати безкоштовно", "залишити заявку",
    "تجربة مجانية", "احجز استشارة", "تواصل معنا", "اطلب عرض سعر", "צרו קשר", "קבעו פגישה", "मुफ़्त ट्रायल", "संपर्क करें",
    // Chinese, Japanese, Korean
    "免费试用", "免費試用", "预约演示", "預約演示", "立即咨询", "立即諮詢", "联系我们", "聯絡我們", "無料体験", "無料で試す", "資料請求", "お問い合わせはこちら",
    "無料相談", "무료 체험", "데모 신청", "상담 신청", "문의하기",
];
