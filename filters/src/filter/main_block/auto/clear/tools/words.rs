//! How the tools of a page are called, in many languages, in lower case: each is the beginning of a link.

/// To print, to send on, to keep, to discuss, to enlarge, to close.
#[rustfmt::skip]
pub(super) const TOOLS: &[&str] = &[
    "print", "printer", "printable", "e-mail", "email", "mail this", "mail to", "send this", "send to", "send link", "tell a friend", "forward to", "discuss", "comment on",
    "post a comment", "add a comment", "add comment", "letter to the editor", "write a letter", "write to the", "save this", "bookmark this",
    "add to favo", "text size", "larger text", "smaller text", "close", "text version", "text only", "reprint", "top", "return", "view previous topic",
    "view next topic", "previous topic", "next topic", "vorheriges thema", "nächstes thema", "sujet précédent", "sujet suivant", "tema anterior",
    "tema siguiente", "предыдущая тема", "следующая тема", "poprzedni temat", "następny temat",
    "drucken", "druckversion", "druckansicht", "seite drucken", "artikel drucken", "artikel versenden", "artikel empfehlen", "versenden",
    "weiterempfehlen", "empfehlen", "seite empfehlen", "per e-mail", "kommentar schreiben", "kommentieren", "leserbrief", "merken", "fenster schließen",
    "zurück", "imprimer", "version imprimable", "version à imprimer", "envoyer", "réagir", "commenter", "recommander", "retour", "fermer",
    "imprimir", "versión para imprimir", "versión imprimible", "enviar", "recomendar", "comentar", "comentarios", "subir", "volver", "cerrar",
    "versão para impress", "comente", "envie", "voltar", "fechar", "stampa", "versione stampabile", "invia", "commenta", "dì la tua", "segnala",
    "indietro", "chiudi", "afdrukken", "print dit", "stuur door", "doorsturen", "mail dit", "reageer", "skriv ut", "utskrift", "tipsa", "kommentera",
    "udskriv", "tulosta", "lähetä", "drukuj", "wydrukuj", "wersja do druku", "wyślij", "poleć", "skomentuj", "komentarze", "powrót", "vytisknout", "tisk",
    "odeslat", "poslat", "vytlač", "poslať", "nyomtat", "küldés", "elküld", "hozzászól", "tipăr", "trimite", "ispis", "pošalji", "yazdır", "gönder",
    "arkadaşına", "arkadaşıma", "yorum", "geri", "cetak", "kirim",
    "версия для печати", "печать", "распечатать", "для печати", "отправить", "послать", "переслать", "обсудить", "комментар", "комментировать",
    "в избранное", "добавить в избранное", "наверх", "назад", "вернуться", "закрыть", "версія для друку", "роздрукувати", "друк", "надіслати", "обговорити",
    "за печат", "изпрати", "εκτύπωση", "αποστολή", "הדפס", "שלח", "הוסף תגובה", "חזרה", "طباعة", "اطبع", "نسخة للطباعة", "أرسل", "ارسل", "إرسال", "ارسال",
    "تعليق", "رجوع", "چاپ", "نسخه چاپی", "打印", "列印", "友善列印", "评论", "發表評論", "发表评论", "我要评论", "收藏", "加入收藏", "推荐", "推薦", "转发", "轉寄", "关闭", "關閉", "返回", "字体", "大字", "聊天",
    "论坛", "讨论", "新闻聊天室", "复制", "大", "中", "小", "印刷", "プリント", "メールで送", "友達に", "友人に", "コメント", "閉じる", "戻る", "인쇄", "프린트", "메일보내기", "목록",
];

/// Back to an index, or up to the top: a line by itself is one.
#[rustfmt::skip]
pub(super) const BACK: &[&str] = &[
    "back to ", "return to ", "go back", "top of page", "to the top", "nach oben", "zum seitenanfang", "seitenanfang", "zurück zu", "zurück zum", "zur übersicht",
    "haut de page", "haut de la page", "retour à", "retour au", "retour en haut", "volver a", "volver al", "ir arriba", "voltar a", "voltar ao", "voltar para",
    "torna a", "torna su", "torna all", "inizio pagina", "terug naar", "naar boven", "till toppen", "tillbaka till", "tilbage til", "tilbake til",
    "do góry", "na górę", "powrót do", "zpět na", "späť na", "vissza a", "înapoi la", "povratak na", "başa dön", "yukarı", "ana sayfaya", "наверх",
    "в начало", "к началу", "вернуться", "назад к", "на главную", "нагору", "επιστροφή", "חזרה ל", "לראש העמוד", "العودة إلى", "العودة الى", "للأعلى", "أعلى الصفحة",
    "返回", "回顶部", "回頂部", "回首页", "回首頁", "このページの先頭", "ページの先頭", "ページトップ", "先頭へ", "一覧へ戻る", "一覧に戻る", "トップへ戻る", "トップページへ", "ニュース一覧へ", "前のページへ戻る",
    "목록으로", "맨 위로",
];
