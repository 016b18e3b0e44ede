// The rows of `scripts/bench auth`, one after the other on this machine:
//   banyan   the whole stack with its limits off by configuration, asked over its socket
//   floor    the very statements that a request sends, as the database's log shows them, sent by pgbench, a pipeline for each
//            transaction of a code and one for all else; for password sign-ins, the comparison of the hash by itself on as
//            many threads as the service has for it
// Peak is a closed loop over 32 connections; p50 and p99 are of a run paced at 70 % of that row's own peak. CPU is what the
// stack's process and PostgreSQL's took for a request at the peak; the load generator's is left out.
// A code is sent, read and entered in three steps, so that reading it slows neither: sending fills the queue of mails, one
// query reads the codes from there, and each is entered. The drain that would send them waits for a server that does not
// answer, so the queue is all that a mail costs here.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash, createHmac } from "node:crypto";
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { env } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { cpuOf, memoryOf, pgbench, postgresCpu, print, printHead, psql, seconds, statementsOf, work } from "./bench.mjs";

const { API_URL, BENCH_LOAD: generator, PUBLISHABLE_KEY, SERVICE_ROLE_KEY } = env;
const address = new URL(API_URL).host;
const server = Number(env.BENCH_SERVER);
const connections = 32;
const accounts = 40_000;
const key = Buffer.alloc(32, 7).toString("base64url");
const only = env.BENCH_ONLY ? new RegExp(env.BENCH_ONLY) : /./;

const email = (n) => `user${n}@school.example`;
const id = (group, n) => `00000000-0000-4000-${group}000-${String(n).padStart(12, "0")}`;

/** The first refresh token of a session (crates/auth/src/domain/sessions/refresh_token.rs). */
function refreshToken(n) {
  const signed = Buffer.concat([Buffer.from([0]), Buffer.from(id(9, n).replaceAll("-", ""), "hex"), Buffer.from([0])]);
  const signature = createHmac("sha256", Buffer.from(key, "base64url")).update(signed).digest().subarray(0, 16);
  const body = Buffer.concat([signed, signature]);
  return Buffer.concat([body, createHash("sha256").update(body).digest().subarray(0, 4)]).toString("base64url");
}

const line = (method, path, token, body) => [method, `/auth/v1${path}`, token, body ? JSON.stringify(body) : ""].join("\t");
const range = (from, count) => Array.from({ length: count }, (_, n) => from + n);

async function call(method, path, token, body) {
  const headers = { apikey: PUBLISHABLE_KEY, "content-type": "application/json", authorization: `Bearer ${token}`, connection: "close" };
  // A connection that has waited for a run to end may be gone.
  const answer = await fetch(`${API_URL}/auth/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

function heard(out) {
  const [told, ...lines] = out.trim().split("\n");
  const figures = JSON.parse(told);
  if (figures.refused > 0) throw new Error(`${figures.refused} of ${figures.requests} were refused: ${figures.refusal}`);
  return { ...figures, rate: figures.requests / figures.seconds, lines };
}

/** Asks in this process's stead; waits for the end. */
function load(lines, mode, { clients = connections, rate = 0, time = seconds } = {}) {
  const args = ["load", address, mode, clients, time, rate].map(String);
  const ran = spawnSync(generator, args, { input: lines.join("\n"), encoding: "utf8", maxBuffer: 1 << 28 });
  if (ran.status !== 0) throw new Error(`the load generator: ${ran.stderr}`);
  return heard(ran.stdout);
}

/** Asks in the background. */
function loading(lines, mode, { clients, time }) {
  const child = spawn(generator, ["load", address, mode, clients, time, 0].map(String), { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(lines.join("\n"));
  let out = "";
  child.stdout.on("data", (piece) => (out += piece));
  return new Promise((resolve) => child.on("close", () => resolve(heard(out))));
}

/** Closed loop, then paced at 70 % of its peak. `lines` gives the requests of each run. */
function measure(mode, lines, options = {}) {
  const before = [cpuOf(server), postgresCpu()];
  const closed = load(lines(), mode, options);
  const after = [cpuOf(server), postgresCpu()];
  const paced = load(lines(closed.lines), mode, { ...options, rate: closed.rate * 0.7 });
  const us = (index) => ((after[index] - before[index]) / closed.requests) * 1e6;
  return { peak: closed.rate, p50: paced.p50, p99: paced.p99, own: us(0), postgres: us(1), memory: memoryOf(server, "VmRSS"), closed };
}

/** The statements of one request, as the auth service's own login sends them. */
async function spoken(act) {
  return (await statementsOf(act, "supabase_auth_admin")).filter((sql) => !/^(listen|unlisten)/i.test(sql));
}

/**
 * Makes statements that were spoken for one account fit any: what names it becomes an expression of the variable `n`,
 * and ids that were drawn are drawn anew each time. Gives the head that sets the variables, and the statements.
 */
function generalised(statements, n, more = []) {
  const known = [id(8, n), id(9, n)];
  const ids = new Set(statements.join("\n").match(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g));
  const drawn = [...ids].filter((it) => !known.includes(it));
  const rules = [
    [`'${id(8, n)}'`, "('00000000-0000-4000-8000-' || lpad(:n::text, 12, '0'))::uuid"],
    [`'${id(9, n)}'`, "('00000000-0000-4000-9000-' || lpad(:n::text, 12, '0'))::uuid"],
    [`'${email(n)}'`, "('user' || :n::text || '@school.example')"],
    ...drawn.map((it, index) => [`'${it}'`, `('00000000-0000-4000-a000-' || lpad(to_hex(:id${index}::bigint), 12, '0'))::uuid`]),
    ...more,
  ];
  const head = [`\\set n random(1, ${accounts})`, ...drawn.map((_, index) => `\\set id${index} random(0, ${2 ** 48 - 1})`)];
  // A colon before a letter, as in JSON, would be a variable to pgbench.
  const text = (sql) => sql.replaceAll(/":(?=[a-z])/g, '": ');
  return { head, statements: statements.map((sql) => rules.reduce((text, [from, to]) => text.replaceAll(from, to), text(sql))) };
}

const floor = (name, { head, statements }) =>
  pgbench(name, statements, { user: "supabase_auth_admin", password: env.BENCH_AUTH_PASSWORD, head });

/** A server of mails that takes connections and says nothing. */
async function silentMailServer() {
  const silent = createServer((socket) => socket.on("error", () => {}));
  await new Promise((resolve) => silent.listen(Number(env.BENCH_MAIL_PORT), "127.0.0.1", resolve));
  return silent;
}

async function user() {
  const tokens = [];
  for (const n of range(1, 64)) {
    tokens.push((await call("POST", "/token?grant_type=refresh_token", "", { refresh_token: refreshToken(n) })).access_token);
  }
  const lines = tokens.map((token) => line("GET", "/user", token));
  if (only.test("GET /user")) {
    load(lines, "again", { time: 1 });
    const statements = await spoken(() => call("GET", "/user", tokens[0]));
    const baseline = floor("GET /user", generalised(statements, 1));
    const figures = measure("again", () => lines);
    row("GET /user", figures, baseline, statements.length);
  }
  return lines;
}

async function refresh() {
  const first = (n) => line("POST", "/token?grant_type=refresh_token", "", { refresh_token: refreshToken(n) });
  const lines = range(1000, 2000).map(first);
  const warm = load(lines, "refresh", { time: 1 }).lines;
  const statements = await spoken(() => call("POST", "/token?grant_type=refresh_token", "", { refresh_token: refreshToken(900) }));
  // Whichever count a session has reached, the one after it is written, and it is always as it was read.
  const counted = [["refresh_token_counter = '1'", "refresh_token_counter = sessions.refresh_token_counter + 1"],
    ["refresh_token_counter is not distinct from '0'", "refresh_token_counter is not distinct from sessions.refresh_token_counter"]];
  const read = statements.join("\n").match(/updated_at is not distinct from '[^']*'/g) ?? [];
  counted.push(...read.map((guard) => [guard, "updated_at is not distinct from sessions.updated_at"]));
  const figures = measure("refresh", (after) => after ?? warm);
  const baseline = floor("refresh", generalised(statements, 900, counted));
  row("token refresh", figures, baseline, statements.length);
}

function codes() {
  const rows = psql(`select recipients[1], substring(coalesce(text_body, subject) from '\\m[0-9]{6}\\M') from mail.messages`);
  return rows.split("\n").filter(Boolean).map((text) => text.split("|"));
}

async function otp() {
  const askFor = (n) => line("POST", "/otp", "", { email: email(n) });
  const enter = ([to, token]) => line("POST", "/verify", "", { type: "email", email: to, token });
  const forget = () => psql("delete from mail.messages");
  load(range(30_000, 500).map(askFor), "once", { time: 2 });
  load(codes().map(enter), "once", { time: 5 });
  forget();
  const sending = await spoken(() => call("POST", "/otp", "", { email: email(29_999) }));
  const [code] = codes();
  const entering = await spoken(() => call("POST", "/verify", "", { type: "email", email: code[0], token: code[1] }));
  forget();
  const sent = measure("once", (after) => range(after ? 15_000 : 1, 14_000).map(askFor));
  const read = codes();
  // The codes of one run are entered as fast as that goes, those of the other at a pace.
  const halves = [read.filter((_, index) => index % 2 === 0), read.filter((_, index) => index % 2 === 1)];
  const entered = measure("once", (after) => halves[after ? 1 : 0].map(enter));
  forget();
  const peak = 1 / (1 / sent.peak + 1 / entered.peak);
  const add = (part) => sent[part] + entered[part];
  const together = { peak, p50: add("p50"), p99: add("p99"), own: add("own"), postgres: add("postgres"), memory: entered.memory };
  const own = "sha256(:n::text::bytea)";
  const stored = `encode(${own}, 'hex')`;
  const hashes = (statements, pattern) => new Set(statements.join("\n").match(pattern));
  // What stands for address and client is in both; what is only in the second is drawn: the browser that typed the code in.
  const [first, second] = [sending, entering].map((statements) => hashes(statements, /'\\x[0-9a-f]{64}'/g));
  const hidden = [...new Set([...first, ...second])].map((hash) => [hash, first.has(hash) ? own : "sha256(:id0::text::bytea)"]);
  const forms = [...hashes(entering, /'\{"[0-9a-f]{64}",[^}]*\}'/g)].map((list) => [list, `array[${stored}, 'pkce_', 'reference', '']`]);
  const codesStored = [...hashes(sending, /'[0-9a-f]{64}'/g)].map((hash) => [hash, stored]);
  const versions = [...hashes([...sending, ...entering], /xmin = '\d+'::xid/g)].map((guard) => [guard, "xmin = users.xmin"]);
  const all = generalised([...sending, ...entering], 29_999, [...hidden, ...forms, ...codesStored, ...versions]);
  // What is counted for good is a transaction of its own, and so is the rest of a request.
  const ends = (sql, place) => /set_config\('synchronous_commit'/.test(sql) || place === sending.length - 1;
  const pipelines = all.statements.flatMap((sql, place) => (ends(sql, place) ? [sql, "\\endpipeline", "\\startpipeline"] : [sql]));
  const baseline = floor("otp", { ...all, statements: pipelines });
  row("OTP send", sent, undefined, sending.length);
  row("OTP verify", entered, undefined, entering.length);
  row("OTP send+verify", together, baseline, sending.length + entering.length);
}

async function password(reads) {
  const people = range(1, 50).map((n) => ({ email: `password${n}@school.example`, password: `correct horse ${n}` }));
  for (const person of people) await call("POST", "/admin/users", SERVICE_ROLE_KEY, { ...person, email_confirm: true });
  const lines = people.map((person) => line("POST", "/token?grant_type=password", "", person));
  if (only.test("password")) {
    const alone = JSON.parse(execFileSync(generator, ["hash", String(seconds)], { encoding: "utf8" }));
    row("password sign-in", measure("again", () => lines, { clients: 8 }), { peak: alone.rate }, 0);
  }
  if (only.test("beside")) {
    // One p99 of so few reads is a matter of luck: three of each, in turn, and the middle one stands.
    const rounds = [];
    for (let round = 0; round < 3; round++) {
      const calm = load(reads, "again", { rate: 200 });
      const crowd = loading(lines, "again", { clients: 50, time: seconds + 2 });
      await sleep(1000);
      const beside = load(reads, "again", { rate: 200 });
      rounds.push({ calm: calm.p99, beside: beside.p99, signed: (await crowd).rate });
    }
    const middle = (part) => rounds.map((round) => round[part]).sort((one, other) => one - other)[1];
    console.log(`200 GET /user a second: p99 ${middle("calm").toFixed(2)} ms calm, ${middle("beside").toFixed(2)} ms beside 50 password sign-ins ` +
      `in flight (${middle("signed").toFixed(0)}/s of them): ${(middle("beside") / middle("calm")).toFixed(2)} times`);
  }
}

function row(name, figures, baseline, statements) {
  print(name, "banyan", figures, baseline?.peak);
  if (baseline) print(name, "floor", baseline, baseline.peak);
  if (statements) console.log(`${"".padEnd(18)}${statements} statements`);
}

mkdirSync(work, { recursive: true });
const silent = await silentMailServer();
execFileSync("psql", [env.BENCH_DB, "-qX", "-v", "ON_ERROR_STOP=1", "-v", `accounts=${accounts}`, "-v", `key=${key}`, "-f", join(import.meta.dirname, "bench-auth.sql")]);
printHead();
const reads = await user();
if (only.test("refresh")) await refresh();
if (only.test("OTP")) await otp();
if (only.test("password beside")) await password(reads);
console.log(`${memoryOf(server, "VmHWM").toFixed(1)} MB of memory at most`);
silent.close();
