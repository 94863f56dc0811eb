//! The words of lines about a publisher, in many languages, in lower case.

/// What says that an advertisement follows, or that the text goes on behind it, whole.
#[rustfmt::skip]
pub(super) const ADS: &[&str] = &[
    "advertisement", "advertisements", "advertising", "sponsored", "anzeige", "werbung", "publicité", "annonce", "publicidad",
    "publicidade", "anuncio", "anúncio", "pubblicità", "advertentie", "annons", "reklame", "mainos", "reklama", "hirdetés",
    "publicitate", "reclamă", "reklam", "iklan", "quảng cáo",
    "реклама", "реклами", "на правах рекламы", "рэклама", "оглас", "жарнама", "жарнак", "зар сурталчилгаа", "сурталчилгаа",
    "διαφημιση", "διαφήμιση", "რეკლამა", "գովազդ", "إعلان", "إعلانات", "اعلان", "إشهار", "إعلانات مدفوعة", "تبلیغات", "تبلیغ", "آگهی",
    "اشتہار", "اشتہارات", "פרסומת", "פרסום", "विज्ञापन", "जाहिरात", "বিজ্ঞাপন", "જાહેરાત", "ਇਸ਼ਤਿਹਾਰ", "விளம்பரம்", "ప్రకటన",
    "ಜಾಹೀರಾತು", "പരസ്യം", "දැන්වීම්", "දැන්වීම", "โฆษณา", "ໂຄສະນາ", "ពាណិជ្ជកម្ម", "ការផ្សាយពាណិជ្ជកម្ម", "ကြော်ငြာ", "ማስታወቂያ",
    "广告", "廣告", "広告", "スポンサーリンク", "スポンサードリンク", "광고",
    "sponsored content", "anzeigen", "annuncio pubblicitario", "publicitat", "reclame", "annonse", "inzerce",
    "inzercia", "patalastas", "tangazo", "reklāma", "reklaam", "reklamë", "reklamimi", "scroll to continue with content",
    "scroll to continue", "halaman selanjutnya", "article continues below", "article continues after advertisement",
    "article continues below advertisement", "story continues below", "story continues below advertisement",
    "story continues after advertisement", "continue reading below", "nach der anzeige weiterlesen",
    "artikel geht unter der anzeige weiter", "la suite après la publicité", "la suite après cette publicité",
    "continúa después de la publicidad", "continua após a publicidade", "continua depois da publicidade",
    "continua dopo la pubblicità", "artikel gaat verder onder de advertentie", "tekst gaat verder onder de advertentie",
    "artikeln fortsätter under annonsen", "artikkelen fortsetter under annonsen", "saken fortsetter under annonsen",
    "saken fortsetter under bildet", "artiklen fortsætter under annoncen", "artiklen fortsætter efter annoncen",
    "juttu jatkuu mainoksen jälkeen", "juttu jatkuu kuvan alla", "juttu jatkuu mainoksen alla",
    "dalsza część artykułu pod materiałem wideo", "dalszy ciąg materiału pod wideo", "dalszy ciąg artykułu pod reklamą",
    "reszta artykułu pod materiałem wideo", "článek pokračuje pod reklamou", "článok pokračuje pod reklamou",
    "a cikk a hirdetés után folytatódik", "articolul continuă după publicitate", "tekst se nastavlja ispod oglasa",
    "članak se nastavlja ispod oglasa", "haberin devamı aşağıda", "lanjutkan membaca", "baca selengkapnya",
    "artikkel jätkub pärast reklaami", "straipsnis tęsiamas po reklama",
];

/// Parts of the verbs by which readers are asked to follow, to join or to install.
#[rustfmt::skip]
pub(super) const FOLLOW: &[&str] = &[
    "follow us", "follow our", "subscribe", "join us", "join our", "download our", "download the",
    "подписывайтесь", "подпишитесь", "подпишись", "следите за", "присоединяйтесь", "вступайте", "читайте нас", "больше новостей",
    "скачайте", "скачать", "підпис", "стежте", "слідкуйте", "приєдн", "долуча", "читайте нас", "більше новин", "падпіс", "далуча",
    "последвайте", "следвайте", "следете", "абонирай", "присъедин", "изтеглете", "пратите", "запратите", "придружите", "преузмите",
    "приклуч", "зачлен", "жазылыңыз", "жазылып", "қосылыңыз", "оқыңыз", "катталыңыз", "дагаарай", "нэгдээрэй", "аваарай", "авна уу",
    "ακολουθήστε", "κατεβάστε", "εγγραφείτε", "γίνετε μέλος",
    "გამოიწერ", "მოგვყევ", "შემოგვიერთ", "გაიწერ", "հետևե", "միացե", "բաժանորդագր",
    "تابع", "انضم", "إنضم", "اشترك", "حمّل", "حمل تطبيق", "لمتابعة", "بپیوندید", "دنبال کنید", "عضو شوید", "نصب کنید", "جوائن", "فالو",
    "سبسکرائب", "ڈاؤن لوڈ", "הצטרפו", "עקבו", "הורידו", "הירשמו",
    "फॉलो", "फ़ॉलो", "जुड़ें", "जुड़ें", "जुड़िए", "डाउनलोड", "सब्सक्राइब", "जोडिन", "जॉइन", "लाइक गर", "लाईक", "फलो",
    "ফলো", "অনুসরণ", "সাবস্ক্রাইব", "ডাউনলোড", "যুক্ত হ", "ફોલો", "જોડાઓ", "ડાઉનલોડ", "ਫਾਲੋ", "ਜੁੜੋ", "ਡਾਊਨਲੋਡ", "இணையுங்கள்",
    "இணைய", "பின்தொடர", "பதிவிறக்க", "ఫాలో", "జాయిన్", "డౌన్‌లోడ్", "ಫಾಲೋ", "ಡೌನ್‌ಲೋಡ್", "ഫോളോ", "ജോയിൻ", "ഡൗൺലോഡ്",
    "එකතු වන්න", "එක්වන්න", "ติดตาม", "ดาวน์โหลด", "เพิ่มเพื่อน", "ຕິດຕາມ", "តាមដាន", "ចូលរួម", "ဝင်ရောက်", "join ထား", "follow လုပ်",
    "ይቀላቀሉ", "ይከተሉ",
    "关注", "關注", "追蹤", "追踪", "下載", "下载", "訂閱", "订阅", "加入", "フォロー", "登録", "ダウンロード", "友だち追加", "お届け",
    "구독", "추가하", "팔로우", "다운로드",
];

/// Where publishers are followed, and where their programs are installed.
pub(super) const CHANNELS: &[&str] = &[
    "t.me",
    "telegram.me",
    "whatsapp.com",
    "news.google.com",
    "facebook.com",
    "instagram.com",
    "twitter.com",
    "x.com",
    "threads.net",
    "threads.com",
    "bsky.app",
    "youtube.com",
    "tiktok.com",
    "linkedin.com",
    "viber.com",
    "vk.com",
    "vk.ru",
    "ok.ru",
    "max.ru",
    "dzen.ru",
    "line.me",
    "lin.ee",
    "kakao.com",
    "naver.com",
    "weibo.com",
    "play.google.com",
    "apps.apple.com",
    "itunes.apple.com",
    "fb.com",
    "wa.me",
    "zalo.me",
];

/// Steps of addresses that lead to one post there.
pub(super) const POSTS: &[&str] = &[
    "status",
    "statuses",
    "posts",
    "post",
    "p",
    "reel",
    "reels",
    "watch",
    "video",
    "videos",
    "photo",
    "photos",
    "permalink",
    "story",
    "stories",
    "wall",
    "shorts",
    "events",
];

/// Phrases of those who keep all rights.
#[rustfmt::skip]
pub(super) const RIGHTS: &[&str] = &[
    "all rights reserved", "may not be published, broadcast", "reproduction in whole or part", "alle rechte vorbehalten",
    "nachdruck, auch auszugsweise", "vervielfältigung nur mit genehmigung", "tous droits réservés", "droits de reproduction et de diffusion",
    "reproduction interdite", "todos los derechos reservados", "prohibida la reproducción", "prohibida su reproducción",
    "todos os direitos reservados", "proibida a reprodução", "tutti i diritti riservati", "riproduzione riservata", "alle rechten voorbehouden",
    "wszelkie prawa zastrzeżone", "wszystkie prawa zastrzeżone", "všechna práva vyhrazena", "všetky práva vyhradené",
    "minden jog fenntartva", "toate drepturile rezervate", "sva prava pridržana", "vse pravice pridržane", "tüm hakları saklıdır",
    "hak cipta dilindungi", "при перепечатке ссылка",
    "все права защищены", "гиперссылка на сайт обязательна", "ссылка на сайт обязательна", "использовании материалов сайта",
    "при полном или частичном использовании", "усі права захищені", "всі права захищені", "передрук матеріалів", "усе правы",
    "всички права запазени", "сва права задржана", "сите права се задржани", "барлық құқықтар қорғалған", "бардык укуктар",
    "зохиогчийн эрх хуулиар", "απαγορεύεται η αναδημοσίευση", "με επιφύλαξη παντός", "ყველა უფლება დაცულია",
    "բոլոր իրավունքները պաշտպանված",
    "جميع الحقوق محفوظة", "جميع حقوق النشر", "حقوق النشر محفوظة", "کلیه حقوق", "کلیه‌ی حقوق", "تمامی حقوق", "جملہ حقوق", "כל הזכויות שמורות",
    "सर्वाधिकार सुरक्षित", "सर्व हक्क राखीव", "সর্বস্বত্ব", "স্বত্ব ©", "સર્વાધિકાર સુરક્ષિત", "ਸਾਰੇ ਹੱਕ ਰਾਖਵੇਂ", "அனைத்து உரிமைகளும்",
    "අන්තර්ගතයේ සියලු", "සියලුම හිමිකම්", "สงวนลิขสิทธิ์", "ສະຫງວນລິຂະສິດ", "រក្សាសិទ្ធិគ្រប់យ៉ាង", "መብቱ በሕግ", "మా అన్ని హక్కులు",
    "ಎಲ್ಲ ಹಕ್ಕುಗಳನ್ನು", "പകർപ്പവകാശം ©",
    "版权所有", "版權所有", "版权均属", "版权归", "未经授权不得", "未经授权，不得", "未經授權不得", "非經授權，", "不得转载", "不得轉載", "禁止转载", "转载请注明",
    "轉載請註明", "無断転載", "無断複製", "禁転載", "무단전재", "무단 전재", "재배포 금지",
];

/// What readers are asked below a text: to report a mistake or news, to vote for a blog, to become members.
#[rustfmt::skip]
pub(super) const ASKS: &[&str] = &[
    "нашли опечатку", "нашли ошибку", "заметили ошибку", "стали свидетелем интересн", "стали свидетелями интересн", "есть новость?", "пришлите фото или видео", "помітили помилку",
    "знайшли помилку", "маєте новину", "имате новина", "изпратете ни", "имате вест", "уколико имате вест", "забележавте грешка",
    "алдаа олсон", "қате таптыңыз", "στείλτε μας την είδησ", "στείλτε μας φωτογραφ", "გაქვთ ამბავი", "იპოვეთ შეცდომა", "գտել եք վրիպակ",
    "للإبلاغ عن خطأ", "هل لديك خبر", "گزارش خطا", "ارسال نظر", "غلطی کی نشاندہی", "מצאתם טעות", "רוצים לדווח", "ספרו לנו על טעות",
    "खबर में कोई गलती", "बातमीत चूक", "ভুল ধরিয়ে", "সংবাদে ভুল", "ભૂલ જણાય", "செய்தியில் பிழை", "คุณมีข่าว", "แจ้งเบาะแสข่าว",
    "报料通道", "报料热线", "爆料热线", "爆料專線", "爆料專區", "我要爆料", "報料熱線", "新闻热线", "扫一扫在手机", "扫码下载", "扫码关注", "扫描二维码关注",
    "記事に関する情報提供", "ニュース・情報をお寄せ", "ご意見・ご感想をお", "제보는 카카오톡", "제보하기",
    "제보 받습니다", "기사제보",
    "ランキングに参加しています", "ブログランキング", "にほんブログ村", "ポチッと応援", "ぽちっと応援", "応援クリック", "読者登録お願い",
];

/// How the programs of blogs begin what they say below each text: when it was put there, and among which subjects.
#[rustfmt::skip]
pub(super) const POSTED: &[&str] = &[
    "this entry was posted", "this post was posted", "this entry was written by", "you can follow any responses", "posted in ", "filed under ",
    "filed in ", "dieser eintrag wurde", "dieser beitrag wurde", "veröffentlicht unter", "abgelegt unter", "cette entrée a été publiée",
    "ce billet a été publié", "cet article a été publié", "cet article, publié dans", "publié dans ", "classé dans ", "esta entrada fue publicada",
    "esta entrada ha sido publicada", "publicado en ", "esta entrada foi publicada", "este post foi publicado", "publicado em ",
    "questa voce è stata pubblicata", "questo articolo è stato pubblicato", "pubblicato in ", "dit bericht werd geplaatst", "dit bericht is geplaatst",
    "det här inlägget postades", "detta inlägg publicerades", "dette innlegget ble publisert", "dette indlæg blev udgivet", "ten wpis został opublikowany",
    "zaszufladkowano do", "příspěvek byl publikován", "ez a bejegyzés itt", "această intrare a fost publicată", "запись опубликована",
    "опубликовано в ", "цей запис оприлюднено", "本条目发布于", "此条目发表在", "本文发表于", "本篇發表於", "このエントリーは",
];
