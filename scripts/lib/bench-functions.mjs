// The rows of `scripts/bench functions`. For each of them, one after the other on this machine:
//   plain      hyper without wasm: the limit
//   banyan     a fresh instance for every request
//   reused     instances that answer again, where the row says so
//   and hello on Deno, Node, workerd (one state for all requests) and `wasmtime serve` (fresh), where they can be had
// Peak is a closed loop over 16 connections; p50 and p99 are of a run paced at 70 % of that row's own peak. CPU is what the
// server took for a request at the peak, memory what it held after the load. On a busy machine compare CPU.
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { env, execPath } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";

const seconds = Number(env.BENCH_SECONDS);
const work = env.BENCH_WORK;
const only = new RegExp(env.BENCH_ONLY ?? "");
const ticks = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
const running = [];
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));

const stat = (pid) => readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
const cpuOf = (pid) => (Number(stat(pid)[11]) + Number(stat(pid)[12])) / ticks;
const memoryOf = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

/** Runs h2load against addresses in turn; start, status and length of each request in µs. */
function load(urls, { body, clients = 16, rate, few }) {
  const [uris, log] = [join(work, "uris"), join(work, "log")];
  // h2load adds to what is there.
  rmSync(log, { force: true });
  writeFileSync(uris, `${urls.join("\n")}\n`);
  const args = ["--h1", "-t1", `-c${clients}`, `-D${few ? Math.min(seconds, 5) : seconds}`, "--warm-up-time=1", `--log-file=${log}`, "-i", uris];
  if (body) args.push("-d", body, "-H", "content-type: application/json");
  if (rate) args.push(`--rps=${rate}`);
  execFileSync("h2load", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const lines = readFileSync(log, "utf8").split("\n").filter(Boolean);
  // What was still under way at the end has no status.
  const all = lines.map((line) => line.split("\t").map(Number)).filter(([, status]) => status > 0);
  const refused = all.filter(([, status]) => status !== 200).length;
  if (refused > all.length / 1000) throw new Error(`${refused} of ${all.length} answers of ${urls[0]} were not 200`);
  return all;
}

function measure(pid, urls, options = {}) {
  const clients = options.clients ?? 16;
  const before = cpuOf(pid);
  const closed = load(urls, options);
  const took = cpuOf(pid) - before;
  const length = closed.at(-1)[0] - closed[0][0];
  const peak = closed.length / (length / 1e6);
  const paced = load(urls, { ...options, rate: Math.max(1, Math.floor((peak * 0.7) / clients)) });
  const sorted = paced.map(([, , time]) => time / 1000).sort((a, b) => a - b);
  return { peak, p50: at(sorted, 0.5), p99: at(sorted, 0.99), cpu: (took / closed.length) * 1e6, memory: memoryOf(pid) };
}

const column = (text, width) => String(text).padStart(width);
function print(name, which, { peak, p50, p99, cpu, memory }, limit) {
  console.log(
    name.padEnd(20) + which.padEnd(16) + column(peak.toFixed(0), 9) + column((peak / limit).toFixed(2), 7) +
      column(p50.toFixed(2), 9) + column(p99.toFixed(2), 9) + column(cpu.toFixed(0), 8) + column(memory.toFixed(0), 7),
  );
}

/** Starts a server; resolves with its process once `ready` finds what it waits for, or its port answers. */
async function start(command, args, port) {
  const child = spawn(command, args, { cwd: work, stdio: ["ignore", "pipe", "ignore"] });
  running.push(child);
  let said = "";
  child.stdout.on("data", (text) => (said += text));
  for (let n = 0; n < 600; n++) {
    if (port === undefined && /listening (\S+)/.test(said)) return { pid: child.pid, said, child };
    if (port !== undefined && (await fetch(`http://127.0.0.1:${port}/`).then((answer) => answer.ok, () => false))) return { pid: child.pid, child };
    if (child.exitCode !== null) throw new Error(`${command} ended by itself`);
    await sleep(100);
  }
  throw new Error(`${command} does not answer`);
}
const freePort = () =>
  new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });

const json = join(work, "body.json");
writeFileSync(json, JSON.stringify(Array.from({ length: 100 }, (_, n) => ({ id: n, title: `Lesson ${n}`, words: "some words of a lesson that is sent there and back again, and more" }))));

// Compiled by a process of its own, so that the compiler's memory is not counted.
const state = join(work, "state");
execFileSync(env.BENCH_SERVER, [env.BENCH_GUESTS, state, "compile"], { stdio: "ignore" });
const { pid, said } = await start(env.BENCH_SERVER, [env.BENCH_GUESTS, state]);
const address = `http://${/listening (\S+)/.exec(said)[1]}`;
const figure = (name) => new RegExp(`${name} (\\S+)`).exec(said)[1];
console.log(`instance of hello      ${figure("instance_us")} us to make and drop, p50`);
console.log(`first answer           ${figure("first_answer_us")} us from the mapped file`);
console.log(`103 functions          ${figure("load_all_ms")} ms from compiled files, ${figure("rss_mb")} MB resident before any load\n`);
console.log(`${"".padEnd(36)}${column("req/s", 9)}${column("ratio", 7)}${column("p50 ms", 9)}${column("p99 ms", 9)}${column("CPU us", 8)}${column("MB", 7)}`);

const rows = [
  { name: "hello", path: "/hello", reused: "/reused" },
  { name: "JSON 10 KB", path: "/bench/json", plain: "/json", body: json },
  { name: "one outgoing call", path: "/bench/fetch", plain: "/fetch" },
  { name: "10 MB streamed", path: "/bench/stream", plain: "/stream", few: true, clients: 4 },
  { name: "100 in turn", path: "/n", turns: 100 },
];
let limit;
for (const row of rows.filter(({ name }) => only.test(name))) {
  const plain = measure(pid, [`${address}/plain${row.plain ?? "/hello"}`], row);
  if (row.name === "hello") limit = plain.peak;
  print(row.name, "plain", plain, plain.peak);
  const urls = row.turns ? Array.from({ length: row.turns }, (_, n) => `${address}/functions${row.path}${n}`) : [`${address}/functions${row.path}`];
  print(row.name, "banyan", measure(pid, urls, row), plain.peak);
  if (row.reused) print(row.name, "banyan, reused", measure(pid, [`${address}/functions${row.reused}`], row), plain.peak);
}

const port = await freePort();
const others = [];
if (env.BENCH_DENO) {
  const file = join(work, "deno.js");
  writeFileSync(file, `Deno.serve({ port: ${port}, hostname: "127.0.0.1" }, () => new Response("Hello World"));`);
  others.push(["Deno", env.BENCH_DENO, ["run", "-A", file]]);
}
const file = join(work, "node.mjs");
writeFileSync(file, `import { createServer } from "node:http"; createServer((_, answer) => answer.end("Hello World")).listen(${port}, "127.0.0.1");`);
others.push(["Node", execPath, [file]]);
if (env.BENCH_WORKERD) {
  writeFileSync(join(work, "worker.js"), `export default { fetch: () => new Response("Hello World") };`);
  writeFileSync(
    join(work, "config.capnp"),
    `using Workerd = import "/workerd/workerd.capnp"; const config :Workerd.Config = ( services = [ (name = "main", worker = .main) ], sockets = [ ( name = "http", address = "127.0.0.1:${port}", http = (), service = "main" ) ] ); const main :Workerd.Worker = ( modules = [ (name = "worker", esModule = embed "worker.js") ], compatibilityDate = "2024-09-01" );`,
  );
  others.push(["workerd", env.BENCH_WORKERD, ["serve", join(work, "config.capnp")]]);
}
if (env.BENCH_WASMTIME) {
  others.push(["wasmtime serve", env.BENCH_WASMTIME, ["serve", "-S", "cli", "--addr", `127.0.0.1:${port}`, join(env.BENCH_GUESTS, "hello.wasm")]]);
}
for (const [which, command, args] of only.test("hello") ? others : []) {
  const server = await start(command, args, port);
  print("hello", which, measure(server.pid, [`http://127.0.0.1:${port}/`]), limit);
  server.child.kill("SIGKILL");
  await new Promise((done) => server.child.once("exit", done));
}
process.exit(0);
