import { formResolver } from '@/lib/form-resolver';
import { useState } from 'react';
import { Controller, useForm, useWatch } from 'react-hook-form';
import { BreakableAddress } from '@/components/breakable-address';
import { Button } from '@/components/ui/button';
import { useI18n } from '@/lib/i18n';
import { codeLength, codeSchema } from '../schema';
import { CodeInput } from './code-input';
import { StepHeading } from './step-heading';

interface CodeStepProps {
  email: string;
  /** Resolves to what is wrong with the code, or to undefined. */
  onSubmit: (code: string) => Promise<string | undefined>;
  onResend: () => Promise<void>;
  onChangeEmail: () => void;
}

export function CodeStep({ email, onSubmit, onResend, onChangeEmail }: CodeStepProps) {
  const { t } = useI18n();
  const form = useForm({ resolver: formResolver(codeSchema), defaultValues: { code: '' } });
  const { errors, isSubmitting } = form.formState;
  const code = useWatch({ control: form.control, name: 'code' });
  const [resending, setResending] = useState(false);

  async function verify(code: string) {
    const problem = await onSubmit(code);
    if (problem !== undefined) form.setError('code', { message: problem });
  }

  function change(code: string) {
    form.clearErrors('code');
    form.setValue('code', code);
  }

  async function resend() {
    setResending(true);
    await onResend();
    setResending(false);
  }

  return (
    <form noValidate onSubmit={form.handleSubmit((values) => verify(values.code))}>
      <StepHeading title={t('auth.codeTitle')}>
        {t('auth.codeDetail')}{' '}
        <strong className="block font-semibold text-foreground">
          <BreakableAddress>{email}</BreakableAddress>
        </strong>
      </StepHeading>
      <Controller
        control={form.control}
        name="code"
        render={({ field }) => (
          <CodeInput value={field.value} onChange={change} error={errors.code?.message} />
        )}
      />
      <Button
        type="submit"
        size="lg"
        className="mt-4 w-full"
        disabled={code.length !== codeLength || isSubmitting}
      >
        {isSubmitting ? t('auth.verifying') : t('auth.verify')}
      </Button>
      <div className="-mx-1 mt-2 -mb-3 flex flex-wrap justify-between gap-x-4">
        <Button variant="link" onClick={onChangeEmail}>
          {t('auth.changeEmail')}
        </Button>
        <Button variant="link" disabled={resending} onClick={resend}>
          {t('auth.resend')}
        </Button>
      </div>
    </form>
  );
}
