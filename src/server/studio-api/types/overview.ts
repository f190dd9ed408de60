import type { Count } from "./shared.ts";

/** How calls went over a time. */
export interface Overview {
  readonly since: number;
  readonly until: number;
  readonly by: "tool" | "agent" | "tenant";
  readonly total: CallFigures;
  /** The most called first. */
  readonly groups: readonly GroupFigures[];
  /** There are more groups. */
  readonly isCut: boolean;
  /** By failure code, the most frequent first. */
  readonly failures: readonly { readonly code: string; readonly count: number }[];
  /** Of one length each, oldest first, without gaps. */
  readonly buckets: readonly Bucket[];
  readonly bucketMs: number;
  /** Over which calls durations, costs, codes and groups were taken. Counts are of all calls. */
  readonly looked: SampleInfo;
  readonly approvals: { readonly waiting: number; readonly isCut: boolean; readonly oldestAskedAt?: number };
}

/** What figures stand on. */
export interface SampleInfo {
  /** So many calls were read. */
  readonly calls: number;
  /** They are all calls of the time; else a sample, evenly over it or its newest. */
  readonly isAll: boolean;
  readonly how: "all" | "sample" | "newest";
}

/** How many calls there were, how they went, and how long they took. */
export interface CallFigures {
  readonly calls: Count;
  readonly failed: Count;
  /** 50th and 95th percentile of the duration; none where no call ended. */
  readonly p50?: number;
  readonly p95?: number;
  /** In whatever currency the operator counts. Of the calls that were looked at. */
  readonly cost?: number;
}

/** The same for one tool, agent or tenant. */
export interface GroupFigures extends CallFigures {
  readonly name: string;
}

/** One part of the time, for a chart. */
export interface Bucket {
  readonly at: number;
  readonly calls: number;
  readonly failed: number;
  readonly p50?: number;
  readonly p95?: number;
  readonly cost?: number;
}
