import type { Count } from "./shared.ts";

/** Statistics of calls in a time range. */
export interface Overview {
  readonly since: number;
  readonly until: number;
  readonly by: "tool" | "agent" | "tenant";
  readonly total: CallFigures;
  /** Most calls first. */
  readonly groups: readonly GroupFigures[];
  /** There are more groups. */
  readonly isCut: boolean;
  /** By failure code, most frequent first. */
  readonly failures: readonly { readonly code: string; readonly count: number }[];
  /** Equal time ranges, oldest first, without gaps. */
  readonly buckets: readonly Bucket[];
  readonly bucketMs: number;
  /** Calls that durations, costs, codes and groups are based on. Counts cover all calls. */
  readonly looked: SampleInfo;
  readonly approvals: { readonly waiting: number; readonly isCut: boolean; readonly oldestAskedAt?: number };
}

/** Which calls were sampled. */
export interface SampleInfo {
  /** Number of sampled calls. */
  readonly calls: number;
  /** Whether these are all calls of the time range. */
  readonly isAll: boolean;
  readonly how: "all" | "sample" | "newest";
}

/** Counts, durations and cost of calls. */
export interface CallFigures {
  readonly calls: Count;
  readonly failed: Count;
  /** 50th and 95th percentile of the duration in milliseconds, if any call ended. */
  readonly p50?: number;
  readonly p95?: number;
  /** In the operator's currency. */
  readonly cost?: number;
}

/** Figures of one tool, agent or tenant. */
export interface GroupFigures extends CallFigures {
  readonly name: string;
}

/** A time range of a chart. */
export interface Bucket {
  readonly at: number;
  readonly calls: number;
  readonly failed: number;
  readonly p50?: number;
  readonly p95?: number;
  readonly cost?: number;
}
