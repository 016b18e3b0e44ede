import type { Language } from './catalogues';

/** Families of index.css, with a letter that only they are asked for. */
const fonts: Partial<Record<Language, { family: string; letter: string }>> = {
  hi: { family: 'Anek Devanagari', letter: 'क' },
  mr: { family: 'Anek Devanagari', letter: 'क' },
  gu: { family: 'Anek Gujarati', letter: 'ક' },
};

/** On a network that takes longer the language is shown in whatever letters the device has. */
const longestWaitMs = 3_000;

/**
 * Settles when the letters of a language are there, so that no line moves after it is shown. The device's own font is
 * there at once; English needs none.
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
