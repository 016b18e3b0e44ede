import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { refetchAfter } from '@/lib/query-client';
import { supabase } from '@/lib/supabase';

/** What became of the payments that a teacher reported, but for those whose credits are there. */
export interface OpenPayments {
  /** How many nobody has looked at yet, and their rupees together. */
  waiting: { count: number; amount: number };
  /** Of the last days, newest first. */
  rejected: readonly RejectedPayment[];
}

export interface RejectedPayment {
  id: string;
  amount: number;
  reportedAt: Date;
  /** In an administrator's words. */
  reason: string;
}

const waitingKey = ['payments', 'waiting'] as const;

/** How long a rejection is told. Milliseconds. */
const rejectionShownForMs = 14 * 24 * 60 * 60 * 1_000;

/** Throws what the API says. An administrator may read the rows of others, too: only the own ones count. */
async function fetchOpenPayments(userId: string, now: number): Promise<OpenPayments> {
  const since = new Date(now - rejectionShownForMs).toISOString();
  const { data, error } = await supabase
    .from('payment_transactions')
    .select('transaction_id, amount, status, created_at, rejection_reason')
    .eq('user_id', userId)
    .or(`status.eq.PENDING,and(status.eq.REJECTED,settled_at.gte.${since})`)
    .order('created_at', { ascending: false });
  if (error) throw new Error(error.message);
  const pending = data.filter(({ status }) => status === 'PENDING');
  return {
    waiting: { count: pending.length, amount: pending.reduce((sum, row) => sum + row.amount, 0) },
    rejected: data
      .filter(({ status }) => status === 'REJECTED')
      .map((row) => ({
        id: row.transaction_id,
        amount: row.amount,
        reportedAt: new Date(row.created_at),
        reason: row.rejection_reason ?? '',
      })),
  };
}

/** Undefined until they are known; without the network nothing is said of them. */
export function useOpenPayments(userId: string): OpenPayments | undefined {
  return useQuery({
    queryKey: [...waitingKey, userId],
    queryFn: () => fetchOpenPayments(userId, Date.now()),
    // A person settles them within hours, and nobody loads a page anew for credits that are due.
    refetchInterval: refetchAfter((open) => (open && open.waiting.count > 0 ? 60_000 : false)),
  }).data;
}

/** Asks for them again, after one was reported. */
export function useRefreshWaitingPayments(): () => void {
  const client = useQueryClient();
  return useCallback(() => void client.invalidateQueries({ queryKey: waitingKey }), [client]);
}
