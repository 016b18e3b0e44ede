/** The text of a finished document, where what would set it could not be fetched. */
export function PlainText({ text }: { text: string }) {
  return <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</p>;
}
