import { Field } from '@/components/ui/field';
import { controlClasses, Input } from '@/components/ui/input';
import { Select, SelectOptions } from '@/components/ui/select';
import type { Option } from '@/lib/curriculum';
import { useI18n } from '@/lib/i18n';
import { cn } from '@/lib/utils';

interface FieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** Most fields are required. The optional ones say so in their label. */
  optional?: boolean;
  className?: string;
}

export function SelectField({
  label,
  value,
  onChange,
  options,
  placeholder,
  className,
}: FieldProps & { options: readonly Option[]; placeholder?: string }) {
  return (
    <Field label={label} className={className}>
      {(control) => (
        <Select
          {...control}
          required
          value={value}
          onChange={(event) => {
            onChange(event.target.value);
          }}
        >
          <SelectOptions options={options} placeholder={placeholder} />
        </Select>
      )}
    </Field>
  );
}

export function TextField({
  label,
  value,
  onChange,
  optional = false,
  className,
  ...input
}: FieldProps & { type?: 'text' | 'date' | 'number'; min?: number; max?: number }) {
  const { t } = useI18n();
  return (
    <Field label={label} note={optional ? t('form.optional') : undefined} className={className}>
      {(control) => (
        <Input
          {...control}
          {...input}
          required={!optional}
          maxLength={200}
          value={value}
          onChange={(event) => {
            onChange(event.target.value);
          }}
        />
      )}
    </Field>
  );
}

export function LongTextField({ label, value, onChange, className }: FieldProps) {
  return (
    <Field label={label} className={className}>
      {(control) => (
        <textarea
          {...control}
          required
          rows={3}
          maxLength={2000}
          value={value}
          onChange={(event) => {
            onChange(event.target.value);
          }}
          className={cn(controlClasses, 'resize-y leading-[1.55]')}
        />
      )}
    </Field>
  );
}

interface ChoiceGroupProps {
  label: string;
  options: readonly Option[];
  className?: string;
}

const chipClasses =
  'inline-flex min-h-11 cursor-pointer items-center gap-2.5 rounded-control border border-input bg-card px-3.5 py-1.5 text-card-foreground has-checked:border-primary has-checked:bg-primary-soft has-focus-visible:border-ring';

/** Several of many options, as chips with boxes. */
export function CheckGroup({
  label,
  options,
  values,
  onChange,
  className,
}: ChoiceGroupProps & { values: readonly string[]; onChange: (values: string[]) => void }) {
  return (
    <fieldset className={className}>
      <legend className="mb-1.5 text-sm font-semibold">{label}</legend>
      <div className="flex flex-wrap gap-2">
        {options.map((option) => (
          <label key={option.value} className={chipClasses}>
            <input
              type="checkbox"
              checked={values.includes(option.value)}
              onChange={(event) => {
                const others = values.filter((value) => value !== option.value);
                onChange(event.target.checked ? [...others, option.value] : others);
              }}
              className="size-[18px] accent-primary"
            />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** One of a few options, as chips. */
export function RadioGroup({
  label,
  options,
  value,
  onChange,
  className,
}: ChoiceGroupProps & { value: string; onChange: (value: string) => void }) {
  return (
    <fieldset className={className}>
      <legend className="mb-1.5 text-sm font-semibold">{label}</legend>
      <div className="flex flex-wrap gap-2">
        {options.map((option) => (
          <label key={option.value} className={chipClasses}>
            <input
              type="radio"
              required
              checked={value === option.value}
              onChange={() => {
                onChange(option.value);
              }}
              className="size-[18px] accent-primary"
            />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
