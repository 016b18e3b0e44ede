/** The pages that anybody may read, ready made in the build and listed for search engines; posts come on top. */
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
