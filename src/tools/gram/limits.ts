/** Deeper brackets are refused rather than overflow the stack, here or in whoever walks the document. */
export const mostDepth = 500;

/** More would not be read. */
export const mostDiagnostics = 20;
