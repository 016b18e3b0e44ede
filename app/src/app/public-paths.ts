/**
 * The pages that anybody may read. The build prerenders them and lists them for search engines.
 * Posts are added to them.
 */
export const publicPaths = [
  '/',
  '/about-us',
  '/about',
  '/blogs',
  '/faqs',
  '/sitemap',
  '/terms',
  '/privacy',
  '/public-lesson-plan',
  '/public-question-paper',
  '/public-teaching-aids',
  '/public-communication-tool',
] as const;
