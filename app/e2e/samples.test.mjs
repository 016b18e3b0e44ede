/** Samples of the builders: uploaded with their progress, cancelled, resumed and deleted. */
import assert from 'node:assert/strict';
import { Blob } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { assertAccessible, assertNoSidewaysScroll } from './support/accessibility.mjs';
import { newAccount, visitorClient } from './support/client.mjs';
import { keepPicture, looks, phone, useBrowser } from './support/browser.mjs';
import { baseURL, inboxURL, publishableKey, secretKey } from './support/env.mjs';
import { fillLessonPlan } from './support/forms.mjs';
import { textOfRtf } from './support/rtf.mjs';
import { signInAnew } from './support/sign-in.mjs';
import { adminCalls } from './support/stack.mjs';

const stack = adminCalls(baseURL, secretKey);
const light = { viewport: phone, colorScheme: 'light' };

describe('samples', { timeout: 300_000 }, () => {
  const openPage = useBrowser(baseURL);
  let folder;
  let file;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'samples-'));
    file = await pdf('my-lesson-plan.pdf', 3_000_000);
  });
  after(() => rm(folder, { recursive: true }));

  /** A PDF of that many bytes. It lies on the disk, so that it can be picked twice. */
  async function pdf(name, bytes) {
    const path = join(folder, name);
    await writeFile(path, Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(bytes - 9, 32)]));
    return path;
  }

  async function openBuilder(look, path = '/lesson-plan') {
    const opened = await openPage(look);
    const address = await signInAnew(opened.page, inboxURL);
    await opened.page.goto(path);
    await opened.page.getByRole('heading', { level: 1 }).waitFor();
    return { ...opened, userId: (await stack.userOf(address)).id };
  }

  for (const look of looks) {
    for (const path of ['/lesson-plan', '/question-paper']) {
      // rows: S-189 S-204 S-220 S-424 S-428
      test(`a sample of ${path} shows its progress at ${look.name}`, async () => {
        const { page, problems, close, userId } = await openBuilder(look, path);
        const checked = async (state) => {
          await showField(page);
          await assertNoSidewaysScroll(page, path);
          await assertAccessible(page, path);
          await keepPicture(page, `sample-${path.slice(1)}-${state}-${look.name}`);
        };
        await checked('none');
        const line = await throttle(page, 100_000);
        await field(page).setInputFiles(file);
        await page.getByText(/^0\.[2-9] of 3\.0 MB/).waitFor();
        await checked('uploading');
        await line.setSpeed(-1);
        await page.getByText('Uploaded. The file is deleted after 24 hours.').waitFor();
        await checked('uploaded');
        const [object] = await objectsOf(userId);
        assert.equal(object.metadata.size, 3_000_000);
        assert.equal(object.metadata.mimetype, 'application/pdf');
        assert.deepEqual(problems, []);
        await close();
      });
    }
  }

  // rows: S-189 S-414
  test('another kind of file and one above 10 MB are refused at once', async () => {
    const { page, close } = await openBuilder(light);
    const uploads = uploadsOf(page);
    await field(page).setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('x') });
    await page.getByText('Please upload a PDF or DOCX file').first().waitFor();
    await field(page).setInputFiles(await pdf('large.pdf', 10_000_001));
    await page.getByText('Please choose a file of at most 10 MB').first().waitFor();
    assert.deepEqual(uploads, []);
    await close();
  });

  // rows: S-204
  test('an upload is cancelled with the keyboard, and nothing of it stays', async () => {
    const { page, close, userId } = await openBuilder(light);
    const uploads = uploadsOf(page);
    await throttle(page, 100_000);
    await field(page).setInputFiles(file);
    await page.getByText(/^[0-9.]+ of 3\.0 MB/).waitFor();
    await page.waitForRequest((request) => request.method() === 'PATCH');
    await field(page).focus();
    await page.keyboard.press('Tab');
    const cancel = page.getByRole('button', { name: 'Cancel the upload' });
    assert.ok(await cancel.evaluate((button) => button === document.activeElement));
    const given = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await page.keyboard.press('Enter');
    await page.getByText('Choose a PDF or DOCX').waitFor();
    assert.ok(await field(page).evaluate((input) => input === document.activeElement));
    assert.equal((await given).status(), 204);
    assert.ok(uploads.some(({ method }) => method === 'POST'));
    assert.deepEqual(await objectsOf(userId), []);
    await close();
  });

  // rows: S-204 S-425
  test('a lost connection is shown, and the upload goes on where it stopped', async () => {
    const { page, close, userId } = await openBuilder(light);
    const uploads = uploadsOf(page);
    const line = await throttle(page, 400_000);
    await field(page).setInputFiles(file);
    await page.getByText(/^[12]\.[0-9] of 3\.0 MB/).waitFor();
    await line.setOffline(true);
    await page.getByText('No connection. The upload goes on by itself once it is back.').waitFor();
    await showField(page);
    await keepPicture(page, 'sample-offline');
    const before = uploads.length;
    await line.setOffline(false);
    await page.getByText('Uploaded. The file is deleted after 24 hours.').waitFor();
    const resumed = uploads.slice(before).find(({ method }) => method === 'PATCH');
    assert.ok(Number(resumed?.offset) > 0, `it goes on at ${resumed?.offset}`);
    assert.equal((await objectsOf(userId))[0].metadata.size, 3_000_000);
    await close();
  });

  // rows: S-204 S-425
  test('an upload outlives a server that is away', async () => {
    const { page, close, userId } = await openBuilder(light);
    const uploads = uploadsOf(page);
    const line = await throttle(page, 400_000);
    await field(page).setInputFiles(file);
    await page.getByText(/^[12]\.[0-9] of 3\.0 MB/).waitFor();
    await page.route('**/upload/resumable/**', (route) => route.fulfill({ status: 503 }));
    await page.getByText('The server is busy. The upload goes on by itself.').waitFor();
    await page.waitForRequest((request) => request.method() === 'HEAD');
    await page.unroute('**/upload/resumable/**');
    await line.setSpeed(-1);
    await page.getByText('Uploaded. The file is deleted after 24 hours.').waitFor();
    assert.equal(uploads.filter(({ method }) => method === 'POST').length, 1, 'it is the same upload');
    assert.equal((await objectsOf(userId))[0].metadata.size, 3_000_000);
    await close();
  });

  // rows: S-204 S-425
  test('a sample whose answer was lost is uploaded once', async () => {
    const { page, close, userId } = await openBuilder(light);
    let isLost = false;
    await page.route('**/upload/resumable', async (route) => {
      const answer = await route.fetch();
      if (isLost) return route.fulfill({ response: answer });
      assert.equal(answer.status(), 201);
      isLost = true;
      return route.abort();
    });
    await field(page).setInputFiles(await pdf('small.pdf', 200_000));
    await page.getByText('Uploaded. The file is deleted after 24 hours.').waitFor();
    assert.ok(isLost);
    const [object, ...others] = await objectsOf(userId);
    assert.equal(object.metadata.size, 200_000);
    assert.deepEqual(others, []);
    await close();
  });

  // rows: S-204 S-425
  test('a connection that comes back twice starts an upload once', async () => {
    const { page, close, userId } = await openBuilder(light);
    const uploads = uploadsOf(page);
    const line = await throttle(page, 400_000);
    await field(page).setInputFiles(file);
    await page.getByText(/^[12]\.[0-9] of 3\.0 MB/).waitFor();
    await page.evaluate(() => {
      for (let times = 0; times < 2; times += 1) window.dispatchEvent(new window.Event('online'));
    });
    await line.setSpeed(-1);
    await page.getByText('Uploaded. The file is deleted after 24 hours.').waitFor();
    assert.equal(uploads.filter(({ method }) => method === 'HEAD').length, 1);
    assert.equal((await objectsOf(userId))[0].metadata.size, 3_000_000);
    await close();
  });

  // rows: S-204
  test('a small DOCX is one request', async () => {
    const { page, close, userId } = await openBuilder(light, '/question-paper');
    const uploads = uploadsOf(page);
    const mimeType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
    await field(page).setInputFiles({ name: 'paper.docx', mimeType, buffer: Buffer.alloc(200_000, 80) });
    await page.getByText('Uploaded. The file is deleted after 24 hours.').waitFor();
    assert.deepEqual(uploads, [{ method: 'POST', offset: undefined }]);
    const [object] = await objectsOf(userId);
    assert.match(object.name, /^[0-9a-f-]{36}\.docx$/);
    assert.equal(object.metadata.mimetype, mimeType);
    await close();
  });

  // rows: S-204
  test('after a reload the same file goes on where it stopped', async () => {
    const { page, close, userId } = await openBuilder(light);
    await throttle(page, 400_000);
    await field(page).setInputFiles(file);
    await page.getByText(/^[12]\.[0-9] of 3\.0 MB/).waitFor();
    page.on('dialog', (dialog) => dialog.accept());
    await page.reload();
    await page.getByText(/^The upload stopped when the page was closed/).waitFor();
    await showField(page);
    await keepPicture(page, 'sample-interrupted');
    const uploads = uploadsOf(page);
    await field(page).setInputFiles(file);
    await page.getByText('Uploaded. The file is deleted after 24 hours.').waitFor();
    assert.equal(uploads[0]?.method, 'HEAD');
    assert.ok(Number(uploads.find(({ method }) => method === 'PATCH')?.offset) > 0);
    assert.equal((await objectsOf(userId))[0].metadata.size, 3_000_000);
    await close();
  });

  // rows: S-204
  test('a press waits for the sample, and a removed one is deleted', async () => {
    const { page, close, userId } = await openBuilder(light);
    await fillLessonPlan(page);
    const line = await throttle(page, 100_000);
    await field(page).setInputFiles(file);
    await page.getByText(/^[0-9.]+ of 3\.0 MB/).waitFor();
    await page.getByRole('button', { name: /^Download All Lesson Plans/ }).click();
    await page.getByText('Waiting until the sample is uploaded').waitFor();
    await assertAccessible(page, 'a press that waits');
    await keepPicture(page, 'sample-awaited');
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await line.setSpeed(-1);
    await page.getByText('Uploaded. The file is deleted after 24 hours.').waitFor();
    assert.equal((await objectsOf(userId)).length, 1);
    const removed = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await page.getByRole('button', { name: 'Remove the sample' }).click();
    await removed;
    assert.deepEqual(await objectsOf(userId), []);
    await page.getByRole('link', { name: '20 credits', exact: true }).waitFor();
    await close();
  });

  // rows: D32
  test('a plan follows its sample on the screen as in the file', async () => {
    const { page, problems, close } = await openBuilder(light);
    await fillLessonPlan(page, 'विद्युत');
    await field(page).setInputFiles(
      fileURLToPath(new URL('../../functions/_samples/tests/samples/files/lesson_hi.docx', import.meta.url)),
    );
    await page.getByText('Uploaded. The file is deleted after 24 hours.').waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: /^Download All Lesson Plans/ }).click();
    const plan = textOfRtf(await readFile(await (await saved).path(), 'latin1'));
    const preview = page.getByRole('region', { name: 'Lesson plan, complete' });
    await preview.getByRole('heading', { name: 'उद्देश्य', exact: true }).waitFor();
    await preview.getByRole('heading', { name: 'सामग्री', exact: true }).waitFor();
    const parts = await preview.getByRole('heading', { level: 4 }).allTextContents();
    const places = parts.map((part) => plan.indexOf(part));
    assert.ok(parts.length >= 10 && !places.includes(-1), parts.join(', '));
    await keepPicture(page, 'sample-followed', { fullPage: true });
    assert.deepEqual(problems, []);
    await close();
  });

  // rows: D32
  test('a sample that cannot be read is refused beside its field, before the charge', async () => {
    const { page, close } = await openBuilder(light);
    await fillLessonPlan(page);
    await field(page).setInputFiles(file);
    const told = 'The sample could not be read: the file seems to be damaged.';
    await page.getByRole('status').filter({ hasText: told }).waitFor();
    await showField(page);
    await assertAccessible(page, 'a refused sample');
    await keepPicture(page, 'sample-refused');
    await page.getByRole('button', { name: /^Download All Lesson Plans/ }).click();
    await page.getByRole('alert').filter({ hasText: 'Nothing was charged yet' }).waitFor();
    await page.getByRole('link', { name: '20 credits', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove the sample' }).click();
    await page.getByRole('status').filter({ hasText: told }).waitFor({ state: 'detached' });
    await close();
  });

  // rows: D32 D37
  test('a sample is its owner’s alone, and goes with the account', async () => {
    const [owner, other] = await Promise.all([newAccount('owner'), newAccount('other')]);
    const nameOf = (kind = 'pdf') => `${owner.id}/${randomUUID()}.${kind}`;
    const name = nameOf();
    const body = new Blob([`%PDF-1.7 ${owner.id}`], { type: 'application/pdf' });
    const bucket = ({ supabase }) => supabase.storage.from('samples');
    assert.equal((await bucket(owner).upload(name, body)).error, null);
    assert.equal((await bucket(owner).download(name)).error, null);
    for (const stranger of [other, { supabase: visitorClient() }]) {
      assert.ok((await bucket(stranger).download(name)).error);
      assert.ok((await bucket(stranger).upload(nameOf(), body)).error);
      assert.deepEqual((await bucket(stranger).remove([name])).data, []);
    }
    assert.ok((await bucket(owner).upload(nameOf('txt'), new Blob(['x'], { type: 'text/plain' }))).error);
    assert.ok((await bucket(owner).copy(name, nameOf())).error, 'a copy would outlive the day');
    assert.ok((await bucket(owner).move(name, nameOf())).error);
    assert.equal((await objectsOf(owner.id)).length, 1);
    await beginUpload(owner, nameOf(), `%PDF-1.7 ${owner.id}`);
    assert.equal((await filesWith(owner.id)).length, 2, 'an object and an upload that is not finished');
    await stack.call(`/auth/v1/admin/users/${owner.id}`, 'DELETE', {});
    assert.deepEqual(await objectsOf(owner.id), []);
    assert.ok((await bucket(owner).upload(nameOf(), body)).error, 'the token lives on for an hour');
    await eventually(async () => (await filesWith(owner.id)).length === 0);
  });
});

function field(page) {
  return page.getByLabel(/^Sample (lesson|paper)/);
}

function showField(page) {
  return field(page).evaluate((input) => input.scrollIntoView({ block: 'center' }));
}

/** The samples of a user, as the server lists them. */
async function objectsOf(userId) {
  const list = await stack.call('/storage/v1/object/list/samples', 'POST', { prefix: userId });
  return list.json();
}

/** The requests of resumable uploads that the page makes from now on. */
function uploadsOf(page) {
  const uploads = [];
  page.on('request', (request) => {
    if (!request.url().includes('/upload/resumable')) return;
    uploads.push({ method: request.method(), offset: request.headers()['upload-offset'] });
  });
  return uploads;
}

/** Slows the network of a page down to that many bytes a second; -1 is full speed. */
async function throttle(page, bytesPerSecond) {
  const chrome = await page.context().newCDPSession(page);
  await chrome.send('Network.enable');
  const conditions = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: bytesPerSecond };
  const set = (changes) =>
    chrome.send('Network.emulateNetworkConditions', Object.assign(conditions, changes));
  await set({});
  return {
    setSpeed: (speed) => set({ uploadThroughput: speed }),
    setOffline: (offline) => set({ offline }),
  };
}

/** Begins a resumable upload with all bytes but one. */
async function beginUpload({ supabase }, name, text) {
  const { data } = await supabase.auth.getSession();
  const metadata = { bucketName: 'samples', objectName: name, contentType: 'application/pdf' };
  const encoded = Object.entries(metadata).map(
    ([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`,
  );
  const response = await fetch(`${baseURL}/storage/v1/upload/resumable`, {
    method: 'POST',
    headers: {
      apikey: publishableKey,
      Authorization: `Bearer ${data.session.access_token}`,
      'Tus-Resumable': '1.0.0',
      'Upload-Length': String(text.length + 1),
      'Upload-Metadata': encoded.join(','),
      'Content-Type': 'application/offset+octet-stream',
    },
    body: text,
  });
  assert.equal(response.status, 201);
}

/** The files in which the stack keeps objects and that hold this text. */
async function filesWith(text) {
  const folder = join(process.env.BANYAN_HOME, 'storage');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  // A file may go meanwhile.
  const held = await Promise.all(paths.map((path) => readFile(path, 'latin1').catch(() => '')));
  return paths.filter((_, index) => held[index].includes(text));
}

/** Waits for what the stack does once a minute. */
async function eventually(isDone) {
  const end = Date.now() + 150_000;
  while (!(await isDone())) {
    assert.ok(Date.now() < end, 'it is not done in time');
    await setTimeout(1_000);
  }
}
