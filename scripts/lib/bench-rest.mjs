// The rows of `scripts/bench rest`. For each of them, one after the other on this machine:
//   banyan     `banyan serve rest`
//   postgrest  PostgREST on the same database with the same configuration
//   pgbench    the very statements that banyan sends, in one pipeline, as the database's log shows them
// Peak is a closed loop; p50 and p99 are of a run paced at 70 % of that row's own peak. CPU is what the server's process
// and PostgreSQL's took for a request at the peak; the load generator's is left out. On a busy machine compare CPU.
// At the end, the most memory that a process had while 200 clients asked for every row.
import { execFileSync, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdirSync, rmSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { at, cpuOf, memoryOf, pgbench, postgresCpu, print, printHead, psql, seconds, statementsOf, work } from "./bench.mjs";

const { BANYAN, BENCH_POSTGREST: postgrest } = env;
const connections = 32;
const secret = "a-secret-of-the-bench-that-is-long-enough";
const owner = "00000000-0000-4000-8000-000000000001";
const claims = { sub: owner, role: "bench_user", exp: 4102444800 };
const socket = { folder: env.BENCH_SOCKET_FOLDER, port: env.BENCH_SOCKET_PORT };

const line = (n) => ({ owner, title: `Row ${n}`, body: "Some words of a row that is inserted.", grade: n % 12 });
const rows = [
  { name: "one row by key", path: "/items?select=id,title,grade&id=eq.7" },
  { name: "list of 100", path: "/items?select=id,title,body,grade&order=id&limit=100" },
  { name: "two-level embed", path: "/books?select=id,title,pages(id,number,notes(id,words))&order=id&limit=10" },
  { name: "insert, returned", path: "/inserted", body: line(1), prefer: "return=representation" },
  { name: "insert of 1,000", path: "/inserted", body: Array.from({ length: 1000 }, (_, n) => line(n)), prefer: "return=minimal" },
  { name: "rpc", path: "/rpc/add", body: { a: 3, b: 4 } },
  { name: "count=exact", path: "/items?select=id,title&grade=eq.5&limit=20", prefer: "count=exact" },
  { name: "5 MB", path: "/rpc/large?bytes=5000000", few: true },
];

const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
const head = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
const token = `${head}.${createHmac("sha256", secret).update(head).digest("base64url")}`;

function h2load(port, row, log, extra, clients = row.few ? 4 : connections) {
  const file = join(work, "body.json");
  // h2load appends to what an earlier run left.
  rmSync(log, { force: true });
  if (row.body) writeFileSync(file, JSON.stringify(row.body));
  const args = ["--h1", "-t1", `-c${clients}`, "-D", String(seconds), "--warm-up-time=1"];
  args.push(`--log-file=${log}`, "-H", `authorization: Bearer ${token}`, "-H", "content-type: application/json");
  if (row.prefer) args.push("-H", `prefer: ${row.prefer}`);
  if (row.body) args.push("-d", file);
  execFileSync("h2load", [...args, ...extra, `http://127.0.0.1:${port}${row.path}`], { stdio: ["ignore", "pipe", "inherit"] });
  const all = readFileSync(log, "utf8").split("\n").filter(Boolean).map((text) => text.split("\t").map(Number));
  // Status 0 is a request that was under way at the end.
  const done = all.filter(([, status]) => status !== 0);
  const refused = done.find(([, status]) => status < 200 || status > 299);
  if (refused) throw new Error(`${row.name}: an answer was ${refused[1]}`);
  return done;
}

function serve(port, pid, row) {
  psql("truncate bench.inserted");
  h2load(port, row, join(work, "warm"), ["-D", "1"]);
  const before = [cpuOf(pid), postgresCpu()];
  const closed = h2load(port, row, join(work, "closed"), []);
  const after = [cpuOf(pid), postgresCpu()];
  const requests = closed.length;
  // The log leaves the second of warming up out; its share is added to the divisor.
  const counted = requests * (1 + 1 / seconds);
  const peak = requests / seconds;
  psql("truncate bench.inserted");
  const rate = Math.max(1, Math.floor((peak * 0.7) / (row.few ? 4 : connections)));
  const lengths = h2load(port, row, join(work, "paced"), [`--rps=${rate}`]).map(([, , length]) => length / 1000);
  lengths.sort((a, b) => a - b);
  const us = (index) => ((after[index] - before[index]) / counted) * 1e6;
  return { peak, p50: at(lengths, 0.5), p99: at(lengths, 0.99), own: us(0), postgres: us(1), memory: memoryOf(pid, "VmRSS") };
}

/** The statements of one request. */
async function statementsOfRow(port, row) {
  psql("alter role bench_login set log_statement = 'all'; alter role bench_login set log_min_duration_statement = -1");
  const server = await start("banyan", port);
  const options = { headers: { authorization: `Bearer ${token}`, "content-type": "application/json" } };
  if (row.prefer) options.headers.prefer = row.prefer;
  if (row.body) Object.assign(options, { method: "POST", body: JSON.stringify(row.body) });
  const statements = await statementsOf(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}${row.path}`, options);
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${row.name}: ${answer.status}`);
  });
  await server.stop();
  psql("alter role bench_login reset log_statement");
  return statements.filter((sql) => /set_config|pgrst_source/i.test(sql));
}

async function start(which, port) {
  const file = join(work, `${which}.conf`);
  const uri = `postgresql://bench_login:bench@localhost/${env.BENCH_DB_NAME}?host=${encodeURIComponent(socket.folder)}&port=${socket.port}`;
  const banyanUri = `postgresql://bench_login:bench@localhost:${socket.port}/${env.BENCH_DB_NAME}?host=${encodeURIComponent(socket.folder)}`;
  const lines = {
    "db-uri": which === "banyan" ? banyanUri : uri,
    "db-schemas": "bench",
    "db-anon-role": "bench_user",
    "jwt-secret": secret,
    "server-host": "127.0.0.1",
    "server-port": port,
    "db-pool": 16,
    "log-level": "crit",
  };
  const text = Object.entries(lines).map(([key, value]) => `${key} = ${typeof value === "number" ? value : `"${value}"`}`);
  writeFileSync(file, `${text.join("\n")}\n`);
  const [command, args] = which === "banyan" ? [BANYAN, ["serve", "rest", "--config", file]] : [postgrest, [file]];
  const child = spawn(command, args, { stdio: "ignore" });
  for (let tries = 0; ; tries++) {
    const answer = await fetch(`http://127.0.0.1:${port}/items?limit=1`).catch(() => undefined);
    if (answer?.ok) break;
    if (tries > 200 || child.exitCode !== null) throw new Error(`${which} does not start: ${(await answer?.text()) ?? child.exitCode}`);
    await sleep(100);
  }
  const ended = new Promise((resolve) => child.on("exit", resolve));
  return { pid: child.pid, stop: () => (child.kill("SIGTERM"), ended) };
}

mkdirSync(work, { recursive: true });
psql(readFileSync(realpathSync(env.BENCH_SQL), "utf8"));
const port = Number(env.BENCH_PORT);
const only = env.BENCH_ONLY ? new RegExp(env.BENCH_ONLY) : /./;
printHead();
for (const row of rows) {
  if (!only.test(row.name)) continue;
  const statements = await statementsOfRow(port, row);
  psql("truncate bench.inserted");
  const baseline = pgbench(row.name, statements, { user: "bench_login", password: "bench", clients: row.few ? 4 : 16 });
  for (const which of ["banyan", ...(postgrest ? ["postgrest"] : [])]) {
    const server = await start(which, port);
    try {
      print(row.name, which, serve(port, server.pid, row), baseline.peak);
    } finally {
      await server.stop();
    }
  }
  print(row.name, "pgbench", baseline, baseline.peak);
}
if (!env.BENCH_ONLY) {
  const crowd = 200;
  for (const which of ["banyan", ...(postgrest ? ["postgrest"] : [])]) {
    const server = await start(which, port);
    try {
      for (const row of rows) h2load(port, row, join(work, "crowd"), [], crowd);
      console.log(`${which}: ${memoryOf(server.pid, "VmHWM").toFixed(1)} MB at most, ${crowd} clients at a time on each row in turn`);
    } finally {
      await server.stop();
    }
  }
}
