/**
 * What a format leaves out of a tool, or says in another way. A pointer leads into the tool's spec and
 * follows references, so "/input/properties/a/properties/b" may be written in "/input/$defs".
 */
export interface ExportLoss {
  readonly tool: string;
  readonly pointer: string;
  readonly keyword: string;
  readonly note: string;
}

/** Names one loss of the tool being exported. */
export type ReportExportLoss = (pointer: string, keyword: string, note: string) => void;

export interface ToolExport<Wire> {
  /** As a request's `tools` takes them. Frozen to the leaf, shared between exports. */
  readonly tools: readonly Wire[];
  readonly report: readonly ExportLoss[];
}
