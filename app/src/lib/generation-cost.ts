/**
 * What one generation of any tool costs, for display; the server decides what is charged (SPECIFICATION.md
 * S-004).
 */
export const generationCost = 20;
