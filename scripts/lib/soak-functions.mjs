// The load of scripts/soak-functions: ten clients, each with its own kind of request, a deployment every 5 s, and what
// memory the server holds. Fails when a request fails that should not, or when memory grows.
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { env, exit } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";

const seconds = Number(env.SOAK_SECONDS);
const end = Date.now() + seconds * 1000;
const functions = new URL(`${env.API_URL}/functions/v1/`);
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${env.SOAK_SERVER}/status`, "utf8"))[1]) / 1024;
const deployed = ["hello", "mirror"].map((guest) => readFileSync(join(env.SOAK_GUESTS, `${guest}.wasm`)));
const probe = readFileSync(join(env.SOAK_GUESTS, "probe.wasm"));

/** Status and body of one request; with `leave`, one that is broken off after so many milliseconds, which has status 0. */
function ask(url, { method = "GET", body, headers, leave } = {}) {
  return new Promise((done, failed) => {
    const asked = request(url, { method, agent, headers }, (answer) => {
      const chunks = [];
      answer.on("data", (chunk) => chunks.push(chunk));
      answer.on("end", () => done({ status: answer.statusCode, body: Buffer.concat(chunks).toString() }));
      answer.on("error", failed);
    });
    asked.on("error", (error) => (leave ? done({ status: 0, body: "" }) : failed(error)));
    asked.end(body);
    if (leave) sleep(leave).then(() => asked.destroy(new Error("left")));
  });
}

async function deploy(slug, component) {
  const url = `${env.SOAK_ADMIN}/v1/projects/soak/functions/deploy?slug=${slug}&verify_jwt=false`;
  const headers = { authorization: `Bearer ${env.SOAK_TOKEN}`, "content-type": "application/wasm" };
  const { status, body } = await ask(url, { method: "POST", body: component, headers });
  if (status !== 201) throw new Error(`${slug} was not deployed: ${status} ${body}`);
}

const tally = {};
const wrong = [];
/** Asks again and again; `right` judges what comes. */
async function client(name, path, options, right) {
  tally[name] = 0;
  while (Date.now() < end) {
    try {
      const answer = await ask(new URL(path, functions), options);
      if (!right(answer)) wrong.push(`${name}: ${answer.status} ${answer.body.slice(0, 200)}`);
    } catch (error) {
      wrong.push(`${name}: ${error.message}`);
    }
    tally[name] += 1;
  }
}

const large = "x".repeat(200_000);
const is = (status, text) => (answer) => answer.status === status && answer.body.includes(text);
await deploy("probe", probe);
await deploy("mirror", deployed[1]);
await deploy("swapped", deployed[0]);
const swapped = (answer) => is(200, "Hello World")(answer) || is(200, '"path":"/swapped"')(answer);
const clients = [
  client("swapped", "swapped", {}, swapped),
  client("swapped, too", "swapped", {}, swapped),
  client("large", "mirror", { method: "POST", body: large }, is(200, '"length":200000')),
  client("waiting", "probe/wait?50", {}, is(200, "waited")),
  client("events", "probe/sse", {}, is(200, "data: 2")),
  client("outgoing", "probe/fetch", { headers: { "x-target": new URL("swapped", functions).href } }, is(200, '"status":200')),
  client("leaving", "probe/later", { leave: 20, headers: { "x-target": env.API_URL } }, is(0, "")),
  // What the functions make fail themselves.
  client("panics", "probe/panic", {}, is(500, "WORKER_ERROR")),
  client("loops", "probe/loop", {}, is(546, "WORKER_LIMIT")),
  client("memory", "probe/hog", {}, is(546, "WORKER_LIMIT")),
];

const samples = [];
let deployments = 0;
const begun = Date.now();
while (Date.now() < end) {
  await sleep(Math.min(5000, Math.max(0, end - Date.now())));
  await deploy("swapped", deployed[(deployments += 1) % 2]);
  samples.push(memory());
  const [last] = samples.slice(-1);
  console.log(`${String(Math.round((Date.now() - begun) / 1000)).padStart(5)} s  ${last.toFixed(1)} MB  ${JSON.stringify(tally)}`);
}
await Promise.all(clients);

// What was begun for clients that left ends by itself; then nothing may be held any more.
await sleep(1000);
const { running, free, slots } = JSON.parse((await ask(new URL("_internal/metric", functions))).body);
const held = running > 0 || free < slots;

// The first fifth warms up; of the rest the later half may not need a tenth more than the earlier one, as medians, since
// a sample falls on more hoarding instances or on fewer.
const warm = samples.slice(Math.ceil(samples.length / 5));
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
const [early, late] = [median(warm.slice(0, Math.ceil(warm.length / 2))), median(warm.slice(Math.floor(warm.length / 2)))];
const grown = late > early * 1.1;
const asked = Object.values(tally).reduce((a, b) => a + b);
console.log(`${asked} requests, ${deployments} deployments, ${wrong.length} wrong, memory ${early.toFixed(1)} then ${late.toFixed(1)} MB`);
for (const line of wrong.slice(0, 20)) console.error(line);
if (grown) console.error("memory grew");
if (held) console.error(`${running} instances are still running, ${free} of ${slots} places are free`);
exit(wrong.length > 0 || grown || held ? 1 : 0);
