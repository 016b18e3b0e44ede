import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { refetchAfter } from '@/lib/query-client';
import { supabase } from '@/lib/supabase';
import { paymentKeys } from './keys';

/** The reported payments of a teacher, except those whose credits have arrived. */
export interface OpenPayments {
  /** The number of unverified payments, and their sum in rupees. */
  waiting: { count: number; amount: number };
  /** Of the last days, newest first. */
  rejected: readonly RejectedPayment[];
}

export interface RejectedPayment {
  id: string;
  amount: number;
  reportedAt: Date;
  /** In the words of an administrator. */
  reason: string;
}

/** How long a rejection is shown. Milliseconds. */
const rejectionShownForMs = 14 * 24 * 60 * 60 * 1_000;

/**
 * Reads the own payments. An administrator may read those of others, so they are filtered. Throws
 * the message of the API.
 */
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

/**
 * Returns the payments, or undefined until they have
 * loaded. Without a network nothing is said about them.
 */
export function useOpenPayments(userId: string): OpenPayments | undefined {
  return useQuery({
    queryKey: paymentKeys.waiting(userId),
    queryFn: () => fetchOpenPayments(userId, Date.now()),
    // A person settles them within hours, and nobody reloads a page for credits that are due.
    refetchInterval: refetchAfter((open) => (open && open.waiting.count > 0 ? 60_000 : false)),
  }).data;
}

/** Reads them again after a report. */
export function useRefreshWaitingPayments(): () => void {
  const client = useQueryClient();
  return useCallback(() => void client.invalidateQueries({ queryKey: paymentKeys.allWaiting }), [client]);
}
