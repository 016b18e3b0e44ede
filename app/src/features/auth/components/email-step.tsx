import { formResolver } from '@/lib/form-resolver';
import { useEffect } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { Input } from '@/components/ui/input';
import { useI18n } from '@/lib/i18n';
import { emailSchema } from '../schema';
import { StepHeading } from './step-heading';

interface EmailStepProps {
  email: string;
  onSubmit: (email: string) => Promise<void>;
  onBack: (typed: string) => void;
}

export function EmailStep({ email, onSubmit, onBack }: EmailStepProps) {
  const { t } = useI18n();
  const form = useForm({ resolver: formResolver(emailSchema), defaultValues: { email } });
  const { errors, isSubmitting } = form.formState;
  const typed = useWatch({ control: form.control, name: 'email' });
  const { setFocus } = form;
  useEffect(() => {
    setFocus('email');
  }, [setFocus]);

  return (
    <form noValidate onSubmit={form.handleSubmit((values) => onSubmit(values.email))}>
      <StepHeading title={t('auth.emailTitle')}>{t('auth.emailDetail')}</StepHeading>
      <Field label={t('auth.emailLabel')} error={errors.email?.message} className="mt-5">
        {(control) => (
          <Input
            {...control}
            type="email"
            inputMode="email"
            autoComplete="email"
            autoCapitalize="none"
            spellCheck={false}
            placeholder="you@school.example"
            required
            {...form.register('email')}
          />
        )}
      </Field>
      <Button type="submit" size="lg" className="mt-4 w-full" disabled={typed.trim() === '' || isSubmitting}>
        {isSubmitting ? t('auth.sending') : t('auth.send')}
      </Button>
      <Button
        variant="link"
        className="mt-2"
        onClick={() => {
          onBack(typed);
        }}
      >
        {t('auth.back')}
      </Button>
    </form>
  );
}
