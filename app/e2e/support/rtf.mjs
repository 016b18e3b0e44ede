const hiddenDestinations = new Set([
  'fonttbl',
  'colortbl',
  'stylesheet',
  'info',
  'header',
  'headerf',
  'footer',
  'footerf',
  'pict',
  'listtable',
  'listoverridetable',
  'generator',
]);
const spaces = new Set(['par', 'line', 'tab', 'cell', 'row', 'page', 'sect']);
const characters = {
  bullet: '•',
  endash: '–',
  emdash: '—',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
};
const token = /\\([a-z]+)(-?\d+)? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)/gi;

/** The text that a reader of the RTF sees, without headers and footers. */
export function textOfRtf(rtf) {
  let text = '';
  let group = { hidden: false, fallback: 1 };
  const outer = [];
  let toSkip = 0;
  for (const [, control, number, hex, symbol, brace, plain] of rtf.matchAll(token)) {
    if (brace === '{') outer.push({ ...group });
    else if (brace === '}') group = outer.pop() ?? group;
    else if (symbol === '*' || hiddenDestinations.has(control)) group.hidden = true;
    else if (control === 'uc') group.fallback = Number(number);
    else if (control === 'u') {
      if (group.hidden) continue;
      text += String.fromCharCode((Number(number) + 65536) % 65536);
      toSkip = group.fallback;
    } else if (group.hidden) continue;
    else if (hex) {
      if (toSkip > 0) toSkip -= 1;
      else text += String.fromCharCode(parseInt(hex, 16));
    } else if (control) text += spaces.has(control) ? '\n' : (characters[control] ?? '');
    else if (symbol) text += symbol === '~' ? ' ' : '\\{}'.includes(symbol) ? symbol : '';
    else if (plain) {
      text += plain.slice(toSkip);
      toSkip = 0;
    }
  }
  return text;
}

/**
 * Two texts are compared without white space and without the lines that are left blank for writing.
 */
export function comparable(text) {
  return text.normalize('NFC').replace(/[\s\u00a0_]+/g, '');
}
