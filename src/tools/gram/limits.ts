/** Avoids stack overflows here and in code that walks documents. */
export const maxGramDepth = 500;

export const maxDiagnostics = 20;
