// Turns what the load generators wrote into figures.
//   peak FILE SECONDS             requests a second in an h2load log of a closed loop
//   row NAME PEAK FILE KIND       one row: peak, p50 and p99 in ms of a paced run (KIND is h2load or pgbench)
//   ratio NAME ROW ROW            first row's peak over the second's, and the same for p50 and p99
import { appendFileSync, readFileSync } from "node:fs";
import { env } from "node:process";

const lines = (file) => readFileSync(file, "utf8").split("\n").filter(Boolean);

/** Start (µs), status and length (µs) of each request. */
const requests = (file) =>
  lines(file).map((line) => {
    const [start, status, length] = line.split("\t").map(Number);
    return { start, status, length };
  });

function peak(file, seconds) {
  const all = requests(file);
  const refused = all.filter(({ status }) => status !== 200).length;
  if (refused > 0) throw new Error(`${refused} of ${all.length} answers were not 200`);
  const [first] = extremes(all.map(({ start }) => start));
  const inTime = all.filter(({ start, length }) => start + length <= first + seconds * 1e6);
  return Math.round(inTime.length / seconds);
}

/** Smallest and largest of a long list, without spreading it. */
function extremes(values) {
  return values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
}

function lengths(file, kind) {
  if (kind === "h2load") return requests(file).map(({ length }) => length / 1000);
  // pgbench: client, transaction, time in µs, …
  return lines(file).map((line) => Number(line.split(" ")[2]) / 1000);
}

function row(name, peakRate, file, kind) {
  const sorted = lengths(file, kind).sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  const figures = { name, peak: Number(peakRate), p50: at(0.5), p99: at(0.99) };
  appendFileSync(env.BENCH_ROWS, `${JSON.stringify(figures)}\n`);
  console.log(
    `${name.padEnd(24)} ${String(figures.peak).padStart(7)} /s   p50 ${figures.p50.toFixed(2)} ms   p99 ${figures.p99.toFixed(2)} ms`,
  );
}

function ratio(name, first, second) {
  const rows = lines(env.BENCH_ROWS).map((line) => JSON.parse(line));
  const [a, b] = [first, second].map((wanted) => rows.find((found) => found.name === wanted));
  const share = (key) => (a[key] / b[key]).toFixed(2);
  console.log(`${name.padEnd(24)} peak ${share("peak")}   p50 ${share("p50")}   p99 ${share("p99")}\n`);
}

const [command, ...words] = process.argv.slice(2);
if (command === "peak") console.log(peak(words[0], Number(words[1])));
else if (command === "row") row(...words);
else if (command === "ratio") ratio(...words);
else throw new Error("usage: peak | row | ratio");
