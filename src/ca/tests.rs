use x509_parser::prelude::*;

use super::*;

fn authority() -> (tempfile::TempDir, Authority) {
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::open(&dir.path().join("new")).unwrap();
    (dir, authority)
}

#[test]
fn is_made_once_and_loaded_afterwards() {
    let (dir, first) = authority();
    let second = Authority::open(&dir.path().join("new")).unwrap();
    assert_eq!(first.certificate_der(), second.certificate_der());
}

#[test]
fn is_an_authority_for_leaves_only_and_unique() {
    let (_one, first) = authority();
    let (_two, second) = authority();
    assert_ne!(first.certificate_der(), second.certificate_der());
    let (_, parsed) = parse_x509_certificate(first.certificate_der()).unwrap();
    let constraints = parsed.basic_constraints().unwrap().unwrap().value;
    assert!(constraints.ca);
    assert_eq!(constraints.path_len_constraint, Some(0));
    assert!(parsed.subject().to_string().contains("Gleaner CA"));
}

#[cfg(unix)]
#[test]
fn key_and_folder_are_for_the_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (dir, _authority) = authority();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&dir.path().join("new")), 0o700);
    assert_eq!(mode(&dir.path().join("new").join(KEY_FILE)), 0o600);
}

#[cfg(unix)]
#[test]
fn a_key_that_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let (dir, _authority) = authority();
    let folder = dir.path().join("new");
    fs::set_permissions(folder.join(KEY_FILE), fs::Permissions::from_mode(0o644)).unwrap();
    let error = Authority::open(&folder).err().unwrap().to_string();
    assert!(error.contains("600"), "{error}");
}

#[test]
fn a_certificate_of_another_key_is_refused() {
    let (one, _) = authority();
    let (two, _) = authority();
    let (one, two) = (one.path().join("new"), two.path().join("new"));
    fs::copy(two.join(CERT_FILE), one.join(CERT_FILE)).unwrap();
    let error = Authority::open(&one).err().unwrap().to_string();
    assert!(error.contains("does not belong"), "{error}");
}

#[test]
fn leaves_are_what_browsers_ask_for() {
    let (_dir, authority) = authority();
    let host = Host::parse("www.example.com").unwrap();
    let leaf = authority.mint(&host).unwrap();
    let (_, parsed) = parse_x509_certificate(&leaf.cert[0]).unwrap();
    assert!(!parsed.is_ca());
    let days = (parsed.validity().not_after.timestamp() - parsed.validity().not_before.timestamp()) / 86_400;
    assert!((1..=398).contains(&days), "{days}");
    let names = parsed.subject_alternative_name().unwrap().unwrap();
    assert_eq!(names.value.general_names, [GeneralName::DNSName("www.example.com")]);
    assert!(parsed.extended_key_usage().unwrap().unwrap().value.server_auth);
    assert!(parsed.raw_serial().len() >= 16);
}

#[test]
fn a_leaf_for_an_address_names_the_address() {
    let (_dir, authority) = authority();
    let leaf = authority.mint(&Host::Ip([127, 0, 0, 1].into())).unwrap();
    let (_, parsed) = parse_x509_certificate(&leaf.cert[0]).unwrap();
    let names = parsed.subject_alternative_name().unwrap().unwrap();
    assert_eq!(names.value.general_names, [GeneralName::IPAddress(&[127, 0, 0, 1])]);
}

#[test]
fn a_leaf_for_an_international_name_has_its_ascii_form() {
    let (_dir, authority) = authority();
    let host = Host::parse("Bücher.example").unwrap();
    let leaf = authority.mint(&host).unwrap();
    let (_, parsed) = parse_x509_certificate(&leaf.cert[0]).unwrap();
    let names = parsed.subject_alternative_name().unwrap().unwrap();
    // RFC 5280 § 7.2: a dNSName holds the A-label.
    assert_eq!(names.value.general_names, [GeneralName::DNSName("xn--bcher-kva.example")]);
}

#[test]
fn serial_numbers_are_random_and_positive() {
    let (_dir, authority) = authority();
    let serial = |host: &str| {
        let leaf = authority.mint(&Host::parse(host).unwrap()).unwrap();
        let (_, parsed) = parse_x509_certificate(&leaf.cert[0]).unwrap();
        parsed.raw_serial().to_vec()
    };
    let (one, two) = (serial("a.example"), serial("b.example"));
    assert_ne!(one, two);
    // 126 random bits; the top one is clear (RFC 5280 § 4.1.2.2: positive, at most 20 bytes).
    assert!((8..=20).contains(&one.len()) && one[0] < 0x80);
}

#[test]
fn an_authority_signs_certificates_and_nothing_else() {
    let (_dir, authority) = authority();
    let (_, parsed) = parse_x509_certificate(authority.certificate_der()).unwrap();
    let usage = parsed.key_usage().unwrap().unwrap().value;
    assert!(usage.key_cert_sign() && !usage.digital_signature() && !usage.key_encipherment());
    // Whose it is: the machine's name and the day.
    let name = parsed.subject().to_string();
    assert!(name.contains(&make::machine_name()), "{name}");
}

#[test]
fn leaves_are_cached() {
    let (_dir, authority) = authority();
    let host = Host::parse("a.example").unwrap();
    let [one, two] = [(); 2].map(|()| authority.handshake(&host).unwrap());
    // With what a handshake needs: nothing is built anew for a connection.
    assert!(Arc::ptr_eq(&one, &two));
}

#[test]
fn half_an_authority_is_not_replaced_and_says_what_to_do() {
    for (gone, left) in [(CERT_FILE, KEY_FILE), (KEY_FILE, CERT_FILE)] {
        let dir = tempfile::tempdir().unwrap();
        Authority::open(dir.path()).unwrap();
        fs::remove_file(dir.path().join(gone)).unwrap();
        let told = Authority::open(dir.path()).err().unwrap().to_string();
        assert!(told.contains(gone) && told.contains("missing"), "{told}");
        assert!(told.contains(&format!("take {left} away")), "{told}");
        assert!(!dir.path().join(gone).exists());
    }
}

#[test]
fn a_key_without_room_for_its_certificate_does_not_stay() {
    let dir = tempfile::tempdir().unwrap();
    let (key, certificate) = (dir.path().join(KEY_FILE), dir.path().join("none").join(CERT_FILE));
    let error = make::create(dir.path(), &key, &certificate).unwrap_err();
    assert!(error.to_string().contains(CERT_FILE), "{error}");
    assert!(!key.exists());
}
