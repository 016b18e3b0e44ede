import { clsx, type ClassValue } from 'clsx';
import { createTailwindMerge } from 'tailwind-merge';

const anything = () => true;
const noSuffix = [''];
const sizes = ['sm', 'base', 'lg', 'xl', '2xl', '3xl', 'title', 'hero'];
const isLength = (value: string) => /^\[(?!color:|var)[\d.]|^\[clamp/.test(value);

/** Groups of classes that set the same property. `name` is the beginning of their classes. */
const group = (...names: string[]) => names.map((name) => ({ [name]: [anything] }));

/** A group for each side: `border-b` has the default width, `border-b-2` another. */
const sides = (name: string, names: string[]) =>
  Object.fromEntries(
    names.map((side) => [`${name}-${side}`, [{ [`${name}-${side}`]: [...noSuffix, anything] }]]),
  );

/**
 * Only the groups that callers of components override. All existing groups would be larger than the
 * rest of the shared code. A class without a group stays as it is.
 */
const merge = createTailwindMerge(() => ({
  cacheSize: 200,
  theme: {},
  classGroups: {
    display: ['block', 'inline-block', 'inline', 'flex', 'inline-flex', 'grid', 'contents', 'hidden'],
    position: ['static', 'fixed', 'absolute', 'relative', 'sticky'],
    size: group('size'),
    width: group('w'),
    height: group('h'),
    'min-width': group('min-w'),
    'min-height': group('min-h'),
    'max-width': group('max-w'),
    'max-height': group('max-h'),
    padding: group('p'),
    'padding-x': group('px'),
    'padding-y': group('py'),
    'padding-top': group('pt'),
    'padding-right': group('pr'),
    'padding-bottom': group('pb'),
    'padding-left': group('pl'),
    gap: group('gap'),
    'gap-x': group('gap-x'),
    'gap-y': group('gap-y'),
    justify: group('justify'),
    'justify-self': group('justify-self', 'justify-items'),
    items: group('items'),
    'font-size': [{ text: [...sizes, isLength] }],
    'text-align': [{ text: ['left', 'center', 'right', 'justify', 'start', 'end'] }],
    'text-wrap': [{ text: ['wrap', 'nowrap', 'balance', 'pretty'] }],
    'text-color': group('text'),
    leading: group('leading'),
    weight: [{ font: ['normal', 'medium', 'semibold', 'bold', 'heavy'] }],
    background: group('bg'),
    radius: [{ rounded: [...noSuffix, anything] }],
    // Classes of one side or corner add to those of all sides.
    ...sides('rounded', ['t', 'r', 'b', 'l', 'tl', 'tr', 'bl', 'br']),
    ...sides('border', ['t', 'r', 'b', 'l', 'x', 'y']),
    'border-style': [{ border: ['solid', 'dashed', 'dotted', 'none'] }],
    'border-width': [{ border: [...noSuffix, '0', '2', '4', isLength] }],
    'border-color': group('border'),
    shadow: group('shadow'),
    overflow: group('overflow'),
    'overflow-x': group('overflow-x'),
    'overflow-y': group('overflow-y'),
  },
  conflictingClassGroups: {
    size: ['width', 'height'],
    padding: ['padding-x', 'padding-y', 'padding-top', 'padding-right', 'padding-bottom', 'padding-left'],
    'padding-x': ['padding-left', 'padding-right'],
    'padding-y': ['padding-top', 'padding-bottom'],
    'font-size': ['leading'],
  },
  conflictingClassGroupModifiers: {},
  orderSensitiveModifiers: [],
}));

/** Joins classes. Of two that set the same property, the later one wins. */
export function cn(...classes: ClassValue[]): string {
  return merge(clsx(classes));
}
