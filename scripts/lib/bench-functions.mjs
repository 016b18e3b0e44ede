// The rows of `scripts/bench functions`. First what no load generator sees: the product's functions and a thousand others
// started from compiled code. Then each row on each server, one after the other on this machine:
//   hyper            the answer without wasm: the limit
//   banyan           the built binary with all that a request passes: its listener, the gateway, limits, the access log; a
//                    fresh instance for every request, hello on the SDK's door, the others written with wstd
//   banyan, raw      the same on the bare wasi:http bindings
//   banyan, reused   instances that answer again
//   edge alone       a fresh instance without the stack around it: what the gateway takes is the difference
//   wasmtime serve   a fresh instance for every request, the same component; and with instances that answer again
//   Deno, workerd    the same handlers in JavaScript, one state for all requests; Node for hello alone
// Peak is a closed loop over 16 connections; p50 and p99 are of a run paced at 70 % of that row's own peak. CPU is what the
// server took for a request at the peak, memory what it held after the load. On a busy machine compare CPU. At the end the
// ratios, and beside them what is aimed at.
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { env, execPath } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { at, cpuOf, memoryOf, seconds, work } from "./bench.mjs";

const only = new RegExp(env.BENCH_ONLY ?? "");
const running = [];
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));

/** Runs h2load against addresses in turn; start, status and length of each request in µs. */
function load(urls, { body, clients = 16, rate }) {
  const [uris, log] = [join(work, "uris"), join(work, "log")];
  // h2load adds to what is there.
  rmSync(log, { force: true });
  writeFileSync(uris, `${urls.join("\n")}\n`);
  const args = ["--h1", "-t1", `-c${clients}`, `-D${seconds}`, "--warm-up-time=1", `--log-file=${log}`, "-i", uris];
  if (body) args.push("-d", body, "-H", "content-type: application/json");
  if (rate) args.push(`--rps=${rate}`);
  execFileSync("h2load", args, { stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 28 });
  const lines = readFileSync(log, "utf8").split("\n").filter(Boolean);
  // What was still under way at the end has no status.
  const all = lines.map((line) => line.split("\t").map(Number)).filter(([, status]) => status > 0);
  const refused = all.filter(([, status]) => status !== 200);
  if (refused.length > all.length / 1000) throw new Error(`${refused.length} of ${all.length} answers were ${refused[0][1]}`);
  return all;
}

function measure({ pid }, urls, options) {
  const clients = options.clients ?? 16;
  const before = cpuOf(pid);
  const closed = load(urls, options);
  const took = cpuOf(pid) - before;
  // The log leaves the second of warming up out; the CPU time does not.
  const peak = closed.length / seconds;
  const paced = load(urls, { ...options, rate: Math.max(1, Math.floor((peak * 0.7) / clients)) });
  const sorted = paced.map(([, , time]) => time / 1000).sort((a, b) => a - b);
  const cpu = (took / (peak * (seconds + 1))) * 1e6;
  return { peak, p50: at(sorted, 0.5), p99: at(sorted, 0.99), cpu, memory: memoryOf(pid, "VmRSS") };
}

const column = (text, width) => String(text).padStart(width);
function print(row, which, { peak, p50, p99, cpu, memory }, limit) {
  console.log(
    row.padEnd(20) + which.padEnd(24) + column(peak.toFixed(0), 9) + column((peak / limit).toFixed(2), 7) +
      column(p50.toFixed(2), 9) + column(p99.toFixed(2), 9) + column(cpu.toFixed(0), 8) + column(memory.toFixed(0), 7),
  );
}

/** Starts a server; resolves once it says where it listens, or its port answers. */
async function start(command, args, port) {
  const child = spawn(command, args, { cwd: work, stdio: ["ignore", "pipe", "ignore"] });
  running.push(child);
  let said = "";
  let failed;
  child.once("error", (error) => (failed = error));
  child.stdout.on("data", (text) => (said += text));
  const answers = () => fetch(`http://127.0.0.1:${port}/hello`).then((answer) => answer.ok, () => false);
  for (let n = 0; n < 1200; n++) {
    const listening = /listening (\S+)/.exec(said);
    if (port === undefined ? listening : await answers()) {
      return { pid: child.pid, origin: `http://${port === undefined ? listening[1] : `127.0.0.1:${port}`}` };
    }
    if (failed) throw failed;
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

const guest = (name) => join(env.BENCH_GUESTS, `${name}.wasm`);
const product = env.BENCH_FUNCTIONS.split(" ").map((name) => `${name}=${join(env.BENCH_PRODUCT, `${name}.wasm`)}`);
const copies = (count) => Array.from({ length: count }, (_, n) => `n${n}=${guest("hello")}`);

/** What functions weigh and take, started from compiled code: compiling is a run of its own. */
function weigh(name, functions) {
  const run = () => execFileSync(env.BENCH_SERVER, ["weigh", join(work, name), ...functions], { encoding: "utf8", maxBuffer: 1 << 28 });
  run();
  const said = Object.fromEntries(run().trim().split("\n").map((line) => line.split(" ")));
  rmSync(join(work, name), { recursive: true });
  console.log(
    column(functions.length, 4) + ` ${name}`.padEnd(26) + column(said.load_ms, 9) + column(said.loaded_mb, 10) + column(said.loaded_own_mb, 9) +
      column(said.answered_mb, 11) + column(said.answered_own_mb, 9) + column(said.first_p50_us, 10) + column(said.first_p99_us, 8) + column(said.instance_us, 10),
  );
}
if (only.test("memory")) {
  console.log(`${"".padEnd(30)}${column("load ms", 9)}${column("loaded MB", 10)}${column("private", 9)}${column("answered MB", 12)}${column("private", 8)}${column("first µs", 10)}${column("p99", 7)}${column("instance", 10)}`);
  weigh("of the product", product);
  weigh("copies of hello", copies(1000));
  console.log();
}

const json = join(work, "body.json");
writeFileSync(json, JSON.stringify(Array.from({ length: 100 }, (_, n) => ({ id: n, title: `Lesson ${n}`, words: "some words of a lesson that is sent there and back again, and more" }))));
const rows = [
  { name: "hello", path: "/hello" },
  { name: "JSON 10 KB", path: "/json", body: json },
  { name: "one outgoing call", path: "/fetch" },
  { name: "10 MB streamed", path: "/stream", clients: 4 },
  { name: "100 in turn", path: "/n", turns: 100 },
].filter(({ name }) => only.test(name));
if (rows.length === 0) process.exit(0);

const own = { pid: Number(env.BENCH_OWN_PID), origin: `http://${env.BENCH_OWN}` };
const target = `${own.origin}/plain/hello`;
const banyan = (paths) => ({ pid: Number(env.STACK_PID), origin: `${env.API_URL}/functions/v1`, paths });

/** Server and the path that it has for a row's; a row without one is not measured there. */
const bench = { "/json": "/bench/json", "/fetch": "/bench/fetch", "/stream": "/bench/stream" };
const servers = [
  ["hyper", { ...own, origin: `${own.origin}/plain`, paths: { "/hello": "/hello", "/json": "/json", "/fetch": "/fetch", "/stream": "/stream", "/n": "/hello" } }],
  ["banyan", banyan({ "/hello": "/hello", ...bench, "/n": "/n" })],
  ["banyan, raw", banyan({ "/hello": "/raw" })],
  ["banyan, reused", banyan({ "/hello": "/reused" })],
  ["edge alone", { ...own, origin: `${own.origin}/functions`, paths: { "/hello": "/hello" } }],
];
const same = Object.fromEntries(Object.keys({ "/hello": 1, ...bench }).map((path) => [path, path]));

async function peer(name, command, make) {
  if (!command) return;
  const port = await freePort();
  const { args, paths } = make(port);
  try {
    servers.push([name, { ...(await start(command, args, port)), paths }]);
  } catch (error) {
    console.error(`${name} is left out: ${error.message}`);
  }
}
const handler = `
const chunk = new Uint8Array(65536).fill(120);
async function answer(request) {
  switch (new URL(request.url).pathname) {
    case "/json": return Response.json(await request.json());
    case "/fetch": return new Response(await (await fetch(${JSON.stringify(target)})).text());
    case "/stream": {
      let left = 160;
      return new Response(new ReadableStream({ pull(to) { if (left-- > 0) to.enqueue(chunk); else to.close(); } }));
    }
    default: return new Response("Hello World");
  }
}`;
writeFileSync(join(work, "worker.js"), `${handler}\nexport default { fetch: answer };`);
await peer("Deno", env.BENCH_DENO, (port) => {
  writeFileSync(join(work, "deno.js"), `${handler}\nDeno.serve({ port: ${port}, hostname: "127.0.0.1" }, answer);`);
  return { args: ["run", "-A", "deno.js"], paths: same };
});
await peer("workerd", env.BENCH_WORKERD, (port) => {
  writeFileSync(
    join(work, "config.capnp"),
    `using Workerd = import "/workerd/workerd.capnp"; const config :Workerd.Config = ( services = [ (name = "main", worker = .main), (name = "internet", network = (allow = ["public", "private"])) ], sockets = [ ( name = "http", address = "127.0.0.1:${port}", http = (), service = "main" ) ] ); const main :Workerd.Worker = ( modules = [ (name = "worker", esModule = embed "worker.js") ], compatibilityDate = "2024-09-01" );`,
  );
  return { args: ["serve", "config.capnp"], paths: same };
});
for (const [name, component, more, paths] of [
  ["wasmtime serve", "hello", [], { "/hello": "/hello" }],
  ["wasmtime serve", "bench", ["--env", `TARGET=${target}`], { "/json": "/json", "/fetch": "/fetch", "/stream": "/stream" }],
  ["wasmtime serve, reused", "hello", ["--max-instance-reuse-count", "128"], { "/hello": "/hello" }],
]) {
  await peer(name, env.BENCH_WASMTIME, (port) => ({ args: ["serve", "-S", "cli", "--addr", `127.0.0.1:${port}`, ...more, guest(component)], paths }));
}
await peer("Node", execPath, (port) => {
  writeFileSync(join(work, "node.mjs"), `import { createServer } from "node:http"; createServer((_, answer) => answer.end("Hello World")).listen(${port}, "127.0.0.1");`);
  return { args: ["node.mjs"], paths: { "/hello": "/hello" } };
});

console.log(`${"".padEnd(44)}${column("req/s", 9)}${column("ratio", 7)}${column("p50 ms", 9)}${column("p99 ms", 9)}${column("CPU µs", 8)}${column("MB", 7)}`);
const measured = {};
for (const row of rows) {
  let limit;
  measured[row.name] = {};
  for (const [name, server] of servers.filter(([, { paths }]) => paths[row.path])) {
    const url = server.origin + server.paths[row.path];
    const urls = row.turns && name !== "hyper" ? Array.from({ length: row.turns }, (_, n) => url + n) : [url];
    try {
      const figures = measure(server, urls, row);
      limit ??= figures.peak;
      measured[row.name][name] = figures;
      print(row.name, name, figures, limit);
    } catch (error) {
      console.log(`${row.name.padEnd(20)}${name.padEnd(24)}  ${error.message}`);
    }
  }
}

/** The ratios that are aimed at, by row, and two servers each. */
const aims = [
  ["hello", "banyan", "hyper", 0.3],
  ["hello", "banyan", "wasmtime serve", 4],
  ["hello", "banyan", "wasmtime serve, reused", 1],
  ["hello", "banyan", "workerd", 1],
  ["hello", "banyan, reused", "hyper", 0.5],
  ["hello", "banyan, reused", "Node", 1],
];
console.log(`\n${"ratio of requests per second".padEnd(62)}${column("aim", 6)}`);
for (const [row, found] of Object.entries(measured)) {
  const pairs = Object.keys(found).filter((name) => name !== "banyan" && found.banyan).map((name) => ["banyan", name]);
  for (const [one, other] of [...pairs, ["banyan, reused", "hyper"], ["banyan, reused", "Node"]]) {
    if (!found[one] || !found[other]) continue;
    const aim = aims.find((aim) => aim[0] === row && aim[1] === one && aim[2] === other)?.[3] ?? "";
    console.log(row.padEnd(20) + `${one} / ${other}`.padEnd(36) + column((found[one].peak / found[other].peak).toFixed(2), 6) + column(aim, 6));
  }
}
process.exit(0);
