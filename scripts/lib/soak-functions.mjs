// The load of scripts/soak-functions: a client for each kind of request, a change of `swapped` every 5 s, and what memory
// the server holds. Each answer is judged by itself. Fails when one is wrong, when scheduled calls stay away, when memory
// grows, or when something is still held at the end.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, createServer, request } from "node:http";
import { join } from "node:path";
import { env, exit } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";

/** What the end may need of memory, as a multiple of what the start did. */
const MOST_GROWTH = 1.1;
/** Seconds between two scheduled calls, and the share of them that must come: one that is late delays those after it. */
const [SCHEDULE, LEAST_TICKS] = [5, 0.8];

const seconds = Number(env.SOAK_SECONDS);
const functions = new URL(`${env.API_URL}/functions/v1/`);
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
/** Megabytes that the server holds: all, and of these its own (anonymous), of files, and shared. */
function memory() {
  const status = readFileSync(`/proc/${env.SOAK_SERVER}/status`, "utf8");
  return ["VmRSS", "RssAnon", "RssFile", "RssShmem"].map((field) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)[1]) / 1024);
}

/** Status, length and text of one answer; with `leave`, one that is broken off after so many milliseconds, which has status 0. */
function ask(url, { method = "GET", body, headers, leave } = {}) {
  return new Promise((done, failed) => {
    const asked = request(url, { method, agent, headers }, (answer) => {
      const chunks = [];
      answer.on("data", (chunk) => chunks.push(chunk));
      answer.on("end", () => {
        const bytes = Buffer.concat(chunks);
        done({ status: answer.statusCode, length: bytes.length, body: bytes.subarray(0, 300_000).toString() });
      });
      answer.on("error", failed);
    });
    const left = new Error("left");
    asked.on("error", (error) => (error === left ? done({ status: 0, length: 0, body: "" }) : failed(error)));
    asked.end(body);
    if (leave) sleep(leave).then(() => asked.destroy(left));
  });
}

// What functions call outside, those that are scheduled too.
let ticks = 0;
const called = createServer((asked, answer) => {
  if (asked.url === "/tick") ticks += 1;
  answer.end("outside");
}).listen(Number(env.SOAK_PORT), "127.0.0.1");
await once(called, "listening");
const listening = new Date().toISOString();

// The function that changes. Odd versions are open, even ones ask for a token, and each names itself: the platform tells
// it in DENO_DEPLOYMENT_ID. `served` holds the versions that may answer now: one, or two while a change is under way.
let [newest, served] = [0, new Set()];
const underWay = new Set();
const policyOf = (version) => version % 2 === 0;

async function change(version, act) {
  served.add(version);
  underWay.forEach((possible) => possible.add(version));
  const { status, body } = await act();
  if (status !== 200 && status !== 201) throw new Error(`version ${version} is not served: ${status} ${body}`);
  if (JSON.parse(body).version !== version) throw new Error(`another version than ${version} is served: ${body}`);
  served = new Set([version]);
}
const manage = (method, path, body) =>
  ask(`${env.SOAK_ADMIN}/v1/projects/soak/functions${path}`, {
    method,
    body,
    headers: { authorization: `Bearer ${env.SOAK_TOKEN}`, "content-type": "application/wasm" },
  });

/** The probe with a section of its own, which makes it another component. */
const probe = readFileSync(join(env.SOAK_GUESTS, "probe.wasm"));
function componentOf(version) {
  const [name, content] = [Buffer.from("soak"), Buffer.from(String(version))];
  return Buffer.concat([probe, Buffer.from([0, 1 + name.length + content.length, name.length]), name, content]);
}
const deploy = (version, component) => manage("POST", `/deploy?slug=swapped&verify_jwt=${policyOf(version)}`, component);

/** One change: mostly a new version, now and then one that cannot run, or the one before. */
async function turn(n) {
  if (n % 5 === 3) {
    const { status, body } = await deploy(newest + 1, probe.subarray(0, 1000 + n));
    if (status !== 400) wrong.push(`a broken version: ${status} ${body}`);
  } else if (n % 5 === 4) {
    await change(newest - 1, () => manage("POST", `/swapped/rollback?version=${newest - 1}`));
  } else {
    newest += 1;
    await change(newest, () => deploy(newest, componentOf(newest)));
  }
}

const tally = {};
const wrong = [];
/** Asks again and again; `right` judges what comes, with the versions that may have answered. */
async function client(name, path, { pause = 5, ...options }, right) {
  tally[name] = 0;
  while (Date.now() < end) {
    const possible = new Set(served);
    underWay.add(possible);
    try {
      const answer = await ask(new URL(path, functions), options);
      if (!right(answer, possible)) wrong.push(`${name}: ${answer.status} ${answer.body.slice(0, 200)} (${[...possible]})`);
    } catch (error) {
      wrong.push(`${name}: ${error.message}`);
    }
    underWay.delete(possible);
    tally[name] += 1;
    await sleep(pause);
  }
}

const is = (status, text) => (answer) => answer.status === status && answer.body.includes(text);
const versionOf = ({ body }) => Number(/"DENO_DEPLOYMENT_ID","[^"]*_(\d+)"/.exec(body)?.[1]);
/** Whoever has a token gets an answer of a version that is served. */
const withToken = (answer, possible) => answer.status === 200 && possible.has(versionOf(answer));
/** Whoever has none gets one of an open version, or is refused by a guarded one. */
const withoutToken = (answer, possible) =>
  answer.status === 401 ? [...possible].some(policyOf) : withToken(answer, possible) && !policyOf(versionOf(answer));

// The pool keeps 256 unused slots warm, and a version that is new takes a cold one as long as there are fewer: they are
// filled first, by as many functions, so that what grows afterwards is not that.
for (let n = 0; n < 260; n += 20) {
  await Promise.all(Array.from({ length: 20 }, (_, k) => ask(new URL(`warm${n + k}`, functions))));
}

newest = 1;
await change(1, () => deploy(1, componentOf(1)));
const end = Date.now() + seconds * 1000;
const outside = `http://127.0.0.1:${env.SOAK_PORT}/`;
const clients = [
  client("swapped", "swapped/env", {}, withoutToken),
  client("with token", "swapped/env", { headers: { authorization: `Bearer ${env.SERVICE_ROLE_KEY}` } }, withToken),
  client("buffered", "hello", {}, is(200, "Hello World")),
  client("upload", "mirror", { method: "POST", body: "x".repeat(200_000), pause: 20 }, is(200, '"length":200000')),
  client("streamed", "bench/stream", { pause: 100 }, ({ status, length }) => status === 200 && length === 160 * 65536),
  client("waiting", "probe/wait?50", {}, is(200, "waited")),
  client("events", "probe/sse", {}, is(200, "data: 2")),
  client("outgoing", "probe/fetch", { headers: { "x-target": outside } }, is(200, '"body":"outside"')),
  client("own API", "probe/fetch", { headers: { "x-target": new URL("hello", functions).href } }, is(200, "Hello World")),
  client("leaving", "probe/later", { leave: 20, headers: { "x-target": outside } }, is(0, "")),
  // What the functions make fail themselves.
  client("panics", "probe/panic", {}, is(500, "WORKER_ERROR")),
  client("loops", "probe/loop", { pause: 500 }, is(546, "WORKER_LIMIT")),
  client("memory", "probe/hog", { pause: 50 }, is(546, "WORKER_LIMIT")),
];

const samples = [];
const sampling = setInterval(() => samples.push(memory()), 250);
const begun = Date.now();
let changes = 0;
for (; Date.now() < end; changes += 1) {
  await sleep(Math.min(5000, Math.max(0, end - Date.now())));
  await turn(changes);
  const at = String(Math.round((Date.now() - begun) / 1000)).padStart(5);
  const [all, ...kinds] = memory().map((megabytes) => megabytes.toFixed(1));
  console.log(`${at} s  ${all} MB (${kinds.join(" + ")})  version ${[...served]}  scheduled ${ticks}  ${JSON.stringify(tally)}`);
}
await Promise.all(clients);
clearInterval(sampling);

// What was begun for clients that left ends by itself; then nothing may be held any more.
await sleep(1000);
const { running, free, slots } = JSON.parse((await ask(new URL("_internal/metric", functions))).body);
const faults = [];
if (wrong.length > 0) faults.push(`${wrong.length} answers were wrong`, ...wrong.slice(0, 20));
// The scheduled function itself may run at this moment.
if (running > 1 || free < slots - 1) faults.push(`${running} instances are still running, ${free} of ${slots} places are free`);
if (ticks < (seconds / SCHEDULE) * LEAST_TICKS) faults.push(`${ticks} scheduled calls in ${seconds} s`);
// The stack makes scheduled calls from its start on, and some came to nothing before they could be taken.
const isJudged = (line) => line.startsWith("{") && JSON.parse(line).timestamp >= listening;
const log = readFileSync(env.SOAK_LOG, "utf8").split("\n").filter(isJudged);
const [failed, leftOut] = ["the scheduled call failed", "a scheduled call is left out"].map((text) => log.filter((line) => line.includes(text)));
const ofSchedule = log.filter((line) => /"function":"caller"/.test(line) && /ERROR|WARN/.test(line));
if (failed.length > 0) faults.push(`${failed.length} scheduled calls failed`, ...ofSchedule.slice(0, 10));

// What is held while few instances run: a tenth of the samples of each part is lower. One that hoards has 32 MB by itself.
const held = (from, to) => {
  const part = samples.slice(Math.floor(samples.length * from), Math.max(1, Math.ceil(samples.length * to)));
  return part.map(([all]) => all).toSorted((a, b) => a - b)[Math.floor(part.length / 10)];
};
const [start, middle, last] = [held(0.05, 0.25), held(0.4, 0.6), held(0.8, 1)];
if (last > start * MOST_GROWTH) faults.push(`memory grew by more than ${MOST_GROWTH}`);
const asked = Object.values(tally).reduce((a, b) => a + b);
console.log(`${asked} requests, ${changes} changes, ${ticks} scheduled calls and ${leftOut.length} left out, ${wrong.length} wrong`);
console.log(`memory at the start ${start.toFixed(1)} MB, in the middle ${middle.toFixed(1)} MB, at the end ${last.toFixed(1)} MB`);
faults.forEach((fault) => console.error(fault));
exit(faults.length > 0 ? 1 : 0);
