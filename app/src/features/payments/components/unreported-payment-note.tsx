import { useState } from 'react';
import { lazyDialog } from '@/components/lazy-dialog';
import { useI18n } from '@/lib/i18n';
import { cn } from '@/lib/utils';
import { clearUnreported, useUnreportedPayment, type UnreportedPayment } from '../unreported-payment';
import { UnreportedAnswers, useUnreportedText } from './unreported-question';

const ReportPayment = lazyDialog(() => import('./report-payment'));

interface UnreportedPaymentNoteProps {
  userId: string;
  /** A dialog asks the same question. The note keeps its space. */
  behindDialog: boolean;
}

/** Asks for a payment that was begun and not reported, until the user answers. */
export function UnreportedPaymentNote({ userId, behindDialog }: UnreportedPaymentNoteProps) {
  const payment = useUnreportedPayment(userId);
  const [reporting, setReporting] = useState(false);
  return (
    <>
      {payment ? (
        <Question
          payment={payment}
          behindDialog={behindDialog || reporting}
          onPaid={() => {
            setReporting(true);
          }}
          onNotPaid={() => {
            setReporting(false);
            clearUnreported(userId);
          }}
        />
      ) : null}
      {reporting ? (
        <ReportPayment
          userId={userId}
          onClose={() => {
            setReporting(false);
          }}
        />
      ) : null}
    </>
  );
}

interface QuestionProps {
  payment: UnreportedPayment;
  behindDialog: boolean;
  onPaid: () => void;
  onNotPaid: () => void;
}

function Question({ payment, behindDialog, onPaid, onNotPaid }: QuestionProps) {
  const { t } = useI18n();
  const text = useUnreportedText(payment);
  return (
    // The note is not hidden by `visibility`, which would take the focus from the button before the
    // dialog remembers it.
    <section className={cn('rounded-control bg-accent-soft px-4 py-3', behindDialog && 'opacity-0')}>
      <h2 className="font-semibold">{t('payment.unreportedTitle')}</h2>
      <p className="mt-0.5">{text}</p>
      {/* The keyboard can still reach it while it is hidden. */}
      <UnreportedAnswers onPaid={onPaid} onNotPaid={behindDialog ? () => undefined : onNotPaid} />
    </section>
  );
}
