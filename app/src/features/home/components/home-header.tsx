import { LogOut, ShieldCheck } from 'lucide-react';
import { Link } from 'react-router';
import { Brand } from '@/components/brand';
import { CoinChip } from '@/components/coin-chip';
import { Button } from '@/components/ui/button';
import { useI18n } from '@/lib/i18n';

interface HomeHeaderProps {
  coins: number | undefined;
  isAdmin: boolean;
  onLogout: () => Promise<void>;
}

export function HomeHeader({ coins, isAdmin, onLogout }: HomeHeaderProps) {
  const { t } = useI18n();
  return (
    <header className="page flex items-center justify-between gap-2 py-2.5">
      <Brand to="/home" crowded={isAdmin} />
      <div className="flex items-center gap-2">
        <CoinChip coins={coins} />
        {isAdmin ? (
          <Button asChild variant="soft" className="min-h-11 px-3">
            <Link to="/admin" aria-label={t('home.admin')}>
              <ShieldCheck aria-hidden="true" />
              <span className="hidden sm:inline">{t('home.admin')}</span>
            </Link>
          </Button>
        ) : null}
        <Button
          variant="soft"
          size="icon"
          aria-label={t('common.logout')}
          title={t('common.logout')}
          onClick={onLogout}
        >
          <LogOut aria-hidden="true" />
        </Button>
      </div>
    </header>
  );
}
