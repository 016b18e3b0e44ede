import { isAuthRetryableFetchError } from '@supabase/supabase-js';
import { supabase } from '@/lib/supabase';
import { isRecorded } from './is-recorded';

export interface PaymentRequest {
  transactionId: string;
  /** Whole rupees; one credit each (SPECIFICATION.md S-163). */
  amount: number;
  /** Digits, or empty if it was left out. */
  phone: string;
}

export type PaymentOutcome = 'created' | 'failed' | 'signed-out';

/**
 * Records a UPI payment of the teacher, to be verified by hand. If the id is taken, it is the own
 * row, whose answer was lost (SPECIFICATION.md D11).
 */
export async function createPayment(request: PaymentRequest): Promise<PaymentOutcome> {
  const { data, error } = await supabase.auth.getSession();
  const userId = data.session?.user.id;
  // A user whose session could not be renewed without
  // an answer is still signed in, and tries again.
  if (userId === undefined) return isAuthRetryableFetchError(error) ? 'failed' : 'signed-out';
  return (await insertPayment(userId, request)) ? 'created' : 'failed';
}

/** Resolves to whether the row is recorded. */
async function insertPayment(userId: string, request: PaymentRequest): Promise<boolean> {
  const { error } = await supabase.from('payment_transactions').insert({
    transaction_id: request.transactionId,
    user_id: userId,
    amount: request.amount,
    credits: request.amount,
    status: 'PENDING',
    phone_number: request.phone || null,
    customer_info: request.phone ? { mobile: request.phone } : null,
  });
  return isRecorded(error);
}
