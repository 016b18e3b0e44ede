import { useQueryClient } from '@tanstack/react-query';
import { House, LogOut, RefreshCw } from 'lucide-react';
import { useEffect } from 'react';
import { Link, Navigate, useSearchParams } from 'react-router';
import { LoadingScreen } from '@/components/loading-screen';
import { Button } from '@/components/ui/button';
import { statsOf } from '@/features/admin/admin-user';
import { adminKeys } from '@/features/admin/api/keys';
import { useAdminUsers } from '@/features/admin/api/users';
import { GenerationsPanel } from '@/features/admin/components/generations-panel';
import { ListFailed, ListLoading } from '@/features/admin/components/panel-state';
import { PaymentsPanel } from '@/features/admin/components/payments-panel';
import { StatsCards } from '@/features/admin/components/stats-cards';
import { UsersPanel } from '@/features/admin/components/users-panel';
import { useAdminUpdates } from '@/features/admin/use-admin-updates';
import { useAdminCheck } from '@/features/auth/api/is-admin';
import { useLoadError } from '@/hooks/use-load-error';
import { usePageHead } from '@/hooks/use-page-head';
import { useI18n } from '@/lib/i18n';
import { useSession, useUser } from '@/lib/session';
import { toast } from '@/lib/toast';
import { cn } from '@/lib/utils';

/**
 * The panel, after the server has confirmed that the user
 * is an administrator (SPECIFICATION.md S-048, S-340).
 */
export default function AdminRoute() {
  const { t } = useI18n();
  const user = useUser();
  const isAdmin = useAdminCheck(user.id);
  usePageHead(t('admin.title'), 'private');

  useEffect(() => {
    if (isAdmin === false) toast.error({ title: t('admin.denied'), description: t('admin.deniedDetail') });
  }, [isAdmin, t]);

  if (isAdmin === undefined) return <LoadingScreen />;
  return isAdmin ? <Panel userId={user.id} /> : <Navigate to="/" replace />;
}

const views = ['users', 'payments', 'generations'] as const;

function Panel({ userId }: { userId: string }) {
  const { t } = useI18n();
  const { signOut } = useSession();
  const client = useQueryClient();
  const [params] = useSearchParams();
  const view = views.find((name) => name === params.get('view')) ?? 'users';
  useAdminUpdates();
  const query = useAdminUsers();
  const { data: users, refetch } = query;

  // The other views work without the users, and have toasts of their own.
  const usersLoadFailed = useLoadError(query) !== null && view === 'users';
  useEffect(() => {
    if (usersLoadFailed) toast.error({ title: t('admin.loadFailed') });
  }, [usersLoadFailed, t]);

  return (
    <div className="pb-16">
      <header className="page flex flex-wrap items-center justify-between gap-2 py-2.5">
        <h1 className="text-xl font-bold">{t('admin.title')}</h1>
        <div className="flex items-center gap-2">
          <Button
            variant="soft"
            className="min-h-11 px-3"
            aria-label={t('admin.refresh')}
            onClick={() => client.invalidateQueries({ queryKey: adminKeys.all })}
          >
            <RefreshCw aria-hidden="true" />
            <span className="hidden sm:inline">{t('admin.refresh')}</span>
          </Button>
          <Button asChild variant="soft" className="min-h-11 px-3">
            <Link to="/home" aria-label={t('common.backHome')}>
              <House aria-hidden="true" />
              <span className="hidden sm:inline">{t('common.backHome')}</span>
            </Link>
          </Button>
          <Button variant="soft" className="min-h-11 px-3" aria-label={t('common.logout')} onClick={signOut}>
            <LogOut aria-hidden="true" />
            <span className="hidden sm:inline">{t('common.logout')}</span>
          </Button>
        </div>
      </header>
      <main className="page grid gap-4 pt-2">
        <StatsCards stats={users && statsOf(users)} />
        <nav aria-label={t('admin.title')} className="flex gap-1 border-b border-border">
          {views.map((name) => (
            <Link
              key={name}
              to={name === 'users' ? '/admin' : `/admin?view=${name}`}
              replace
              aria-current={name === view ? 'page' : undefined}
              className={cn(
                '-mb-px inline-flex min-h-11 items-center border-b-[3px] px-3 font-semibold',
                name === view
                  ? 'border-primary text-primary'
                  : 'border-transparent text-muted-foreground hover:text-foreground',
              )}
            >
              {t(`admin.${name}`)}
            </Link>
          ))}
        </nav>
        {usersLoadFailed ? <ListFailed onRetry={refetch} /> : null}
        {view === 'users' && !users && !usersLoadFailed ? <ListLoading /> : null}
        {view === 'users' && users ? <UsersPanel users={users} ownId={userId} /> : null}
        {view === 'payments' ? <PaymentsPanel users={users} /> : null}
        {view === 'generations' ? <GenerationsPanel /> : null}
      </main>
    </div>
  );
}
