import type { Language } from './catalogues';

/** Families of index.css, each with a letter for which only it is used. */
const fonts: Partial<Record<Language, { family: string; letter: string }>> = {
  hi: { family: 'Anek Devanagari', letter: 'क' },
  mr: { family: 'Anek Devanagari', letter: 'क' },
  gu: { family: 'Anek Gujarati', letter: 'ક' },
};

/** On a slower network the language is shown in the letters of the device. */
const longestWaitMs = 3_000;

/**
 * Resolves when the letters of a language have loaded, so that no line moves after it is shown. The
 * font of the device is there at once. English needs none.
 */
export async function loadFontOf(language: Language): Promise<void> {
  const font = fonts[language];
  if (!font || !('fonts' in document)) return;
  const faces = ['400', '700'].map((weight) =>
    document.fonts.load(`${weight} 1em "${font.family}"`, font.letter),
  );
  const enough = new Promise((resolve) => {
    setTimeout(resolve, longestWaitMs);
  });
  await Promise.race([Promise.all(faces), enough]).catch(() => undefined);
}
