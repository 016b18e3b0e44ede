import { env } from '@/lib/env';
import { generationCost } from '@/lib/generation-cost';

export interface Question {
  question: string;
  answer: readonly string[];
}

/** The ten questions, in the order of screens.md S-099. */
export const questions: readonly Question[] = [
  {
    question: `What is ${env.productName}?`,
    answer: [
      `A helper for school teachers that writes first drafts: lesson plans, question papers, teaching aids and messages to parents. You say board, class, subject, chapter and book; ${env.productName} prepares a document that you can change and print.`,
    ],
  },
  {
    question: 'Which kinds of content can I make?',
    answer: [
      'Lesson plans for 1 to 5 periods; question papers of 20 to 100 marks with the answer key; teaching aids such as worksheets, practice sheets, activities and games; and communication: WhatsApp notes, PTM messages and formal letters.',
      'Eight more tools are named on the start page as Coming Soon. They cannot be used yet.',
    ],
  },
  {
    question: 'Which boards and classes are covered?',
    answer: [
      'CBSE, ICSE and the State Boards, Class 1 to 12. IB, Cambridge and NIOS can be chosen as well. Chapter, book and publisher are free text, so a book that your school chose itself is no problem.',
    ],
  },
  {
    question: 'How long does it take?',
    answer: [
      'Usually 1 to 2 minutes. The page shows the seconds and can be cancelled. If your network breaks on the way, the document that you paid for is kept for you.',
    ],
  },
  {
    question: 'What does it cost?',
    answer: [
      `Each document costs ${generationCost} credits, and you begin with 50 free credits. Bought one by one, a credit is one rupee; the packs on the pricing page give more.`,
      'Credits are consumed only on successful generation: when a document cannot be made, they are given back. They never expire, and you can top up at any time.',
    ],
  },
  {
    question: 'Do I see a preview before I spend credits?',
    answer: [
      'Yes. Beside the form stand the heading and the plan of your document, with ruled blanks where its content will be, and they follow every field that you fill in. The content itself is written when you press Download or Send to Email; after that you see it in full and can download it again without paying.',
    ],
  },
  {
    question: 'Do you give demo classes?',
    answer: [
      'There is no demo class to book, and you do not need one: the four forms are open to everybody, and the free credits are there to try a real chapter of yours. If your staff wants to see it together, write to us and we will answer your questions.',
    ],
  },
  {
    question: 'How can I pay?',
    answer: [
      'By UPI, with the app that you have: PhonePe, Google Pay, Paytm, BHIM or the app of your bank. Scan the QR code or press Pay with UPI App. We take no card numbers; a card that your UPI app lets you pay with is between you and that app.',
      'Every payment is checked by a person before the credits are added, so it takes some hours. Nothing is charged again by itself.',
    ],
  },
  {
    question: 'Do I have to install anything?',
    answer: [
      'No. It works in the browser of a phone or a computer. The file is made for Word and also opens in LibreOffice, WPS Office and Google Docs.',
    ],
  },
  {
    question: 'Is my data safe?',
    answer: [
      'What travels between your device and us is encrypted (SSL). There is no password that could be stolen: you sign in with a code that is sent to your email. Your documents stay with your account, and we do not sell data.',
      'Please do not put the marks, the health or the discipline of a named child into a form. No document needs them.',
    ],
  },
];
