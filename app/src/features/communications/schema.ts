import * as z from 'zod/mini';
import { oneOf, optionalText, requiredText } from '@/builder/form-rules';
import { t } from '@/lib/i18n';
import { communicationTypes, tones } from '@/lib/options/communication';
import { limits } from './form';

const values = (options: readonly { value: string }[]) => options.map(({ value }) => value);

/**
 * The communication form (SPECIFICATION.md S-357, S-257
 * to S-264). Any day is allowed, past ones too (S-285).
 */
export const communicationSchema = z.object({
  communicationType: oneOf(values(communicationTypes)),
  schoolName: optionalText(),
  targetAudience: requiredText(),
  senderRole: requiredText(),
  senderName: requiredText(),
  eventDate: z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/, { error: () => t('form.required') })),
  purpose: requiredText(limits.purpose),
  keyDetails: requiredText(limits.keyDetails),
  tone: oneOf(values(tones)),
  signature: optionalText(limits.signature),
  outputType: oneOf(['download', 'email']),
});

export type CommunicationForm = z.infer<typeof communicationSchema>;
