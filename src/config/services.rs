//! Services that a household blocks as a whole, by name: `blocking.services`. Their hosts are in `services.txt`.

use std::{collections::BTreeMap, fmt, str::FromStr, sync::LazyLock};

use jiff::{Timestamp, ZonedDateTime, tz::TimeZone};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::{
    HostPatterns,
    error::Mistake,
    schedule::{Hours, end_of},
    values::word_type,
};

const TABLE: &str = include_str!("../../services.txt");

/// The service that has all hosts.
const EVERYTHING: &str = "everything";

/// The word for a service that is blocked whatever the hours.
pub(crate) const ALWAYS: &str = "always";

/// A service of the table.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Service {
    /// Its name in the file.
    pub(crate) name: &'static str,
    /// Its name for a person.
    pub(crate) words: &'static str,
    hosts: HostPatterns,
}

/// All services, in the table's order.
pub(crate) static SERVICES: LazyLock<Vec<Service>> = LazyLock::new(|| {
    let mut services: Vec<Service> = Vec::new();
    for line in TABLE.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix('[').and_then(|line| line.split_once("] ")) {
            Some((name, words)) => services.push(Service { name, words, hosts: HostPatterns::default() }),
            None => services.iter_mut().last().into_iter().for_each(|service| drop(service.hosts.add_lines(line))),
        }
    }
    services
});

impl Service {
    /// The one of a name.
    pub(crate) fn find(name: &str) -> Option<&'static Self> {
        SERVICES.iter().find(|service| service.name == name)
    }

    pub(crate) fn has(&self, host: &str) -> bool {
        self.name == EVERYTHING || self.hosts.matches(host)
    }
}

/// An entry of `blocking.services`: the name of a service, such as `youtube`, with the name of its hours in `blocking.schedule` behind
/// an `@`, such as `youtube@bed`, or `always`. Without a name of hours those of the whole schedule count, or where there is none, always.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(with = "String")]
pub struct ServiceEntry {
    pub(crate) service: &'static Service,
    pub(crate) hours: Option<String>,
}

word_type!(
    ServiceEntry,
    "the name of a service such as `youtube`, or with the name of its hours, `youtube@bed`; `gleaner lists available` names all"
);

impl FromStr for ServiceEntry {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, hours) = text.split_once('@').map_or((text, None), |(name, hours)| (name, Some(hours)));
        let service = Service::find(name).ok_or_else(|| {
            let best = SERVICES.iter().map(|service| (strsim::jaro(name, service.name), service.name));
            let best = best.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(likeness, _)| *likeness > 0.7);
            let meant = best.map(|(_, name)| format!(", did you mean `{name}`")).unwrap_or_default();
            format!("there is no service {name:?}{meant}")
        })?;
        Ok(Self { service, hours: hours.map(str::to_owned) })
    }
}

impl fmt::Display for ServiceEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.service.name)?;
        self.hours.as_ref().map_or(Ok(()), |hours| write!(f, "@{hours}"))
    }
}

impl Serialize for ServiceEntry {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// The services of one section `blocking`, each with its hours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockedServices {
    /// Without hours: always.
    each: Vec<(&'static Service, Option<Vec<Hours>>)>,
    /// The hosts of all of them: nearly all requests have another one.
    hosts: HostPatterns,
    zone: Option<TimeZone>,
}

/// A service that is blocked now.
#[derive(Clone, Debug)]
pub struct ServiceBlock {
    pub(crate) service: &'static Service,
    /// When its hours end; none: it is blocked always.
    pub(crate) until: Option<ZonedDateTime>,
}

impl BlockedServices {
    /// With the hours that the entries name. `zone` is the name of a time zone; none is that of the machine.
    pub(super) fn build(
        entries: &[ServiceEntry],
        schedule: &BTreeMap<String, Hours>,
        zone: Option<&str>,
    ) -> Result<Self, Mistake> {
        let zone = zone.map(find_zone).transpose()?;
        let all: Vec<Hours> = schedule.iter().map(|(name, hours)| hours.named(name)).collect();
        let (mut each, mut hosts) = (Vec::new(), HostPatterns::default());
        for (index, entry) in entries.iter().enumerate() {
            let hours = match entry.hours.as_deref() {
                Some(ALWAYS) => None,
                None => (!all.is_empty()).then(|| all.clone()),
                Some(name) => {
                    let Some(hours) = schedule.get(name) else {
                        let names: Vec<_> = schedule.keys().map(|name| format!("`{name}`")).collect();
                        let names = names.into_iter().chain([format!("`{ALWAYS}`")]).collect::<Vec<_>>().join(", ");
                        let problem =
                            format!("{name:?} is no name of hours in `blocking.schedule`; expected one of {names}");
                        return Err(Mistake::value(&format!("blocking.services.{index}"), problem));
                    };
                    Some(vec![hours.named(name)])
                }
            };
            hosts.extend(&entry.service.hosts);
            each.push((entry.service, hours));
        }
        Ok(Self { each, hosts, zone })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.each.is_empty()
    }

    /// The time now, where the device is.
    pub(crate) fn now(&self) -> ZonedDateTime {
        Timestamp::now().to_zoned_datetime(self.zone.clone().unwrap_or_else(TimeZone::system))
    }

    /// The service that is blocked at this time and has this host. Of several, the one that is blocked longest.
    pub(crate) fn block(&self, host: &str) -> Option<ServiceBlock> {
        let has_all = || self.each.iter().any(|(service, _)| service.name == EVERYTHING);
        if !self.hosts.matches(host) && !has_all() {
            return None;
        }
        let mut now = None;
        let mut found: Option<ServiceBlock> = None;
        for &(service, ref hours) in self.each.iter().filter(|(service, _)| service.has(host)) {
            let until = match hours {
                None => return Some(ServiceBlock { service, until: None }),
                Some(hours) => match end_of(hours, now.get_or_insert_with(|| self.now())) {
                    Some(until) => until,
                    None => continue,
                },
            };
            if found.as_ref().is_none_or(|found| found.until.as_ref() < Some(&until)) {
                found = Some(ServiceBlock { service, until: Some(until) });
            }
        }
        found
    }
}

fn find_zone(name: &str) -> Result<TimeZone, Mistake> {
    TimeZone::get(name).or_else(|_| TimeZone::posix(name)).map_err(|_| {
        let expected = "a name such as Europe/Berlin, which the system's folder /usr/share/zoneinfo has, a rule such as \
                        CET-1CEST,M3.5.0,M10.5.0/3, or null for the machine's own";
        Mistake::value("blocking.time_zone", format!("there is no time zone {name:?}; expected {expected}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_hosts_and_each_belongs_to_one_service() {
        assert!(SERVICES.len() > 40);
        let mut seen = BTreeMap::new();
        for service in SERVICES.iter().filter(|service| service.name != EVERYTHING) {
            assert!(!service.hosts.is_empty(), "{}", service.name);
            for host in service.hosts.iter() {
                assert_eq!(seen.insert(host.to_owned(), service.name), None, "{host}");
            }
        }
        let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '[']));
        assert_eq!(lines.count(), seen.len(), "a line that is no host");
        let youtube = Service::find("youtube").unwrap();
        assert!(youtube.has("rr3---sn-x.googlevideo.com") && !youtube.has("notyoutube.com"));
        assert!(Service::find(EVERYTHING).unwrap().has("a.example"));
    }

    #[test]
    fn a_service_is_blocked_in_its_hours_or_always() {
        let schedule = BTreeMap::from([("bed".to_owned(), "00:00-24:00".parse().unwrap())]);
        let build = |entries: &str, schedule: &BTreeMap<String, Hours>| {
            let entries: Vec<ServiceEntry> = entries.split(' ').map(|entry| entry.parse().unwrap()).collect();
            BlockedServices::build(&entries, schedule, Some("Europe/Berlin"))
        };
        let services = build("youtube tiktok@always reddit@bed", &schedule).unwrap();
        let until = |host: &str| services.block(host).map(|block| block.until.is_some());
        assert_eq!(until("www.youtube.com"), Some(true));
        assert_eq!(until("www.tiktok.com"), Some(false));
        assert_eq!(until("reddit.com"), Some(true));
        assert_eq!(until("news.example"), None);
        assert!(
            build("youtube", &BTreeMap::new()).unwrap().block("youtu.be").is_some_and(|block| block.until.is_none())
        );
        let wrong = build("youtube@bad", &schedule).unwrap_err();
        assert!(wrong.problem.contains("expected one of `bed`, `always`"), "{}", wrong.problem);
        assert!("yuotube".parse::<ServiceEntry>().unwrap_err().contains("did you mean `youtube`"));
        assert!(find_zone("Europe/Nowhere").is_err() && find_zone("CET-1CEST,M3.5.0,M10.5.0/3").is_ok());
    }
}
