import { useEffect, useMemo } from 'react';
import { useI18n } from '@/lib/i18n';
import { toast } from '@/lib/toast';
import { openDeduction, takeBack, type Deduction } from './api/deduction';
import { useBalance, useBalanceUpdates } from './api/use-balance';

/** The screens differ in what a missing profile starts with and in how a failure is told (decisions.md D06). */
export type WalletScreen = 'home' | 'other';

const startingCoins: Readonly<Record<WalletScreen, number>> = { home: 20, other: 100 };

/** The balance of the user on a screen, undefined while it is read and 0 when it cannot be. */
export function useCoins(userId: string, screen: WalletScreen): number | undefined {
  const { t } = useI18n();
  const { data, error, dataUpdatedAt, errorUpdatedAt } = useBalance(userId, startingCoins[screen]);

  useEffect(() => {
    if (!error) return;
    if (screen === 'home') {
      toast.error({ title: t('wallet.loadFailed') });
    } else if (error.step === 'create') {
      toast.error({ title: t('profile.createFailed'), description: t('profile.createFailedDetail') });
    } else {
      toast.error({ title: t('profile.loadFailed'), description: t('profile.loadFailedDetail') });
    }
  }, [error, errorUpdatedAt, screen, t]);

  const welcomed = data?.welcomed ?? false;
  useEffect(() => {
    if (welcomed && screen === 'home') {
      toast.success({ title: t('wallet.welcome'), description: t('wallet.welcomeDetail') });
    }
  }, [welcomed, dataUpdatedAt, screen, t]);

  return error ? 0 : data?.coins;
}

/** Charges for generations and keeps the shown balance in step. */
export function useWallet(userId: string) {
  const { show, refresh } = useBalanceUpdates(userId);
  return useMemo(() => {
    const takeBackAndShow = async (deduction: Deduction) => {
      const coins = await takeBack(userId, deduction);
      if (coins !== null) show(coins);
      return coins !== null && coins >= deduction.before;
    };
    const charge = async () => {
      const outcome = await openDeduction(userId);
      if (outcome.kind === 'insufficient') show(outcome.coins);
      if (outcome.kind !== 'opened') return outcome;
      const { deduction } = outcome;
      show(deduction.after);
      return { kind: 'charged' as const, charge: { takeBack: () => takeBackAndShow(deduction) } };
    };
    return { charge, refresh };
  }, [userId, show, refresh]);
}
