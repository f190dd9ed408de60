/** Deeper brackets are refused rather than overflow the stack, here or in whoever walks the document. */
export const maxGramDepth = 500;

/** More would not be read. */
export const maxDiagnostics = 20;
