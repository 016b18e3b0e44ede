import { isAuthRetryableFetchError } from '@supabase/supabase-js';
import { supabase } from '@/lib/supabase';
import { isRecorded } from './is-recorded';

export interface PaymentRequest {
  transactionId: string;
  /** Whole rupees; one credit each (SPECIFICATION.md S-163). */
  amount: number;
  /** Digits; empty where it was left out. */
  phone: string;
}

export type PaymentOutcome = 'created' | 'failed' | 'signed-out';

/**
 * Records a payment that the teacher made by UPI, to be verified by hand. An id that is taken is the own row, whose answer
 * was lost (SPECIFICATION.md D11).
 */
export async function createPayment(request: PaymentRequest): Promise<PaymentOutcome> {
  const { data, error } = await supabase.auth.getSession();
  const userId = data.session?.user.id;
  // Whose session could not be renewed for want of an answer is signed in all the same, and tries again.
  if (userId === undefined) return isAuthRetryableFetchError(error) ? 'failed' : 'signed-out';
  return (await insertPayment(userId, request)) ? 'created' : 'failed';
}

/** Whether it is written. */
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
