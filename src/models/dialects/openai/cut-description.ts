import { headOf } from "../../../base/text/cut-text.ts";
import type { ReportExportLoss } from "../tool-export.ts";

export interface OpenAIDialectOptions {
  /** Longer descriptions are cut. The provider itself takes any length today; some hosts of its models stop at 1,024. */
  readonly descriptionLimit?: number;
}

/** Never ends on half of a surrogate pair: that would not be text. */
export const cutDescription = (description: string, limit: number, reportLoss: ReportExportLoss): string => {
  if (description.length <= limit) return description;
  reportLoss("/description", "description", `is cut from ${description.length} to ${limit} characters`);
  return `${headOf(description, limit - 1)}…`;
};

/** One exporter for each limit in use, so that each keeps what it spelled. */
export const memoizeByLimit = <Exporter>(
  make: (limit: number) => Exporter,
): ((options?: OpenAIDialectOptions) => Exporter) => {
  const made = new Map<number, Exporter>();
  return (options) => {
    const limit = options?.descriptionLimit ?? Number.POSITIVE_INFINITY;
    const before = made.get(limit);
    if (before !== undefined) return before;
    const fresh = make(limit);
    made.set(limit, fresh);
    return fresh;
  };
};
