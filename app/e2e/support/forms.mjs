/** Fills in the forms of the four builders, by their English labels. */

export async function fillLessonPlan(page, chapter = 'Electricity') {
  await fillChapter(page, chapter);
  await page.getByRole('button', { name: 'Start Plan Builder' }).click();
}

export async function fillPaper(page, chapter = 'Electricity') {
  await fillChapter(page, chapter);
  await page.getByLabel('Difficulty', { exact: true }).selectOption('medium');
  for (const type of ['MCQ', 'Match the following', 'Short', 'Numerical', 'Long']) {
    await page.getByLabel(type, { exact: true }).check();
  }
}

export async function fillAids(page, chapter = 'Electricity') {
  await fillBoard(page, 'CBSE', '10th');
  await page.getByLabel('Worksheets', { exact: true }).check();
  await page.getByLabel('Games', { exact: true }).check();
  await page.getByLabel('Chapter', { exact: true }).fill(chapter);
  await page.getByLabel('Difficulty', { exact: true }).selectOption('Medium');
}

export async function fillCommunication(page) {
  await page.getByLabel('PTM message').check();
  for (const [label, text] of [
    ['Target audience', 'parents of Class 6'],
    ['Sender role', 'class teacher'],
    ['Sender name', 'Asha K'],
    ['Event date', '2026-12-05'],
    ['Purpose or subject', 'Parent-teacher meeting'],
    ['Key details', '10 a.m. in the hall'],
  ]) {
    await page.getByLabel(label, { exact: true }).fill(text);
  }
}

async function fillChapter(page, chapter) {
  await fillBoard(page, 'CBSE', 'Class 10');
  await page.getByLabel('Chapter', { exact: true }).fill(chapter);
  await page.getByLabel('Book', { exact: true }).fill('Science Textbook for Class X');
  await page.getByLabel('Publisher', { exact: true }).fill('NCERT');
}

async function fillBoard(page, board, grade) {
  await page.getByLabel('Board', { exact: true }).fill(board);
  await page.getByLabel('Class', { exact: true }).selectOption(grade);
  await page.getByLabel('Subject', { exact: true }).selectOption('Science');
}
