//! procd of `OpenWrt`, which runs services of the machine only.

use super::{MARK, Plan, Scope, Wish, words};
use crate::cli::{EX_USAGE, Failure};

const SCRIPT: &str = "/etc/init.d/gleaner";

/// Configuration, authority and lists: a router has little else that outlives a restart.
const FOLDER: &str = "/etc/gleaner";

pub(super) fn plan(wish: &Wish) -> anyhow::Result<Plan> {
    if wish.scope == Scope::User {
        return Err(Failure::error(
            EX_USAGE,
            "procd runs services of the whole machine only; leave --user out, as root",
        ));
    }
    let config = wish.config.as_deref().map_or(format!("{FOLDER}/config.yaml"), |file| file.display().to_string());
    let (program, config) = (quoted(&wish.program.to_string_lossy()), quoted(&config));
    let lan = if wish.lan { " --lan" } else { "" };
    let text = format!(
        "#!/bin/sh /etc/rc.common\n\
         # {MARK}\n\n\
         START=95\n\
         USE_PROCD=1\n\n\
         start_service() {{\n\
         \x20 [ -e {config} ] || {program} --config {config} init{lan}\n\
         \x20 procd_open_instance\n\
         \x20 procd_set_param command {program} --config {config} serve\n\
         \x20 procd_set_param env STATE_DIRECTORY={FOLDER}\n\
         \x20 procd_set_param file {config}\n\
         \x20 procd_set_param respawn\n\
         \x20 procd_set_param stderr 1\n\
         \x20 procd_close_instance\n\
         }}\n"
    );
    let script = |verb: &str| words(&format!("{SCRIPT} {verb}"));
    Ok(Plan {
        file: SCRIPT.into(),
        text,
        is_executable: true,
        start: vec![script("enable"), script("start")],
        stop: vec![script("stop"), script("disable")],
        removed: Vec::new(),
        status: script("running"),
        notes: vec!["its log: `logread -e gleaner`".to_owned()],
    })
}

/// One word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
