import { createContext, useContext, useEffect } from 'react';
import { useLocation } from 'react-router';
import { env } from '@/lib/env';

/** What a page tells the tab, search engines and those who share its address. */
export interface PageHead {
  title: string;
  visibility: 'public' | 'private';
  /** One or two sentences; only pages that search engines may list have it. */
  description?: string | undefined;
  path: string;
}

/** Receives the head of the page that is being prerendered, where no document is (see scripts/prerender.mjs). */
export const PageHeadContext = createContext<((head: PageHead) => void) | null>(null);

/** Names the page in the tab and describes it to search engines, or keeps it out of them. */
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

/** One `<meta>` or `<link>`: the attribute that names it, its name, and what it says. */
export interface HeadTag {
  tag: 'meta' | 'link';
  key: 'name' | 'property' | 'rel';
  name: string;
  value: string;
}

/**
 * The tags of a page beside its title. Addresses begin with the configured site, else with `origin`; without either
 * they are left out, because a relative canonical address means nothing.
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

/** The tags that this file manages carry a mark, so that those of the page before are taken away. */
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
