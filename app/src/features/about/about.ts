import { env } from '@/lib/env';

export const aboutLead = `${env.productName} helps school teachers in India prepare their documents.`;

export const aboutParagraphs: readonly string[] = [
  'You fill in a short form: board, class, subject, chapter, book. One to two minutes later there is a document that you can change, print or send to your own email. There is nothing to install, and a phone is enough.',
  'New teachers begin with 50 free credits. A document takes 20 credits. Credits are consumed only on successful generation, they never expire, and you can top up at any time by UPI.',
];

export interface Offering {
  name: string;
  text: string;
  comingSoon: boolean;
}

/** The list of the shorter page, whose labels are kept as the product's owners wrote them (screens.md S-013). */
export const offerings: readonly Offering[] = [
  {
    name: 'Lesson plans',
    text: 'For 1 to 5 periods, with outcomes, board work, questions to ask and homework.',
    comingSoon: false,
  },
  {
    name: 'Question papers',
    text: 'Sections, question types and difficulty as you choose, with the answer key.',
    comingSoon: true,
  },
  {
    name: 'Worksheets',
    text: 'Graded practice for the chapter, with room to write.',
    comingSoon: true,
  },
];

export const promises: readonly string[] = [
  'CBSE, ICSE and State Boards, Class 1 to 12',
  'A preview of the form and its plan before credits are spent',
  'Credits given back when a document cannot be made',
];
