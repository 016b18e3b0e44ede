import core from '@/locales/en/core.json';
import type admin from '@/locales/en/admin.json';
import type aids from '@/locales/en/aids.json';
import type communications from '@/locales/en/communications.json';
import type papers from '@/locales/en/papers.json';
import type settings from '@/locales/en/settings.json';
import type pages from '@/locales/en/pages.json';
import type previews from '@/locales/en/previews.json';
import type account from '@/locales/en/account.json';
import type auth from '@/locales/en/auth.json';
import type blog from '@/locales/en/blog.json';
import type builder from '@/locales/en/builder.json';
import type landing from '@/locales/en/landing.json';
import type lessons from '@/locales/en/lessons.json';
import type payments from '@/locales/en/payments.json';
import type tools from '@/locales/en/tools.json';
import type updates from '@/locales/en/updates.json';

/**
 * The texts of each area of the application: one file for each language in
 * `locales/<language>/<area>.json`.
 */
interface Areas {
  core: typeof core;
  pages: typeof pages;
  previews: typeof previews;
  account: typeof account;
  admin: typeof admin;
  aids: typeof aids;
  auth: typeof auth;
  blog: typeof blog;
  communications: typeof communications;
  papers: typeof papers;
  settings: typeof settings;
  builder: typeof builder;
  landing: typeof landing;
  lessons: typeof lessons;
  payments: typeof payments;
  tools: typeof tools;
  updates: typeof updates;
}

export type Area = keyof Areas;

type KeysOf<Texts> = Texts extends unknown ? keyof Texts : never;

/** A key of an English file. English is the source and the fallback of all languages. */
export type MessageKey = KeysOf<Areas[Area]>;

type Catalogue = Readonly<Partial<Record<string, string>>>;

/** Languages by their own names, as a settings screen lists them. The first is the source. */
export const languages = [
  { id: 'en', name: 'English' },
  { id: 'hi', name: 'हिन्दी' },
  { id: 'mr', name: 'मराठी' },
  { id: 'gu', name: 'ગુજરાતી' },
] as const;

export type Language = (typeof languages)[number]['id'];

const loaders = import.meta.glob<Catalogue>(['../../locales/*/*.json', '!../../locales/en/core.json'], {
  import: 'default',
});

const loaded = new Map<Language, Map<Area, Catalogue>>([['en', new Map([['core', core]])]]);

/** Returns the text of a key in a language, if its area has loaded and is translated. */
export function textIn(language: Language, key: string): string | undefined {
  for (const catalogue of loaded.get(language)?.values() ?? []) {
    const text = catalogue[key];
    if (text !== undefined) return text;
  }
  return undefined;
}

/**
 * Loads an area if necessary. An area without a file
 * in the language is left out, and English is used.
 */
export async function fetchArea(language: Language, area: Area): Promise<void> {
  const areas = loaded.get(language) ?? new Map<Area, Catalogue>();
  loaded.set(language, areas);
  if (areas.has(area)) return;
  const load = loaders[`../../locales/${language}/${area}.json`];
  if (load) areas.set(area, await load());
}
