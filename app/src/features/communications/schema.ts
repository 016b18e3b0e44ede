import * as z from 'zod/mini';
import { keptText, oneOf, optionalText, requiredText } from '@/builder/form-rules';
import type { RequestBody } from '@/builder/tool';
import { t } from '@/lib/i18n';
import { communicationTypes, tones } from '@/lib/tool-options';

const values = (options: readonly { value: string }[]) => options.map(({ value }) => value);

/** Longest texts that the function takes (generation.md 1). */
export const limits = { purpose: 300, keyDetails: 4_000, signature: 300 } as const;

/** The communication form (screens.md S-357, S-257 to S-264). Any day is allowed, past ones too (S-285). */
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

/** The form as it was left; its beginning is what S-265 says. */
export const communicationDraft = z.object({
  communicationType: keptText(),
  schoolName: keptText(),
  targetAudience: keptText(),
  senderRole: keptText(),
  senderName: keptText(),
  eventDate: keptText(),
  purpose: keptText(),
  keyDetails: keptText(),
  tone: keptText('formal'),
  signature: keptText(),
  outputType: keptText('download'),
});

/** The body of generate-communication (S-271). */
export function requestOf(form: CommunicationForm): RequestBody {
  return {
    communicationType: form.communicationType,
    schoolName: form.schoolName.trim(),
    senderRole: form.senderRole.trim(),
    senderName: form.senderName.trim(),
    targetAudience: form.targetAudience.trim(),
    eventDate: form.eventDate,
    purpose: form.purpose.trim(),
    keyDetails: form.keyDetails.trim(),
    tone: form.tone,
    signature: form.signature.trim(),
    outputType: form.outputType,
  };
}
