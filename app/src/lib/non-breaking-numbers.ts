/** Keeps numbers on a line with their nouns: `2 to 6 hours`. */
export function withNonBreakingNumbers(words: string): string {
  return words
    .replace(/(\d) (\p{L}\S?) (?=\d)/gu, '$1\u00a0$2\u00a0')
    .replace(/(\d) (?=\p{L})/gu, '$1\u00a0');
}
