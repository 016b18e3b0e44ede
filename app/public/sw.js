/* Keeps the shell of the application on the device, so that it opens without a network. Pages
   are read from the network first. Files with a hash in their name never change and are read
   from the device first. Calls of the API are not touched. The build replaces the two
   placeholders below with its version and its shell (scripts/prerender.mjs). */
const version = '__VERSION__';
const shell = '__SHELL__'.split(' ');
const emptyPage = '/app.html';
/**
 * Pages that were opened before a new version still load chunks of their own version, which the
 * server may no longer have.
 */
const olderVersions = 2;

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(version)
      .then((cache) => cache.addAll(shell))
      .then(() => self.skipWaiting())
      .catch(forgetUnfinished),
  );
});

/**
 * The shell is stored whole or not at all. An empty cache would count as one of the older versions.
 */
async function forgetUnfinished(error) {
  const cache = await caches.open(version);
  if ((await cache.keys()).length === 0) await caches.delete(version);
  throw error;
}

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      // The oldest versions come first.
      .then((names) => names.filter((name) => name !== version).slice(0, -olderVersions))
      .then((names) => Promise.all(names.map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== self.location.origin) return;
  if (request.mode === 'navigate') event.respondWith(page(request));
  else if (url.pathname.startsWith('/assets/')) event.respondWith(asset(request));
});

async function page(request) {
  try {
    return await fetch(request);
  } catch {
    return (await caches.match(emptyPage, { cacheName: version })) ?? Response.error();
  }
}

async function asset(request) {
  const kept = await caches.match(request);
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok) {
    const cache = await caches.open(version);
    await cache.put(request, answer.clone());
  }
  return answer;
}
