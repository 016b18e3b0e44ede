import { Button } from '@/components/ui/button';
import { formatTimeInText } from '@/lib/dates';
import { useI18n } from '@/lib/i18n';
import { formatRupees } from '@/lib/money';
import type { UnreportedPayment } from '../unreported-payment';

/** Returns the sentence about a payment that was begun and not reported. */
export function useUnreportedText({ amount, startedAt }: UnreportedPayment): string {
  const { t } = useI18n();
  return t('payment.unreported', {
    amount: formatRupees(amount),
    time: formatTimeInText(new Date(startedAt)),
  });
}

interface UnreportedAnswersProps {
  onPaid: () => void;
  onNotPaid: () => void;
}

/** The two answers to whether it was paid. */
export function UnreportedAnswers({ onPaid, onNotPaid }: UnreportedAnswersProps) {
  const { t } = useI18n();
  return (
    <div className="mt-3 flex flex-wrap gap-2.5 [&>*]:grow md:[&>*]:grow-0">
      <Button onClick={onPaid}>{t('payment.unreportedYes')}</Button>
      <Button variant="outline" onClick={onNotPaid}>
        {t('payment.unreportedNo')}
      </Button>
    </div>
  );
}
