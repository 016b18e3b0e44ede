import { useState } from 'react';
import { clearToast } from '@/lib/toast';
import type { UnreportedPayment } from '../unreported-payment';
import { manualTransactionId } from '../transaction-id';
import { useReportPayment } from '../use-report-payment';
import { AmountStep } from './amount-step';
import { PhoneStep } from './phone-step';
import { PurchaseDialog } from './purchase-dialog';
import { UpiStep } from './upi-step';

type Step = { name: 'amount' } | { name: 'upi' | 'phone'; payment: UnreportedPayment };

interface BuyCreditsProps {
  userId: string;
  onClose: () => void;
}

/**
 * The purchase of credits on /home: amount, payment by
 * UPI, phone number (SPECIFICATION.md S-162 to S-175).
 */
export default function BuyCredits({ userId, onClose }: BuyCreditsProps) {
  const [step, setStep] = useState<Step>({ name: 'amount' });
  return (
    <PurchaseDialog
      userId={userId}
      paying={step.name !== 'amount'}
      onClose={onClose}
      onOpenAutoFocus={focusDialog}
    >
      <Steps
        userId={userId}
        step={step}
        onStep={(next) => {
          clearToast();
          setStep(next);
        }}
        onClose={onClose}
      />
    </PurchaseDialog>
  );
}

/**
 * The first control is the pack. A focus ring around it would look as if it were chosen already.
 */
function focusDialog(event: Event) {
  event.preventDefault();
  if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus();
}

interface StepsProps extends BuyCreditsProps {
  step: Step;
  onStep: (next: Step) => void;
}

function Steps({ userId, step, onStep, onClose }: StepsProps) {
  const report = useReportPayment(userId);
  if (step.name === 'amount') {
    return (
      <AmountStep
        onBuy={(amount) => {
          onStep({ name: 'upi', payment: paymentOf(amount) });
        }}
      />
    );
  }
  const { payment } = step;
  if (step.name === 'upi') {
    return (
      <UpiStep
        userId={userId}
        payment={payment}
        onPaid={() => {
          onStep({ name: 'phone', payment });
        }}
      />
    );
  }
  return (
    <PhoneStep
      amount={payment.amount}
      onComplete={async (phone) => {
        if (await report(payment, phone)) onClose();
      }}
    />
  );
}

function paymentOf(amount: number): UnreportedPayment {
  const startedAt = Date.now();
  const transactionId = manualTransactionId(startedAt, Math.random);
  return { transactionId, amount, credits: amount, plan: '', phoneOptional: false, startedAt };
}
