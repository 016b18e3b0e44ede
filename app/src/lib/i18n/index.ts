import { useSyncExternalStore } from 'react';
import en from '@/locales/en.json';

/** Every text of the interface has a key in locales/en.json, the source that all languages fall back to. */
export type MessageKey = keyof typeof en;

type PluralStem<Key> = Key extends `${infer Stem}.other` ? Stem : never;
export type PluralKey = PluralStem<MessageKey>;

type Catalogue = Readonly<Partial<Record<string, string>>>;
type Values = Readonly<Record<string, string | number>>;

const storageKey = 'language';
const loaders = import.meta.glob<Catalogue>(['../../locales/*.json', '!../../locales/en.json'], {
  import: 'default',
});

let language = 'en';
let catalogue: Catalogue = en;
const listeners = new Set<() => void>();

/** The text of `key` in the current language, else in English, with `{name}` replaced from `values`. */
export function t(key: MessageKey, values: Values = {}): string {
  return fill(catalogue[key] ?? en[key], values);
}

/** The text for a number: `<stem>.one` or `<stem>.other` by the rules of the language, with `{count}` filled in. */
export function tn(stem: PluralKey, count: number): string {
  const form = new Intl.PluralRules(language).select(count);
  const messages: Catalogue = en;
  const text =
    catalogue[`${stem}.${form}`] ?? catalogue[`${stem}.other`] ?? messages[`${stem}.${form}`] ?? stem;
  return fill(text, { count });
}

function fill(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
}

/** Loads a language and shows it from now on. A language without a catalogue leaves English in place. */
export async function setLanguage(next: string): Promise<void> {
  const load = loaders[`../../locales/${next}.json`];
  catalogue = load ? await load() : en;
  language = load ? next : 'en';
  document.documentElement.lang = language;
  localStorage.setItem(storageKey, language);
  listeners.forEach((listener) => {
    listener();
  });
}

/** Shows the language that was chosen on this device before. */
export async function restoreLanguage(): Promise<void> {
  const stored = readStored();
  if (stored !== null && stored !== 'en') await setLanguage(stored);
}

function readStored(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Gives `t` and `tn` to a component and renders it again when the language changes. */
export function useI18n(): { t: typeof t; tn: typeof tn; language: string } {
  const current = useSyncExternalStore(
    subscribe,
    () => language,
    () => 'en',
  );
  return { t, tn, language: current };
}
