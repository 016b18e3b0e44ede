import { once } from '@/lib/once';
import { supabase } from '@/lib/supabase';
import { isRecorded } from './is-recorded';

export interface PlanPayment {
  userId: string;
  transactionId: string;
  /** The plan's name. */
  plan: string;
  /** Rupees. */
  amount: number;
  credits: number;
  phone: string;
  paidAt: Date;
}

/**
 * Records what a teacher says was paid for a plan, and when. Resolves to true if the payment is
 * recorded. Failures of the two writes are logged (SPECIFICATION.md S-297).
 */
export async function reportPlanPayment(payment: PlanPayment): Promise<boolean> {
  const results = await Promise.allSettled([insertPayment(payment), rememberLastPayment(payment)]);
  for (const result of results) {
    if (result.status === 'rejected') console.error('a payment could not be recorded', result.reason);
  }
  return results[0].status === 'fulfilled';
}

async function insertPayment(payment: PlanPayment): Promise<void> {
  const { userId, transactionId, plan, amount, credits, phone, paidAt } = payment;
  const { error } = await supabase.from('payment_transactions').insert({
    transaction_id: transactionId,
    user_id: userId,
    amount,
    credits,
    status: 'PENDING',
    phone_number: phone,
    customer_info: { phone, plan, timestamp: paidAt.toISOString() },
  });
  if (!isRecorded(error)) throw new Error(error?.message);
}

async function rememberLastPayment({ userId, amount, paidAt }: PlanPayment): Promise<void> {
  const { error } = await supabase
    .from('profiles')
    .update({
      last_payment_amount: amount,
      last_payment_date: indianDate(paidAt),
      last_payment_time: indianTime(paidAt),
    })
    .eq('user_id', userId);
  if (error) throw new Error(error.message);
}

const timeZone = 'Asia/Kolkata';
const dateParts = once(() => new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone }));
const timeParts = once(() => new Intl.DateTimeFormat('sv-SE', { timeStyle: 'medium', timeZone }));

/** `2026-11-21`, the day in India (SPECIFICATION.md S-300). */
export function indianDate(moment: Date): string {
  return dateParts().format(moment);
}

/** `14:05:09`, the time of day in India. */
export function indianTime(moment: Date): string {
  return timeParts().format(moment);
}
