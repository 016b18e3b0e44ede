import { useSyncExternalStore } from 'react';
import { formatNumber } from '../money';
import { loadFontOf } from './fonts';
import { fetchArea, languages, textIn, type Area, type Language, type MessageKey } from './catalogues';

export { languages, type Area, type Language, type MessageKey };

type PluralStem<Key> = Key extends `${infer Stem}.other` ? Stem : never;
export type PluralKey = PluralStem<MessageKey>;

type Values = Readonly<Record<string, string | number>>;

const storageKey = 'language';

/** The current language and the requested one. They differ while a language loads. */
let language: Language = 'en';
let wanted: Language = 'en';
const areasInUse = new Set<Area>(['core']);
const listeners = new Set<() => void>();

/**
 * Returns the text of `key` in the current language, else
 * in English, with `{name}` replaced from `values`.
 */
export function t(key: MessageKey, values: Values = {}): string {
  return fill(textIn(language, key) ?? textIn('en', key) ?? key, values);
}

/**
 * Returns the text for a number: `<stem>.one` or `<stem>.other` by the rules of the language, with
 * `{count}` in groups.
 */
export function tn(stem: PluralKey, count: number): string {
  const form = new Intl.PluralRules(language).select(count);
  const text =
    textIn(language, `${stem}.${form}`) ??
    textIn(language, `${stem}.other`) ??
    textIn('en', `${stem}.${form}`) ??
    textIn('en', `${stem}.other`) ??
    stem;
  return fill(text, { count: formatNumber(count) });
}

function fill(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
}

/**
 * Loads the texts of areas in English and in the current language. A screen that uses them awaits
 * it. If a translation fails to load, English stays.
 */
export async function loadTexts(areas: readonly Area[]): Promise<void> {
  areas.forEach((area) => areasInUse.add(area));
  await Promise.all([
    ...areas.map((area) => fetchArea('en', area)),
    ...areas.map((area) => fetchArea(wanted, area).catch(() => undefined)),
  ]);
}

/** Loads a language and shows it now and at the next visit. Throws if it cannot be loaded. */
export async function setLanguage(next: Language): Promise<void> {
  const before = wanted;
  wanted = next;
  try {
    await Promise.all([loadFontOf(next), ...[...areasInUse].map((area) => fetchArea(next, area))]);
  } catch (error) {
    wanted = before;
    throw error;
  }
  show(next);
  try {
    localStorage.setItem(storageKey, next);
  } catch {
    // Then the choice lasts until the page is closed.
  }
}

function show(next: Language): void {
  language = next;
  document.documentElement.lang = next;
  listeners.forEach((listener) => {
    listener();
  });
}

/** Shows the language that was chosen on this device before. */
export async function restoreLanguage(): Promise<void> {
  const stored = readStored();
  if (stored) await setLanguage(stored).catch(() => undefined);
}

function readStored(): Language | undefined {
  try {
    const stored = localStorage.getItem(storageKey);
    return languages.find(({ id }) => id === stored && id !== language)?.id;
  } catch {
    return undefined;
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Gives `t` and `tn` to a component and renders it again when the language changes. */
export function useI18n(): { t: typeof t; tn: typeof tn; language: Language } {
  const current = useSyncExternalStore<Language>(
    subscribe,
    () => language,
    () => 'en',
  );
  return { t, tn, language: current };
}
