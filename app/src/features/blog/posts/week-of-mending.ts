export default `The unit test is back. Eleven children have done well, sixteen so-so, and twenty-three have less than half. The syllabus says: next chapter on Monday. If you go on, the twenty-three will stay where they are, and the next chapter will find thirty of them there. If you stop, you lose a week that you do not have. There is a way between, and it fits into five periods.

## Monday: find the missing step

Do not teach the chapter again. Most children who failed did not miss the chapter; they missed one step in it. Take the answer sheets of six children from the lower half and look for the first line that is wrong in each. Not the wrong answers, the first wrong lines. In a test on equations it may be the sign when a term changes sides. In a test on electricity it may be that units were not converted. In a test on grammar it may be a tense of last year.

Usually there are two such steps, seldom more than three. Write them down as short sentences: can carry a term to the other side with its sign; can change minutes into hours.

Use the Monday period for a slip of four small questions, two for each step. It takes ten minutes. Sort the slips into heaps during the break. Now you know who needs which step, by name.

## Tuesday and Wednesday: small and exact

Seat the class by the heaps, without naming them good and weak. The heap that needs step one comes to the front benches and works with you on the board: one example done by you, one done together, one done by each alone. Fifteen minutes. Meanwhile the heap that needs step two has a sheet with a solved example on top and six items below it, each a little harder than the last. Then change over.

And the eleven? They get the chapter’s hardest problem, in threes, with the task of writing a solution that somebody else can follow. On Thursday they will need it.

## Thursday: children explain

Make groups of four, with one of the eleven in each. The one who knows may speak and point, but may not hold the pencil. This small rule does most of the work. Walk about, listen, and note which explanation was the best; it will be better than yours in one respect, namely that it was made by somebody who recently did not know it.

## Friday: all together again

Give the whole class three questions from the old test with other numbers. Work in notebooks, exchange with the neighbour, mark with the key on the board. Take five minutes to ask what changed. Children are seldom asked how they came to understand something, and the answer helps them the next time.

## Saturday: the slip once more

The four small questions of Monday with new numbers. Ten minutes. Compare the two slips of every child. When six in ten of the lower heap now have both steps, go on to the next chapter, and put one question on the old step into every homework for two weeks. When fewer have it, the step needs another way: something to hold in the hand, a drawing, a story. More of the same will not do.

## Tell them what you do

A remedial week goes wrong when it feels like detention. Say on Monday: the test showed me that I did not make two things clear enough. Say on Saturday how many have them now. Do not read out marks, and do not send names to the parents’ group. A child who has climbed from two to three of four has done more this week than one who was at four already, and it should hear that from you, quietly, at the desk.

**What to keep: the list of the two steps, and the two slips.**
Next year, in the week before this chapter, give Monday’s slip first. The mending may not be needed at all.
`;
