//! OpenSSL as an origin: certificates, versions and methods that our own libraries cannot make any more.

use std::{path::PathBuf, process::Command};

use super::{TestCa, optional, program::Running};

/// OpenSSL, for certificates and handshakes that no library of ours can make any more.
pub(crate) struct OpenSsl {
    program: PathBuf,
    pub(crate) dir: tempfile::TempDir,
}

impl OpenSsl {
    pub(crate) fn new(ca: &TestCa) -> Option<Self> {
        let program = optional::program("openssl", "openssl")?;
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("ca.pem"), ca.pem()).unwrap();
        std::fs::write(dir.path().join("ca.key"), ca.key_pem()).unwrap();
        std::fs::write(dir.path().join("ext"), "subjectAltName=DNS:localhost\n").unwrap();
        Some(Self { program, dir })
    }

    pub(crate) fn run(&self, arguments: &str) {
        let output = Command::new(&self.program)
            .args(arguments.split_whitespace())
            .current_dir(self.dir.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Makes `leaf.pem` and `leaf.key`.
    pub(crate) fn leaf(&self, key: &str, digest: &str) {
        self.run(&format!("req -newkey {key} -nodes -keyout leaf.key -out leaf.csr -subj /CN=localhost"));
        self.run(&format!(
            "x509 -req -in leaf.csr -CA ca.pem -CAkey ca.key -set_serial 77 -days 30 -{digest} \
             -extfile ext -out leaf.pem"
        ));
    }

    /// Makes them by way of an authority in between, whose own certificate is signed with this digest.
    pub(crate) fn leaf_of_intermediate(&self, key: &str, digest: &str) {
        self.run(&format!("req -newkey {key} -nodes -keyout between.key -out between.csr -subj /CN=between"));
        std::fs::write(self.dir.path().join("ca-ext"), "basicConstraints=critical,CA:TRUE\n").unwrap();
        self.run(&format!(
            "x509 -req -in between.csr -CA ca.pem -CAkey ca.key -set_serial 78 -days 30 -{digest} \
             -extfile ca-ext -out between.pem"
        ));
        self.run("req -newkey rsa:2048 -nodes -keyout leaf.key -out leaf.csr -subj /CN=localhost");
        self.run(
            "x509 -req -in leaf.csr -CA between.pem -CAkey between.key -set_serial 79 -days 30 -sha256 \
             -extfile ext -out leaf.pem",
        );
    }

    /// One more authority in between, signed by the last with MD5, for which nothing but RSA has a name.
    pub(crate) fn leaf_below_md5(&self) {
        self.leaf_of_intermediate("rsa:2048", "sha256");
        self.run("req -newkey rsa:2048 -nodes -keyout md5.key -out md5.csr -subj /CN=md5");
        self.run(
            "x509 -req -in md5.csr -CA between.pem -CAkey between.key -set_serial 80 -days 30 -md5 \
             -extfile ca-ext -out md5.pem",
        );
        self.run(
            "x509 -req -in leaf.csr -CA md5.pem -CAkey md5.key -set_serial 81 -days 30 -sha256 \
             -extfile ext -out leaf.pem",
        );
        let read = |name: &str| std::fs::read_to_string(self.dir.path().join(name)).unwrap();
        std::fs::write(self.dir.path().join("chain.pem"), read("md5.pem") + &read("between.pem")).unwrap();
    }

    /// Serves with it; what is asked over TLS comes out of its standard output.
    pub(crate) fn serve(&self, options: &str) -> (Running, u16) {
        let mut server = Running::start(
            Command::new(&self.program)
                .args("s_server -accept 127.0.0.1:0 -cert leaf.pem -key leaf.key".split(' '))
                .args(["-cipher", "ALL:@SECLEVEL=0"])
                .args(options.split_whitespace())
                .current_dir(self.dir.path()),
        );
        let addr = server.wait_for("ACCEPT ");
        let port = addr.rsplit(':').next().unwrap().parse().unwrap();
        (server, port)
    }
}
