/**
 * Whether a sentence has Latin letters only. The other
 * languages of documents and of the interface have others.
 */
export function isEnglish(text: string): boolean {
  return /[A-Za-z]/.test(text) && !/[\u0900-\u0dff]/.test(text);
}

/**
 * Returns the language of a remark about a document. It is that of the document, except for some
 * sentences that are always English.
 */
export function languageOfRemark(text: string, language: string | undefined): string | undefined {
  return isEnglish(text) ? 'en' : language;
}
