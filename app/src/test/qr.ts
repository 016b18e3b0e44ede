import { encode } from 'uqr';

/** The modules of the QR code of a value, one line for each row, with `#` for dark. */
export function qrOf(value: string): string[] {
  return encode(value, { ecc: 'M', border: 4 }).data.map((row) =>
    row.map((dark) => (dark ? '#' : '.')).join(''),
  );
}

/** The modules of a drawn QR code, in which each dark module is a square of one unit. */
export function drawnQr(svg: Element): string[] {
  const size = Number(svg.getAttribute('viewBox')?.split(' ')[2]);
  const rows = Array.from({ length: size }, () => Array.from({ length: size }, () => '.'));
  const path = svg.querySelector('path')?.getAttribute('d') ?? '';
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    const row = rows[Number(y)];
    if (row) row[Number(x)] = '#';
  }
  return rows.map((row) => row.join(''));
}
