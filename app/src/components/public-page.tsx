import { useEffect, useRef, type ReactNode } from 'react';
import { useFocusOnNavigation } from '@/hooks/use-focus-on-navigation';
import { usePageHead } from '@/hooks/use-page-head';
import { restoreLanguage, useI18n, type Language } from '@/lib/i18n';
import { PublicFooter } from './public-footer';
import { PublicHeader } from './public-header';

interface PublicPageProps {
  title: string;
  /** The description for search engines and shared links. A page without one is not listed. */
  description?: string;
  /** Stands above the header, over the whole width. */
  banner?: ReactNode;
  /** The language of the content. It is English unless it follows the interface. */
  language?: Language;
  children: ReactNode;
}

/**
 * The layout of every page that needs no account: header,
 * content, footer and the tags for search engines.
 */
export function PublicPage({ title, description, banner, language = 'en', children }: PublicPageProps) {
  const { t } = useI18n();
  const main = useRef<HTMLElement>(null);
  usePageHead(title, description ? 'public' : 'private', description);
  useFocusOnNavigation(main);
  // The language is restored after hydration, because the prerendered page is in English.
  useEffect(() => {
    void restoreLanguage();
  }, []);
  return (
    <div className="flex min-h-screen flex-col">
      <a
        href="#content"
        className="absolute -top-20 left-2 z-30 rounded-control bg-primary px-4 py-2.5 font-semibold text-primary-foreground focus:top-2 print:hidden"
      >
        {t('public.skip')}
      </a>
      {banner}
      <PublicHeader />
      <main ref={main} id="content" lang={language} tabIndex={-1} className="flex-1 outline-none">
        {children}
      </main>
      <PublicFooter />
    </div>
  );
}
