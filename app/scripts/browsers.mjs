/**
 * Finds what the build uses that the oldest browsers of .browserslistrc
 * do not support (SPECIFICATION.md D36). Syntax and calls are read from
 * the built files, so that code of a library counts as well.
 */
import { readdir, readFile } from 'node:fs/promises';
import { Linter } from 'eslint';

const dist = new URL('../dist/', import.meta.url);

/** Syntax up to ES2022 can be read. Of that, these came after Safari 15.4. */
const syntax = [
  ['StaticBlock', 'a static block (Safari 16.4)'],
  ['Literal[regex.pattern=/\\(\\?<[=!]/]', 'a regular expression that looks behind (Safari 16.4)'],
];
const methods = [
  ['toSorted|toReversed|toSpliced', 'Chrome 110'],
  ['findLast|findLastIndex', 'Firefox 104'],
  ['isWellFormed|toWellFormed', 'Chrome 111'],
];
const functions = [
  ['Array', 'fromAsync', 'Chrome 121'],
  ['Object|Map', 'groupBy', 'Chrome 117'],
  ['Promise', 'withResolvers|try', 'Chrome 119'],
  ['AbortSignal', 'any|timeout', 'Chrome 103'],
  ['URL', 'canParse|parse', 'Chrome 120'],
  ['Intl', 'Segmenter|DurationFormat', 'Firefox 125'],
];
const names = [
  ['requestIdleCallback', 'no Safari'],
  ['scheduler', 'Chrome 94, no Safari'],
  ['Iterator', 'Chrome 122'],
];

const restricted = [
  ...syntax.map(([selector, message]) => ({ selector, message })),
  ...methods.map(([name, since]) => ({
    selector: `CallExpression > MemberExpression.callee[property.name=/^(${name})$/]`,
    message: `${name} (${since})`,
  })),
  ...functions.map(([object, name, since]) => ({
    selector: `MemberExpression[object.name=/^(${object})$/][property.name=/^(${name})$/]`,
    message: `${object}.${name} (${since})`,
  })),
  ...names.map(([name, since]) => ({
    selector: `CallExpression[callee.name='${name}'], MemberExpression[object.name='${name}']`,
    message: `${name} (${since})`,
  })),
];

/**
 * Styles that came after the oldest of those browsers. What `ornament` matches may be missing,
 * because it says nothing that is not said in another way.
 */
const styles = [
  { since: 'colours of Chrome 111', use: /\b(?:oklch|oklab|lab|lch|color-mix)\(/ },
  { since: 'heights of Chrome 108', use: /\b\d+[dsl]v[hw]\b/ },
  { since: '@container, @scope and @starting-style', use: /@(?:container|scope|starting-style)\b/ },
  { since: 'nesting of Chrome 112', use: /[{;}]\s*&/ },
  // A choice may show its own mark, a placeholder may be grey, and a sheet may end below a toast.
  {
    since: ':has of Chrome 105',
    use: /[^{}]*:has\([^{}]*/,
    ornament: /\.has-(?:checked|disabled|focus-visible|\\\[option)|\[data-toast\]/,
  },
  // Sheets are slightly rotated, or rise under the pointer.
  {
    since: 'translate, rotate and scale of Chrome 104',
    use: /[^{}]*\{[^{}]*(?<=[{;])(?:translate|rotate|scale):[^{}]*/,
    ornament: /rotate-|\.tool-sheet/,
  },
];

/** Returns one line for each fault, and none if all of those browsers can read the build. */
export async function newerThanPromised(folder = dist) {
  const files = await readdir(folder, { recursive: true });
  const read = (name) => readFile(new URL(name, folder), 'utf8');
  const scripts = files.filter((name) => name.endsWith('.js'));
  const sheets = files.filter((name) => name.endsWith('.css'));
  if (!scripts.length || !sheets.length) throw new Error(`nothing is built in ${folder.pathname}`);
  const faults = [
    ...(await Promise.all(scripts.map(async (name) => faultsOfScript(name, await read(name))))),
    ...(await Promise.all(sheets.map(async (name) => faultsOfStyles(name, await read(name))))),
  ];
  return faults.flat();
}

export function faultsOfScript(name, code) {
  const config = {
    languageOptions: { ecmaVersion: 2022, sourceType: 'module' },
    linterOptions: { noInlineConfig: true },
    rules: { 'no-restricted-syntax': ['error', ...restricted] },
  };
  return new Linter().verify(code, config).map(({ message }) => `${name}: ${message}`);
}

/** Only browsers that know it read the content of `@supports`. */
export function faultsOfStyles(name, code) {
  const asked = withoutSupports(code);
  return styles.flatMap(({ since, use, ornament }) =>
    [...asked.matchAll(new RegExp(use, 'g'))]
      .filter(([found]) => !ornament?.test(found))
      .map(([found]) => `${name}: ${since}: ${found.slice(-80)}`),
  );
}

function withoutSupports(code) {
  const start = code.indexOf('@supports');
  if (start < 0) return code;
  let end = code.indexOf('{', start);
  for (let depth = 1; depth > 0;) {
    end += 1;
    if (code[end] === '{') depth += 1;
    if (code[end] === '}') depth -= 1;
  }
  return code.slice(0, start) + withoutSupports(code.slice(end + 1));
}
