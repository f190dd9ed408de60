/**
 * What a format drops or rewrites in a tool. The pointer refers to the tool's spec and follows references, so
 * its target may be in "/input/$defs".
 */
export interface ExportLoss {
  readonly tool: string;
  readonly pointer: string;
  readonly keyword: string;
  readonly note: string;
}

export type ReportExportLoss = (pointer: string, keyword: string, note: string) => void;

export interface ToolExport<Wire> {
  /** Deeply frozen and shared between exports. */
  readonly tools: readonly Wire[];
  readonly report: readonly ExportLoss[];
}
