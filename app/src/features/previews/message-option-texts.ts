import type { OptionTexts } from '@/lib/option-texts';

export const typeTexts: OptionTexts = {
  whatsapp: 'message.whatsapp',
  ptm: 'message.ptm',
  formal: 'message.formalLetter',
};

export const toneTexts: OptionTexts = {
  formal: 'message.formal',
  'semi-formal': 'message.semiFormal',
  friendly: 'message.friendly',
};
