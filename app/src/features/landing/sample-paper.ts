export interface SampleQuestion {
  text: string;
  options?: readonly string[];
}

export interface SampleSection {
  letter: string;
  marksEach: number;
  questions: readonly SampleQuestion[];
}

/** A whole class test, so that what the landing page says of its marks can be counted. */
export const samplePaper = {
  subject: 'Science',
  className: 'Class 10',
  chapter: 'Light – Reflection and Refraction',
  minutes: 45,
  sections: [
    {
      letter: 'A',
      marksEach: 1,
      questions: [
        { text: 'The focal length of a plane mirror is', options: ['zero', 'infinite', '25 cm', '−25 cm'] },
        { text: 'A ray parallel to the principal axis of a convex lens passes through its ________.' },
        { text: 'The SI unit of the power of a lens is the ________.' },
        { text: 'True or false: a convex mirror always forms an erect image of a real object.' },
      ],
    },
    {
      letter: 'B',
      marksEach: 3,
      questions: [
        { text: 'State the two laws of reflection of light and draw a labelled ray diagram.' },
        { text: 'Why does a pencil look bent in a glass of water? Explain with a diagram.' },
      ],
    },
    {
      letter: 'C',
      marksEach: 5,
      questions: [
        {
          text: 'An object 4 cm tall stands 30 cm in front of a concave mirror of focal length 20 cm. Find the position, nature and height of its image.',
        },
        {
          text: 'Draw the image that a convex lens forms of an object at 2F₁, and of one between F₁ and the lens. Describe both.',
        },
      ],
    },
  ] satisfies readonly SampleSection[],
};

/** `n × m = t` of a section, with its total. */
export function sectionMarks(section: SampleSection): { sum: string; total: number } {
  const total = section.questions.length * section.marksEach;
  return { sum: `${section.questions.length} × ${section.marksEach} = ${total}`, total };
}

export function totalMarks(sections: readonly SampleSection[]): number {
  return sections.reduce((marks, section) => marks + sectionMarks(section).total, 0);
}
