import { Hourglass } from 'lucide-react';
import { useI18n } from '@/lib/i18n';
import { formatRupees } from '@/lib/money';
import { useWaitingPayments } from '../api/waiting-payments';
import { OpenedPaymentNote } from './opened-payment-note';

/** What a teacher paid and has no credits for yet: a payment to report, and those that wait for verification. */
export function WaitingPayments({ userId }: { userId: string }) {
  return (
    <>
      <OpenedPaymentNote userId={userId} />
      <Reported userId={userId} />
    </>
  );
}

/** That a payment was reported and is still to be looked at; the toast that thanked for it is long gone. */
function Reported({ userId }: { userId: string }) {
  const { tn } = useI18n();
  const waiting = useWaitingPayments(userId);
  if (!waiting || waiting.count === 0) return null;
  return (
    <p className="flex items-center gap-2.5 rounded-control bg-accent-soft px-4 py-2.5 font-semibold">
      <Hourglass aria-hidden="true" className="size-[18px] shrink-0" />
      <span>
        {tn('payment.waiting', waiting.count)}{' '}
        <span className="whitespace-nowrap">· {formatRupees(waiting.amount)}</span>
      </span>
    </p>
  );
}
