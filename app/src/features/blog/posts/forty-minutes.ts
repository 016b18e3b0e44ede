export default `A period is forty minutes on the timetable and thirty-four in the classroom. The bell rings, the last class leaves its benches, attendance is taken, somebody has no pencil. A plan that needs all forty minutes will be finished at home, by the children who have somebody to help them. So plan for thirty-four, and let the rest be a gift.

## Cut it into five

Many teachers know the five steps called 5E. The names matter less than the minutes. In a period of forty, this division holds up well in a full class:

**Engage, 4 minutes**
One question from the children’s own day. Before pressure: why does a school bag with thin straps hurt more? Before fractions: how do four friends share three rotis? Take three answers. Do not correct them yet.

**Explore, 9 minutes**
Something that every bench can do with what is on it. A ruler, a sheet of paper, a water bottle. Work in pairs along the bench; nobody has to move furniture. Say how long it lasts and what must be written down at the end.

**Explain, 11 minutes**
Now the word, the definition, the worked example. This is the part that goes on the board, and the board should be planned: heading and date on top, new words on the left, the example in the middle, and one corner that stays empty for what the children say.

**Elaborate, 6 minutes**
The same idea with other numbers or in another place. The quick ones get a harder one. The others do the one from the book.

**Evaluate, 4 minutes**
One question, answered by everybody in the notebook. Not by raised hands: raised hands tell you about five children.

## Give every child something to do

In a class of fifty, the danger is not noise. It is the thirty who watch. Three habits help, and none of them needs material.

Write first, speak after. After every question let the whole class write for half a minute, and only then call a name. The slow ones get time, and the quick ones get the practice of a whole sentence.

Call by lot. Ice-cream sticks with roll numbers in a steel glass are fair, and the children love the rattle.

Let the bench answer. Two or three children agree on one answer and one of them speaks. Nobody is alone with a mistake.

## Write the plan that you will really use

An inspector wants to see outcomes, resources, phases and assessment. You want to see, at a glance from the table, what comes next. Both fit on one page when each phase has a single line for you and a single line for the class: what I do, what they do, and how many minutes. Put the questions that you will ask into the plan, word for word, with the answers that you expect. A good question does not come by itself while somebody at the back is drumming.

Choose verbs that you can see. “Understands reflection” cannot be checked. “Draws the reflected ray for three given rays” can, and the four minutes at the end tell you how many did.

## When the bell is early

Some days an assembly takes fifteen minutes from the first period. Decide beforehand what goes. Keep Engage, keep the worked example, keep the last question; leave out Elaborate and give it as homework. If you cut the end instead, you do not learn what stayed, and tomorrow begins with a guess.

## And after the bell

Before the next class comes in, write one line below the plan. What took longer? Which answer surprised you? Next year this line is worth more than the plan.

Try it with one section and one chapter. Five phases, one empty corner on the board, one question answered by everyone. Thirty-four minutes are enough for that, and the six that are left over will find their own use.
`;
