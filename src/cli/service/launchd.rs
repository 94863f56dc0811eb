//! launchd.plist(5) of macOS, for the machine and for a user.

use std::path::Path;

use super::{MARK, Plan, Scope, Wish, words};

const LABEL: &str = "internal.gleaner";

pub(super) fn plan(wish: &Wish) -> Plan {
    let (domain, folder, logs) = match wish.scope {
        Scope::System => ("system".to_owned(), "/Library/LaunchDaemons".into(), "/Library/Logs".into()),
        Scope::User => {
            let library = wish.home.join("Library");
            (format!("gui/{}", wish.user_id), library.join("LaunchAgents"), library.join("Logs"))
        }
    };
    let (file, log) = (folder.join(format!("{LABEL}.plist")), logs.join("gleaner.log"));
    let mut start = words(&format!("launchctl bootstrap {domain}"));
    start.push(file.to_string_lossy().into_owned());
    Plan {
        text: plist(wish, &log),
        is_executable: false,
        start: vec![start],
        stop: vec![words(&format!("launchctl bootout {domain}/{LABEL}"))],
        removed: Vec::new(),
        status: words(&format!("launchctl print {domain}/{LABEL}")),
        notes: vec![format!("its log: {}", log.display())],
        file,
    }
}

fn plist(wish: &Wish, log: &Path) -> String {
    let mut words = vec![wish.program.to_string_lossy().into_owned()];
    if let Some(config) = &wish.config {
        words.extend(["--config".to_owned(), config.to_string_lossy().into_owned()]);
    }
    words.push("serve".to_owned());
    words.extend(wish.lan.then(|| "--lan".to_owned()));
    let words: String = words.iter().map(|word| ["    <string>", &escaped(word), "</string>\n"].concat()).collect();
    // `SuccessfulExit` false: started again after a failure, and not after a signal that ended it.
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!-- {MARK} -->\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <plist version=\"1.0\">\n<dict>\n\
         \x20 <key>Label</key>\n  <string>{LABEL}</string>\n\
         \x20 <key>ProgramArguments</key>\n  <array>\n{words}  </array>\n\
         \x20 <key>RunAtLoad</key>\n  <true/>\n\
         \x20 <key>KeepAlive</key>\n  <dict>\n    <key>SuccessfulExit</key>\n    <false/>\n  </dict>\n\
         \x20 <key>StandardErrorPath</key>\n  <string>{}</string>\n\
         </dict>\n</plist>\n",
        escaped(&log.to_string_lossy())
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
