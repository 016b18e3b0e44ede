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
  /** The markup that main.tsx hydrates. */
  html: string;
}

/** Every address that is prerendered. */
export const paths: readonly string[] = [...publicPaths, ...builtInPosts.map(({ id }) => `/blogs/${id}`)];

/** The origin of the public site without a slash at the end. It is empty if none is configured. */
export const site = env.siteUrl;

/** The name of the application on a device. */
export const productName = env.productName;

/** Renders one public page completely. Throws if the page has no description for search engines. */
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
    // The page is sent in one piece, because later pieces need
    // inline scripts, which the security policy blocks.
    { progressiveChunkSize: Number.MAX_SAFE_INTEGER },
  );
  const html = await new Response(prelude).text();
  const head = heads.at(-1);
  if (!head?.description) throw new Error(`${path} has no description`);
  return { title: fullTitle(head.title), tags: headTags(head, ''), html };
}

/** The markup that a screen shows until its scripts have loaded. */
export async function renderLoading(): Promise<string> {
  const { prelude } = await prerender(<LoadingScreen />);
  return new Response(prelude).text();
}
