/**
 * Fills in the forms of the builders by the names of
 * their fields, in whatever language the screen is.
 */

/** The subject of a message, in the language of the picture. */
export const messages = {
  en: [
    'Parents of Class 6',
    'Class teacher',
    'Parent-teacher meeting',
    'Time: 10 a.m. to 12 noon\nPlace: school hall',
  ],
  hi: ['कक्षा 6 के अभिभावक', 'कक्षा शिक्षक', 'अभिभावक बैठक', 'समय: प्रातः 10 बजे\nस्थान: विद्यालय का सभागार'],
};

export async function fillChapter(page) {
  await page.locator('input[name=board]').fill('CBSE');
  await page.locator('select[name=grade]').selectOption('Class 10');
  await page.locator('select[name=subject]').selectOption('Science');
  await page.locator('input[name=chapterName]').fill('Electricity');
  await page.locator('input[name=book]').fill('Science Textbook for Class X');
  await page.locator('input[name=publisher]').fill('NCERT');
}

export async function fillPaper(page) {
  await fillChapter(page);
  await page.locator('select[name=difficultyLevel]').selectOption('medium');
  for (const type of ['mcq', 'match', 'short', 'numerical', 'long']) {
    await page.locator(`input[name=questionTypes][value=${type}]`).check();
  }
  await page.getByText('[100]').waitFor();
}

export async function fillAids(page) {
  await page.locator('input[name=board]').fill('CBSE');
  await page.locator('input[name=board]').blur();
  await page.locator('select[name=grade]').selectOption({ index: 10 });
  await page.locator('select[name=subject]').selectOption('Science');
  for (const type of ['worksheets', 'games']) {
    await page.locator(`input[name=aidTypes][value=${type}]`).check();
  }
  await page.locator('input[name=chapterName]').fill('Electricity');
  await page.locator('input[name=chapterName]').blur();
  await page.locator('select[name=difficultyLevel]').selectOption({ index: 2 });
}

export async function fillMessage(page, language = 'en') {
  const [audience, role, purpose, details] = messages[language] ?? messages.en;
  await page.locator('input[name=communicationType]').nth(1).check();
  const fields = { targetAudience: audience, senderRole: role, senderName: 'Asha K', purpose };
  for (const [name, text] of Object.entries(fields)) await page.locator(`input[name=${name}]`).fill(text);
  await page.locator('input[name=eventDate]').fill('2026-12-05');
  await page.locator('textarea[name=keyDetails]').fill(details);
}

/** The dry run has answered what the document will be. */
export async function awaitEstimate(page) {
  await page.locator('[role=status] [lang]').first().waitFor();
}
