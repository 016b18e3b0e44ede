export interface Testimonial {
  text: string;
  author: string;
  location: string;
}

/**
 * Fifteen voices, three to a page of the carousel (screens.md S-066). They are examples of use that we wrote ourselves:
 * roles instead of names, and the screen says so. A real teacher's words, given with consent, replace one of them.
 */
export const testimonials: readonly Testimonial[] = [
  {
    text: 'My five-period plan on Light was ready before assembly. I changed two activities and printed it.',
    author: 'Science teacher',
    location: 'Pune, Maharashtra',
  },
  {
    text: 'A question paper costs me 20 rupees and no Sunday evening. The marks add up every single time.',
    author: 'Mathematics teacher',
    location: 'Patna, Bihar',
  },
  {
    text: 'The plan came out in Hindi, in the words my children use. That is what I needed.',
    author: 'Primary teacher',
    location: 'Dehradun, Uttarakhand',
  },
  {
    text: 'I fill the form on my phone in the bus and print the file at school. It opens in our old Word too.',
    author: 'English teacher',
    location: 'Madurai, Tamil Nadu',
  },
  {
    text: 'The answer key comes with step marks. Checking forty notebooks is quicker now.',
    author: 'Physics teacher',
    location: 'Ludhiana, Punjab',
  },
  {
    text: 'As a principal I see plans that follow one structure. Feedback meetings are shorter and kinder.',
    author: 'Principal',
    location: 'Kozhikode, Kerala',
  },
  {
    text: 'Worksheets with room to write, at last. My Class 3 children can do them without asking for extra paper.',
    author: 'Class 3 teacher',
    location: 'Jaipur, Rajasthan',
  },
  {
    text: 'The parent note for our PTM had the date and the weekday right. A small thing that saves many calls.',
    author: 'Class teacher',
    location: 'Margao, Goa',
  },
  {
    text: 'I teach in a village with a weak network. My plan was still there when the signal came back.',
    author: 'Village school teacher',
    location: 'Nagaon, Assam',
  },
  {
    text: 'The misconceptions list is my favourite part. I start every chapter from it.',
    author: 'Chemistry teacher',
    location: 'Warangal, Telangana',
  },
  {
    text: 'It asks for the book and the publisher, so the plan stays with what is in the bag of my pupils.',
    author: 'Social Studies teacher',
    location: 'Anand, Gujarat',
  },
  {
    text: 'New teachers in our department learn lesson planning by editing these plans with me.',
    author: 'Head of department',
    location: 'Lucknow, Uttar Pradesh',
  },
  {
    text: 'I made three versions of one unit test for three sections. No copying this time.',
    author: 'Computer Science teacher',
    location: 'Siliguri, West Bengal',
  },
  {
    text: 'Clear board work for each period. I put the phone on the table and teach.',
    author: 'Biology teacher',
    location: 'Mysuru, Karnataka',
  },
  {
    text: 'It says honestly what I must still fill in myself. I trust it more for that.',
    author: 'Hindi teacher',
    location: 'Cuttack, Odisha',
  },
];

export const perPage = 3;
export const pageCount = Math.ceil(testimonials.length / perPage);

/** The page `steps` after `page`, around the end (screens.md S-068). */
export function pageAfter(page: number, steps: number): number {
  return (((page + steps) % pageCount) + pageCount) % pageCount;
}
