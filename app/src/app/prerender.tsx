import { StrictMode } from 'react';
import { prerender } from 'react-dom/static';
import { StaticRouter } from 'react-router';
import { fullTitle, headTags, PageHeadContext, type HeadTag, type PageHead } from '@/hooks/use-page-head';
import { builtInPosts } from '@/features/blog/built-in-posts';
import { LoadingScreen } from '@/components/loading-screen';
import { env } from '@/lib/env';
import { App } from './app';
import { publicPaths } from './public-paths';

export interface PrerenderedPage {
  title: string;
  tags: HeadTag[];
  /** What main.tsx hydrates. */
  html: string;
}

/** Every address that comes ready made. */
export const paths: readonly string[] = [...publicPaths, ...builtInPosts.map(({ id }) => `/blogs/${id}`)];

/** The origin of the public site without a slash at the end; empty when none is configured. */
export const site = env.siteUrl;

/** What the application is called on a device. */
export const productName = env.productName;

/** One public page, complete. Throws when the page says nothing for search engines. */
export async function renderPage(path: string): Promise<PrerenderedPage> {
  const heads: PageHead[] = [];
  const { prelude } = await prerender(
    <StrictMode>
      <PageHeadContext value={(head) => heads.push(head)}>
        <StaticRouter location={path}>
          <App />
        </StaticRouter>
      </PageHeadContext>
    </StrictMode>,
    // Everything in its place: parts that are sent later need inline scripts, which the security policy stops.
    { progressiveChunkSize: Number.MAX_SAFE_INTEGER },
  );
  const html = await new Response(prelude).text();
  const head = heads.at(-1);
  if (!head?.description) throw new Error(`${path} has no description`);
  return { title: fullTitle(head.title), tags: headTags(head, ''), html };
}

/** What stands on a screen that is not ready made until its scripts are there. */
export async function renderLoading(): Promise<string> {
  const { prelude } = await prerender(<LoadingScreen />);
  return new Response(prelude).text();
}
