export interface JsonLimits {
  /** In UTF-16 code units, as `text.length` counts. */
  readonly maxLength?: number;
  /** Nesting depth of arrays and objects; `[]` has depth 1. At most 1,000. */
  readonly maxDepth?: number;
}

export const defaultMaxLength = 1_048_576;
export const defaultMaxDepth = 64;

/** The walks recurse, and this many frames fit on the stack. */
export const maxJsonDepth = 1_000;

export const maxLengthOf = (limits?: JsonLimits): number => limits?.maxLength ?? defaultMaxLength;

export const maxDepthOf = (limits?: JsonLimits): number =>
  Math.min(limits?.maxDepth ?? defaultMaxDepth, maxJsonDepth);
