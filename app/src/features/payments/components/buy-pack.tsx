import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog, DialogClose, DialogContent, DialogDescription, DialogTitle } from '@/components/ui/dialog';
import { useI18n } from '@/lib/i18n';
import { clearToast, toast } from '@/lib/toast';
import { createPayment } from '../api/create-payment';
import { useRefreshWaitingPayments } from '../api/waiting-payments';
import { manualTransactionId } from '../transaction-id';
import { PhoneStep } from './phone-step';
import { UpiStep } from './upi-step';

/** Rupees and credits of the Basic Pack, and the seconds before its payment can be confirmed (D15, S-281). */
const packPrice = 20;
const confirmAfterSeconds = 22;

type Step = 'insufficient' | 'payment' | 'phone';

interface BuyPackProps {
  coins: number;
  cost: number;
  activity: string;
  onClose: () => void;
}

/** Too few credits, and the way to a pack of them: insufficient, payment, phone (screens.md S-278 to S-284). */
export default function BuyPack(props: BuyPackProps) {
  return (
    <Dialog onClose={props.onClose}>
      <DialogContent>
        <Steps {...props} />
      </DialogContent>
    </Dialog>
  );
}

function Steps({ coins, cost, activity, onClose }: BuyPackProps) {
  const { t } = useI18n();
  const refreshWaiting = useRefreshWaitingPayments();
  const [step, setStep] = useState<Step>('insufficient');
  const [transactionId] = useState(() => manualTransactionId(Date.now(), Math.random));

  function goTo(next: Step) {
    clearToast();
    setStep(next);
  }

  async function complete(phone: string) {
    try {
      const outcome = await createPayment({ transactionId, amount: packPrice, phone });
      if (outcome === 'failed') {
        toast.error({ title: t('common.error'), description: t('payment.failed') });
        return;
      }
      if (outcome === 'signed-out') {
        toast.error({ title: t('purchase.signedOut'), description: t('purchase.signedOutDetail') });
        return;
      }
    } catch {
      // The money may have been paid: the thanks are shown and the team checks by hand (S-283).
    }
    refreshWaiting();
    toast.success({ title: t('payment.thanks') });
    onClose();
  }

  if (step === 'insufficient') {
    return (
      <>
        <DialogTitle>{t('insufficient.title')}</DialogTitle>
        <DialogDescription>{t('insufficient.detail')}</DialogDescription>
        <dl className="mt-5 divide-y divide-border border-y border-border">
          {[
            [t('insufficient.activity'), activity],
            [t('insufficient.required'), String(cost)],
            [t('insufficient.current'), String(coins)],
          ].map(([term, value]) => (
            <div key={term} className="flex items-baseline justify-between gap-4 py-3">
              <dt className="text-muted-foreground">{term}</dt>
              <dd className="text-right font-bold tabular-nums">{value}</dd>
            </div>
          ))}
        </dl>
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
        amount={packPrice}
        transactionId={transactionId}
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
      <PhoneStep amount={packPrice} optional onComplete={complete} />
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
