/**
 * Writes ROWS.md: every row of SPECIFICATION.md with its tests. A test names its rows in comment
 * lines directly above it, `// rows: S-192 S-195`. An id that no specification has is an error.
 * With --check nothing is written. It fails if ROWS.md is not up to date or a row has no test.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const app = new URL('../', import.meta.url);

const specification = await readFile(new URL('SPECIFICATION.md', app), 'utf8');
const ofFunctions = await readFile(new URL('../functions/SPECIFICATION.md', app), 'utf8');
const rows = idsIn(specification, /^\| (S-\d{3}) \|/gm);
if (rows.length === 0) fail('SPECIFICATION.md has no rows');
for (const row of new Set(rows.filter((row, at) => rows.indexOf(row) < at))) {
  fail(`SPECIFICATION.md has ${row} twice`);
}

// The decisions are numbered once for both pages.
const decision = /^\| (D\d{2}) \|/gm;
const known = new Set([...rows, ...idsIn(specification, decision), ...idsIn(ofFunctions, decision)]);

/** Comment lines with rows, then the test with its title. */
const rowsAndTest =
  /((?:^[ \t]*\/\/ rows: .*\n)+)[ \t]*(?:test|it)\b(?:\.each\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?\(\s*(['"`])(.*?)\2,/gm;

const tests = new Map();
for (const folder of ['src', 'e2e']) {
  const files = await readdir(new URL(`${folder}/`, app), { recursive: true });
  for (const file of files.filter((name) => /\.test\.(tsx?|mjs)$/.test(name)).sort()) {
    const path = `${folder}/${file}`;
    const text = await readFile(new URL(path, app), 'utf8');
    const found = [...text.matchAll(rowsAndTest)];
    const comments = found.map(([, lines]) => lines).join('');
    if (count(comments) !== count(text)) fail(`${path} has rows that do not stand above a test`);
    for (const [, lines, , title] of found) {
      for (const id of lines.replaceAll('// rows:', '').trim().split(/\s+/)) {
        if (!known.has(id)) fail(`SPECIFICATION.md has no ${id}, which ${path} names: ${title}`);
        tests.set(id, [...(tests.get(id) ?? []), `${path}: ${title.replaceAll('|', '\\|')}`]);
      }
    }
  }
}

const named = rows.filter((row) => tests.has(row));
const bare = rows.filter((row) => !tests.has(row));
const lines = [
  '# Rows and their tests',
  '',
  `Written by \`npm run rows\`. ${named.length} of ${rows.length} rows are named by a test of the app.`,
  ...(bare.length ? ['', `Not yet: ${bare.join(', ')}.`] : []),
  '',
  '| row | tests |',
  '| --- | --- |',
  ...named.map((row) => `| ${row} | ${tests.get(row).join('<br>')} |`),
];
const file = new URL('ROWS.md', app);
const table = `${lines.join('\n')}\n`;
if (process.argv.includes('--check')) await compare();
else await writeFile(file, table);
process.stdout.write(`${named.length} of ${rows.length} rows in ${fileURLToPath(file)}\n`);

function idsIn(text, pattern) {
  return Array.from(text.matchAll(pattern), ([, id]) => id);
}

function count(text) {
  return text.match(/\/\/ rows:/g)?.length ?? 0;
}

async function compare() {
  if (bare.length > 0) fail(`no test names ${bare.join(', ')}`);
  if ((await readFile(file, 'utf8')) !== table) fail('ROWS.md is not up to date: npm run rows');
}

function fail(reason) {
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}
