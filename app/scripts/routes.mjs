/** What each route loads, by the manifest of the build. */
import { readFile } from 'node:fs/promises';

export const dist = new URL('../dist/', import.meta.url);
export const manifest = JSON.parse(await readFile(new URL('.vite/manifest.json', dist), 'utf8'));

const entry = 'index.html';
const area = 'src/app/account-area.tsx';
const blog = 'src/app/query-area.tsx';
const texts = (...areas) => areas.map((name) => `src/locales/en/${name}.json`);
const publicPage = (name, ...areas) => ({
  path: `/${name}`,
  chunks: [entry, `src/app/routes/${name}.tsx`, ...texts(...areas)],
  budget: 110,
});
const signedIn = (path, ...areas) => ({
  path: `/${path}`,
  chunks: [entry, area, `src/app/routes/${path}.tsx`, ...texts(...areas)],
  budget: 180,
});
/** A builder with the parts that it shows in its first frame, though they are chunks of their own. */
const builder = (path, areas, shown) => {
  const route = signedIn(path, ...areas);
  return { ...route, chunks: [...route.chunks, ...shown.map((part) => `src/${part}.tsx`)] };
};
const history = 'builder/components/history-list';
/** Each route with its chunks and the kilobytes that it may load (decisions.md D33). */
export const routes = [
  { path: '/', chunks: [entry, 'src/app/routes/landing.tsx', ...texts('landing', 'tools')], budget: 110 },
  publicPage('about-us', 'pages'),
  publicPage('about', 'pages'),
  publicPage('faqs', 'pages'),
  publicPage('sitemap', 'pages'),
  publicPage('terms', 'pages'),
  publicPage('privacy', 'pages'),
  publicPage('public-lesson-plan', 'builder', 'lessons', 'previews'),
  publicPage('public-question-paper', 'builder', 'papers', 'previews'),
  publicPage('public-teaching-aids', 'aids', 'builder', 'previews'),
  publicPage('public-communication', 'builder', 'communications', 'previews'),
  { path: '/blogs', chunks: [entry, blog, 'src/app/routes/blogs.tsx', ...texts('blog')], budget: 130 },
  { path: '/blogs/1', chunks: [entry, blog, 'src/app/routes/blog-post.tsx', ...texts('blog')], budget: 130 },
  signedIn('auth', 'auth'),
  signedIn('subscription', 'account', 'payments'),
  signedIn('home', 'account', 'payments', 'tools'),
  builder(
    'lesson-plan',
    ['account', 'builder', 'lessons', 'tools'],
    [history, 'features/lessons/components/blank-plan'],
  ),
  builder(
    'question-paper',
    ['account', 'builder', 'papers', 'tools'],
    [history, 'features/question-papers/components/paper-outlook'],
  ),
  builder(
    'teaching-aids',
    ['account', 'aids', 'builder', 'tools'],
    [history, 'features/teaching-aids/components/aids-outlook'],
  ),
  builder('communication-tool', ['account', 'builder', 'communications', 'payments', 'tools'], [history]),
  signedIn('profile', 'settings'),
  signedIn('settings', 'settings'),
  signedIn('admin', 'admin'),
];

/** The JavaScript of a route: its chunks and everything that they import at once. */
export function scriptsOf({ chunks }) {
  return new Set(chunks.flatMap((chunk) => [...filesOf(chunk)].map((name) => manifest[name].file)));
}

/** A chunk and everything that it imports at once. */
function filesOf(name, seen = new Set()) {
  if (seen.has(name)) return seen;
  seen.add(name);
  const chunk = manifest[name];
  if (!chunk) throw new Error(`the build has no chunk ${name}`);
  for (const imported of chunk.imports ?? []) filesOf(imported, seen);
  return seen;
}
