import { env } from '@/lib/env';
import type { Section } from './section';

/** The ten sections of the privacy policy (SPECIFICATION.md S-011, S-094). */
export const privacy: readonly Section[] = [
  {
    heading: 'In short',
    paragraphs: [
      `${env.productName} keeps what it needs to make your documents and to keep your credits right. No data is sold, there is no advertising, and no tracker of another company runs on these pages.`,
    ],
  },
  {
    heading: 'What we keep',
    paragraphs: [
      'Your email address and the times of your sign-ins. The balance of your credits and every change to it. For a payment: its amount, its date, and the phone number that you give so that it can be found.',
      'For a document: what you typed into the form, the document itself, and when it was made. A sample file is kept for 24 hours at most.',
    ],
  },
  {
    heading: 'What we use it for',
    paragraphs: [
      'To sign you in, to make and deliver documents, to hand a document out again when the network broke, to verify payments, to answer your questions, and to stop misuse. For nothing else.',
    ],
  },
  {
    heading: 'What you give in a form',
    paragraphs: [
      'A sample file that you pick for a lesson plan or a question paper is uploaded, so that your document can follow it: a lesson plan the order and names of the headings that are known, a question paper the names and numbering and, where they match the form, the sections and marks. It is used for nothing else. No other teacher can open it, and removing it in the form deletes it. Otherwise it is deleted 24 hours after its upload, or with your account if that is sooner. A sample file for teaching aids stays on your device.',
      'Please leave out personal facts about children: no form and no sample needs a child’s name, marks, health or conduct.',
    ],
  },
  {
    heading: 'Who else sees it',
    paragraphs: [
      'A document may be written with the help of a language-model provider. It then receives the words of the form and up to 4,000 characters of the text of a sample, but not the email address or the phone number of your account. Mail is carried by a mail provider. If you sign in with Google, Google learns that you did.',
      'Our team sees an account when it answers its owner, verifies a payment or looks into a fault. Authorities receive data only where the law obliges us.',
    ],
  },
  {
    heading: 'What stays on your device',
    paragraphs: [
      'Your sign-in, your theme, your language and whether you want short messages are stored in the browser, and the form that you are filling in with the name of its sample file, so that a reload does not lose them. A payment that you opened is remembered until you say what became of it. None of it is used to follow you. Signing out removes the sign-in and the forms.',
    ],
  },
  {
    heading: 'How it is protected',
    paragraphs: [
      'Connections are encrypted (SSL). There are no passwords. The database itself refuses one teacher the rows of another, whatever a page may ask for, and administrators are few.',
    ],
  },
  {
    heading: 'How long',
    paragraphs: [
      'As long as your account lasts. When you ask for its deletion on the profile page, we contact you within 24 hours and then remove the account, the profile, the payments and any sample file. The bookkeeping of credits stays, without anything that names you.',
    ],
  },
  {
    heading: 'Children',
    paragraphs: [
      'The service is for adults who work in schools. It is not for children under 13, and we do not knowingly keep their data. If you find that a child has made an account, tell us and we will remove it.',
    ],
  },
  {
    heading: 'Your rights and how to reach us',
    paragraphs: [
      'You may ask what we hold about you, have it corrected, take a copy, or have it deleted. If this policy changes in anything that matters, we tell you 30 days before.',
      env.supportEmail
        ? `Write to ${env.supportEmail}; a person answers.`
        : 'Reach us through the contacts on the start page; a person answers.',
    ],
  },
];
