import { expect, test, vi } from 'vitest';
import { copyText } from './copy-text';

test('s177_text_is_copied_by_selection_where_the_clipboard_api_is_missing', async () => {
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
