/** Puts the ready-made landing page into dist/index.html, so that `/` shows text and links before any script runs. */
import { readFile, rm, writeFile } from 'node:fs/promises';

const page = new URL('../dist/index.html', import.meta.url);
const server = new URL('../dist-ssr/', import.meta.url);
const { renderLanding } = await import(new URL('prerender.js', server).href);

const marker = '<!--landing-->';
const html = await readFile(page, 'utf8');
if (!html.includes(marker)) throw new Error('dist/index.html has no place for the landing page');
const landing = await renderLanding();
if (!landing.includes('data-prerendered')) throw new Error('the landing page was not rendered');
await writeFile(
  page,
  html.replace(marker, () => landing),
);
await rm(server, { recursive: true });
