import type { Option } from './curriculum';

/**
 * What is offered for what was typed: each of its words begins a word of the value or of the label. All, where nothing
 * was typed or one of them was already chosen.
 */
export function matchingOptions(options: readonly Option[], typed: string): readonly Option[] {
  const wanted = wordsOf(typed);
  const text = typed.trim();
  if (wanted.length === 0 || options.some(({ value }) => value === text)) return options;
  return options.filter(({ value, label }) => {
    const words = wordsOf(`${value} ${label}`);
    return wanted.every((part) => words.some((word) => word.startsWith(part)));
  });
}

/** The only option that goes on where what was typed ends. */
export function uniqueCompletion(options: readonly Option[], typed: string): Option | undefined {
  const prefix = plain(typed);
  const found = options.filter(({ value }) => plain(value).startsWith(prefix));
  const [one] = found;
  return prefix !== '' && found.length === 1 && one?.value !== typed.trim() ? one : undefined;
}

function plain(text: string): string {
  return wordsOf(text).join(' ');
}

/** Words of any script; the marks of Indic vowels are parts of their words. */
function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}
