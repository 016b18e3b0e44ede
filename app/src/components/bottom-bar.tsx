import { House, Settings, Tag, UserRound, type LucideIcon } from 'lucide-react';
import { NavLink } from 'react-router';
import { useI18n, type MessageKey } from '@/lib/i18n';
import { cn } from '@/lib/utils';

const entries: readonly { to: string; label: MessageKey; Icon: LucideIcon }[] = [
  { to: '/home', label: 'bar.home', Icon: House },
  { to: '/subscription', label: 'bar.pricing', Icon: Tag },
  { to: '/profile', label: 'bar.profile', Icon: UserRound },
  { to: '/settings', label: 'bar.settings', Icon: Settings },
];

/** The bottom bar of its four signed-in screens (SPECIFICATION.md S-053, D26). */
export function BottomBar() {
  const { t } = useI18n();
  return (
    <nav
      aria-label={t('bar.label')}
      className="safe-bottom fixed inset-x-0 bottom-0 z-20 border-t border-border bg-card text-card-foreground"
    >
      <ul className="mx-auto flex h-[68px] max-w-[520px] items-stretch">
        {entries.map(({ to, label, Icon }) => (
          <li key={to} className="flex-1">
            <NavLink
              to={to}
              end
              className={({ isActive }) =>
                cn(
                  'group flex h-full flex-col items-center justify-center gap-0.5 rounded-control text-[0.8125rem] font-semibold',
                  isActive ? 'text-primary' : 'text-muted-foreground hover:text-foreground',
                )
              }
            >
              <span className="flex h-[30px] w-14 items-center justify-center rounded-full group-aria-[current=page]:bg-primary-soft">
                <Icon aria-hidden="true" className="size-[22px]" strokeWidth={1.9} />
              </span>
              {t(label)}
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}
