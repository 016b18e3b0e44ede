/** An address of mail or of UPI: one that is too long for its line breaks before its sign, and only then within a word. */
export function BreakableAddress({ children: address }: { children: string }) {
  const sign = address.lastIndexOf('@');
  return (
    <span className="[overflow-wrap:anywhere]">
      {address.slice(0, Math.max(sign, 0))}
      <wbr />
      {address.slice(Math.max(sign, 0))}
    </span>
  );
}
