export default `The new books have arrived in waves: Classes 1 and 2 first, then 3 and 6, then 4, 5, 7 and 8, and Class 9 has begun. With them came words that sound as if they were made for inspectors: curricular goals, competencies, learning outcomes. They can be useful on an ordinary Tuesday, when they are read from the right end.

## The words, once

The national policy of 2020 divides school into four stages: foundational, up to Class 2; preparatory, Classes 3 to 5; middle, Classes 6 to 8; secondary, Classes 9 to 12. The curriculum framework of 2023 gives each stage its goals. Under every goal stand competencies: what a child should be able to do by the end of the stage. Under a competency stand outcomes, which are small enough to be seen in a week.

So a goal is a direction, a competency is a place on the map, and an outcome is the next bend of the road. You teach outcomes. You plan with competencies. You need the goals about twice a year.

## Four questions for a new chapter

Read the chapter once as a reader, without a pencil. Then answer four questions on one page.

**What should a child be able to do afterwards that it could not do before?**
Write two to five sentences that begin with a verb you can observe: measures, sorts, explains with an example, draws, compares. If you cannot think how you would see it, the sentence is not ready.

**What does the chapter take for granted?**
The new books build on each other more than the old ones did. A chapter on separating mixtures needs the word dissolve. Note two or three such things, and a question for each. Ask them on the first day; the answers decide how the first period goes.

**Where do the children do something?**
The books are full of small activities. Choose the two that carry the idea and do them properly. The others can be homework, or a demonstration, or left out. An activity that is done in a hurry for the sake of the page teaches only hurry.

**What will they believe wrongly?**
Every chapter has its favourite mistakes. Heavy things fall faster. Plants eat soil. A larger denominator is a larger fraction. Write the mistake beside the sentence that answers it, and plan the moment at which a child will say it aloud.

## From the page to the week

Now count your periods, honestly, with the holidays and the function on Friday. Give the first period to what is taken for granted. Give the last one to checking. What remains in between is usually one idea for each period, and that is enough. If the chapter has seven ideas and you have five periods, two of them share a period, or one becomes reading at home. Decide it on paper, not on the last afternoon.

## Competency questions are not a new language

Papers now ask more for use than for memory. This does not mean long stories before every sum. It means that the child must choose what to use. “State the law of reflection” asks for memory. “Two mirrors stand at a right angle; draw the way of this ray” asks for the same law and shows whether it is there. Take one question of each kind for every outcome. If a class can answer the first and not the second, you know what Thursday is for.

## What to write for the record

Codes of outcomes differ from board to board and change with the documents. If your school wants them, copy them from your own board’s list and from nowhere else; a wrong code is worse than none. The sentence in your own words is what helps you, and it also satisfies everybody who has ever stood at the back of a classroom.

And keep last year’s plan. Much of it still holds. The new books changed the order and the tone more than they changed the children.
`;
