/**
 * Prerenders every public page, so that it shows text and links before any script runs: `/faqs` as
 * faqs.html. The empty page for all other addresses becomes app.html, and each screen of an account
 * has its own. A configured site also gets its sitemap.xml. The web manifest and the shell of the
 * service worker come last.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { routes, scriptsOf } from './routes.mjs';

const dist = new URL('../dist/', import.meta.url);
const server = new URL('../dist-ssr/', import.meta.url);
const { paths, productName, renderLoading, renderPage, site } = await import(
  new URL('prerender.js', server).href
);

const shell = await readFile(new URL('index.html', dist), 'utf8');
const root = '<div id="root"></div>';
if (!shell.includes(root)) throw new Error('dist/index.html has no place for a page');

const empty = shell.replace(root, `<div id="root">${await renderLoading()}</div>`);
await writeFile(new URL('app.html', dist), empty);
for (const path of paths) {
  const file = new URL(path === '/' ? 'index.html' : `${path.slice(1)}.html`, dist);
  await mkdir(new URL('.', file), { recursive: true });
  await writeFile(file, complete(path, await renderPage(path)));
}
for (const route of routes.filter(({ path }) => !ready(path))) {
  await writeFile(new URL(`${route.path.slice(1)}.html`, dist), withPreloads(route));
}
if (site) await writeSitemap();
await writeManifest();
await writeServiceWorker();
await rm(server, { recursive: true });

function ready(path) {
  return paths.includes(path) || path.startsWith('/public-');
}

/**
 * The empty page that preloads everything that its
 * screen needs, instead of finding it file by file.
 */
function withPreloads(route) {
  const links = [...scriptsOf(route)]
    .filter((file) => !shell.includes(file))
    .map((file) => `<link rel="modulepreload" crossorigin href="/${file}" />`);
  return empty.replace('</head>', () => `  ${links.join('\n    ')}\n  </head>`);
}

async function writeManifest() {
  const manifest = {
    id: '/home',
    name: productName,
    short_name: productName,
    start_url: '/home',
    scope: '/',
    display: 'standalone',
    background_color: '#fbfaf4',
    theme_color: '#fbfaf4',
    lang: 'en-IN',
    categories: ['education', 'productivity'],
    icons: [
      { src: '/icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
      { src: '/icon-192.png', sizes: '192x192', type: 'image/png', purpose: 'any' },
      { src: '/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
    ],
  };
  await writeFile(new URL('manifest.webmanifest', dist), JSON.stringify(manifest));
}

/** The empty page and every file that it names. */
async function writeServiceWorker() {
  const named = [...shell.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path);
  const kept = ['/app.html', ...new Set(named)];
  const version = createHash('sha256').update(shell).digest('hex').slice(0, 16);
  const file = new URL('sw.js', dist);
  const code = await readFile(file, 'utf8');
  await writeFile(file, code.replace('__VERSION__', version).replace('__SHELL__', kept.join(' ')));
}

function complete(path, { title, tags, html }) {
  return shell
    .replace(
      /<title>.*<\/title>/,
      () => `<title>${escape(title)}</title>\n    ${tags.map(element).join('\n    ')}`,
    )
    .replace(root, () => `<div id="root" data-page="${path}">${html}</div>`);
}

function element({ tag, key, name, value }) {
  const content = tag === 'link' ? 'href' : 'content';
  return `<${tag} ${key}="${name}" ${content}="${escape(value)}" data-page="" />`;
}

function escape(text) {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
}

async function writeSitemap() {
  const addresses = paths.map((path) => `  <url><loc>${escape(site + path)}</loc></url>`).join('\n');
  await writeFile(
    new URL('sitemap.xml', dist),
    `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${addresses}\n</urlset>\n`,
  );
  const robots = new URL('robots.txt', dist);
  await writeFile(robots, `${await readFile(robots, 'utf8')}Sitemap: ${site}/sitemap.xml\n`);
}
