/**
 * Makes the font files of the application. English screens load one: Anek Latin with its weight
 * axis (400-760) and the part of its width axis (88-100 %) that headings need. The Indic fonts have
 * weights only. They load where a language needs them and the device has no font for it. All are
 * under the SIL Open Font License 1.1, which lies beside them. Run it again after changing the
 * version of a font package.
 */
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import subsetFont from 'subset-font';

const packages = new URL('../node_modules/@fontsource-variable/', import.meta.url);
const fonts = new URL('../src/assets/fonts/', import.meta.url);

const weights = { wght: { min: 400, max: 760 } };
const ascii = charactersOf(0x20, 0x7e);
const typography = ' ·×÷−–—‘’“”…•éèà°½';
/** The characters that join and separate letters, and the circle that carries a lone vowel sign. */
const joiners = '\u200c\u200d\u25cc';

await make('anek-latin', 'latin-standard', ascii + typography, { ...weights, wdth: { min: 88, max: 100 } });
await make('anek-devanagari', 'devanagari-wght', charactersOf(0x0900, 0x097f) + joiners, weights);
await make('anek-gujarati', 'gujarati-wght', charactersOf(0x0a80, 0x0aff) + '।॥' + joiners, weights);
await copyFile(new URL('anek-latin/LICENSE', packages), new URL('LICENSE', fonts));

function charactersOf(first, last) {
  return String.fromCharCode(...Array.from({ length: last - first + 1 }, (_, index) => first + index));
}

async function make(name, part, text, variationAxes) {
  const source = await readFile(new URL(`${name}/files/${name}-${part}-normal.woff2`, packages));
  const font = await subsetFont(source, text, { targetFormat: 'woff2', variationAxes });
  await writeFile(new URL(`${name}.woff2`, fonts), font);
  process.stdout.write(`${name}.woff2: ${font.length} bytes\n`);
}
