// Readability.js on jsdom over the pages of `pages`: CPU ms per page. Argument: the folder that holds html/.
import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { JSDOM, VirtualConsole } from "jsdom";
import { Readability } from "@mozilla/readability";

const folder = `${process.argv[2] ?? process.env.GLEANER_WCXB}/html`;
const names = readdirSync(folder).sort();
const step = Math.max(1, Math.floor(names.length / 300));
const pages = names.filter((_, at) => at % step === 0).slice(0, 300);
// Style sheets that jsdom cannot read are no news.
const virtualConsole = new VirtualConsole();
let spent = 0;
for (const name of pages) {
  const html = gunzipSync(readFileSync(`${folder}/${name}`)).toString("utf8");
  const before = process.cpuUsage();
  const dom = new JSDOM(html, { url: "https://example.org/page", virtualConsole });
  new Readability(dom.window.document).parse();
  dom.window.close();
  const { user, system } = process.cpuUsage(before);
  spent += (user + system) / 1000;
}
console.log(`${pages.length} pages, Readability.js on jsdom: ${(spent / pages.length).toFixed(1)} ms per page`);
