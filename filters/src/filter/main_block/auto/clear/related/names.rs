//! What lists of other articles are called, and rows and boxes that stand among them: in lower case, without the signs around it.

/// Lists of other articles.
#[rustfmt::skip]
pub(super) const NAMES: &[&str] = &[
    // English
    "related articles", "related posts", "related stories", "related news", "you may also like",
    "you may like to read", "you might also like", "you may also be interested in", "read also", "also read",
    "read next", "recommended for you", "recommended articles", "more stories", "most read", "keep reading",
    "up next", "related content", "related reads", "related publications", "explore more", "latest posts",
    "latest articles", "recent posts", "popular posts", "trending now",
    // German
    "das könnte sie auch interessieren", "das könnte dich auch interessieren", "lesen sie auch", "mehr zum thema",
    "ähnliche artikel", "ähnliche beiträge", "verwandte artikel", "auch interessant", "meistgelesen",
    // French, Italian
    "à lire aussi", "lire aussi", "à lire également", "sur le même sujet", "articles similaires",
    "vous aimerez aussi", "leggi anche", "articoli correlati", "potrebbe interessarti anche",
    // Spanish, Portuguese
    "también te puede interesar", "te puede interesar", "artículos relacionados", "noticias relacionadas",
    "lea también", "lee también", "lo más leído", "leia também", "artigos relacionados", "notícias relacionadas",
    "matérias relacionadas", "posts relacionados", "você também pode gostar", "mais lidas",
    // Dutch, Swedish, Danish, Norwegian, Finnish
    "lees ook", "gerelateerde artikelen", "läs också", "läs även", "læs også", "les også", "lue myös",
    // Polish, Czech, Russian, Ukrainian
    "zobacz także", "zobacz też", "czytaj także", "czytaj też", "czytaj również", "podobne artykuły", "čtěte také",
    "související články", "читайте также", "похожие статьи", "материалы по теме", "читайте також",
    // Greek, Turkish, Romanian, Hungarian
    "διαβάστε επίσης", "σχετικά άρθρα", "ilgili haberler", "ilgili yazılar", "ilginizi çekebilir", "citește și",
    "articole similare", "kapcsolódó cikkek",
    // Arabic, Persian, Hebrew, Hindi
    "اقرأ أيضا", "اقرأ أيضاً", "مقالات ذات صلة", "أخبار ذات صلة", "مطالب مرتبط", "כתבות נוספות", "קראו גם",
    "यह भी पढ़ें", "ये भी पढ़ें",
    // Indonesian, Vietnamese, Thai
    "baca juga", "tin liên quan", "bài viết liên quan", "ข่าวที่เกี่ยวข้อง",
    // Japanese, Chinese, Korean
    "関連記事", "あわせて読みたい", "相关阅读", "相关文章", "相關文章", "관련 기사",
    // More of these languages.
    "lire la suite", "leia mais", "saiba mais", "veja também", "veja mais", "más noticias", "más leídas",
    "lo más visto", "les plus lus", "i più letti", "najczęściej czytane", "czytaj więcej", "nejčtenější",
    "самое читаемое", "найпопулярніше", "en çok okunanlar", "bunlar da ilginizi çekebilir", "δημοφιλή",
    "περισσότερα για το θέμα", "legolvasottabb", "ezt is ajánljuk", "olvasd el ezt is", "luetuimmat", "terpopuler",
    "berita terkait", "đọc nhiều", "đọc thêm", "xem thêm", "bài liên quan", "อ่านเพิ่มเติม", "ข่าวเกี่ยวข้อง",
    "ข่าวยอดนิยม", "اقرأ المزيد", "اقرأ ايضا", "اقرأ أيضًا", "الأكثر قراءة", "مواضيع ذات صلة", "بیشتر بخوانید",
    "پربازدیدترین‌ها", "خبرهای مرتبط", "הנקראות ביותר", "עוד באותו נושא", "延伸閱讀", "相關新聞", "相关新闻", "推荐阅读", "热门文章",
    "人気記事", "こちらもおすすめ", "アクセスランキング", "관련기사", "많이 본 뉴스",
    // Croatian and Serbian, Slovak, Slovenian, Bulgarian, Catalan, the Baltic languages
    "pročitajte i", "pročitajte još", "прочитајте и", "prečítajte si aj", "preberite tudi", "прочетете още",
    "още по темата", "llegeix també", "skaitykite taip pat", "lasi arī", "loe ka",
    // Urdu, Bengali, Marathi, Gujarati, Punjabi, Tamil, Telugu, Kannada, Malayalam, Nepali
    "یہ بھی پڑھیں", "مزید پڑھیں", "আরও পড়ুন", "আরো পড়ুন", "সর্বাধিক পঠিত", "हे ही वाचा", "यह भी पढ़े", "આ પણ વાંચો",
    "ਇਹ ਵੀ ਪੜ੍ਹੋ", "இதையும் படியுங்கள்", "மேலும் படிக்க", "ఇవి కూడా చదవండి", "ఇది కూడా చదవండి", "ಇದನ್ನೂ ಓದಿ",
    "ഇതും വായിക്കുക", "यो पनि पढ्नुहोस्",
    // Georgian, Armenian, Azerbaijani, Uzbek, Kazakh, Amharic, Swahili, Malay, Filipino, Burmese
    "წაიკითხეთ ასევე", "ასევე წაიკითხეთ", "կարդացեք նաև", "həmçinin oxuyun", "shuningdek o‘qing", "сондай-ақ оқыңыз",
    "ተጨማሪ ያንብቡ", "soma pia", "baca lagi", "basahin din", "ဆက်စပ်သတင်းများ",
    // What is read most, in more of these languages.
    "популярное", "популярне", "热门排行", "熱門新聞", "cele mai citite", "най-четени", "najčitanije", "مقبول خبریں",
    "அதிகம் படித்தவை", "सबसे ज़्यादा पढ़ी गईं",
    // More in the scripts of Eastern Europe and Central Asia.
    "смотрите также", "читайте ещё", "читать также", "ещё по теме", "еще по теме", "ранее по теме", "по теме",
    "новости по теме", "статьи по теме", "рекомендуем", "рекомендуем прочитать", "похожие новости", "другие новости",
    "главные новости", "последние новости", "самое популярное", "дивіться також", "читайте ще", "до теми", "за темою",
    "новини за темою", "схожі новини", "останні новини", "вас може зацікавити", "чытайце таксама", "прочетете и",
    "вижте още", "вижте и", "виж още", "свързани новини", "свързани статии", "още новини", "последни новини",
    "прочитајте још", "погледајте и", "повезане вести", "слични текстови", "најновије вести", "најчитаније",
    "прочитај повеќе", "поврзани вести", "слични вести", "тағы оқыңыз", "оқи отырыңыз", "ұқсас жаңалықтар",
    "тақырып бойынша", "окуй отуруңуз", "дагы окуңуз", "боз хонед", "мөн уншаарай", "холбоотой мэдээ", "бусад мэдээ",
    "ასევე იხილეთ", "იხილეთ ასევე", "მსგავსი სიახლეები", "დაკავშირებული სიახლეები", "նաև կարդացեք", "դիտեք նաև",
    "նմանատիպ նյութեր", "առնչվող լուրեր",
    // Greek
    "διαβάστε ακόμα", "διαβάστε ακόμη", "διαβάστε και", "διαβάστε σχετικά", "δείτε επίσης", "δείτε ακόμα",
    "δείτε ακόμη", "διαβάστε περισσότερα", "σχετικές ειδήσεις", "ροή ειδήσεων", "τελευταία νέα",
    // Arabic, Persian, Urdu, Pashto, Kurdish, Hebrew
    "إقرأ أيضا", "إقرأ أيضاً", "إقرأ أيضًا", "اقرأ كذلك", "اقرأوا أيضاً", "شاهد أيضا", "شاهد أيضاً", "شاهد أيضًا",
    "طالع أيضا", "طالع أيضاً", "موضوعات متعلقة", "موضوعات ذات صلة", "أخبار متعلقة", "أخبار مرتبطة", "مواد ذات صلة",
    "قد يعجبك أيضا", "قد يعجبك أيضاً", "قد يهمك أيضا", "قد يهمك أيضاً", "الأكثر مشاهدة", "آخر الأخبار",
    "همچنین بخوانید", "بخوانید", "اخبار مرتبط", "مطالب پیشنهادی", "در همین زمینه", "یہ بھی پڑھیے", "مزید پڑھیے",
    "متعلقہ خبریں", "مزید خبریں", "نور ولولئ", "קראו עוד", "כתבות נוספות שיעניינו אותך", "כתבות קשורות",
    "אולי יעניין אותך", "אולי יעניין אתכם", "עוד בנושא", "ראו גם",
    // Languages of India and its neighbours
    "इसे भी पढ़ें", "इन्हें भी पढ़ें", "ये भी देखें", "यह भी देखें", "संबंधित खबरें", "संबंधित ख़बरें", "और पढ़ें",
    "हेही वाचा", "हेसुद्धा वाचा", "आणखी वाचा", "संबंधित बातम्या", "যে খবর পড়তে পারেন", "আরও দেখুন", "আরও খবর",
    "সম্পর্কিত খবর", "আরও সংবাদ", "આ પણ જુઓ", "વધુ વાંચો", "સંબંધિત સમાચાર", "ਹੋਰ ਪੜ੍ਹੋ", "ਇਹ ਵੀ ਦੇਖੋ",
    "ਸਬੰਧਤ ਖ਼ਬਰਾਂ", "இதையும் படிக்க", "இதையும் வாசிக்க", "தொடர்புடைய செய்திகள்", "இதையும் பாருங்கள்", "ఇవీ చదవండి",
    "సంబంధిత వార్తలు", "మరిన్ని వార్తలు", "ಇದನ್ನೂ ನೋಡಿ", "ಹೆಚ್ಚಿನ ಸುದ್ದಿ", "ಸಂಬಂಧಿತ ಸುದ್ದಿ", "കൂടുതൽ വായിക്കുക",
    "കൂടുതൽ വാർത്തകൾ", "അനുബന്ധ വാർത്തകൾ", "തുടർന്നു വായിക്കുക", "තවත් කියවන්න", "මේවාත් කියවන්න", "අදාළ පුවත්",
    "यी पनि पढ्नुहोस्", "यो पनि पढौं", "सम्बन्धित खबर",
    // South-East Asia
    "อ่านข่าวที่เกี่ยวข้อง", "อ่านข่าวเพิ่มเติม", "เรื่องที่เกี่ยวข้อง", "บทความที่เกี่ยวข้อง", "ข่าวอื่นๆ",
    "ອ່ານເພີ່ມເຕີມ", "ຂ່າວທີ່ກ່ຽວຂ້ອງ", "អានបន្ត", "អានបន្ថែម", "ព័ត៌មានទាក់ទង", "អត្ថបទទាក់ទង", "ဆက်လက်ဖတ်ရှုရန်",
    // Amharic
    "ይህንንም ያንብቡ", "ተዛማጅ ዜናዎች",
    // Chinese, Japanese, Korean
    "延伸阅读", "扩展阅读", "更多阅读", "相關閱讀", "相关报道", "相關報導", "推薦閱讀", "更多新聞", "更多新闻", "看更多", "同場加映", "热门推荐", "猜你喜欢", "編輯推薦",
    "編輯精選", "热门新闻", "熱門文章", "あわせて読みたい記事", "合わせて読みたい", "おすすめ記事", "関連ニュース", "関連する記事", "関連リンク", "こちらもおすすめです",
    "この記事を読んだ人はこんな記事も読んでいます", "함께 읽으면 좋은 기사", "이 기사도 읽어보세요", "함께 볼만한 기사", "이 시각 주요뉴스", "주요뉴스", "추천뉴스", "추천 기사",
    "인기기사", "함께 보면 좋은 글",
    // Other languages in Latin letters
    "kapcsolódó cikk", "kapcsolódó", "ajánlott cikkek", "povezane vijesti", "povezani članci", "sorodni članki",
    "sorodne novice", "seotud artiklid", "saistītie raksti", "susiję straipsniai", "të ngjashme", "artikuj të ngjashëm",
    "oxşar xəbərlər", "mavzuga oid", "kaugnay na balita", "habari zinazohusiana", "artikel terkait", "ilgili haber",
    "relaterade artiklar", "relaterede artikler", "relaterte artikler", "aiheeseen liittyvää", "powiązane artykuły",
    "související", "súvisiace články", "articles liés", "pe aceeași temă", "pe aceeaşi temă", "notícies relacionades",
    "contenuti correlati", "approfondimenti", "ti potrebbe interessare", "potrebbe interessarti", "et pot interessar",
    "te recomendamos", "mohlo by vás zajímat", "mohlo by vás zaujímať", "moglo bi vas zanimati", "morda vas zanima",
    "mogą cię zainteresować",
];

/// What a row of the article's subjects, or of buttons to share it, begins with.
#[rustfmt::skip]
pub(super) const LABELS: &[&str] = &[
    // Subjects
    "tags", "keywords", "теги", "тэги", "метки", "ключевые слова", "ключові слова", "ключови думи", "тагове", "етикети",
    "тагови", "ознаке", "тегтер", "түлхүүр үг", "ετικέτες", "ტეგები", "თეგები", "պիտակներ", "الكلمات الدلالية", "كلمات مفتاحية",
    "الوسوم", "وسوم", "برچسب‌ها", "برچسب ها", "کلیدواژه‌ها", "ٹیگز", "תגיות", "टैग्स", "टैग", "टॅग", "टॅग्स", "ट्याग", "विषय",
    "বিষয়", "ট্যাগ", "ট্যাগস", "ટેગ્સ", "ਟੈਗ", "குறிச்சொற்கள்", "ట్యాగ్స్", "ಟ್ಯಾಗ್", "വിഷയങ്ങൾ", "ටැග්", "แท็กที่เกี่ยวข้อง",
    "แท็ก", "ป้ายกำกับ", "ແທັກ", "ស្លាក", "መለያዎች", "关键词", "关键字", "标签", "關鍵字", "標籤", "キーワード", "タグ", "태그", "키워드",
    // Buttons
    "share", "share this", "поделиться", "поширити", "поділитися", "сподели", "подели", "бөлісу", "хуваалцах", "κοινοποίηση",
    "გაზიარება", "կիսվել", "شارك", "مشاركة", "شارك المقال", "شارك الخبر", "اشتراک‌گذاری", "اشتراک گذاری", "شیئر کریں", "שתפו",
    "שיתוף", "शेयर करें", "शेअर करा", "सेयर गर्नुहोस्", "শেয়ার করুন", "શેર કરો", "ਸ਼ੇਅਰ ਕਰੋ", "பகிர", "షేర్ చేయండి",
    "ಹಂಚಿಕೊಳ್ಳಿ", "പങ്കിടുക", "แชร์", "แชร์ข่าวนี้", "ແບ່ງປັນ", "ចែករំលែក", "မျှဝေရန်", "አጋራ", "分享", "分享到", "シェア", "공유하기",
];

/// What a box for an e-mail address begins with.
#[rustfmt::skip]
pub(super) const LETTERS: &[&str] = &[
    "newsletter", "подпишитесь на рассылку", "рассылка", "щоденна розсилка", "бюлетин", "билтен", "жаңалықтарға жазылу",
    "мэдээ захиалах", "სიახლეების გამოწერა", "տեղեկագիր", "النشرة البريدية", "النشرة الإخبارية", "خبرنامه", "نیوز لیٹر",
    "ניוזלטר", "הירשמו לניוזלטר", "न्यूजलेटर", "न्यूज़लेटर", "নিউজলেটার", "ન્યૂઝલેટર", "ਨਿਊਜ਼ਲੈਟਰ", "செய்திமடல்",
    "న్యూస్‌లెటర్", "ಸುದ್ದಿಪತ್ರ", "ന്യൂസ് ലെറ്റർ", "न्युजलेटर", "จดหมายข่าว", "訂閱電子報", "电子报", "メールマガジン", "뉴스레터",
];

/// To read, as readers are told to. Not "see": "See also" is a section of an encyclopedia's article.
#[rustfmt::skip]
pub(super) const READ: &[&str] = &[
    "read", "lesen", "lire", "lisez", "découvrez", "lea", "leia", "llegeix", "llegiu",
    "bekijk", "läs", "læs", "czytaj", "przeczytaj", "sprawdź", "čtěte", "přečtěte", "čítajte", "prečítajte",
    "olvassa", "olvasd", "olvass", "citește", "citeşte", "citiți", "pročitaj", "pročitajte", "čitajte", "preberite", "okuyun", "oku",
    "baca", "simak", "đọc", "basahin", "skaitykite", "skaityk", "lasi", "lasiet", "loe", "lugege", "lexo", "lexoni", "oxuyun",
    "oxu", 
];

/// What a line begins with that names another article, and a section may too.
#[rustfmt::skip]
pub(super) const LINES: &[&str] = &[
    "vezi și", "vezi şi", "olvassa el ezt is", "olvasd el ezt is",
];

/// What one begins with in an article. In a manual, and of an encyclopedia's article, it is a part: "See also" is not among them.
#[rustfmt::skip]
pub(super) const RELATED: &[&str] = &[
    "related", "related reading", "related story", "related article", "related post", "related video", "related coverage",
    "passend dazu", "mehr dazu", "dazu passend", "zum thema", "verwandt", "verwandter artikel", "à voir aussi",
    "article lié", "relacionado", "relacionada", "relacionados", "relacionadas", "artículo relacionado", "nota relacionada",
    "noticia relacionada", "mira también", "mirá también", "artigo relacionado", "correlato", "articolo correlato",
    "guarda anche", "gerelateerd", "relaterat", "relateret", "relatert",
    "powiązane", "související", "súvisiace", "kapcsolódó", "povezano", "свързани", "связанное", "похожее", "схоже", "повязане",
    "σχετικά", "σχετικό άρθρο", "ilgili", "ilgili haber", "ilgili yazı", "bununla ilgili", "ذات صلة", "موضوع ذو صلة", "مرتبط", "متعلقہ",
    "संबंधित", "संबंधित खबर", "সম্পর্কিত", "terkait", "artikel terkait", "liên quan", "เกี่ยวข้อง", "相关", "相關", "関連", "관련", "관련글",
];

/// What announces the list at the end of an article, wherever in its announcement.
#[rustfmt::skip]
pub(super) const MORE: &[&str] = &[
    "more from", "more by", "more articles", "more posts", "more stories", "more news", "more reading", "more guides", "more travel guides",
    "more helpful articles", "other articles", "other posts", "other stories", "might also", "may also", "also like", "also enjoy",
    "related articles", "related posts", "related stories", "check out these articles", "check out these posts",
    // German, Dutch, Swedish, Danish, Norwegian
    "mehr von", "mehr aus", "mehr artikel", "mehr beiträge", "weitere artikel", "weitere beiträge", "auch interessieren", "meer van", "meer artikelen",
    "andere artikelen", "ook interessant", "mer från", "fler artiklar", "mere fra", "flere artikler", "mer fra",
    // French, Italian, Spanish, Portuguese, Catalan, Romanian
    "plus d'articles", "plus d’articles", "autres articles", "vous aimerez", "altri articoli", "potrebbe interessar", "più articoli", "más de", "más artículos",
    "más noticias", "otros artículos", "te puede interesar", "mais de", "mais artigos", "outros artigos", "pode gostar", "més articles",
    "mai multe articole", "alte articole",
    // Finnish, Polish, Czech, Slovak, Hungarian, Croatian, Turkish
    "lisää artikkeleita", "więcej artykułów", "inne artykuły", "další články", "ďalšie články", "további cikk", "još članaka",
    "diğer yazılar", "diğer haberler", "ilginizi çekebilir",
    // Russian, Ukrainian, Bulgarian, Greek
    "другие статьи", "другие новости", "другие материалы", "ещё статьи", "інші новини", "інші статті", "още статии", "περισσότερα άρθρα", "άλλα άρθρα",
    // Indonesian, Vietnamese, Arabic, Persian, Hebrew, Hindi
    "artikel lainnya", "berita lainnya", "bài viết khác", "tin khác", "المزيد من", "مقالات أخرى", "مطالب بیشتر", "כתבות נוספות", "और खबरें",
    // Japanese, Chinese, Korean
    "その他の記事", "他の記事", "更多文章", "其他文章", "更多新闻", "更多新聞", "다른 글", "다른 기사",
];

/// Also, more, this too.
#[rustfmt::skip]
pub(super) const ALSO: &[&str] = &[
    "also", "more", "next", "related", "auch", "mehr", "dazu", "aussi", "également", "también", "además", "más", "também", 
    "anche", "també", "més", "ook", "meer", "også", "också", "även", "mere", "myös", "lisää", "też", "także",
    "również", "więcej", "také", "též", "taky", "další", "více", "tiež", "ďalej", "viac", "ezt", "tovább", "și", "şi",
    "još", "ovo", "tudi", "še", "ayrıca", "bunu", "juga", "lainnya", "thêm", "zaidi", "taip", "daugiau", "arī", "vēl",
    "vairāk", "lisaks", "rohkem", "edhe", "gjithashtu", "më", "həmçinin", "də", "shuningdek",
];

/// What such a list is called where its lines are one text with its name: too plain a name for a heading.
#[rustfmt::skip]
pub(super) const IN_LINES: &[&str] = &[
    "other headlines", "more headlines", "other stories", "other news", "more news", "top stories", "latest headlines", "latest news", "today's headlines",
    "related sites", "related links", "more links", "in other news", "weitere meldungen", "weitere artikel", "weitere themen", "mehr nachrichten", "zum thema",
    "zum thema im internet", "schlagzeilen", "a lire aussi", "à voir aussi", "autres articles", "autres titres", "sur le web", "otras noticias", "últimas noticias",
    "más noticias", "más información", "outras notícias", "últimas notícias", "mais notícias", "altre notizie", "ultime notizie", "vedi anche", "meer nieuws", "ander nieuws",
    "fler nyheter", "flere nyheder", "flere nyheter", "lisää uutisia", "inne artykuły", "inne wiadomości", "więcej wiadomości", "další zprávy", "ďalšie správy",
    "további hírek", "alte știri", "alte stiri", "diğer haberler", "başka haberler", "другие новости", "ещё новости", "еще новости", "по теме", "ссылки по теме", "статьи по теме",
    "інші новини", "други новини", "άλλα νέα", "כתבות נוספות", "כותרות נוספות", "עוד בנושא", "أخبار أخرى", "اقرأ أيضا", "مواضيع ذات صلة", "اخبار دیگر",
    "相关链接", "相关新闻", "相关报道", "相关文章", "相關新聞", "相關連結", "更多新闻", "其他新闻", "関連記事", "関連ニュース", "最新ニュース", "他のニュース", "관련기사", "다른 기사",
];
