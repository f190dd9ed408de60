export const schemaLimits = {
  /** As JSON text without white space. */
  length: 256 * 1024,
  /** Nesting depth of objects and arrays. */
  depth: 64,
  subschemas: 2_000,
  /** With all references expanded. */
  visits: 10_000,
  /** Length of a chain of references. */
  referenceDepth: 128,
  enumValues: 1_000,
  patternLength: 4_000,
  /** The linear engine's cost per character. */
  patternSize: 1_000,
  /** Recursions during one validation. */
  recursions: 250_000,
  /** Recursions while reasons are collected. */
  explanations: 5_000,
  findings: 200,
  issues: 10,
  messageLength: 600,
  /** Length of a quoted value. */
  receivedLength: 120,
} as const;
