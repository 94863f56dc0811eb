//! The words of addresses and the programs that tell the kind of a page. Each means the same on most sites of the web; none is
//! a site's own.

/// First names of hosts with discussions.
pub(super) const FORUM_HOSTS: [&str; 7] = ["forum", "forums", "board", "boards", "bbs", "discuss", "discussions"];

/// Names in the addresses of discussions.
pub(super) const FORUM_PATHS: [&str; 9] =
    ["comments", "thread", "threads", "viewtopic", "forum", "forums", "questions", "discussion", "discussions"];

/// Names in them before a number: `/topic/12-the-bridge` is a discussion, `/topic/bridges` what a paper has on bridges.
pub(super) const NUMBERED_PATHS: [&str; 3] = ["t", "topic", "board"];

/// How names in the addresses of discussions begin: showthread.php, showthread-12.
pub(super) const FORUM_SCRIPTS: [&str; 2] = ["showthread", "showtopic"];

/// Programs that make them.
pub(super) const FORUM_PROGRAMS: [&str; 10] =
    ["discourse", "vbulletin", "phpbb", "xenforo", "mybb", "smf", "flarum", "nodebb", "invision", "discuz"];

/// First names of hosts with manuals.
pub(super) const MANUAL_HOSTS: [&str; 10] =
    ["docs", "doc", "developer", "developers", "wiki", "documentation", "api", "reference", "manual", "man"];

/// Names in the addresses of manuals.
pub(super) const MANUAL_PATHS: [&str; 10] =
    ["docs", "doc", "documentation", "reference", "manual", "manpages", "api", "apidocs", "javadoc", "wiki"];

/// Programs that make them.
pub(super) const MANUAL_PROGRAMS: [&str; 16] = [
    "docusaurus",
    "mkdocs",
    "sphinx",
    "rustdoc",
    "gitbook",
    "antora",
    "vuepress",
    "vitepress",
    "mediawiki",
    "starlight",
    "javadoc",
    "docfx",
    "nextra",
    "mdbook",
    "doxygen",
    "dokuwiki",
];

/// Names in the addresses of shelves.
pub(super) const SHELVES: [&str; 10] =
    ["collections", "collection", "category", "categories", "c", "cat", "shop", "browse", "b", "department"];

/// Names in the addresses of single products.
pub(super) const PRODUCTS: [&str; 7] = ["product", "products", "p", "itm", "item", "dp", "pd"];

/// Names in the addresses of lists.
pub(super) const LISTS: [&str; 10] =
    ["category", "categories", "tag", "tags", "topics", "search", "jobs", "list", "archive", "archives"];

/// Names in the addresses of what somebody offers.
pub(super) const OFFERS: [&str; 12] = [
    "services",
    "service",
    "solutions",
    "product",
    "products",
    "pricing",
    "about",
    "features",
    "software",
    "department",
    "departments",
    "plans",
];

/// Names in the addresses of texts.
pub(super) const TEXTS: [&str; 13] = [
    "blog", "news", "article", "articles", "post", "posts", "story", "stories", "guide", "guides", "magazine", "learn",
    "recipes",
];
