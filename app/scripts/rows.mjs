/**
 * Writes ROWS.md: every row of SPECIFICATION.md with the checks that name it. A check names its rows in its title, as
 * `s192_s195_download_deducts_calls_and_saves` does; a title that names no row of the page is an error. With --check
 * nothing is written: it fails where the file is not what would be written, or where a row has no check.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const app = new URL('../', import.meta.url);

const specification = await readFile(new URL('SPECIFICATION.md', app), 'utf8');
const rows = Array.from(specification.matchAll(/^\| S-(\d{3}) \|/gm), ([, row]) => row);
if (rows.length === 0) fail('SPECIFICATION.md has no rows');
for (const row of new Set(rows.filter((row, at) => rows.indexOf(row) < at))) {
  fail(`SPECIFICATION.md has S-${row} twice`);
}

const checks = new Map();
for (const folder of ['src', 'e2e']) {
  const files = await readdir(new URL(`${folder}/`, app), { recursive: true });
  for (const file of files.filter((name) => /\.test\.(tsx?|mjs)$/.test(name)).sort()) {
    const path = `${folder}/${file}`;
    const text = await readFile(new URL(path, app), 'utf8');
    for (const [, name] of text.matchAll(/\btest(?:\.each\([^)]*\))?\(\s*['`]([^'`]+)['`]/g)) {
      for (const [, row] of name.matchAll(/(?:^|_)s(\d{3})(?=_)/g)) {
        checks.set(row, [...(checks.get(row) ?? []), `${path}: ${name}`]);
      }
    }
  }
}

for (const row of [...checks.keys()].filter((row) => !rows.includes(row))) {
  fail(`SPECIFICATION.md has no S-${row}, which is named by ${checks.get(row).join(' and ')}`);
}
const named = rows.filter((row) => checks.has(row));
const bare = rows.filter((row) => !checks.has(row));
const lines = [
  '# Rows and their checks',
  '',
  `Written by \`npm run rows\`. ${named.length} of ${rows.length} rows are named by a check of the app.`,
  ...(bare.length ? ['', `Not yet: ${bare.map((row) => `S-${row}`).join(', ')}.`] : []),
  '',
  '| row | checks |',
  '| --- | --- |',
  ...named.map((row) => `| S-${row} | ${checks.get(row).join('<br>')} |`),
];
const file = new URL('ROWS.md', app);
const table = `${lines.join('\n')}\n`;
if (process.argv.includes('--check')) await compare();
else await writeFile(file, table);
process.stdout.write(`${named.length} of ${rows.length} rows in ${fileURLToPath(file)}\n`);

async function compare() {
  if (bare.length > 0) fail(`no check names ${bare.map((row) => `S-${row}`).join(', ')}`);
  if ((await readFile(file, 'utf8')) !== table) fail('ROWS.md is not what the checks say: npm run rows');
}

function fail(reason) {
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}
