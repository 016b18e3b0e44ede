/** Whether a sentence is in Latin letters alone: the other languages of documents and of the interface are not. */
export function isEnglish(text: string): boolean {
  return /[A-Za-z]/.test(text) && !/[\u0900-\u0dff]/.test(text);
}

/** What is said of a document is in its own language, but for some sentences that are English in all of them. */
export function languageOfRemark(text: string, language: string | undefined): string | undefined {
  return isEnglish(text) ? 'en' : language;
}
