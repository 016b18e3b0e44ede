import { beforeEach, describe, expect, test, vi } from 'vitest';
import { clearUserData } from '@/lib/clear-user-data';
import { isLeavingWarned } from '@/lib/leave-warning';
import { FakeApi, json } from '@/test/fake-api';
import { discarded, forgetTransfers, lastTransfer, pdf, transfers } from '@/test/fake-transfers';
import { teacher } from '@/test/show-route';
import { storeSession } from '@/test/store-session';
import { createSampleUpload, sampleUploadOf, settled } from './sample-upload';

const fake = await vi.hoisted(() => import('@/test/fake-transfers'));
// The only import of this module. Vitest does not mock two imports of one part at a time.
vi.mock('@/lib/retryable-import', () => ({ retryableImport: () => () => Promise.resolve(fake) }));

const tool = 'generate-lesson-plan';
const remove = 'DELETE /storage/v1/object/samples';
const url = 'http://127.0.0.1:9/storage/v1/upload/resumable/1';

/** As after a reload of the page. */
const reload = () => createSampleUpload(tool, teacher.id);

async function begin(upload = reload(), file = pdf()) {
  const before = transfers.length;
  upload.pick(file);
  await vi.waitFor(() => {
    expect(transfers.length).toBe(before + 1);
  });
  return { upload, transfer: lastTransfer() };
}

async function finish(upload: ReturnType<typeof reload>) {
  lastTransfer().end('uploaded');
  await vi.waitFor(() => {
    expect(upload.getState().kind).toBe('uploaded');
  });
}

describe('the sample of a builder', () => {
  let api: FakeApi;

  beforeEach(() => {
    localStorage.clear();
    forgetTransfers();
    storeSession(teacher);
    api = new FakeApi().on(remove, () => json([]));
  });

  // rows: S-204
  test('a picked file is uploaded into the folder of its user', async () => {
    const { upload, transfer } = await begin();
    expect(transfer.object).toMatch(new RegExp(`^${teacher.id}/[0-9a-f-]{36}\\.pdf$`));
    transfer.onProgress(1_000_000);
    expect(upload.getState()).toEqual({
      kind: 'uploading',
      name: 'plan.pdf',
      size: 4_800_000,
      sent: 1_000_000,
      holdup: null,
    });
    expect(isLeavingWarned()).toBe(true);
    await finish(upload);
    expect(upload.getState()).toEqual({ kind: 'uploaded', name: 'plan.pdf', object: transfer.object });
    expect(isLeavingWarned()).toBe(false);
  });

  // rows: S-204
  test.each(['lost', 'busy'] as const)('a holdup is shown until something arrives: %s', async (holdup) => {
    const { upload, transfer } = await begin();
    transfer.onProgress(1_000_000);
    transfer.onWaiting(holdup);
    expect(upload.getState()).toMatchObject({ sent: 1_000_000, holdup });
    transfer.onProgress(1_000_001);
    expect(upload.getState()).toMatchObject({ sent: 1_000_001, holdup: null });
    upload.stop();
  });

  // rows: S-204
  test('an upload that failed is tried again where it stopped', async () => {
    const { upload, transfer } = await begin();
    transfer.onUrl(url);
    transfer.end('lost');
    await vi.waitFor(() => {
      expect(upload.getState()).toEqual({ kind: 'failed', name: 'plan.pdf', reason: 'lost' });
    });
    upload.retry();
    expect(upload.getState().kind).toBe('uploading');
    await vi.waitFor(() => {
      expect(transfers).toHaveLength(2);
    });
    expect(lastTransfer()).toMatchObject({ uploadUrl: url, object: transfer.object });
    await finish(upload);
  });

  // rows: S-204
  test('after a reload the same file goes on where it stopped', async () => {
    const { upload, transfer } = await begin();
    transfer.onUrl(url);
    upload.stop();
    const reloaded = reload();
    expect(reloaded.getState()).toEqual({ kind: 'interrupted', name: 'plan.pdf' });
    const again = await begin(reloaded);
    expect(again.transfer).toMatchObject({ uploadUrl: url, object: transfer.object });
    expect(discarded).toEqual([]);
    await finish(reloaded);
  });

  // rows: S-204
  test('another file takes the place of an unfinished upload, which is given up', async () => {
    const { upload, transfer } = await begin();
    transfer.onUrl(url);
    const other = await begin(upload, pdf('other.pdf'));
    expect(transfer.signal.aborted).toBe(true);
    expect(other.transfer.uploadUrl).toBe('');
    expect(other.transfer.object).not.toBe(transfer.object);
    expect(discarded).toEqual([url]);
    await finish(upload);
  });

  // rows: S-204 D37
  test('a removed sample is deleted on the server', async () => {
    const { upload, transfer } = await begin();
    await finish(upload);
    upload.remove();
    expect(upload.getState()).toEqual({ kind: 'none' });
    await vi.waitFor(() => {
      expect(api.callsTo(remove).map((call) => call.body)).toEqual([{ prefixes: [transfer.object] }]);
    });
    expect(reload().getState()).toEqual({ kind: 'none' });
  });

  // rows: S-204
  test('a cancelled upload is given up and changes nothing more', async () => {
    const { upload, transfer } = await begin();
    transfer.onUrl(url);
    upload.remove();
    transfer.onProgress(2_000_000);
    transfer.end('uploaded');
    await vi.waitFor(() => {
      expect(discarded).toEqual([url]);
      expect(api.callsTo(remove).map((call) => call.body)).toEqual([{ prefixes: [transfer.object] }]);
    });
    expect(upload.getState()).toEqual({ kind: 'none' });
    expect(isLeavingWarned()).toBe(false);
  });

  // rows: S-204 D37
  test('an uploaded sample is remembered for a day, and an unfinished one for an hour', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { upload, transfer } = await begin();
    await finish(upload);
    expect(reload().getState()).toEqual({ kind: 'uploaded', name: 'plan.pdf', object: transfer.object });
    vi.setSystemTime(Date.now() + 23 * 60 * 60 * 1_000);
    expect(reload().getState()).toEqual({ kind: 'none' });
    const { upload: unfinished } = await begin();
    unfinished.stop();
    vi.setSystemTime(Date.now() + 60 * 60 * 1_000);
    expect(reload().getState()).toEqual({ kind: 'none' });
    vi.useRealTimers();
  });

  // rows: S-204
  test('a record that cannot be read is no sample', () => {
    for (const record of ['', '{', '7', '{"name":7}', '{"name":"a.pdf","object":"me/1.pdf"}']) {
      localStorage.setItem(`sample.${tool}.${teacher.id}`, record);
      expect(reload().getState(), record).toEqual({ kind: 'none' });
    }
  });

  // rows: S-204 S-427
  test('an upload goes on while other screens are looked at, until the user signs out', async () => {
    const upload = sampleUploadOf(tool, teacher.id);
    const { transfer } = await begin(upload);
    expect(sampleUploadOf(tool, teacher.id)).toBe(upload);
    expect(sampleUploadOf(tool, 'somebody-else').getState()).toEqual({ kind: 'none' });
    clearUserData(teacher.id);
    expect(sampleUploadOf(tool, teacher.id).getState()).toEqual({ kind: 'none' });
    expect(transfer.signal.aborted).toBe(true);
    transfer.onUrl(url);
    expect(reload().getState()).toEqual({ kind: 'none' });
  });

  // rows: S-204
  test('a press waits until the upload ends, or until it is called off', async () => {
    const waits = (upload: ReturnType<typeof reload>) => settled(upload, new AbortController().signal);
    expect(await waits(reload())).toBe(true);
    const { upload, transfer } = await begin();
    const waiting = waits(upload);
    const calledOff = new AbortController();
    const other = settled(upload, calledOff.signal);
    calledOff.abort();
    expect(await other).toBe(false);
    transfer.end('refused');
    expect(await waiting).toBe(false);
  });
});
