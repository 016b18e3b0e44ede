/**
 * Stored objects that a browser opens in a tab of their own: media play, documents are shown, and
 * nothing runs in the origin of the application (storage/CONTRACT.md D20).
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { desktop, useBrowser } from './support/browser.mjs';
import { baseURL, secretKey } from './support/env.mjs';

const SCRIPT = '<script>localStorage.setItem("ran", "1"); document.title = "ran"</script>';

describe('stored objects in a tab', { timeout: 60_000 }, () => {
  const openPage = useBrowser(baseURL);
  const bucket = `tab-${randomUUID()}`;
  const url = (name) => `${baseURL}/storage/v1/object/public/${bucket}/${name}`;
  let opened;

  before(async () => {
    await call('bucket', 'POST', 'application/json', JSON.stringify({ name: bucket, public: true }));
    opened = await openPage({ viewport: desktop, colorScheme: 'light' });
  });
  after(async () => {
    await opened?.close();
    await call(`bucket/${bucket}/empty`, 'POST');
    await call(`bucket/${bucket}`, 'DELETE');
  });

  const store = (name, type, body) => call(`object/${bucket}/${name}`, 'PUT', type, body);

  test('sound and video play', async () => {
    await opened.page.goto(baseURL);
    await store('lesson.webm', 'video/webm', Buffer.from(await opened.page.evaluate(recorded)));
    await store('rhyme.wav', 'audio/wav', silence());
    for (const name of ['lesson.webm', 'rhyme.wav']) {
      await opened.page.goto(url(name));
      await opened.page.waitForFunction(() => document.querySelector('video').readyState === 4);
    }
    assert.deepEqual(opened.problems, []);
  });

  test('a PDF and a picture are shown', async () => {
    await store('plan.pdf', 'application/pdf', PDF);
    await store('one.png', 'image/png', PIXEL);
    const pdf = await opened.page.goto(url('plan.pdf'));
    assert.deepEqual([pdf.status(), pdf.headers()['content-type']], [200, 'application/pdf']);
    await opened.page.goto(url('one.png'));
    assert.equal(await opened.page.evaluate(() => document.querySelector('img').naturalWidth), 1);
  });

  test('a page and a drawing run no script, in a tab or as a picture', async () => {
    const { page } = opened;
    const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/>`;
    await store('page.html', 'text/html', SCRIPT);
    await store(
      'page.xhtml',
      'application/xhtml+xml',
      `<html xmlns="http://www.w3.org/1999/xhtml">${SCRIPT}</html>`,
    );
    await store('drawing.svg', 'image/svg+xml', `${drawing}${SCRIPT}</svg>`);
    await page.goto(url('page.html'));
    assert.equal(await page.locator('pre').textContent(), SCRIPT);
    for (const name of ['page.xhtml', 'drawing.svg']) {
      const download = page.waitForEvent('download');
      await assert.rejects(page.goto(url(name)), /Download is starting|ERR_ABORTED/);
      assert.equal((await download).suggestedFilename(), name);
    }
    await page.goto(baseURL);
    const seen = await page.evaluate(shown, url('drawing.svg'));
    assert.deepEqual(seen, { width: 9, ran: null }, 'the application may show a drawing');
  });
});

async function call(path, method, type = 'application/json', body = '{}') {
  const headers = { apikey: secretKey, 'Content-Type': type };
  const response = await fetch(`${baseURL}/storage/v1/${path}`, { method, headers, body });
  assert.equal(response.status, 200, `${path}: ${await response.text()}`);
}

/** The width of a picture, and what a script may have left in the origin of the page. */
async function shown(src) {
  const image = Object.assign(new window.Image(), { src });
  await image.decode();
  return { width: image.naturalWidth, ran: localStorage.getItem('ran') };
}

/** The bytes of a short video, recorded by the browser. */
async function recorded() {
  const canvas = Object.assign(document.createElement('canvas'), { width: 32, height: 32 });
  const recorder = new window.MediaRecorder(canvas.captureStream(), { mimeType: 'video/webm' });
  const parts = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const stopped = new Promise((resolve) => (recorder.onstop = resolve));
  recorder.start();
  for (let frame = 0; frame < 10; frame++) {
    canvas.getContext('2d').fillRect(frame, 0, 1, 32);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  recorder.stop();
  await stopped;
  return [...new Uint8Array(await new window.Blob(parts).arrayBuffer())];
}

/** A second without a sound, in eight bits. */
function silence() {
  const rate = 8000;
  const wav = Buffer.alloc(44 + rate, 128);
  wav.write('RIFF');
  wav.writeUInt32LE(36 + rate, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  for (const [value, at] of [
    [1, 20],
    [1, 22],
    [1, 32],
    [8, 34],
  ])
    wav.writeUInt16LE(value, at);
  wav.writeUInt32LE(rate, 24);
  wav.writeUInt32LE(rate, 28);
  wav.write('data', 36);
  wav.writeUInt32LE(rate, 40);
  return wav;
}

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
trailer<</Root 1 0 R>>
`;
