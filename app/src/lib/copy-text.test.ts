import { expect, test, vi } from 'vitest';
import { copyText } from './copy-text';

// rows: S-177
test('text is copied by selection where the Clipboard API is missing', async () => {
  vi.stubGlobal('navigator', {});
  let selected = '';
  const copy = vi.fn(() => {
    const field = document.activeElement;
    selected =
      field instanceof HTMLTextAreaElement ? field.value : (document.querySelector('textarea')?.value ?? '');
    return true;
  });
  Object.assign(document, { execCommand: copy });
  expect(await copyText('saathi@upi.example')).toBe(true);
  expect(selected).toBe('saathi@upi.example');
  expect(document.querySelector('textarea')).toBeNull();
});
