import { useQuery } from '@tanstack/react-query';
import { fetchAllPages } from '@/lib/fetch-all-pages';
import { supabase } from '@/lib/supabase';
import type { Tables } from '@/types/database.gen';
import { adminKeys } from './keys';

export type PendingPayment = Tables<'payment_transactions'>;

/** Reads the payments that wait for verification, oldest first. Throws the message of the API. */
function fetchPendingPayments(): Promise<PendingPayment[]> {
  return fetchAllPages((from, to) =>
    supabase
      .from('payment_transactions')
      .select('*, reported_by_others')
      .eq('status', 'PENDING')
      .order('created_at')
      .order('transaction_id')
      .order('user_id')
      .range(from, to),
  );
}

export function usePendingPayments() {
  return useQuery({ queryKey: adminKeys.payments, queryFn: fetchPendingPayments });
}

/**
 * How a payment is settled: approved with these credits, or rejected with a reason for its payer.
 */
export type Settlement = { credits: number } | { reason: string };

/** Approves or rejects a payment, once. Throws the message of the API. */
export async function settlePayment(payment: PendingPayment, settlement: Settlement): Promise<void> {
  const key = { payer: payment.user_id, payment_id: payment.transaction_id };
  const { error } =
    'credits' in settlement
      ? await supabase.rpc('admin_settle_payment', { ...key, approved_credits: settlement.credits })
      : await supabase.rpc('admin_reject_payment', { ...key, reason: settlement.reason });
  if (error) throw new Error(error.message);
}
