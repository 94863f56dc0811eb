//! Bylines without a space between the name and what says that it is one: `記者林佳穎／基隆報導`, `本报记者 陈雨桐`, `김서연 기자`,
//! `佐藤美咲記者`. Newspapers of China, Taiwan, Japan and Korea write so. A sentence can begin with the same word ("the reporter
//! learned…"), so the name must be all there is up to a sign or the end, and as short as names are.

use crate::vocabulary::lists::{WordList, words};

/// Words before a name, and after one.
static BEFORE: WordList = words!("reporter_before");
const AFTER: [&str; 7] = ["기자", "특파원", "논설위원", "선임기자", "통신원", "記者", "记者"];

/// Roles between the names of two: "记者 王晓梅 通讯员 李俊".
const ROLES: [&str; 8] = ["记者", "記者", "通讯员", "通訊員", "见习记者", "实习生", "實習記者", "摄影"];

/// Characters of a name, at least and at most.
const SHORTEST: usize = 2;
const LONGEST: usize = 4;

/// Bytes of such a line, at most: three names and a place.
const MAX_BYTES: usize = 120;

/// The names of a line that is a byline of this kind, separated by commas.
pub(in crate::metadata) fn names(line: &str) -> Option<String> {
    if line.len() > MAX_BYTES || line.is_ascii() {
        return None;
    }
    let line = line.trim_matches(|c: char| is_bracket(c) || c.is_whitespace());
    if let Some(rest) = BEFORE.iter().find_map(|word| line.strip_prefix(*word)) {
        let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ':' || c == '：');
        let end = rest.find(|c: char| is_bracket(c) || matches!(c, '/' | '／' | '|' | '｜'));
        return joined(&rest[..end.unwrap_or(rest.len())]);
    }
    // An address of mail may follow.
    let end = line.find(['|', '=', '@']).unwrap_or(line.len());
    let name = line[..end].split_whitespace().collect::<Vec<_>>().join(" ");
    let name = AFTER.iter().find_map(|word| {
        let at = name.find(word)?;
        let rest = &name[at + word.len()..];
        let is_mail = rest.is_empty() || rest.starts_with(' ') && rest.is_ascii();
        is_mail.then(|| name[..at].trim_end().to_owned())
    })?;
    // "[Name of the paper] Name", "(Place=Paper) Name".
    let name = name.rsplit(is_bracket).next().unwrap_or_default();
    joined(name)
}

fn joined(names: &str) -> Option<String> {
    let names: Vec<&str> = names
        .split(['、', '，', ',', '·', ' ', '　', '・'])
        .filter(|name| !name.is_empty() && !ROLES.contains(name))
        .collect();
    let is_name = |name: &&str| (SHORTEST..=LONGEST).contains(&name.chars().count()) && name.chars().all(is_east_asian);
    (!names.is_empty() && names.len() <= 3 && names.iter().all(is_name)).then(|| names.join(", "))
}

fn is_bracket(c: char) -> bool {
    matches!(c, '(' | ')' | '（' | '）' | '[' | ']' | '【' | '】' | '〔' | '〕' | '［' | '］')
}

/// Han and Hangul.
fn is_east_asian(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '々')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_and_the_word_for_a_reporter_may_touch() {
        for (line, name) in [
            ("記者林佳穎／基隆報導", "林佳穎"),
            ("记者 陈雨桐", "陈雨桐"),
            ("记者 王晓梅 通讯员 李俊", "王晓梅, 李俊"),
            ("本报记者 王小明、林大同", "王小明, 林大同"),
            ("김서연 기자", "김서연"),
            ("[한빛일보] 김서연 기자 seo@paper.example", "김서연"),
            ("佐藤美咲記者", "佐藤美咲"),
        ] {
            assert_eq!(names(line).as_deref(), Some(name), "{line}");
        }
        for line in [
            "记者从县里获悉，水库明年开放",
            "기자",
            "记者",
            "그는 십 년 동안 일한 기자였다",
            "東河新聞の社会部で働く若い記者",
            "Reporter Ann Ash",
        ] {
            assert_eq!(names(line), None, "{line}");
        }
    }
}
