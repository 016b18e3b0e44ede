import { env } from '@/lib/env';

export interface Chapter {
  heading: string;
  paragraphs: readonly string[];
}

export const aboutUsLead = `${env.productName} does the writing that a school asks of its teachers, so that the evening belongs to the teacher and the period belongs to the children.`;

/** Mission, vision and story (screens.md S-096). */
export const aboutUsChapters: readonly Chapter[] = [
  {
    heading: 'Our mission',
    paragraphs: [
      'A teacher in India prepares five or six periods a day for forty or fifty children, and then sits down to write: the plan for the inspection, the unit test for Monday, the worksheet for those who were absent, the note for the parents. We take over the writing. The teacher keeps the judgement.',
      'Every document follows what schools really use: the board, the class, the book and the publisher on the form, marks that add up to the last one, a file that opens in an old Word on the office computer.',
    ],
  },
  {
    heading: 'Our vision',
    paragraphs: [
      'A good plan should not depend on a good network, a costly subscription or a city address. We work for the staff room where one phone is shared at the window with the better signal, and for the school where the printer takes only what the clerk’s computer can open.',
      'In ten years nobody should have to choose between preparing a lesson and having dinner with the family.',
    ],
  },
  {
    heading: 'Our story',
    paragraphs: [
      'It begins with a stack of copied pages. Last year’s paper, with the year changed by hand; a lesson plan typed for another school; a notice on which the fourteenth was a Tuesday when it was a Wednesday. Nobody was careless. There was simply no hour left in the day.',
      'So we made four tools, one for each heap on the desk: lesson plans, question papers, teaching aids, and messages to parents. We kept the price at a cup or two of tea for a document, asked for no subscription, and made a rule for ourselves: when we cannot make the document, the credits go back.',
      'The documents are drafts by a careful helper. They say what you must still fill in, and they are yours to change. What happens in the classroom is your work, and always will be.',
    ],
  },
];

/** The three feature cards (screens.md S-096). */
export const aboutUsFeatures: readonly { title: string; text: string }[] = [
  {
    title: 'Made for your board',
    text: 'CBSE, ICSE and State Boards, Class 1 to 12, with the section headings and instructions that examiners expect.',
  },
  {
    title: 'Marks that add up',
    text: 'The plan of a paper is calculated, never guessed: sections, questions and marks agree, and the answer key follows.',
  },
  {
    title: 'Opens everywhere',
    text: 'A file for Word that also opens on the old computer in the office, ready to change, print and put in the register.',
  },
];
