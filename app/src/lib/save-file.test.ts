import { expect, test, vi } from 'vitest';
import { blobFromBase64, saveBlob } from './save-file';

// rows: S-203
test('base64 becomes a blob of the same bytes and the given type', async () => {
  const bytes = Uint8Array.from([0x7b, 0x5c, 0x72, 0x00, 0xff]);
  const blob = blobFromBase64(btoa(String.fromCharCode(...bytes)), 'application/rtf');
  expect(blob.type).toBe('application/rtf');
  const read = await new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => {
      resolve(reader.result);
    };
    reader.readAsArrayBuffer(blob);
  });
  expect(read instanceof ArrayBuffer ? [...new Uint8Array(read)] : read).toEqual([...bytes]);
});

test('text that is not base64 is refused', () => {
  expect(() => blobFromBase64('{\\rtf1}', 'application/rtf')).toThrow();
});

// rows: S-203
test('the object URL is revoked after use, but not at once', () => {
  vi.useFakeTimers();
  const revoke = vi.fn();
  vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => 'blob:plan', revokeObjectURL: revoke }));
  const clicked: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    clicked.push(`${this.href} ${this.download}`);
  });
  saveBlob(new Blob(['x']), 'plan.rtf');
  expect(clicked).toEqual(['blob:plan plan.rtf']);
  expect(revoke).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60_000);
  expect(revoke).toHaveBeenCalledWith('blob:plan');
  expect(document.querySelector('a')).toBeNull();
});
