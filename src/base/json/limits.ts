/** How much foreign material is looked at before it is refused. */
export interface JsonLimits {
  /** In UTF-16 code units, as `text.length` counts. */
  readonly maxLength?: number;
  /** Arrays and objects inside each other; `[]` has depth 1. Never more than 1,000. */
  readonly maxDepth?: number;
}

export const defaultMaxLength = 1_048_576;
export const defaultMaxDepth = 64;

/** No walk of this room goes deeper, whatever its caller allows: walks recurse, and this many frames always fit. */
export const maxJsonDepth = 1_000;

export const maxLengthOf = (limits?: JsonLimits): number => limits?.maxLength ?? defaultMaxLength;

export const maxDepthOf = (limits?: JsonLimits): number =>
  Math.min(limits?.maxDepth ?? defaultMaxDepth, maxJsonDepth);
