import { useState, type SubmitEvent } from 'react';
import { Button } from '@/components/ui/button';
import { DialogDescription, DialogTitle } from '@/components/ui/dialog';
import { Field } from '@/components/ui/field';
import { Input } from '@/components/ui/input';
import { useI18n } from '@/lib/i18n';
import { formatRupees } from '@/lib/money';
import { toast } from '@/lib/toast';
import { parseAmount } from '../schema';

const basicPack = 20;

export function AmountStep({ onBuy }: { onBuy: (amount: number) => void }) {
  const { t } = useI18n();
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<string>();

  function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const amount = parseAmount(typed);
    if (amount !== null) {
      onBuy(amount);
      return;
    }
    setError(t('payment.amountInvalidDetail'));
    toast.error({ title: t('payment.amountInvalid'), description: t('payment.amountInvalidDetail') });
  }

  return (
    <form noValidate onSubmit={submit}>
      <DialogTitle>{t('payment.buyTitle')}</DialogTitle>
      <DialogDescription>{t('payment.rate')}</DialogDescription>
      <button
        type="button"
        onClick={() => {
          onBuy(basicPack);
        }}
        className="mt-5 flex w-full items-center justify-between gap-4 rounded-card border border-input bg-card p-4 text-left hover:bg-primary-soft"
      >
        <span>
          <span className="block text-lg font-bold">{t('payment.basicPack')}</span>
          <span className="block text-sm text-muted-foreground">{t('payment.basicPackDetail')}</span>
        </span>
        <span className="rounded-full bg-accent-soft px-3 py-1 text-lg font-bold tabular-nums">
          {formatRupees(basicPack)}
        </span>
      </button>
      <Field label={t('payment.amount')} hint={t('payment.amountHint')} error={error} className="mt-5">
        {(control) => (
          <Input
            {...control}
            inputMode="numeric"
            autoComplete="off"
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value);
              setError(undefined);
            }}
          />
        )}
      </Field>
      {/* The button is filled once there is an amount. Until then the pack is the main choice. */}
      <Button type="submit" variant={typed ? 'accent' : 'outline'} size="lg" className="mt-5 w-full">
        {t('payment.continue')}
      </Button>
    </form>
  );
}
