import { Link, NavLink } from 'react-router';
import { useStoredSession } from '@/hooks/use-stored-session';
import { useI18n, type MessageKey } from '@/lib/i18n';
import { cn } from '@/lib/utils';
import { Brand } from './brand';
import { Button } from './ui/button';

const entries: readonly { to: string; label: MessageKey }[] = [
  { to: '/', label: 'public.home' },
  { to: '/about-us', label: 'public.about' },
  { to: '/blogs', label: 'public.blogs' },
  { to: '/faqs', label: 'public.faqs' },
];

/**
 * Brand, the four public entries and Sign up, which becomes a link to the tools for signed-in
 * users. On phones the entries are a second row (SPECIFICATION.md D26).
 */
export function PublicHeader() {
  const { t } = useI18n();
  const signedIn = useStoredSession();
  return (
    <header className="page flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2.5">
      <Brand to="/" />
      <nav
        aria-label={t('public.label')}
        className="order-last -mx-2.5 w-[calc(100%+20px)] md:order-none md:mx-0 md:w-auto"
      >
        <ul className="flex justify-between gap-1 md:gap-2">
          {entries.map(({ to, label }) => (
            <li key={to}>
              <NavLink
                to={to}
                end={to === '/'}
                className={({ isActive }) =>
                  cn(
                    'flex min-h-11 items-center rounded-control px-2.5 font-semibold md:px-3.5',
                    isActive ? 'bg-primary-soft text-primary' : 'text-foreground hover:bg-muted',
                  )
                }
              >
                {t(label)}
              </NavLink>
            </li>
          ))}
        </ul>
      </nav>
      <Button asChild>
        {signedIn ? (
          <Link to="/home">{t('public.tools')}</Link>
        ) : (
          <Link to="/auth">{t('public.signUp')}</Link>
        )}
      </Button>
    </header>
  );
}
