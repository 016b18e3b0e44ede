import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { DialogDescription, DialogTitle } from '@/components/ui/dialog';
import { Field } from '@/components/ui/field';
import { Input } from '@/components/ui/input';
import { useCountdown } from '@/hooks/use-countdown';
import { env } from '@/lib/env';
import { useI18n } from '@/lib/i18n';
import { formatNumber, formatRupees } from '@/lib/money';
import { toast } from '@/lib/toast';
import { reportPlanPayment } from '../api/report-plan-payment';
import { useRefreshWaitingPayments } from '../api/waiting-payments';
import { clearUnreported, type UnreportedPayment } from '../unreported-payment';
import type { Purchase } from '../plans';
import { digitsOfPhone, phoneLength } from '../schema';
import { planTransactionId } from '../transaction-id';
import { PurchaseDialog } from './purchase-dialog';
import { UpiOptions } from './upi-options';

const confirmAfterSeconds = 30;

interface PlanPaymentProps {
  userId: string;
  purchase: Purchase;
  onClose: () => void;
}

/**
 * The purchase of a plan: phone number, QR code,
 * countdown, thanks (SPECIFICATION.md S-292 to S-303).
 */
export default function PlanPayment({ userId, purchase, onClose }: PlanPaymentProps) {
  const [thanks, setThanks] = useState(false);
  const [paying, setPaying] = useState(false);
  return (
    <PurchaseDialog userId={userId} paying={paying && !thanks} onClose={onClose}>
      {thanks ? (
        <ThankYou onClose={onClose} />
      ) : (
        <PayStep
          userId={userId}
          purchase={purchase}
          onPaying={() => {
            setPaying(true);
          }}
          onPaid={() => {
            setThanks(true);
          }}
        />
      )}
    </PurchaseDialog>
  );
}

function ThankYou({ onClose }: { onClose: () => void }) {
  const { t } = useI18n();
  return (
    <>
      <DialogTitle>{t('plans.thanks')}</DialogTitle>
      <DialogDescription>{t('plans.thanksDetail')}</DialogDescription>
      <Button size="lg" className="mt-5 w-full" onClick={onClose}>
        {t('common.close')}
      </Button>
    </>
  );
}

interface PayStepProps {
  userId: string;
  purchase: Purchase;
  /** The QR code was shown. */
  onPaying: () => void;
  onPaid: () => void;
}

function PayStep({ userId, purchase, onPaying, onPaid }: PayStepProps) {
  const { t } = useI18n();
  const [payment] = useState(() => planPayment(purchase));
  const [phone, setPhone] = useState('');
  const [started, setStarted] = useState(false);
  const [busy, setBusy] = useState(false);
  const refreshWaiting = useRefreshWaitingPayments();
  const left = useCountdown(confirmAfterSeconds, started);
  const complete = phone.length === phoneLength;
  const waiting = started && left > 0;

  async function confirm() {
    if (busy) return;
    if (!complete) {
      toast.error({
        title: t('payment.phoneRequired'),
        description: t('plans.phoneRequiredDetail'),
      });
      return;
    }
    setBusy(true);
    const written = await reportPlanPayment({ ...payment, userId, phone, paidAt: new Date() });
    // The user is thanked in any case (S-297). The page behind
    // asks again for a payment that was not recorded.
    if (written) clearUnreported(userId);
    refreshWaiting();
    onPaid();
  }

  return (
    <>
      <DialogTitle>{t(purchase.plan.label)}</DialogTitle>
      <DialogDescription>
        {t('plans.creditsFor', {
          credits: formatNumber(purchase.credits),
          amount: formatRupees(purchase.amount),
        })}
      </DialogDescription>
      <Field label={t('payment.phone')} hint={t('plans.phoneHint')} className="mt-5">
        {(control) => (
          <Input
            {...control}
            type="tel"
            inputMode="numeric"
            autoComplete="tel-national"
            value={phone}
            onChange={(event) => {
              const digits = digitsOfPhone(event.target.value);
              setPhone(digits);
              if (digits.length < phoneLength) return;
              setStarted(true);
              onPaying();
            }}
          />
        )}
      </Field>
      {complete ? (
        <div className="mt-5 animate-rise">
          <p className="text-[2.25rem] leading-none font-heavy tabular-nums">
            {formatRupees(payment.amount)}
          </p>
          <p className="mt-1 text-sm text-muted-foreground">{t('plans.to', { payee: env.upiPayeeName })}</p>
          <UpiOptions
            userId={userId}
            payment={payment}
            longEnough={left === 0}
            copy={t('plans.copyPhone')}
            onCopied={() => {
              toast.success({ title: t('plans.phoneCopied') });
            }}
          />
        </div>
      ) : (
        <p className="mt-5">{t('plans.qrToCome', { amount: formatRupees(purchase.amount) })}</p>
      )}
      <p role="status" className="sr-only">
        {left === 0 ? t('payment.canConfirm') : null}
      </p>
      {/* The button is off without a number, but a press on it says what is missing (S-293). */}
      <div className="sticky bottom-0 -mx-5 mt-2 -mb-5 border-t border-border bg-popover px-5 py-3 sm:-mx-6 sm:-mb-6 sm:px-6 sm:py-4">
        <Button
          size="lg"
          className="w-full tabular-nums"
          disabled={waiting || busy}
          aria-disabled={!complete}
          onClick={confirm}
        >
          {waiting ? t('plans.wait', { seconds: left }) : t('plans.paid')}
        </Button>
      </div>
    </>
  );
}

function planPayment({ plan, amount, credits }: Purchase): UnreportedPayment {
  const startedAt = Date.now();
  const transactionId = planTransactionId(startedAt);
  return { transactionId, amount, credits, plan: plan.name, phoneOptional: false, startedAt };
}
