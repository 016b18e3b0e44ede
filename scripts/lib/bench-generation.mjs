// The rows of `scripts/bench generation`: the product's four tools, each with its checked-in set of requests, and a function
// that only says hello. Every document is a new one that is paid for: as the app does, the caller takes 20 credits off the own
// balance and then calls (the tool for communications takes them itself); a key of its own keeps each from being answered
// with a stored one.
//   alone     one caller; from the call to the last byte of the answer, without the deduction before it
//   together  as many callers as the machine has cores, twice: documents a second with all that belongs to one, and the
//             same time for each. CPU is what the stack's process and PostgreSQL's took for one; this program's is left out
//   memory    the most that one instance had, of 64 MB that it may have
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { availableParallelism } from "node:os";
import { env } from "node:process";
import { at, cpuOf, memoryOf, postgresCpu, psql, seconds } from "./bench.mjs";

const { API_URL, JWT_SECRET, PUBLISHABLE_KEY, SERVICE_ROLE_KEY } = env;
const server = Number(env.BENCH_SERVER);
const only = env.BENCH_ONLY ? new RegExp(env.BENCH_ONLY) : /./;
const callers = 2 * availableParallelism();
const riches = 10_000_000;
const agent = new Agent({ keepAlive: true, maxSockets: 2 * callers });

/** Status and bytes of an answer. */
function ask(url, { method = "GET", headers = {}, body } = {}) {
  return new Promise((done, failed) => {
    const asked = request(url, { method, agent, headers: { apikey: PUBLISHABLE_KEY, ...headers } }, (answer) => {
      const chunks = [];
      answer.on("data", (chunk) => chunks.push(chunk));
      answer.on("end", () => done({ status: answer.statusCode, bytes: Buffer.concat(chunks) }));
      answer.on("error", failed);
    });
    asked.on("error", failed);
    asked.end(body);
  });
}
async function expect(status, url, options) {
  const answer = await ask(url, options);
  if (answer.status !== status) throw new Error(`${url}: ${answer.status} ${answer.bytes.toString().slice(0, 300)}`);
  return answer;
}

const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
function tokenOf(id) {
  const told = `${part({ alg: "HS256", typ: "JWT" })}.${part({ sub: id, role: "authenticated", aud: "authenticated", exp: 4102444800 })}`;
  return `${told}.${createHmac("sha256", JWT_SECRET).update(told).digest("base64url")}`;
}

/** A teacher with credits for all that will be made. */
async function teacher(n) {
  const id = `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
  psql(`insert into auth.users (id, aud, role, email) values ('${id}', 'authenticated', 'authenticated', 'bench${n}@school.example')`);
  const headers = { authorization: `Bearer ${SERVICE_ROLE_KEY}`, apikey: SERVICE_ROLE_KEY, "content-type": "application/json" };
  const body = JSON.stringify({ user_id: id, coins: riches });
  await expect(201, `${API_URL}/rest/v1/profiles`, { method: "POST", headers, body });
  return { id, coins: riches, headers: { authorization: `Bearer ${tokenOf(id)}`, "content-type": "application/json" } };
}

let keys = 0;
/** One document or one hello; milliseconds of the call. */
async function one(row, who, n) {
  if (row.paidBefore) {
    const url = `${API_URL}/rest/v1/profiles?user_id=eq.${who.id}&coins=eq.${who.coins}`;
    await expect(204, url, { method: "PATCH", headers: who.headers, body: JSON.stringify({ coins: who.coins - 20 }) });
  }
  if (row.bodies) who.coins -= 20;
  const began = performance.now();
  const headers = row.bodies ? { ...who.headers, "idempotency-key": `bench-${(keys += 1)}` } : {};
  const body = row.bodies?.[n % row.bodies.length];
  const { bytes } = await expect(200, `${API_URL}/functions/v1/${row.name}`, { method: body ? "POST" : "GET", headers, body });
  return { took: performance.now() - began, size: bytes.length };
}

/** Asks in a closed loop for so long, and the whole set at least once. */
async function loop(row, teachers, time) {
  const until = performance.now() + time * 1000;
  const done = [];
  let n = 0;
  const least = row.bodies?.length ?? 1;
  const caller = async (who) => {
    while (performance.now() < until || n < least) done.push(await one(row, who, (n += 1)));
  };
  const began = performance.now();
  await Promise.all(teachers.map(caller));
  const times = done.map(({ took }) => took).sort((a, b) => a - b);
  const size = done.reduce((sum, { size }) => sum + size, 0) / done.length;
  return { times, size, rate: (done.length / (performance.now() - began)) * 1000, count: done.length };
}

/** Megabytes of the largest instance of a function so far. */
function memory(name) {
  const lines = readFileSync(env.BENCH_SERVER_LOG, "utf8").split("\n");
  const used = lines.filter((line) => line.includes(`"function":"${name}"`)).map((line) => JSON.parse(line).memory_used ?? 0);
  return used.reduce((most, bytes) => Math.max(most, bytes), 0) / 2 ** 20;
}

const deploy = `${env.BANYAN_ADMIN_URL}/v1/projects/bench/functions/deploy?slug=hello&verify_jwt=false`;
await expect(201, deploy, {
  method: "POST",
  headers: { authorization: `Bearer ${env.BENCH_TOKEN}`, "content-type": "application/wasm" },
  body: readFileSync(env.BENCH_HELLO),
});
const teachers = await Promise.all(Array.from({ length: callers }, (_, n) => teacher(n)));
const tool = (name, paidBefore) => {
  const requests = JSON.parse(readFileSync(new URL(`../../functions/${name}/tests/requests.json`, import.meta.url)));
  return { name, paidBefore, bodies: requests.map((body) => JSON.stringify(body)) };
};
const rows = [
  { name: "hello" },
  tool("generate-lesson-plan", true),
  tool("generate-question-paper", true),
  tool("generate-teaching-aids", true),
  tool("generate-communication", false),
].filter(({ name }) => only.test(name));

const column = (text, width) => String(text).padStart(width);
const figure = (value, digits = 1) => value.toFixed(digits);
console.log(`${"".padEnd(26)}${"one caller".padStart(30)}${`${callers} callers`.padStart(50)}`);
console.log(
  "".padEnd(26) + column("p50 ms", 9) + column("p99 ms", 9) + column("slowest", 9) + column("a second", 12) + column("p50 ms", 9) +
    column("p99 ms", 9) + column("CPU ms", 9) + column("PG ms", 8) + column("answer KB", 11) + column("memory MB", 11),
);
for (const row of rows) {
  await loop(row, teachers.slice(0, 1), 1);
  const alone = await loop(row, teachers.slice(0, 1), seconds / 2);
  const [own, postgres] = [cpuOf(server), postgresCpu()];
  const together = await loop(row, teachers, seconds);
  const each = (spent) => (spent / together.count) * 1000;
  console.log(
    row.name.padEnd(26) + column(figure(at(alone.times, 0.5)), 9) + column(figure(at(alone.times, 0.99)), 9) + column(figure(alone.times.at(-1)), 9) +
      column(figure(together.rate, 0), 12) + column(figure(at(together.times, 0.5)), 9) + column(figure(at(together.times, 0.99)), 9) +
      column(figure(each(cpuOf(server) - own), 2), 9) + column(figure(each(postgresCpu() - postgres), 2), 8) + column(figure(together.size / 1024, 0), 11) +
      column(figure(memory(row.name)), 11),
  );
}
console.log(`the stack's process: ${figure(memoryOf(server, "VmHWM"))} MB at most`);
agent.destroy();
