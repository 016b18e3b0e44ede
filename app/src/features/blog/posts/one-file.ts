export default `The paper looked perfect at home. At school the clerk opened it, and the Hindi had become boxes, or worse, a row of English letters that make no word. Nobody broke anything. Two computers understood the same file in two ways. It helps to know why, because then it is easily prevented.

## Two ways of writing Hindi

For many years Indian languages were typed with fonts such as Kruti Dev, DevLys, Shree-Lipi, Nudi or Baraha. In these fonts the computer stores English letters, and the font draws Indian ones over them. As long as the font is installed, all is well. Without it you see what was really stored.

Unicode does it the other way round. Every letter of every script has its own number, and any font that knows the script can draw it. Your phone types Unicode. So do today’s Windows, Google Docs and every web page. A text in Unicode can be searched, copied into WhatsApp and read aloud for a blind pupil. A text in an old font cannot.

**The test takes five seconds: copy one sentence into a WhatsApp message to yourself. If it stays Hindi, it is Unicode.**

## Typing without learning a keyboard

On a phone, add the language to the keyboard you already have; most let you write namaste in English letters and offer नमस्ते. On Windows 10 and 11, open Settings, Time and language, Language, add Hindi, and choose the phonetic keyboard. Windows key and space bar change between the languages. After a week it is quicker than hunting for the matra on a printed chart.

Old files need not be typed again. There are free converters from Kruti Dev to Unicode. Check the result with the eye: half letters, the reph and the chandrabindu are where converters stumble.

## Which kind of file

For a document that others will change, use Word’s own kind, DOCX, or RTF. RTF is older and plainer, and that is its strength: it opens in the Word of 2003 on the office computer, in LibreOffice, in WPS on a phone. Use PDF when nobody should change anything, for example for the final paper that goes to the printer; in a PDF the fonts travel along.

Do not send a photograph of a paper. It cannot be corrected, it prints grey, and the letters at the bottom are always out of focus.

## Choose a font that is there

Nirmala UI is on every Windows since version 8 and covers all Indian scripts. Noto Sans is on Android and in LibreOffice. If you write with one of them, or leave the choice to the computer, the other computer will find a good one. Twelve points are comfortable for children, and line spacing of one and a half leaves room for matras above and below.

Leave numbers, units and formulae in English letters, also inside a Hindi question. Write 5 cm and H₂O, as the textbooks do.

## Before you leave for the printer

**Open the file on a second device, a phone will do.**
**Look at the first page, the last page and one page with a table.**
**Check that a question is not cut between two pages; if it is, press Enter before it, not ten spaces.**
**Save a PDF beside the Word file, and take both on the pen drive, with a name that says class, subject and date.**
**Send both to your own email as well. Pen drives are lost on the days when they are needed.**

## A word about care

A question paper on a shared computer is a question paper in the staff room. Sign out of your mail, empty the Downloads folder, and do not leave the file on the desktop under the name Final. The best-kept secret of examination week is a clean desktop.
`;
