import type { Choice } from './choices';

/** The kinds of communication (SPECIFICATION.md S-257). */
export const communicationTypes: readonly Choice[] = [
  { value: 'whatsapp', text: 'message.whatsapp' },
  { value: 'ptm', text: 'message.ptm' },
  { value: 'formal', text: 'message.formalLetter' },
];

/** The tones of a communication. Formal is the default (S-262, S-265). */
export const tones: readonly Choice[] = [
  { value: 'formal', text: 'message.formal' },
  { value: 'semi-formal', text: 'message.semiFormal' },
  { value: 'friendly', text: 'message.friendly' },
];
