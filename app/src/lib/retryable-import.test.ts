import { expect, test, vi } from 'vitest';
import { failedChunkUrl, retryableImport } from './retryable-import';

test('a failed import without an address is repeated as before', async () => {
  const load = vi.fn(() => Promise.resolve({ name: 'part' }));
  load.mockRejectedValueOnce(new TypeError('Importing a module script failed.'));
  const fetchPart = retryableImport(load);
  await expect(fetchPart()).rejects.toThrow('failed');
  await expect(fetchPart()).resolves.toEqual({ name: 'part' });
  expect(load).toHaveBeenCalledTimes(2);
});

test('a failed import whose address is known is never repeated there', async () => {
  const address = 'https://school.example/assets/checks-1a_b.js';
  const load = vi.fn(() => Promise.resolve({ name: 'part' }));
  load.mockRejectedValueOnce(new TypeError(`Failed to fetch dynamically imported module: ${address}`));
  const fetchPart = retryableImport(load);
  await expect(fetchPart()).rejects.toThrow('Failed to fetch');
  // Nothing is fetched from the network here. Only a
  // browser can show that the module itself loads again.
  await expect(fetchPart()).rejects.toThrow();
  expect(load).toHaveBeenCalledTimes(1);
});

test.each([
  [
    new TypeError('Failed to fetch dynamically imported module: http://a.example/b-1.js'),
    'http://a.example/b-1.js',
  ],
  [new TypeError('Importing a module script failed.'), undefined],
  ['refused', undefined],
])('the address is read from the message of the browser', (error, address) => {
  expect(failedChunkUrl(error)).toBe(address);
});
