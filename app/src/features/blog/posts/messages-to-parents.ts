export default `A notice goes out on Monday evening. On Tuesday morning the telephone in the office does not stand still. Is it this Saturday or the next? Does the brother in Class 3 have to come as well? Must the diary be signed? Every one of these calls was written into the notice, by leaving something out. A good message is short, and it answers the calls before they are made.

## One message, one matter

Parents read on a phone, standing, between two other things. If a message speaks of the fee date, the sports day and the new bus route, one of the three will be remembered, and you do not choose which. Send three messages on three days, or put the other two into the diary.

The first line says what it is about and for whom: Parent-teacher meeting, Class 8. Those who have no child in Class 8 may stop reading, and they will thank you for it.

## The five facts

**What. When. Where. What to bring. What to do now.**

When means date, weekday and time, all three: Saturday, 21-11-2026, 9:00 a.m. to 12:00 noon. The weekday is not an ornament. It is the check that saves you when a digit is wrong, so look at the calendar and do not trust your memory of it. If there are slots by roll number, give them in a list, one in a line.

Where means the room, not only the school. What to bring is best as a list: report card, diary, a pen. What to do now is one thing with a last date: sign the slip by Thursday, or answer with yes. A message that asks for nothing is read by nobody twice.

## The tone of a good neighbour

Formal letters have their own beauty, and a circular on paper should be formal: reference, date, subject, respected parents, thanking you. On WhatsApp the same words sound as if somebody had died. There you write as you would speak at the gate: Dear parents, please remember.

In both, say ward or child, parents and guardians, so that the grandmother who brings up two of your pupils is spoken to as well. Avoid capitals for whole sentences; they are read as shouting. One small picture beside the heading is friendly. Seven are a wedding card.

## Write it in the language of the home

If most homes speak Marathi, the message should be in Marathi, with the English below. Write it yourself or let a colleague who speaks it at home read it; translated notices often say something slightly different, and it is always the slightly different part that somebody quotes later.

## What never belongs in a group

Marks, fees due, health, conduct: nothing about a single child, however kindly it is meant. Not even praise, when others may feel that theirs was forgotten. Such things go to the one family, best of all by a call at an hour that suits them.

Never ask in a group for an Aadhaar number, an OTP or a bank detail, and tell parents that the school never will. Then they know what to think of the message that does.

## A model

Parent-teacher meeting, Class 8
Dear parents and guardians,
We would like to talk with you about the half-yearly results.
Saturday, 21-11-2026, Room 12
Roll numbers 1 to 20: 9:00 to 10:15
Roll numbers 21 to 42: 10:15 to 11:30
Please bring the report card and the diary.
If you cannot come, write to me by Thursday and we will find another time.
With warm regards,
the class teacher of 8 B

It takes half a minute to read, and there is nothing left to ask. Read your own message once aloud before you press send, with the ears of a mother who has never been to the school. Then add what she would ask.

## After the meeting

Send one line in the evening: thank you, so many came, and the next date is this. People come again to where they were noticed.
`;
