import { env } from '@/lib/env';
import { generationCost } from '@/lib/generation-cost';
import type { Section } from './section';

/** The ten sections of the terms (SPECIFICATION.md S-010, S-090). */
export const terms: readonly Section[] = [
  {
    heading: 'What we agree on',
    paragraphs: [
      `These terms are the agreement between you and the team behind ${env.productName}. ${env.productName} prepares drafts of lesson plans, question papers, teaching aids and messages for schools. By making an account you accept what stands here.`,
    ],
  },
  {
    heading: 'Who may use it',
    paragraphs: [
      'The service is made for teachers, principals and school staff. It is not for children under 13. If you use it on behalf of a school, you confirm that the school allows it.',
    ],
  },
  {
    heading: 'Your account',
    paragraphs: [
      'You sign in with your email address and a code that we send to it, or with Google where that is offered. Keep the mailbox to yourself: whoever reads the code can use your account. One person, one account; free credits are meant once for each teacher.',
    ],
  },
  {
    heading: 'Credits',
    paragraphs: [
      `Each generation of a document costs ${generationCost} credits, with every tool. The credits are taken when the generation begins. Credits are consumed only on successful generation: when a document cannot be made, they are given back.`,
      'Credits never expire. They are not money, pay no interest and cannot be passed on to another account.',
    ],
  },
  {
    heading: 'Payment',
    paragraphs: [
      'You buy credits by UPI. A person checks every payment before its credits are added; the page on which you pay says how long that usually takes. Nothing is charged by itself, and there is no subscription.',
      'If you paid and no credits came, or paid twice by mistake, write to us with the date and the amount, and we will put it right.',
    ],
  },
  {
    heading: 'Your content',
    paragraphs: [
      'You keep all rights to what you type and upload, and you may use the documents made for you freely in your teaching: change them, print them, hand them out, keep them in the records of your school.',
      'You may not resell the generated content, alone or in a collection, and you may not offer it to others as a service of your own. Do not upload what you have no right to use.',
    ],
  },
  {
    heading: 'Drafts, checked by you',
    paragraphs: [
      'The documents are written by machine and can be wrong. Read them before they reach children or parents: facts, answers, dates and tone. The responsibility for what is taught, set and sent stays with you and your school.',
    ],
  },
  {
    heading: 'Fair use',
    paragraphs: [
      'There are limits on how many documents can be made in a minute and in a day, so that the service stays quick for everyone. Do not try to get around them, to enter the accounts of others, or to use the service for anything that the law forbids or that harms children.',
    ],
  },
  {
    heading: 'Ending it',
    paragraphs: [
      'You may end this agreement at any time, without a reason, by asking for the deletion of your account on the profile page. We may end it at any time as well; if you have done nothing against these terms, we first let you use the credits that you have paid for.',
    ],
  },
  {
    heading: 'Changes, law and contact',
    paragraphs: [
      'When these terms change, we tell you 30 days before the change takes effect. If you do not agree, you may end the agreement within that time.',
      `The law of India applies. ${env.supportEmail ? `Questions and complaints reach us at ${env.supportEmail}.` : 'Questions and complaints reach us through the contacts on the start page.'}`,
    ],
  },
];
