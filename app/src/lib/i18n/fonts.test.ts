import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { setLanguage } from './index';

const load = vi.fn<(font: string, text: string) => Promise<unknown>>();

describe('the letters of a language', () => {
  beforeEach(() => {
    Object.assign(document, { fonts: { load } });
    load.mockReset();
  });
  afterEach(async () => {
    await setLanguage('en');
    Reflect.deleteProperty(document, 'fonts');
  });

  // rows: S-315
  test('the letters of a language load before it is shown', async () => {
    let arrive: (value: unknown) => void = () => undefined;
    load.mockReturnValue(
      new Promise((resolve) => {
        arrive = resolve;
      }),
    );
    const shown = setLanguage('gu');
    await vi.waitFor(() => {
      expect(load.mock.calls).toEqual([
        ['400 1em "Anek Gujarati"', 'ક'],
        ['700 1em "Anek Gujarati"', 'ક'],
      ]);
    });
    expect(document.documentElement.lang).not.toBe('gu');
    arrive([]);
    await shown;
    expect(document.documentElement.lang).toBe('gu');
  });

  test('slow or failed letters do not hold up the language', async () => {
    load.mockRejectedValue(new Error('no network'));
    await setLanguage('mr');
    expect(document.documentElement.lang).toBe('mr');
    vi.useFakeTimers();
    load.mockReturnValue(new Promise(() => undefined));
    const shown = setLanguage('hi');
    await vi.advanceTimersByTimeAsync(3_000);
    vi.useRealTimers();
    await shown;
    expect(document.documentElement.lang).toBe('hi');
  });

  test('English loads no letters', async () => {
    await setLanguage('en');
    expect(load).not.toHaveBeenCalled();
  });
});
