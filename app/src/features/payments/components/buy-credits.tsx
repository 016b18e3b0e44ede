import { useState } from 'react';
import { Dialog, DialogContent } from '@/components/ui/dialog';
import { useI18n } from '@/lib/i18n';
import { clearToast, toast } from '@/lib/toast';
import { createPayment } from '../api/create-payment';
import { useRefreshWaitingPayments } from '../api/waiting-payments';
import { manualTransactionId } from '../transaction-id';
import { AmountStep } from './amount-step';
import { PhoneStep } from './phone-step';
import { UpiStep } from './upi-step';

type Step = { name: 'amount' } | { name: 'upi' | 'phone'; amount: number; transactionId: string };

/** Buying credits on /home: amount, payment by UPI, phone number (screens.md S-162 to S-175). */
export default function BuyCredits({ onClose }: { onClose: () => void }) {
  return (
    <Dialog onClose={onClose}>
      <DialogContent onOpenAutoFocus={focusDialog}>
        <Steps onClose={onClose} />
      </DialogContent>
    </Dialog>
  );
}

/** The first control is the pack: a ring around it would look as if it were chosen already. */
function focusDialog(event: Event) {
  event.preventDefault();
  if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus();
}

function Steps({ onClose }: { onClose: () => void }) {
  const { t } = useI18n();
  const [step, setStep] = useState<Step>({ name: 'amount' });
  const refreshWaiting = useRefreshWaitingPayments();

  function goTo(next: Step) {
    clearToast();
    setStep(next);
  }

  async function complete(amount: number, transactionId: string, phone: string) {
    try {
      const outcome = await createPayment({ transactionId, amount, phone });
      if (outcome === 'failed') {
        toast.error({ title: t('common.error'), description: t('payment.failed') });
        return;
      }
      if (outcome === 'signed-out') {
        toast.error({ title: t('payment.signedOut'), description: t('payment.signedOutDetail') });
        return;
      }
    } catch {
      // The money may have been paid: the thanks are shown and the team checks by hand (screens.md S-174).
    }
    refreshWaiting();
    toast.success({ title: t('payment.thanks') });
    onClose();
  }

  if (step.name === 'amount') {
    return (
      <AmountStep
        onBuy={(amount) => {
          goTo({ name: 'upi', amount, transactionId: manualTransactionId(Date.now(), Math.random) });
        }}
      />
    );
  }
  const { amount, transactionId } = step;
  if (step.name === 'upi') {
    return (
      <UpiStep
        amount={amount}
        transactionId={transactionId}
        onPaid={() => {
          goTo({ name: 'phone', amount, transactionId });
        }}
      />
    );
  }
  return <PhoneStep amount={amount} onComplete={(phone) => complete(amount, transactionId, phone)} />;
}
