/** One numbered section of a legal page. */
export interface Section {
  heading: string;
  paragraphs: readonly string[];
}
