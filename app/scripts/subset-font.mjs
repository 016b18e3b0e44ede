/**
 * Makes the one font file that English screens load: Anek Latin with its weight axis (400-760) and just enough of
 * its width axis (88-100 %) for headings. Run it again after changing the version of the font package.
 */
import { readFile, writeFile } from 'node:fs/promises';
import subsetFont from 'subset-font';

const source = new URL(
  '../node_modules/@fontsource-variable/anek-latin/files/anek-latin-latin-standard-normal.woff2',
  import.meta.url,
);
const target = new URL('../src/assets/fonts/anek-latin.woff2', import.meta.url);

const ascii = String.fromCharCode(...Array.from({ length: 95 }, (_, index) => 0x20 + index));
const typography = ' ·×÷−–—‘’“”…•éèà°½';

const font = await subsetFont(await readFile(source), ascii + typography, {
  targetFormat: 'woff2',
  variationAxes: { wght: { min: 400, max: 760 }, wdth: { min: 88, max: 100 } },
});
await writeFile(target, font);
process.stdout.write(`anek-latin.woff2: ${font.length} bytes\n`);
