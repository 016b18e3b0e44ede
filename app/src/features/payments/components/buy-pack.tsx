import { useState } from 'react';
import { InsufficientCredits } from '@/components/insufficient-credits';
import { Button } from '@/components/ui/button';
import { DialogClose } from '@/components/ui/dialog';
import { useI18n } from '@/lib/i18n';
import { clearToast } from '@/lib/toast';
import type { UnreportedPayment } from '../unreported-payment';
import { manualTransactionId } from '../transaction-id';
import { useReportPayment } from '../use-report-payment';
import { PhoneStep } from './phone-step';
import { PurchaseDialog } from './purchase-dialog';
import { UpiStep } from './upi-step';

/**
 * Rupees and credits of the Basic Pack, and the seconds
 * before its payment can be confirmed (D15, S-281).
 */
const packPrice = 20;
const confirmAfterSeconds = 22;

const signedOut = { title: 'purchase.signedOut', detail: 'purchase.signedOutDetail' } as const;

type Step = 'insufficient' | 'payment' | 'phone';

interface BuyPackProps {
  userId: string;
  coins: number;
  cost: number;
  activity: string;
  onClose: () => void;
}

/**
 * Too few credits, then the purchase of a pack, then
 * the phone number (SPECIFICATION.md S-278 to S-284).
 */
export default function BuyPack(props: BuyPackProps) {
  const [step, setStep] = useState<Step>('insufficient');
  return (
    <PurchaseDialog userId={props.userId} paying={step !== 'insufficient'} onClose={props.onClose}>
      <Steps
        {...props}
        step={step}
        goTo={(next) => {
          clearToast();
          setStep(next);
        }}
      />
    </PurchaseDialog>
  );
}

interface StepsProps extends BuyPackProps {
  step: Step;
  goTo: (next: Step) => void;
}

function Steps({ userId, coins, cost, activity, onClose, step, goTo }: StepsProps) {
  const { t } = useI18n();
  const report = useReportPayment(userId, signedOut);
  const [payment] = useState(packPayment);

  if (step === 'insufficient') {
    return (
      <>
        <InsufficientCredits activity={activity} cost={cost} coins={coins} />
        <p className="mt-4 font-semibold">
          {t('payment.basicPack')}: {t('payment.basicPackDetail')}
        </p>
        <div className="mt-5 flex flex-col gap-3 sm:flex-row-reverse">
          <Button
            variant="accent"
            className="sm:flex-1"
            onClick={() => {
              goTo('payment');
            }}
          >
            {t('purchase.buy')}
          </Button>
          <DialogClose asChild>
            <Button variant="soft" className="sm:flex-1">
              {t('common.cancel')}
            </Button>
          </DialogClose>
        </div>
      </>
    );
  }
  if (step === 'payment') {
    return (
      <UpiStep
        userId={userId}
        payment={payment}
        confirmAfterSeconds={confirmAfterSeconds}
        confirm={t('purchase.paid')}
        onPaid={() => {
          goTo('phone');
        }}
      />
    );
  }
  return (
    <>
      <PhoneStep
        amount={packPrice}
        optional
        onComplete={async (phone) => {
          if (await report(payment, phone)) onClose();
        }}
      />
      <Button
        variant="soft"
        className="mt-3 w-full"
        onClick={() => {
          goTo('payment');
        }}
      >
        {t('purchase.back')}
      </Button>
    </>
  );
}

function packPayment(): UnreportedPayment {
  const startedAt = Date.now();
  const transactionId = manualTransactionId(startedAt, Math.random);
  return {
    transactionId,
    amount: packPrice,
    credits: packPrice,
    plan: '',
    phoneOptional: true,
    startedAt,
  };
}
