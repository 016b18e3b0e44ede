/**
 * An email or UPI address. If it is too long for its line,
 * it breaks before the `@`, and only then within a word.
 */
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
