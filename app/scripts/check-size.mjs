/**
 * Adds up the JavaScript and the fonts that each route loads, as brotli, from the manifest of the
 * build. It fails when a budget is exceeded (SPECIFICATION.md D33).
 */
import { stat } from 'node:fs/promises';
import { dist, manifest, routes, scriptsOf } from './routes.mjs';

const kilobyte = 1024;

async function compressedSize(file) {
  const compressed = await stat(new URL(`${file}.br`, dist)).catch(() => stat(new URL(file, dist)));
  return compressed.size;
}

let exceeded = false;
for (const route of routes) {
  let bytes = 0;
  for (const file of scriptsOf(route)) bytes += await compressedSize(file);
  report(`${route.path} JavaScript`, bytes, route.budget);
}

/**
 * English routes load the first font. The others load
 * where a language needs them and the device has none.
 */
const fontBudgets = { 'anek-latin': 50, 'anek-devanagari': 225, 'anek-gujarati': 145 };
for (const { file } of Object.values(manifest).filter(({ file }) => file.endsWith('.woff2'))) {
  const name = Object.keys(fontBudgets).find((font) => file.includes(font));
  report(`${name} font`, await compressedSize(file), fontBudgets[name] ?? 0);
}
if (exceeded) process.exitCode = 1;

function report(what, bytes, budget) {
  const tooMuch = bytes > budget * kilobyte;
  exceeded ||= tooMuch;
  const size = (bytes / kilobyte).toFixed(1).padStart(6);
  process.stdout.write(`${tooMuch ? 'OVER' : 'ok  '} ${size} KB of ${budget} KB  ${what}\n`);
}
