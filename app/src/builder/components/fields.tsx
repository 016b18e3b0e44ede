import { use } from 'react';
import { useController, useFormContext, type FieldPath, type FieldValues } from 'react-hook-form';
import { Combobox } from '@/components/ui/combobox';
import { Field } from '@/components/ui/field';
import { controlClasses, Input } from '@/components/ui/input';
import { Select, SelectOptions } from '@/components/ui/select';
import type { Option } from '@/lib/curriculum';
import { useI18n } from '@/lib/i18n';
import { cn } from '@/lib/utils';
import { RefusedFieldContext } from './refused-field';

interface BoundFieldProps<Form extends FieldValues> {
  name: FieldPath<Form>;
  label: string;
  hint?: string;
  /** Most fields are required. The optional ones say so in their label. */
  optional?: boolean;
  className?: string;
}

function useFieldError<Form extends FieldValues>(name: FieldPath<Form>) {
  const { register, getFieldState, formState } = useFormContext<Form>();
  const refused = use(RefusedFieldContext);
  const refusal = refused?.field === name ? refused.message : undefined;
  return {
    register,
    error: getFieldState(name, formState).error?.message ?? refusal,
    alert: refusal !== undefined,
  };
}

interface TextFieldProps<Form extends FieldValues> extends BoundFieldProps<Form> {
  maxLength?: number;
  type?: 'text' | 'date';
}

/** One line of text, or a date. */
export function TextField<Form extends FieldValues>(props: TextFieldProps<Form>) {
  const { name, label, hint, optional = false, className, maxLength = 200, type = 'text' } = props;
  const { t } = useI18n();
  const { register, error, alert } = useFieldError<Form>(name);
  return (
    <Field
      label={label}
      note={optional ? t('form.optional') : undefined}
      hint={hint}
      error={error}
      alert={alert}
      className={className}
    >
      {(control) => (
        <Input
          {...control}
          type={type}
          required={!optional}
          autoComplete="off"
          maxLength={type === 'text' ? maxLength : undefined}
          {...register(name)}
        />
      )}
    </Field>
  );
}

/** One line of text, with a list that is filtered by the typed text. */
export function ComboboxField<Form extends FieldValues>(
  props: BoundFieldProps<Form> & { options: readonly Option[]; placeholder?: string },
) {
  const { name, label, hint, className, options, placeholder } = props;
  const { field, fieldState } = useController<Form>({ name });
  const value: unknown = field.value;
  const typed = typeof value === 'string' ? value : '';
  return (
    <Field label={label} hint={hint} error={fieldState.error?.message} className={className}>
      {(control) => (
        <Combobox
          {...control}
          {...field}
          label={label}
          required
          maxLength={200}
          placeholder={placeholder}
          value={typed}
          options={options}
          onPick={field.onChange}
        />
      )}
    </Field>
  );
}

/**
 * A small number, typed or stepped. An invalid number is corrected on blur, so that the field shows
 * what will be generated.
 */
export function NumberField<Form extends FieldValues>(
  props: BoundFieldProps<Form> & { min: number; max: number; settle: (text: string) => string },
) {
  const { name, label, hint, className, min, max, settle } = props;
  const { field, fieldState } = useController<Form>({ name });
  const value: unknown = field.value;
  const typed = typeof value === 'string' ? value : '';
  return (
    <Field label={label} hint={hint} error={fieldState.error?.message} className={className}>
      {(control) => (
        <Input
          {...control}
          {...field}
          type="number"
          inputMode="numeric"
          min={min}
          max={max}
          value={typed}
          onBlur={() => {
            field.onChange(settle(typed));
            field.onBlur();
          }}
        />
      )}
    </Field>
  );
}

/** Several lines of text. */
export function TextAreaField<Form extends FieldValues>(
  props: BoundFieldProps<Form> & { rows: number; maxLength: number },
) {
  const { name, label, hint, optional = false, className, rows, maxLength } = props;
  const { t } = useI18n();
  const { register, error, alert } = useFieldError<Form>(name);
  return (
    <Field
      label={label}
      note={optional ? t('form.optional') : undefined}
      hint={hint}
      error={error}
      alert={alert}
      className={className}
    >
      {(control) => (
        <textarea
          {...control}
          required={!optional}
          rows={rows}
          maxLength={maxLength}
          className={cn(controlClasses, 'resize-y leading-[1.55]')}
          {...register(name)}
        />
      )}
    </Field>
  );
}

/** One of a list. */
export function SelectField<Form extends FieldValues>(
  props: BoundFieldProps<Form> & { options: readonly Option[]; placeholder?: string },
) {
  const { name, label, hint, className, options, placeholder } = props;
  const { register, error } = useFieldError<Form>(name);
  return (
    <Field label={label} hint={hint} error={error} className={className}>
      {(control) => (
        <Select {...control} required {...register(name)}>
          <SelectOptions options={options} placeholder={placeholder} />
        </Select>
      )}
    </Field>
  );
}

interface ChoiceGroupProps<Form extends FieldValues> extends BoundFieldProps<Form> {
  options: readonly Option[];
  /** `radio`: one option. `checkbox`: any number of options, and the value is a list. */
  type: 'radio' | 'checkbox';
}

/** A few options, all visible, each with its own touch target. */
export function ChoiceGroup<Form extends FieldValues>({
  name,
  label,
  hint,
  className,
  options,
  type,
}: ChoiceGroupProps<Form>) {
  const { register, error } = useFieldError<Form>(name);
  const messageId = `${name}-message`;
  const message = error ?? hint;
  return (
    <fieldset aria-describedby={message ? messageId : undefined} className={cn('min-w-0', className)}>
      <legend className="mb-1.5 text-sm font-semibold">{label}</legend>
      <div className="flex flex-wrap gap-2">
        {options.map((option) => (
          <label
            key={option.value}
            className="inline-flex min-h-11 cursor-pointer items-center gap-2.5 rounded-control border border-input bg-card px-3.5 py-1.5 text-card-foreground has-checked:border-primary has-checked:bg-primary-soft has-disabled:opacity-60 has-focus-visible:border-ring"
          >
            <input
              type={type}
              value={option.value}
              className="size-[18px] shrink-0 accent-primary"
              {...register(name)}
            />
            {option.label}
          </label>
        ))}
      </div>
      {message ? (
        <p
          id={messageId}
          className={cn('mt-1.5 text-sm', error ? 'font-medium text-destructive' : 'text-muted-foreground')}
        >
          {message}
        </p>
      ) : null}
    </fieldset>
  );
}
