/**
 * Writes a .br and a .gz beside every text file of the build,
 * so that the server never compresses while it serves.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const compressible = /\.(html|js|css|svg|json|txt|xml)$/;
const smallestWorthwhile = 512;

for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (!entry.isFile() || !compressible.test(entry.name)) continue;
  const content = await readFile(path);
  if (content.length < smallestWorthwhile) continue;
  await writeFile(`${path}.br`, await promisify(brotliCompress)(content, { params: brotliParams(content) }));
  await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }));
}

function brotliParams(content) {
  return {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    // The file is one block, so that its parts share what they have in common.
    [constants.BROTLI_PARAM_LGBLOCK]: 20,
  };
}
