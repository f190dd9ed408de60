/**
 * Model clients that `chooseModel` loads on demand. They are entry points, so that each is one file of the
 * package.
 */
const vendorEntry = /^models\/(openai|anthropic|ollama|gemini)$/;

/** The source of an entry point, relative to `src` and without extension. */
export const entryFile = (entry: string): string => (vendorEntry.test(entry) ? entry : `exports/${entry}`);
