/**
 * The price of one generation of any tool, for display. The server decides what is charged
 * (SPECIFICATION.md S-004).
 */
export const generationCost = 20;
