import { useEffect } from 'react';
import { env } from '@/lib/env';

/** Names the page in the tab and tells search engines whether it is theirs to list. */
export function usePage(title: string, visibility: 'public' | 'private'): void {
  useEffect(() => {
    document.title = `${title} · ${env.productName}`;
    const robots = document.querySelector<HTMLMetaElement>('meta[name="robots"]') ?? addRobots();
    robots.content = visibility === 'public' ? 'index,follow' : 'noindex,nofollow';
  }, [title, visibility]);
}

function addRobots(): HTMLMetaElement {
  const meta = document.createElement('meta');
  meta.name = 'robots';
  document.head.append(meta);
  return meta;
}
