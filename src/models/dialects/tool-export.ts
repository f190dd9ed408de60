/**
 * What a format leaves out of a tool, or says in another way. A pointer leads into the tool's spec and
 * follows references, so "/input/properties/a/properties/b" may be written in "/input/$defs".
 */
export interface Loss {
  readonly tool: string;
  readonly pointer: string;
  readonly keyword: string;
  readonly note: string;
}

/** Names one loss of the tool being exported. */
export type NoteLoss = (pointer: string, keyword: string, note: string) => void;

export interface Export<Wire> {
  /** As a request's `tools` takes them. Frozen to the leaf, shared between exports. */
  readonly tools: readonly Wire[];
  readonly report: readonly Loss[];
}
