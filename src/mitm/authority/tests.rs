use std::os::unix::fs::PermissionsExt;

use x509_parser::prelude::*;

use super::*;

fn authority() -> (tempfile::TempDir, Authority) {
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::open(&dir.path().join("new")).unwrap();
    (dir, authority)
}

#[test]
fn is_made_once_for_its_owner_alone_and_loaded_afterwards() {
    let (dir, first) = authority();
    let folder = dir.path().join("new");
    assert_eq!(first.certificate, Authority::open(&folder).unwrap().certificate);
    assert_ne!(first.certificate, authority().1.certificate);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&folder.join(KEY_FILE))), (0o700, 0o600));
}

#[test]
fn a_folder_that_others_write_in_and_a_key_of_another_are_refused() {
    let (dir, _) = authority();
    let folder = dir.path().join("new");
    let refused = || Authority::open(&folder).err().map(|error| error.to_string()).unwrap_or_default();
    for (mode, is_refused) in [(0o777, true), (0o1777, true), (0o755, false), (0o700, false)] {
        fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(refused().contains("`chmod o-w`"), is_refused, "{mode:o}: {}", refused());
    }
    // Only root can give files away.
    for path in [folder.join(KEY_FILE), folder.clone()] {
        if std::os::unix::fs::chown(&path, Some(1), None).is_ok() {
            assert!(refused().contains("belongs to another user"), "{path:?}: {}", refused());
            std::os::unix::fs::chown(&path, Some(0), None).unwrap();
        }
    }
    assert_eq!(refused(), "");
}

#[test]
fn signs_certificates_of_hosts_and_nothing_else() {
    let (_dir, authority) = authority();
    let (_, parsed) = parse_x509_certificate(&authority.certificate).unwrap();
    let constraints = parsed.basic_constraints().unwrap().unwrap().value;
    assert!(constraints.ca);
    assert_eq!(constraints.path_len_constraint, Some(0));
    let usage = parsed.key_usage().unwrap().unwrap().value;
    assert!(usage.key_cert_sign() && !usage.digital_signature() && !usage.key_encipherment());
    let name = parsed.subject().to_string();
    assert!(name.contains("Gleaner CA") && name.contains(&make::machine_name()), "{name}");
}

#[test]
fn leaves_are_what_browsers_ask_for() {
    let (_dir, authority) = authority();
    let mut serials = Vec::new();
    for (host, name) in [
        (Host::parse("www.example.com").unwrap(), GeneralName::DNSName("www.example.com")),
        (Host::Ip([127, 0, 0, 1].into()), GeneralName::IPAddress(&[127, 0, 0, 1])),
        // RFC 5280 § 7.2: a dNSName holds the A-label.
        (Host::parse("Bücher.example").unwrap(), GeneralName::DNSName("xn--bcher-kva.example")),
    ] {
        let (leaf, _) = authority.mint(&host).unwrap();
        let (_, parsed) = parse_x509_certificate(&leaf.cert[0]).unwrap();
        let names = parsed.subject_alternative_name().unwrap().unwrap();
        assert_eq!(names.value.general_names, [name]);
        let days = (parsed.validity().not_after.timestamp() - parsed.validity().not_before.timestamp()) / 86_400;
        assert!((1..=398).contains(&days), "{days}");
        assert!(!parsed.is_ca() && parsed.extended_key_usage().unwrap().unwrap().value.server_auth);
        // RFC 5280 § 4.1.2.2: positive, at most 20 bytes.
        let serial = parsed.raw_serial().to_vec();
        assert!((16..=20).contains(&serial.len()) && serial[0] < 0x80 && !serials.contains(&serial));
        serials.push(serial);
    }
}

#[test]
fn settings_of_handshakes_are_cached() {
    let (_dir, authority) = authority();
    let host = Host::parse("a.example").unwrap();
    let [one, two] = [(); 2].map(|()| authority.handshake(&host).unwrap());
    assert!(Arc::ptr_eq(&one, &two));
}

#[test]
fn a_leaf_that_a_changed_clock_makes_invalid_is_minted_anew() {
    let (_dir, authority) = authority();
    let host = Host::parse("a.example").unwrap();
    let handshake = authority.handshake(&host).unwrap();
    let end = OffsetDateTime::now_utc() - Duration::days(100);
    authority.leaves.insert(host.clone(), Leaf { handshake: Arc::clone(&handshake), valid: end - BACKDATE..=end });
    let fresh = authority.handshake(&host).unwrap();
    assert!(!Arc::ptr_eq(&handshake, &fresh));
    assert!(Arc::ptr_eq(&fresh, &authority.handshake(&host).unwrap()));
}

#[test]
fn half_an_authority_is_not_replaced_and_says_what_to_do() {
    for (gone, left) in [(CERT_FILE, KEY_FILE), (KEY_FILE, CERT_FILE)] {
        let dir = tempfile::tempdir().unwrap();
        Authority::open(dir.path()).unwrap();
        fs::remove_file(dir.path().join(gone)).unwrap();
        let error = Authority::open(dir.path()).err().unwrap().to_string();
        assert!(error.contains(gone) && error.contains("missing"), "{error}");
        assert!(error.contains(&format!("take {left} away")), "{error}");
        assert!(!dir.path().join(gone).exists());
    }
}

#[test]
fn a_key_whose_certificate_cannot_be_written_does_not_stay() {
    let dir = tempfile::tempdir().unwrap();
    let (key, certificate) = (dir.path().join(KEY_FILE), dir.path().join("none").join(CERT_FILE));
    let error = make::create(dir.path(), &key, &certificate).unwrap_err();
    assert!(error.to_string().contains(CERT_FILE), "{error}");
    assert!(!key.exists());
}
