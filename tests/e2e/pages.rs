//! Pages: which are rewritten, what of them is sent, and how they look in browsers.

mod bar_in_browsers;
mod bar_links;
mod charsets;
mod chromium;
mod codings;
mod eligibility;
mod feeds;
mod filtering;
mod firefox;
mod frames;
mod hostile_pages;
mod html_3_2;
mod layout_in_browser;
mod multi_page_articles;
mod no_scripts_run;
mod original_page;
mod output_formats;
mod pictures;
mod profiles;
mod reader_address;
mod real_pages;
mod same_site;
mod secure_plain;
mod shelf;
mod small_browsers;
mod why;
