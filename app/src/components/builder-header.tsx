import { ArrowLeft, LogOut } from 'lucide-react';
import type { MouseEventHandler, ReactNode } from 'react';
import { Link } from 'react-router';
import { useI18n } from '@/lib/i18n';
import { Button } from './ui/button';

interface BuilderHeaderProps {
  title: string;
  /** The target of the arrow, unless `onBack` goes one step back. */
  back?: string;
  onBack?: MouseEventHandler;
  /** The balance, or what replaces it. */
  children: ReactNode;
  /** Only some screens have it (SPECIFICATION.md D26). */
  onLogout?: (() => Promise<void>) | undefined;
}

/** Back, title, balance, and Logout if the screen has it. */
export function BuilderHeader({ title, back = '/home', onBack, children, onLogout }: BuilderHeaderProps) {
  const { t } = useI18n();
  return (
    <header className="page flex items-center justify-between gap-3 py-2.5 print:hidden">
      <div className="flex min-w-0 items-center gap-1">
        <Button asChild variant="ghost" size="icon" className="-ml-3">
          <Link to={back} onClick={onBack} aria-label={t(onBack ? 'common.back' : 'common.backHome')}>
            <ArrowLeft aria-hidden="true" />
          </Link>
        </Button>
        <h1 className="text-xl leading-tight font-bold">{title}</h1>
      </div>
      <div className="flex items-center gap-2">
        {children}
        {onLogout ? (
          <Button
            variant="soft"
            size="icon"
            aria-label={t('common.logout')}
            title={t('common.logout')}
            onClick={onLogout}
          >
            <LogOut aria-hidden="true" />
          </Button>
        ) : null}
      </div>
    </header>
  );
}
