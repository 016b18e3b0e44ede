import { ArrowDown, ArrowUp, ChevronLeft, ChevronRight, Search } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Input } from '@/components/ui/input';
import { useI18n } from '@/lib/i18n';
import { viewOf, type AdminUser, type SortColumn, type View } from '../admin-user';
import { ListEmpty } from './panel-state';
import { UserRow, type UserActions } from './user-row';

interface UsersTableProps extends UserActions {
  users: readonly AdminUser[];
}

/**
 * A search field and the table. It is sorted by payment or joining date and has pages
 * (SPECIFICATION.md S-326, S-327).
 */
export function UsersTable({ users, ...actions }: UsersTableProps) {
  const { t, tn } = useI18n();
  const [view, setView] = useState<View>({ search: '', sort: 'joined', ascending: false, page: 1 });
  const shown = viewOf(users, view);

  function sortBy(sort: SortColumn) {
    setView((now) => ({ ...now, sort, ascending: now.sort === sort ? !now.ascending : false, page: 1 }));
  }

  function goTo(page: number) {
    setView((now) => ({ ...now, page }));
  }

  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <label className="relative w-full sm:w-80">
          <span className="sr-only">{t('admin.search')}</span>
          <Search
            aria-hidden="true"
            className="absolute inset-y-0 left-3.5 my-auto size-5 text-muted-foreground"
          />
          <Input
            type="search"
            placeholder={t('admin.search')}
            value={view.search}
            onChange={(event) => {
              setView((now) => ({ ...now, search: event.target.value, page: 1 }));
            }}
            className="pl-11"
          />
        </label>
        <p role="status" className="text-sm text-muted-foreground tabular-nums">
          {tn('admin.count', shown.found)}
        </p>
      </div>
      {shown.found === 0 ? (
        <ListEmpty>{t('admin.noUsers')}</ListEmpty>
      ) : (
        <Card
          className="scroll-hint max-h-[75vh] overflow-auto"
          role="region"
          aria-label={t('admin.users')}
          // A scrolling region must be reachable by keyboard.
          tabIndex={0}
        >
          <table className="w-full min-w-[64rem] border-collapse text-sm">
            <thead className="sticky top-0 z-10 bg-muted text-left">
              <tr>
                <th scope="col" className="px-4 py-2.5 font-semibold">
                  {t('admin.email')}
                </th>
                <th scope="col" className="px-3 py-2.5 font-semibold">
                  {t('admin.phone')}
                </th>
                <th scope="col" className="px-3 py-2.5 text-right font-semibold">
                  {t('admin.coins')}
                </th>
                <th scope="col" className="px-3 py-2.5 font-semibold">
                  {t('admin.roles')}
                </th>
                <SortHeader column="lastPayment" label={t('admin.lastPayment')} view={view} onSort={sortBy} />
                <SortHeader column="joined" label={t('admin.joined')} view={view} onSort={sortBy} />
                <th scope="col" className="px-3 py-2.5 font-semibold">
                  {t('admin.actions')}
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.users.map((user) => (
                <UserRow key={user.id} user={user} {...actions} />
              ))}
            </tbody>
          </table>
        </Card>
      )}
      {shown.pages > 1 ? (
        <nav aria-label={t('admin.users')} className="flex items-center justify-center gap-3">
          <Button
            variant="soft"
            size="icon"
            aria-label={t('admin.previous')}
            disabled={shown.page === 1}
            onClick={() => {
              goTo(shown.page - 1);
            }}
          >
            <ChevronLeft aria-hidden="true" />
          </Button>
          <span className="text-sm tabular-nums">
            {t('admin.page', { page: shown.page, pages: shown.pages })}
          </span>
          <Button
            variant="soft"
            size="icon"
            aria-label={t('admin.next')}
            disabled={shown.page === shown.pages}
            onClick={() => {
              goTo(shown.page + 1);
            }}
          >
            <ChevronRight aria-hidden="true" />
          </Button>
        </nav>
      ) : null}
    </>
  );
}

interface SortHeaderProps {
  column: SortColumn;
  label: string;
  view: View;
  onSort: (column: SortColumn) => void;
}

function SortHeader({ column, label, view, onSort }: SortHeaderProps) {
  const sorted = view.sort === column;
  const Arrow = view.ascending ? ArrowUp : ArrowDown;
  return (
    <th
      scope="col"
      aria-sort={sorted ? (view.ascending ? 'ascending' : 'descending') : 'none'}
      className="px-1 py-0.5 font-semibold"
    >
      <button
        type="button"
        onClick={() => {
          onSort(column);
        }}
        className="inline-flex min-h-11 items-center gap-1.5 rounded-control px-2 font-semibold whitespace-nowrap hover:text-primary"
      >
        {label}
        <Arrow aria-hidden="true" className={sorted ? 'size-4' : 'size-4 opacity-30'} />
      </button>
    </th>
  );
}
