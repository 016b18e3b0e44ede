import { useState } from 'react';
import { lazyDialog } from '@/components/lazy-dialog';
import { useI18n } from '@/lib/i18n';
import { forgetOpened, useOpenedPayment, type OpenedPayment } from '../opened-payment';
import { OpenedAnswers, useOpenedText } from './opened-question';

const ReportOpened = lazyDialog(() => import('./report-opened'));

/** Asks for a payment that was begun and not reported, until the answer is known. */
export function OpenedPaymentNote({ userId }: { userId: string }) {
  const payment = useOpenedPayment(userId);
  const [reporting, setReporting] = useState(false);
  return (
    <>
      {payment ? (
        <Question
          payment={payment}
          onPaid={() => {
            setReporting(true);
          }}
          onNotPaid={() => {
            forgetOpened(userId);
          }}
        />
      ) : null}
      {reporting ? (
        <ReportOpened
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
  payment: OpenedPayment;
  onPaid: () => void;
  onNotPaid: () => void;
}

function Question({ payment, onPaid, onNotPaid }: QuestionProps) {
  const { t } = useI18n();
  const text = useOpenedText(payment);
  return (
    <section className="rounded-control bg-accent-soft px-4 py-3">
      <h2 className="font-semibold">{t('payment.openedTitle')}</h2>
      <p className="mt-0.5">{text}</p>
      <OpenedAnswers onPaid={onPaid} onNotPaid={onNotPaid} />
    </section>
  );
}
