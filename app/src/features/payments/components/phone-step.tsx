import { useState, type SubmitEvent } from 'react';
import { Button } from '@/components/ui/button';
import { DialogDescription, DialogTitle } from '@/components/ui/dialog';
import { Field } from '@/components/ui/field';
import { Input } from '@/components/ui/input';
import { useI18n } from '@/lib/i18n';
import { formatRupees } from '@/lib/money';
import { toast } from '@/lib/toast';
import { digitsOfPhone } from '../schema';

interface PhoneStepProps {
  amount: number;
  /** The number may be left out (SPECIFICATION.md S-282). */
  optional?: boolean;
  onComplete: (phone: string) => Promise<void>;
}

export function PhoneStep({ amount, optional = false, onComplete }: PhoneStepProps) {
  const { t } = useI18n();
  const [phone, setPhone] = useState('');
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    if (phone === '' && !optional) {
      setError(t('payment.phoneRequiredDetail'));
      toast.error({ title: t('payment.phoneRequired'), description: t('payment.phoneRequiredDetail') });
      return;
    }
    setBusy(true);
    await onComplete(phone);
    setBusy(false);
  }

  return (
    <form noValidate onSubmit={submit}>
      <DialogTitle>{t('payment.completeTitle')}</DialogTitle>
      <DialogDescription>{t('payment.completeDetail', { amount: formatRupees(amount) })}</DialogDescription>
      <Field
        label={t('payment.phone')}
        note={optional ? t('payment.optional') : undefined}
        error={error}
        className="mt-5"
      >
        {(control) => (
          <Input
            {...control}
            type="tel"
            inputMode="numeric"
            autoComplete="tel-national"
            value={phone}
            onChange={(event) => {
              setPhone(digitsOfPhone(event.target.value));
              setError(undefined);
            }}
          />
        )}
      </Field>
      <Button type="submit" size="lg" className="mt-5 w-full" disabled={busy}>
        {busy ? t('payment.submitting') : t('payment.submit')}
      </Button>
    </form>
  );
}
