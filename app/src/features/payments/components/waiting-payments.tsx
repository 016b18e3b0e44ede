import { CircleX, Hourglass } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { formatTimeInText, withNonBreakingDates } from '@/lib/dates';
import { useI18n } from '@/lib/i18n';
import { formatRupees } from '@/lib/money';
import { useOpenPayments, type OpenPayments, type RejectedPayment } from '../api/waiting-payments';
import { UnreportedPaymentNote } from './unreported-payment-note';

interface WaitingPaymentsProps {
  userId: string;
  /** A dialog for the payment, or for another one, is open in front of this. */
  behindDialog: boolean;
  /** A waiting payment is settled, so there may be new credits. */
  onSettled: () => void;
}

/**
 * The payments without credits so far: one to report,
 * those that wait, and those that were rejected.
 */
export function WaitingPayments({ userId, behindDialog, onSettled }: WaitingPaymentsProps) {
  const open = useOpenPayments(userId);
  const count = open?.waiting.count ?? 0;
  const before = useRef(0);
  useEffect(() => {
    if (count < before.current) onSettled();
    before.current = count;
  }, [count, onSettled]);
  return (
    <>
      <UnreportedPaymentNote userId={userId} behindDialog={behindDialog} />
      {open?.waiting.count ? <Waiting {...open.waiting} /> : null}
      {open?.rejected.map((payment) => (
        <Rejected key={payment.id} payment={payment} />
      ))}
    </>
  );
}

/** Says that a reported payment waits for verification. The toast that thanked for it is gone. */
function Waiting({ count, amount }: OpenPayments['waiting']) {
  const { tn } = useI18n();
  return (
    <p className="flex items-center gap-2.5 rounded-control bg-accent-soft px-4 py-2.5 font-semibold">
      <Hourglass aria-hidden="true" className="size-[18px] shrink-0" />
      <span>
        {tn('payment.waiting', count)} <span className="whitespace-nowrap">· {formatRupees(amount)}</span>
      </span>
    </p>
  );
}

function Rejected({ payment }: { payment: RejectedPayment }) {
  const { t } = useI18n();
  const { amount, reportedAt, reason } = payment;
  return (
    <div className="flex gap-2.5 rounded-control bg-destructive-soft px-4 py-2.5">
      <CircleX aria-hidden="true" className="mt-0.5 size-5 shrink-0 text-destructive" />
      <p className="min-w-0 [overflow-wrap:anywhere]">
        <span className="font-semibold">
          {t('payment.rejected', { amount: formatRupees(amount), time: formatTimeInText(reportedAt) })}
        </span>{' '}
        {withNonBreakingDates(reason)}
      </p>
    </div>
  );
}
