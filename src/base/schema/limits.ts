/** How much schema is read before it is refused, and how much is said about a value. */
export const schemaLimits = {
  /** Length of the schema as JSON text, without its white space. */
  length: 256 * 1024,
  /** Objects and arrays inside each other. */
  depth: 64,
  subschemas: 2_000,
  /** Subschemas looked at when every reference is written out. */
  visits: 10_000,
  /** References that lead to references, each one call deeper. */
  referenceDepth: 128,
  enumValues: 1_000,
  patternLength: 4_000,
  /** Parts of a pattern once its counts are written out; the linear engine's work for each character. */
  patternSize: 1_000,
  /** Passes through the recursive parts of a schema while one value is judged. */
  recursions: 250_000,
  /** The same while the reasons are looked for, and how many of those are looked at. */
  explanations: 5_000,
  findings: 200,
  issues: 10,
  messageLength: 600,
  /** Length of what a message quotes of the value. */
  receivedLength: 120,
} as const;
