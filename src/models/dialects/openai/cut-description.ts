import { headOf } from "../../../base/text/cut-text.ts";
import type { ReportExportLoss } from "../tool-export.ts";

export interface OpenAIDialectOptions {
  /** OpenAI has no limit; some hosts of its models have 1,024. */
  readonly descriptionLimit?: number;
}

/** Never splits a surrogate pair. */
export const cutDescription = (description: string, limit: number, reportLoss: ReportExportLoss): string => {
  if (description.length <= limit) return description;
  reportLoss("/description", "description", `is cut from ${description.length} to ${limit} characters`);
  return `${headOf(description, limit - 1)}…`;
};

/** Each limit has its own cache. */
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
