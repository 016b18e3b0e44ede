import { useEffect, useMemo } from 'react';
import { useLoadError } from '@/hooks/use-load-error';
import { useI18n } from '@/lib/i18n';
import { toast } from '@/lib/toast';
import { generationCost } from '@/lib/generation-cost';
import { openDeduction, reverseDeduction, type Deduction } from './api/deduction';
import { readCoins } from './api/read-coins';
import { useBalance, useBalanceUpdates } from './api/use-balance';

/**
 * The screens differ in the balance of a new profile and in how they report a failure
 * (SPECIFICATION.md D06).
 */
export type WalletScreen = 'home' | 'other';

const startingCoins: Readonly<Record<WalletScreen, number>> = { home: 20, other: 100 };

/** The messages for a failure outside of /home (SPECIFICATION.md S-397 to S-399). */
const failures = {
  load: { title: 'profile.loadFailed', description: 'profile.loadFailedDetail' },
  create: { title: 'profile.createFailed', description: 'profile.createFailedDetail' },
  profile: { title: 'profile.unusable', description: 'profile.unusableDetail' },
} as const;

/**
 * Returns the last known balance of the user. It is
 * undefined until the first read, and 0 if that fails.
 */
export function useCoins(userId: string, screen: WalletScreen): number | undefined {
  const { t } = useI18n();
  const balance = useBalance(userId, startingCoins[screen]);
  const { data, dataUpdatedAt } = balance;

  // The failure is reported once, however often the balance is read again.
  const failedStep = useLoadError(balance)?.step;
  useEffect(() => {
    if (!failedStep) return;
    if (screen === 'home') {
      toast.error({ title: t('wallet.loadFailed') });
    } else {
      const { title, description } = failures[failedStep];
      toast.error({ title: t(title), description: t(description) });
    }
  }, [failedStep, screen, t]);

  const welcomed = data?.welcomed ?? false;
  useEffect(() => {
    if (welcomed && screen === 'home') {
      toast.success({
        title: t('wallet.welcome'),
        description: t('wallet.welcomeDetail', { coins: startingCoins.home }),
      });
    }
  }, [welcomed, dataUpdatedAt, screen, t]);

  return data?.coins ?? (failedStep ? 0 : undefined);
}

/**
 * Who gives credits back after a failure: the client and the server (`client`, SPECIFICATION.md
 * S-192), the server alone if its function got the call (`server`, S-219, S-246), or the function
 * that took them itself (`function`, D03).
 */
export type ChargePolicy = 'client' | 'server' | 'function';

/** Charges for generations and keeps the visible balance up to date. */
export function useWallet(userId: string, policy: ChargePolicy) {
  const { show, refresh } = useBalanceUpdates(userId);
  return useMemo(() => {
    const settle = async (deduction: Deduction, answered: boolean) => {
      const serverRefunds = policy === 'server' && answered;
      const coins = serverRefunds ? await readCoins(userId, true) : await reverseDeduction(userId, deduction);
      if (typeof coins === 'number') show(coins);
      // Any other balance means that something else was written meanwhile, which is unknown here.
      return coins === deduction.before ? ('returned' as const) : ('reserved' as const);
    };
    const deduct = async () => {
      const outcome = await openDeduction(userId, policy === 'server');
      if (outcome.kind === 'insufficient') show(outcome.coins);
      if (outcome.kind !== 'opened') return outcome;
      const { deduction } = outcome;
      show(deduction.after);
      const settleFailure = (answered: boolean) => settle(deduction, answered);
      return { kind: 'charged' as const, charge: { settleFailure } };
    };
    const checkBalance = async () => {
      const coins = await readCoins(userId, true);
      if (typeof coins !== 'number') return { kind: 'failed' as const, reason: 'unsettled' as const };
      show(coins);
      if (coins < generationCost) return { kind: 'insufficient' as const, coins };
      return { kind: 'charged' as const, charge: { settleFailure: () => Promise.resolve('none' as const) } };
    };
    return { charge: policy === 'function' ? checkBalance : deduct, refresh };
  }, [userId, policy, show, refresh]);
}
