import { expect, test, vi } from 'vitest';
import { failedChunkUrl, retryableImport } from './retryable-import';

test('a_part_that_failed_without_an_address_is_asked_for_as_before', async () => {
  const load = vi.fn(() => Promise.resolve({ name: 'part' }));
  load.mockRejectedValueOnce(new TypeError('Importing a module script failed.'));
  const fetchPart = retryableImport(load);
  await expect(fetchPart()).rejects.toThrow('failed');
  await expect(fetchPart()).resolves.toEqual({ name: 'part' });
  expect(load).toHaveBeenCalledTimes(2);
});

test('a_part_whose_address_is_told_is_never_asked_for_there_again', async () => {
  const address = 'https://school.example/assets/checks-1a_b.js';
  const load = vi.fn(() => Promise.resolve({ name: 'part' }));
  load.mockRejectedValueOnce(new TypeError(`Failed to fetch dynamically imported module: ${address}`));
  const fetchPart = retryableImport(load);
  await expect(fetchPart()).rejects.toThrow('Failed to fetch');
  // Nothing is fetched from the network here: that the part itself is had so is for a browser to say.
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
])('an_address_is_read_from_what_the_browser_says', (error, address) => {
  expect(failedChunkUrl(error)).toBe(address);
});
