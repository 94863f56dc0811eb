//! Commands that look after secrets, run as programs.

use std::{path::Path, process::Output};

use crate::harness::program::{self, command, folder};

fn gleaner(config: &Path, arguments: &[&str]) -> Output {
    command(config.parent().unwrap(), arguments).arg("--config").arg(config).output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_authority_is_shown_exported_and_regenerated_only_when_meant() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("config.yaml");
    std::fs::write(&config, "authority: { dir: authority }\n").unwrap();
    let authority = dir.path().join("authority");

    let none = text(&gleaner(&config, &["ca", "show"]));
    assert!(none.contains("no authority"), "{none}");
    assert!(!authority.exists());

    let pem = text(&gleaner(&config, &["ca", "export"]));
    assert!(pem.starts_with("-----BEGIN CERTIFICATE-----") && !pem.contains("PRIVATE"), "{pem}");
    let shown = text(&gleaner(&config, &["ca", "show"]));
    assert!(shown.contains("Gleaner CA") && shown.contains("SHA-256"), "{shown}");

    let file = dir.path().join("out.der");
    let export = ["ca", "export", "--format", "der", "--output", file.to_str().unwrap()];
    text(&gleaner(&config, &export));
    x509_parser::parse_x509_certificate(&std::fs::read(&file).unwrap()).unwrap();
    assert!(!gleaner(&config, &export).status.success(), "a file was overwritten");

    let refused = gleaner(&config, &["ca", "regenerate"]);
    assert_eq!(refused.status.code(), Some(64));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--yes"));
    assert_eq!(text(&gleaner(&config, &["ca", "export"])), pem);

    text(&gleaner(&config, &["ca", "regenerate", "--yes"]));
    assert_ne!(text(&gleaner(&config, &["ca", "export"])), pem);
    let kept = std::fs::read_dir(&authority)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|end| end == "old"))
        .count();
    assert_eq!(kept, 2);
}

#[test]
fn a_password_is_hashed_from_standard_input() {
    let [hash, other] = [(); 2].map(|()| text(&program::gleaner(folder().path(), &["hash-password"], "open sesame\n")));
    assert!(hash.starts_with("$argon2id$") && !hash.contains("sesame"), "{hash}");
    assert_ne!(hash, other, "it has a salt");
    let yaml = format!("access: {{ users: {{ anna: '{}' }} }}", hash.trim());
    gleaner::Config::from_yaml(&yaml, None).unwrap();
}
