/**
 * Adds up the JavaScript and the fonts that each route loads, as brotli, from the manifest of the build, and fails
 * when a budget is exceeded (decisions.md D33).
 */
import { readFile, stat } from 'node:fs/promises';

const dist = new URL('../dist/', import.meta.url);
const manifest = JSON.parse(await readFile(new URL('.vite/manifest.json', dist), 'utf8'));

const kilobyte = 1024;
const entry = 'index.html';
const area = 'src/app/account-area.tsx';
const publicRoutes = [
  'about-us',
  'about',
  'faqs',
  'sitemap',
  'terms',
  'privacy',
  'public-lesson-plan',
  'public-question-paper',
  'public-teaching-aids',
  'public-communication',
];
const blog = 'src/app/query-area.tsx';
const texts = (...areas) => areas.map((name) => `src/locales/en/${name}.json`);
const signedIn = (path, ...areas) => ({
  path: `/${path}`,
  chunks: [entry, area, `src/app/routes/${path}.tsx`, ...texts(...areas)],
  budget: 180,
});
const routes = [
  { path: '/', chunks: [entry, 'src/app/routes/landing.tsx', ...texts('landing', 'tools')], budget: 110 },
  ...publicRoutes.map((name) => ({
    path: `/${name}`,
    chunks: [entry, `src/app/routes/${name}.tsx`],
    budget: 110,
  })),
  { path: '/blogs', chunks: [entry, blog, 'src/app/routes/blogs.tsx'], budget: 130 },
  { path: '/blogs/1', chunks: [entry, blog, 'src/app/routes/blog-post.tsx'], budget: 130 },
  signedIn('auth', 'account'),
  signedIn('subscription', 'account', 'payments'),
  signedIn('home', 'account', 'payments', 'tools'),
  signedIn('lesson-plan', 'account', 'builder', 'lessons', 'tools'),
  signedIn('question-paper', 'account', 'builder', 'papers', 'tools'),
  signedIn('teaching-aids', 'account', 'aids', 'builder', 'tools'),
  signedIn('communication-tool', 'account', 'builder', 'communications', 'payments', 'tools'),
  signedIn('profile', 'settings'),
  signedIn('settings', 'settings'),
  signedIn('admin', 'admin'),
];

/** The files of a chunk and of everything that it imports at once. */
function filesOf(name, seen = new Set()) {
  if (seen.has(name)) return seen;
  seen.add(name);
  const chunk = manifest[name];
  if (!chunk) throw new Error(`the build has no chunk ${name}`);
  for (const imported of chunk.imports ?? []) filesOf(imported, seen);
  return seen;
}

async function compressedSize(file) {
  const compressed = await stat(new URL(`${file}.br`, dist)).catch(() => stat(new URL(file, dist)));
  return compressed.size;
}

let exceeded = false;
for (const { path, chunks, budget } of routes) {
  const files = new Set(chunks.flatMap((chunk) => [...filesOf(chunk)].map((name) => manifest[name].file)));
  let bytes = 0;
  for (const file of files) bytes += await compressedSize(file);
  report(`${path} JavaScript`, bytes, budget);
}

let fontBytes = 0;
for (const { file } of Object.values(manifest)) {
  if (file.endsWith('.woff2')) fontBytes += await compressedSize(file);
}
report('fonts', fontBytes, 50);
if (exceeded) process.exitCode = 1;

function report(what, bytes, budget) {
  const tooMuch = bytes > budget * kilobyte;
  exceeded ||= tooMuch;
  const size = (bytes / kilobyte).toFixed(1).padStart(6);
  process.stdout.write(`${tooMuch ? 'OVER' : 'ok  '} ${size} KB of ${budget} KB  ${what}\n`);
}
