import type { RequestBody } from '@/builder/tool';
import type { CommunicationForm } from './schema';

/** Longest texts that the function takes (functions/SPECIFICATION.md GEN-1.11). */
export const limits = { purpose: 300, keyDetails: 4_000, signature: 300 } as const;

/** The form as it begins (SPECIFICATION.md S-265). */
export const emptyCommunication: CommunicationForm = {
  communicationType: '',
  schoolName: '',
  targetAudience: '',
  senderRole: '',
  senderName: '',
  eventDate: '',
  purpose: '',
  keyDetails: '',
  tone: 'formal',
  signature: '',
  outputType: 'download',
};

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
