import * as z from 'zod/mini';
import { isHistoryOf } from '@/builder/api/keys';
import { confirmSession } from '@/features/auth/api/confirm-session';
import { paymentKeys } from '@/features/payments/api/keys';
import { walletKeys } from '@/features/wallet/api/keys';
import { t, tn } from '@/lib/i18n';
import { followTopic } from '@/lib/live-topic';
import { queryClient } from '@/lib/query-client';
import { hasStoredSession } from '@/lib/stored-session';
import { toast } from '@/lib/toast';

/** A message about the balance. The amount is for the toast, and the balance is read. */
const balanceChange = z.object({ reason: z.string(), credits: z.number() });

/**
 * Reads again what the database says has changed for this user. A payment that was approved is
 * announced, except in the panel that approves payments. Returns a function that stops it
 * (SPECIFICATION.md S-434 to S-437).
 */
export function followUpdates(userId: string): () => void {
  const readBalance = () => queryClient.invalidateQueries({ queryKey: walletKeys.balance(userId) });
  const readPayments = () => queryClient.invalidateQueries({ queryKey: paymentKeys.waiting(userId) });
  const readHistory = () => queryClient.invalidateQueries({ predicate: isHistoryOf(userId) });
  const reads: Readonly<Partial<Record<string, () => Promise<void>>>> = {
    balance: readBalance,
    payments: readPayments,
    generations: readHistory,
  };
  return followTopic(`user:${userId}`, {
    onMessage: (event, payload) => {
      void reads[event]?.();
      if (event === 'balance') announcePayment(payload);
    },
    onGap: () => {
      for (const read of Object.values(reads)) void read?.();
      void leaveIfEnded();
    },
    onClosed: () => void leaveIfEnded(),
  });
}

function announcePayment(payload: unknown): void {
  const { success, data } = balanceChange.safeParse(payload);
  if (!success || data.reason !== 'payment' || window.location.pathname === '/admin') return;
  toast.success({ title: t('updates.paid'), description: tn('updates.added', data.credits) });
}

/** A session that was ended elsewhere ends here, too, and its user learns why. */
async function leaveIfEnded(): Promise<void> {
  if (!hasStoredSession()) return;
  await confirmSession();
  if (!hasStoredSession()) toast.plain({ title: t('updates.signedOut') });
}
