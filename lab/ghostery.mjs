// Compares decisions of the proxy with those of @ghostery/adblocker on the same lists.
//   npm install @ghostery/adblocker
//   gleaner-lab --config FILE blocking DEV --decisions decisions.tsv
//   node lab/ghostery.mjs decisions.tsv LIST...
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

// From the folder where it was installed, which need not be this one.
const { FiltersEngine, Request } = createRequire(process.cwd() + '/')('@ghostery/adblocker');
const [decisions, ...lists] = process.argv.slice(2);
if (!lists.length) {
  console.error('expected a file of decisions and the lists: node lab/ghostery.mjs decisions.tsv easylist.txt easyprivacy.txt');
  process.exit(64);
}
const text = lists.map((list) => readFileSync(list, 'utf8')).join('\n');
const engine = FiltersEngine.parse(text, { debug: true, enableCompression: false });
const types = { subdocument: 'sub_frame', document: 'main_frame' };
let [requests, blocked, differ] = [0, 0, 0];
for (const line of readFileSync(decisions, 'utf8').trimEnd().split('\n')) {
  const [url, sourceUrl, type, ours, rule] = line.split('\t');
  const found = engine.match(Request.fromRawDetails({ url, sourceUrl, type: types[type] ?? type }));
  const theirs = found.match || found.redirect ? 'blocked' : 'free';
  requests += 1;
  blocked += ours === 'blocked';
  if (theirs !== ours) {
    differ += 1;
    const why = (found.exception ?? found.filter)?.rawLine ?? '';
    console.log(`${ours} here by ${rule || 'no rule'}, ${theirs} there by ${why || 'no rule'}: ${type} ${url} on ${sourceUrl}`);
  }
}
console.log(`${requests} requests, ${blocked} blocked here, ${differ} decisions differ`);
