import { useEffect, useRef, type ReactNode } from 'react';
import { useHomePath } from '@/hooks/use-home-path';
import { usePageHead } from '@/hooks/use-page-head';
import { Brand } from './brand';

interface NoticePageProps {
  title: string;
  children: ReactNode;
  actions: ReactNode;
  footer?: ReactNode;
}

/** A page with one message and the next steps, on a ruled sheet. */
export function NoticePage({ title, children, actions, footer }: NoticePageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const home = useHomePath();
  usePageHead(title, 'private');
  useEffect(() => {
    heading.current?.focus();
  }, []);
  return (
    <div className="flex min-h-screen flex-col">
      <header className="page py-2.5">
        <Brand to={home} />
      </header>
      <main className="page flex flex-1 items-center justify-center py-8">
        <div className="ruled relative w-full max-w-xl rounded-paper border border-border bg-card shadow-card">
          <span aria-hidden="true" className="absolute inset-y-0 left-9 w-0.5 bg-margin sm:left-14" />
          {/* Text stands on the ruled lines, so every height here is a multiple of 32 px. */}
          <div className="pt-[66px] pr-6 pb-[30px] pl-14 sm:pr-10 sm:pl-20">
            <h1
              ref={heading}
              tabIndex={-1}
              className="heading-condensed text-[1.6875rem] leading-8 outline-none"
            >
              {title}
            </h1>
            <div className="text-lg leading-8 text-muted-foreground">{children}</div>
            <div className="mt-8 flex flex-wrap gap-x-3 gap-y-[18px] pb-[18px]">{actions}</div>
            {footer}
          </div>
        </div>
      </main>
    </div>
  );
}
