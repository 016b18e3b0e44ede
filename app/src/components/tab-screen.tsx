import type { ReactNode } from 'react';
import { BottomBar } from './bottom-bar';
import { Brand } from './brand';

interface TabScreenProps {
  title: string;
  /** At the right end of the header. */
  action?: ReactNode;
  children: ReactNode;
}

/** The layout of profile and settings: brand, heading, one column, bottom bar. */
export function TabScreen({ title, action, children }: TabScreenProps) {
  return (
    <div className="pb-28">
      <header className="page flex items-center justify-between gap-2 py-2.5">
        <Brand to="/home" />
        {action}
      </header>
      <main className="mx-auto w-full max-w-[40rem] px-5">
        <h1 className="heading-condensed pt-4 pb-5 text-title">{title}</h1>
        <div className="grid gap-4">{children}</div>
      </main>
      <BottomBar />
    </div>
  );
}
