/**
 * Writes every public page ready made, so that it shows text and links before any script runs: `/faqs` as faqs.html.
 * The empty page, which all other addresses get, becomes app.html. A configured site also gets its sitemap.xml.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';

const dist = new URL('../dist/', import.meta.url);
const server = new URL('../dist-ssr/', import.meta.url);
const { paths, renderPage, site } = await import(new URL('prerender.js', server).href);

const shell = await readFile(new URL('index.html', dist), 'utf8');
const root = '<div id="root"></div>';
if (!shell.includes(root)) throw new Error('dist/index.html has no place for a page');

await writeFile(new URL('app.html', dist), shell);
for (const path of paths) {
  const file = new URL(path === '/' ? 'index.html' : `${path.slice(1)}.html`, dist);
  await mkdir(new URL('.', file), { recursive: true });
  await writeFile(file, complete(path, await renderPage(path)));
}
if (site) await writeSitemap();
await rm(server, { recursive: true });

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
