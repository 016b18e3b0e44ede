import type { Option } from './curriculum';

/**
 * Returns the options for a typed text. Each of its words begins a word of the value or of the
 * label. It returns all options if the text is empty or is an option.
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

/** Returns the only option that continues the typed text. */
export function uniqueCompletion(options: readonly Option[], typed: string): Option | undefined {
  const prefix = plain(typed);
  const found = options.filter(({ value }) => plain(value).startsWith(prefix));
  const [one] = found;
  return prefix !== '' && found.length === 1 && one?.value !== typed.trim() ? one : undefined;
}

function plain(text: string): string {
  return wordsOf(text).join(' ');
}

/** Returns the words of a text in any script. The marks of Indic vowels belong to their words. */
function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}
