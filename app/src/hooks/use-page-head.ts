import { createContext, useContext, useEffect } from 'react';
import { useLocation } from 'react-router';
import { env } from '@/lib/env';

/** What a page tells the tab, search engines and shared links. */
export interface PageHead {
  title: string;
  visibility: 'public' | 'private';
  /** One or two sentences. Only pages for search engines have it. */
  description?: string | undefined;
  path: string;
}

/**
 * Receives the head of the page that is being prerendered, where there is no document
 * (scripts/prerender.mjs).
 */
export const PageHeadContext = createContext<((head: PageHead) => void) | null>(null);

/** Sets the title and the tags of the page, or keeps it out of search engines. */
export function usePageHead(title: string, visibility: PageHead['visibility'], description?: string): void {
  const { pathname: path } = useLocation();
  const receive = useContext(PageHeadContext);
  receive?.({ title, visibility, description, path });
  useEffect(() => {
    const head = { title, visibility, description, path };
    document.title = fullTitle(title);
    showTags(headTags(head, window.location.origin));
  }, [title, visibility, description, path]);
}

export function fullTitle(title: string): string {
  return `${title} · ${env.productName}`;
}

/** One `<meta>` or `<link>`: its naming attribute, its name and its content. */
export interface HeadTag {
  tag: 'meta' | 'link';
  key: 'name' | 'property' | 'rel';
  name: string;
  value: string;
}

/**
 * Returns the tags of a page besides its title. Addresses begin with the configured site, else with
 * `origin`. Without either they are left out, because a relative canonical address means nothing.
 */
export function headTags({ title, visibility, description, path }: PageHead, origin: string): HeadTag[] {
  if (visibility === 'private') return [meta('robots', 'noindex,nofollow')];
  const site = env.siteUrl || origin;
  const tags = [
    meta('robots', 'index,follow'),
    property('og:type', 'website'),
    property('og:site_name', env.productName),
    property('og:locale', 'en_IN'),
    property('og:title', title),
    meta('twitter:card', 'summary'),
  ];
  if (description) tags.push(meta('description', description), property('og:description', description));
  if (site) {
    const address = `${site}${path}`;
    tags.push({ tag: 'link', key: 'rel', name: 'canonical', value: address }, property('og:url', address));
  }
  return tags;
}

function meta(name: string, value: string): HeadTag {
  return { tag: 'meta', key: 'name', name, value };
}

function property(name: string, value: string): HeadTag {
  return { tag: 'meta', key: 'property', name, value };
}

/** The tags of this file have a data attribute, so that those of the page before can be removed. */
function showTags(tags: readonly HeadTag[]): void {
  document.head.querySelectorAll('[data-page]').forEach((old) => {
    old.remove();
  });
  for (const { tag, key, name, value } of tags) {
    const element = document.createElement(tag);
    element.setAttribute(key, name);
    element.setAttribute(tag === 'link' ? 'href' : 'content', value);
    element.dataset.page = '';
    document.head.append(element);
  }
}
