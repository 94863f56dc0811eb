//! systemd.service(5), for the machine and for a user.

use std::path::Path;

use super::{MARK, Plan, Scope, Wish, words};
use crate::cli::{EX_USAGE, Failure};

/// The hardened unit of the whole machine.
const UNIT: &str = include_str!("../../../contrib/gleaner.service");

/// The places in it that depend on the wish.
const PROGRAM: &str = "/usr/local/bin/gleaner";
const CONFIG: &str = "${STATE_DIRECTORY}/config.yaml";
const INIT: &str = "ExecStartPre=";

pub(super) fn plan(wish: &Wish) -> anyhow::Result<Plan> {
    let (scope, file, text) = match wish.scope {
        Scope::System => ("", "/etc/systemd/system/gleaner.service".into(), system_unit(wish)?),
        Scope::User => (" --user", wish.home.join(".config/systemd/user/gleaner.service"), user_unit(wish)),
    };
    let systemctl = |verb: &str| words(&format!("systemctl{scope} {verb}"));
    let journal = format!("its log: `journalctl{scope} -u gleaner`");
    let linger = "without a log-in it runs after `loginctl enable-linger`";
    Ok(Plan {
        file,
        text,
        is_executable: false,
        start: vec![systemctl("daemon-reload"), systemctl("enable --now gleaner")],
        stop: vec![systemctl("disable --now gleaner")],
        removed: vec![systemctl("daemon-reload")],
        status: systemctl("is-active --quiet gleaner"),
        notes: if wish.scope == Scope::User { vec![journal, linger.to_owned()] } else { vec![journal] },
    })
}

fn system_unit(wish: &Wish) -> anyhow::Result<String> {
    if ["/home", "/root", "/run/user"].iter().any(|hidden| wish.program.starts_with(hidden)) {
        let program = wish.program.display();
        return Err(Failure::error(
            EX_USAGE,
            format!(
                "a service of the whole machine cannot see {program}; copy it first: `sudo install {program} {PROGRAM}`, then \
                 `sudo {PROGRAM} service install`"
            ),
        ));
    }
    let lines = UNIT.lines().filter(|line| !line.starts_with('#'));
    // With a file of its own there is none to write.
    let lines = lines.filter(|line| wish.config.is_none() || !line.starts_with(INIT));
    let mut unit: String = lines.map(|line| line.to_owned() + "\n").collect();
    if !wish.lan {
        unit = unit.replace(" init --lan", " init");
    }
    if let Some(config) = &wish.config {
        unit = unit.replace(CONFIG, &quoted(config));
    }
    Ok(format!("# {MARK}\n{}", unit.replace(PROGRAM, &quoted(&wish.program))))
}

fn user_unit(wish: &Wish) -> String {
    let config = wish.config.as_deref().map(|config| format!(" --config {}", quoted(config))).unwrap_or_default();
    let lan = if wish.lan { " --lan" } else { "" };
    format!(
        "# {MARK}\n\
         [Unit]\n\
         Description=Gleaner, a proxy that takes the clutter out of web pages\n\n\
         [Service]\n\
         Type=notify\n\
         ExecStart={}{config} serve{lan}\n\
         ExecReload=/bin/kill -HUP $MAINPID\n\
         Restart=on-failure\n\
         TimeoutStopSec=20\n\n\
         [Install]\n\
         WantedBy=default.target\n",
        quoted(&wish.program)
    )
}

/// A path as systemd reads it: `%` and `$` stand for themselves, and a space does not end it.
fn quoted(path: &Path) -> String {
    let path = path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
    if path.contains([' ', '"', '\'']) { format!("\"{path}\"") } else { path }
}
