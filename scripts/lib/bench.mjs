// What the benches of the services share: what processes took, what the database was asked, pgbench, and the table.
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";

export const seconds = Number(env.BENCH_SECONDS);
export const work = env.BENCH_WORK;
const ticks = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

export const psql = (sql) =>
  execFileSync("psql", [env.BENCH_DB, "-qAtX", "-v", "ON_ERROR_STOP=1"], { input: sql, encoding: "utf8", maxBuffer: 1 << 28 }).trim();

/** Seconds of CPU of a process and of the children it has waited for. */
export function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / ticks;
}
const parentOf = (pid) => Number(readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ")[1]);
export function postgresCpu() {
  const postmaster = Number(env.BENCH_POSTMASTER);
  let sum = 0;
  for (const name of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (Number(name) === postmaster || parentOf(name) === postmaster) sum += cpuOf(name);
    } catch {
      // It ended meanwhile; then it is among what its parent waited for.
    }
  }
  return sum;
}
/** Megabytes of memory: `VmRSS` now, `VmHWM` the most so far. */
export const memoryOf = (pid, field) =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;

/** The value below which a share of a sorted list lies. */
export const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

/**
 * What the database was told while `act` ran, as its log shows it, with the parameters written into it. With a `login`, what
 * that one told it; its statements are logged for as long as that takes.
 */
export async function statementsOf(act, login) {
  if (login) await logged("'all'", "'%u '");
  const begin = statSync(env.BENCH_LOG).size;
  await act();
  await sleep(300);
  const log = readFileSync(env.BENCH_LOG).subarray(begin).toString("utf8");
  if (login) await logged("default", "default");
  const said = `(?:execute [\\w<>]+|statement): ((?:.*)(?:\\n\\t.*)*)\\n(?:.*?DETAIL:\\s+[Pp]arameters: ((?:.*)(?:\\n\\t.*)*)\\n)?`;
  return [...log.matchAll(new RegExp(login ? `^${login} LOG:\\s+${said}` : said, "gm"))].map(([, sql, parameters]) => {
    const values = [...(parameters ?? "").matchAll(/\$(\d+) = (NULL|'(?:[^']|'')*')/g)].map(([, , value]) => value);
    return `${sql.replace(/\n\t/g, "\n").replace(/\$(\d+)/g, (_, n) => values[Number(n) - 1])};`;
  });
}
async function logged(statements, prefix) {
  psql(`alter system set log_statement = ${statements};\nalter system set log_line_prefix = ${prefix};\nselect pg_reload_conf()`);
  await sleep(500);
}

/** Statements sent by pgbench in one pipeline, in a closed loop; `head` sets its variables. */
export function pgbench(name, statements, { user, password, clients = 16, head = [] }) {
  const file = join(work, `${name.replaceAll(/\W+/g, "-")}.sql`);
  writeFileSync(file, [...head, "\\startpipeline", ...statements, "\\endpipeline", ""].join("\n"));
  const args = ["-n", "-M", "prepared", "-f", file, "-c", String(clients), "-j", "1", "-T", String(seconds)];
  args.push("-h", env.BENCH_SOCKET_FOLDER, "-p", env.BENCH_SOCKET_PORT, "-U", user, env.BENCH_DB_NAME);
  const before = postgresCpu();
  const said = execFileSync("pgbench", args, { encoding: "utf8", env: { ...env, PGPASSWORD: password } });
  const peak = Number(/tps = ([\d.]+)/.exec(said)[1]);
  return { peak, postgres: ((postgresCpu() - before) / (peak * seconds)) * 1e6 };
}

const column = (text, width) => String(text).padStart(width);
export function printHead() {
  console.log(
    `${"".padEnd(28)}${column("req/s", 8)}${column("ratio", 7)}${column("p50 ms", 9)}${column("p99 ms", 9)}${column("CPU us", 9)}${column("PG us", 9)}${column("sum us", 9)}${column("MB", 8)}`,
  );
}
export function print(name, which, figures, baseline) {
  const number = (value, digits = 0) => (value === undefined || Number.isNaN(value) ? "" : value.toFixed(digits));
  const { peak, p50, p99, own, postgres, memory } = figures;
  const all = postgres === undefined ? undefined : postgres + (own ?? 0);
  console.log(
    name.padEnd(18) + which.padEnd(10) + column(number(peak), 8) + column(number(peak / baseline, 2), 7) +
      column(number(p50, 2), 9) + column(number(p99, 2), 9) + column(number(own), 9) + column(number(postgres), 9) +
      column(number(all), 9) + column(number(memory, 1), 8),
  );
}
