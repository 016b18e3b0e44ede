export default `There is one mistake that every child finds within a minute: the heading says twenty marks and the section has nineteen. It is not a large mistake, but from then on the class trusts the paper less, and the teacher who set it has a bad morning. It happens to careful people, because most papers are written in the wrong order. First the good questions are collected, and then somebody tries to make them fit.

## Numbers first

Take a sheet and write four columns: section, type of question, how many, marks each. Fill in only these, until the last column gives the total. For a paper of 25 marks in one hour it may look like this:

**Section A: 7 MCQs and 3 blanks of 1 mark, 10 × 1 = 10**
**Section B: 3 short answers of 3 marks, 3 × 3 = 9**
**Section C: 2 numericals of 3 marks, 2 × 3 = 6**

Ten and nine and six are twenty-five. Only now is there room for questions, and you know exactly how many you need. If the sum is one short, change a count, never a single question’s marks: “one question of 4” in a section of threes is what makes children ask in the middle of the exam.

## Check the time before you write

A rough table is enough. An MCQ takes a little more than a minute, a blank one minute, a short answer of three marks six to seven, a long answer of five marks about ten. Add a tenth for reading. The paper above comes to just under fifty minutes, so an hour is fair. The same sums tell you early that a hundred marks in one hour will not do.

## Spread the chapter

Write the parts of the chapter down the side of a page and your questions across it. Put the marks where they meet. Two things become visible at once: a part that has nothing, and a part that has half the paper. As a rule of thumb no part should carry more than four marks in ten.

Do the same for difficulty. A usual mix is three easy, five average and two hard, in marks, not in number of questions. Begin each section with the easiest; a child who has solved something goes on.

## Then the questions

An MCQ has one right answer and three wrong ones that somebody could believe. The best wrong options come from your own notebooks: the sign that gets lost, the unit that is not converted. Keep the options alike in length. “All of the above” tests patience, not knowledge.

In a blank, leave out a word that can only be one word. In a match, give the second column in another order, and see that no pair can be found from the grammar alone.

In a numerical, work the answer out before you print it, on paper, with units. If the answer is 6.666, change the numbers until it is something that a tired child can believe.

## The instructions come last

General instructions are a description of the paper, and so they can only be written when the paper is finished. Copying them from last year is how a paper of four sections comes to promise five. Count: how many questions, how many sections, how many marks for each, whether there is a choice and where. Then read only the instructions, and check each number against the page.

## A key that others can use

Write the key on the same day, while you remember what you wanted. Give the steps their marks: formula one, substitution one, answer with unit one. Say what else is right. With such a key a colleague can check your papers when you have fever, and two sections are judged alike.

## Ten minutes before printing

Add the marks at the right edge with a calculator. Number the questions through. Read every MCQ and ask whether a second option could be defended. Look for a question whose answer stands in another question. And let one person who does not teach the subject read the paper aloud; where they stumble, a child will too.
`;
