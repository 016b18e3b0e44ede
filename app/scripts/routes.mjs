/** The files that each route loads, by the manifest of the build. */
import { readFile } from 'node:fs/promises';

export const dist = new URL('../dist/', import.meta.url);
export const manifest = JSON.parse(await readFile(new URL('.vite/manifest.json', dist), 'utf8'));

const entry = 'index.html';
const area = 'src/app/account-layout.tsx';
const blog = 'src/app/query-layout.tsx';

const application = await readFile(new URL('../src/app/app.tsx', import.meta.url), 'utf8');
/** The text areas that each screen loads, as the application names them. */
const areasOf = new Map(
  [
    ...application.matchAll(/screenWithTexts\(\s*\[([^\]]*)\],\s*\(\) => import\('\.\/routes\/([\w-]+)'\)/g),
  ].map(([, areas, name]) => [name, [...areas.matchAll(/'(\w+)'/g)].map(([, found]) => found)]),
);

/** A screen with its texts and the layouts around it. */
function screen(name, { path = `/${name}`, around = [], budget }) {
  const areas = areasOf.get(name);
  if (!areas) throw new Error(`src/app/app.tsx has no screen ${name}`);
  const texts = areas.map((found) => `src/locales/en/${found}.json`);
  return { name, path, chunks: [entry, ...around, `src/app/routes/${name}.tsx`, ...texts], budget };
}
const publicPage = (name, path) => screen(name, { path, budget: 110 });
const signedIn = (name) => screen(name, { around: [area], budget: 184 });
/** A builder with the chunks that it shows in its first frame. */
const builder = (name, ...shown) => {
  const route = signedIn(name);
  return { ...route, chunks: [...route.chunks, ...shown.map((part) => `src/${part}.tsx`)] };
};
const history = 'builder/components/history-list';
/** Each route with its chunks and the kilobytes that it may load (SPECIFICATION.md D33). */
export const routes = [
  publicPage('landing', '/'),
  publicPage('about-us'),
  publicPage('about'),
  publicPage('faqs'),
  publicPage('sitemap'),
  publicPage('terms'),
  publicPage('privacy'),
  publicPage('public-lesson-plan'),
  publicPage('public-question-paper'),
  publicPage('public-teaching-aids'),
  publicPage('public-communication'),
  screen('blogs', { around: [blog], budget: 130 }),
  screen('blog-post', { path: '/blogs/1', around: [blog], budget: 130 }),
  signedIn('auth'),
  signedIn('subscription'),
  signedIn('home'),
  builder('lesson-plan', history, 'features/lessons/components/blank-plan'),
  builder('question-paper', history, 'features/question-papers/components/paper-preview'),
  builder('teaching-aids', history, 'features/teaching-aids/components/aids-preview'),
  builder('communication-tool', history),
  signedIn('profile'),
  signedIn('settings'),
  signedIn('admin'),
];
const weighed = new Set(routes.map(({ name }) => name));
for (const name of areasOf.keys())
  if (!weighed.has(name)) throw new Error(`no route weighs the screen ${name}`);

/** The JavaScript of a route: its chunks and all their static imports. */
export function scriptsOf({ chunks }) {
  return new Set(chunks.flatMap((chunk) => [...filesOf(chunk)].map((name) => manifest[name].file)));
}

/** A chunk and all its static imports. */
function filesOf(name, seen = new Set()) {
  if (seen.has(name)) return seen;
  seen.add(name);
  const chunk = manifest[name];
  if (!chunk) throw new Error(`the build has no chunk ${name}`);
  for (const imported of chunk.imports ?? []) filesOf(imported, seen);
  return seen;
}
