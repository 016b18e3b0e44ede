// The rows of `scripts/bench storage`. For each of them, one after the other on this machine:
//   banyan     the stack, through its gateway
//   nginx      the same bytes from a folder, with sendfile; for rows that read
// Peak is a closed loop over 16 connections; p50 and p99 are of a run paced at 70 % of that row's own peak. The ratio is that of
// the peak to nginx's. CPU is what the server and PostgreSQL took for a request at the peak. Large bodies are told in MB/s.
// At the end, the most memory of the stack while 200 clients upload 50 MB each at a time, and by how much it grew.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { env } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { at, cpuOf, memoryOf, postgresCpu, print, printHead, seconds, work } from "./bench.mjs";

const pid = Number(env.BENCH_STACK_PID);
const api = `${env.API_URL}/storage/v1`;
const key = { apikey: env.SECRET_KEY ?? env.SERVICE_ROLE_KEY };
const connections = 16;
const only = env.BENCH_ONLY ? new RegExp(env.BENCH_ONLY) : /./;
const folder = join(work, "files");

const large = 100_000_000;
const rows = [
  { name: "GET 11 bytes", file: "small" },
  { name: "GET 1 MiB", file: "mebi" },
  { name: "list of 20", path: "/object/list/bench", json: { prefix: "list", limit: 20 } },
  { name: "POST 11 bytes", path: "/object/bench/posted", text: "hello world", headers: { "x-upsert": "true" } },
];

async function call(method, path, body, headers = {}) {
  const answer = await fetch(`${api}${path}`, { method, body, headers: { ...key, ...headers }, duplex: "half" });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
}

async function prepare() {
  mkdirSync(folder, { recursive: true });
  await call("POST", "/bucket", JSON.stringify({ name: "bench", public: true }), { "content-type": "application/json" });
  const files = { small: Buffer.from("hello world"), mebi: Buffer.alloc(1 << 20, "x"), large: Buffer.alloc(large, "x") };
  for (const [name, bytes] of Object.entries(files)) {
    writeFileSync(join(folder, name), bytes);
    await call("POST", `/object/bench/${name}`, bytes, { "content-type": "application/octet-stream" });
  }
  for (let n = 0; n < 20; n++) await call("POST", `/object/bench/list/${n}`, "x", { "content-type": "text/plain" });
}

async function startNginx() {
  if (!env.BENCH_NGINX) return undefined;
  const conf = join(work, "nginx.conf");
  writeFileSync(
    conf,
    `daemon off; worker_processes 2; pid ${work}/nginx.pid; error_log ${work}/nginx.log; user root;
     events { worker_connections 1024; }
     http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000; default_type application/octet-stream;
       client_body_temp_path ${work}/t1; proxy_temp_path ${work}/t2; fastcgi_temp_path ${work}/t3; uwsgi_temp_path ${work}/t4;
       scgi_temp_path ${work}/t5; server { listen 127.0.0.1:${env.BENCH_PORT}; root ${folder}; } }`,
  );
  const child = spawn(env.BENCH_NGINX, ["-c", conf], { stdio: "ignore" });
  const base = `http://127.0.0.1:${env.BENCH_PORT}`;
  for (let tries = 0; !(await fetch(`${base}/small`).catch(() => undefined))?.ok; tries++) {
    if (tries > 100) throw new Error("nginx does not start");
    await sleep(50);
  }
  return { base, stop: () => child.kill("SIGTERM") };
}

function h2load(url, row, log, extra) {
  // h2load appends to what an earlier run left.
  rmSync(log, { force: true });
  const args = ["--h1", "-t1", `-c${connections}`, "-D", String(seconds), "--warm-up-time=1", `--log-file=${log}`];
  const body = row.json ? JSON.stringify(row.json) : row.text;
  if (body) {
    const file = join(work, "body");
    writeFileSync(file, body);
    args.push("-d", file, "-H", `content-type: ${row.json ? "application/json" : "text/plain"}`, "-H", `apikey: ${key.apikey}`);
  }
  for (const [name, value] of Object.entries(row.headers ?? {})) args.push("-H", `${name}: ${value}`);
  execFileSync("h2load", [...args, ...extra, url], { stdio: ["ignore", "pipe", "inherit"] });
  const all = readFileSync(log, "utf8").split("\n").filter(Boolean).map((text) => text.split("\t").map(Number));
  // Status 0 is a request that was under way at the end.
  const done = all.filter(([, status]) => status !== 0);
  const refused = done.find(([, status]) => status < 200 || status > 299);
  if (refused) throw new Error(`${row.name}: an answer was ${refused[1]}`);
  return done;
}

function measure(url, row, own) {
  h2load(url, row, join(work, "warm"), ["-D", "1"]);
  const before = [own ? cpuOf(own) : 0, postgresCpu()];
  const requests = h2load(url, row, join(work, "closed"), []).length;
  const after = [own ? cpuOf(own) : 0, postgresCpu()];
  const peak = requests / seconds;
  // The log leaves the second of warming up out; its share is added to the divisor.
  const us = (index) => ((after[index] - before[index]) / (requests * (1 + 1 / seconds))) * 1e6;
  const rate = Math.max(1, Math.floor((peak * 0.7) / connections));
  const lengths = h2load(url, row, join(work, "paced"), [`--rps=${rate}`]).map(([, , length]) => length / 1000);
  lengths.sort((a, b) => a - b);
  const figures = { peak, p50: at(lengths, 0.5), p99: at(lengths, 0.99) };
  return own ? { ...figures, own: us(0), postgres: us(1), memory: memoryOf(own, "VmRSS") } : figures;
}

/** Megabytes a second of one transfer, the best of three. */
function transfer(...args) {
  const rates = [1, 2, 3].map(() => {
    const said = execFileSync("curl", ["-sS", "-o", "/dev/null", "-w", "%{http_code} %{time_total}", ...args], { encoding: "utf8" });
    const [status, time] = said.split(" ").map(Number);
    if (status !== 200) throw new Error(`a transfer was answered ${status}`);
    return large / 1e6 / time;
  });
  return Math.max(...rates);
}

/** Uploads as many bytes as slowly as the server reads them. */
function upload(number, size) {
  const piece = Buffer.alloc(64 * 1024, number);
  return new Promise((resolve, reject) => {
    const headers = { ...key, "content-type": "application/octet-stream", "content-length": size };
    const sending = request(`${api}/object/bench/many/${number}`, { method: "PUT", headers, agent: false }, (answer) => {
      answer.resume();
      answer.on("end", () => (answer.statusCode === 200 ? resolve() : reject(new Error(`an upload was ${answer.statusCode}`))));
    });
    sending.on("error", reject);
    let left = size;
    const more = () => {
      while (left > 0) {
        const next = piece.subarray(0, Math.min(left, piece.length));
        left -= next.length;
        if (!sending.write(next)) return void sending.once("drain", more);
      }
      sending.end();
    };
    more();
  });
}

await prepare();
const nginx = await startNginx();
printHead();
for (const row of rows.filter((row) => only.test(row.name))) {
  const baseline = nginx && row.file ? measure(`${nginx.base}/${row.file}`, row) : undefined;
  const figures = measure(`${api}${row.path ?? `/object/public/bench/${row.file}`}`, row, pid);
  print(row.name, "banyan", figures, baseline?.peak);
  if (baseline) print(row.name, "nginx", baseline, baseline.peak);
}
if (only.test("100 MB")) {
  const download = transfer(`${api}/object/public/bench/large`);
  console.log(`100 MB download: banyan ${download.toFixed(0)} MB/s`);
  if (nginx) console.log(`100 MB download: nginx ${transfer(`${nginx.base}/large`).toFixed(0)} MB/s`);
  const put = ["-X", "PUT", "-H", `apikey: ${key.apikey}`, "-T", join(folder, "large"), `${api}/object/bench/uploaded`];
  console.log(`100 MB upload: banyan ${transfer(...put).toFixed(0)} MB/s`);
}
nginx?.stop();
if (only.test("200 uploads")) {
  // The peak so far is that of the rows above.
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  const before = memoryOf(pid, "VmRSS");
  const began = Date.now();
  await Promise.all(Array.from({ length: 200 }, (_, number) => upload(number, 50_000_000)));
  const rate = (200 * 50) / ((Date.now() - began) / 1000);
  const most = memoryOf(pid, "VmHWM");
  console.log(`200 uploads of 50 MB at a time: ${rate.toFixed(0)} MB/s, ${most.toFixed(0)} MB at most, ${(most - before).toFixed(0)} MB more than before`);
}
