import * as z from 'zod/mini';
import data from '../../../functions/_bank/data/catalogue.json';

const booksSchema = z.array(
  z.object({
    class: z.number(),
    subject: z.string(),
    chapters: z.array(
      z.object({
        title: z.string(),
        hindi: z.optional(z.string()),
        also: z._default(z.array(z.string()), []),
      }),
    ),
  }),
);

export type Books = z.infer<typeof booksSchema>;

/** The catalogue from which the functions know chapters. */
export const books: Books = booksSchema.parse(data);
