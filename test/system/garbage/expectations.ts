import type { FailureCode } from "../../../src/types/failures.ts";
import type { lifeHostilities } from "./life-hostilities.ts";
import type { wireHostilities } from "./wire-hostilities.ts";

export type Mode = keyof typeof wireHostilities | keyof typeof lifeHostilities;
export type Ending = FailureCode | "ok";

/** The allowed endings of each step. Steps that are not listed succeed, and no step follows a failed one. */
export interface Expectation {
  readonly connect?: readonly Ending[];
  readonly list?: readonly Ending[];
  readonly call?: readonly Ending[];
  /** The caller cancels the call. */
  readonly cancels?: true;
  /** The connection outlives the call, so that more calls can be made on it. */
  readonly lasts?: true;
  /** It does not connect within the timeout. */
  readonly connectsLate?: true;
  /** The next call must succeed. */
  readonly recovers?: true;
}

const unreachable = ["mcp_unreachable"] as const;
const garbage = ["mcp_garbage"] as const;
const protocol = ["mcp_protocol"] as const;
const refused = ["mcp_refused"] as const;
const late = ["timed_out"] as const;
const gone = ["mcp_unreachable", "timed_out"] as const;

/** What a correct client does for each misbehavior. */
export const expectations: Readonly<Record<Mode, Expectation>> = {
  "one-byte-per-second": { connect: unreachable, connectsLate: true },
  "half-line": { connect: unreachable, connectsLate: true },
  "half-line-in-call": { call: late },
  "huge-line": { call: garbage },
  "huge-line-without-end": { call: garbage },
  "deep-result": { call: garbage },
  "not-json": { connect: garbage },
  "not-json-in-call": { call: late, lasts: true },
  "banner-on-stdout": { lasts: true },
  "null-bytes": { call: late, lasts: true },
  "invalid-utf8": { lasts: true },
  "wrong-id": { call: late, lasts: true },
  "null-id": { call: late, lasts: true },
  "text-id": { lasts: true },
  "duplicate-id": { lasts: true },
  batch: { lasts: true },
  "result-and-error": { call: protocol, lasts: true },
  "neither-result-nor-error": { call: late, lasts: true },
  "error-that-is-text": { call: protocol, lasts: true },
  "huge-error": { call: refused, lasts: true },
  "result-that-is-no-object": { call: protocol, lasts: true },
  "polluting-keys": { call: garbage },
  "unknown-content": { lasts: true },
  "nonsense-content": { call: ["ok", "mcp_protocol"], lasts: true },
  "unknown-result-type": { call: ["mcp_protocol", "ok"], lasts: true },
  "wrong-protocol-version": { connect: protocol },
  "list-of-nonsense": { list: ["ok", "mcp_protocol"], lasts: true },
  "closes-its-output": { call: gone },
  "closes-its-input": { call: gone },
  hang: { connect: unreachable, connectsLate: true },
  "hang-after-handshake": { list: late },
  "hang-in-call": { call: late, lasts: true },
  "slow-start": { connect: unreachable, connectsLate: true },
  "late-reply": { call: late, recovers: true },
  "ignores-cancel": { call: ["cancelled"], cancels: true, lasts: true },
  "notification-flood": { lasts: true },
  "progress-flood": { lasts: true },
  "request-flood": { lasts: true },
  "asks-nonsense": { lasts: true },
  "list-changing": { lasts: true },
  "list-changing-in-call": { lasts: true },
  "same-page-for-ever": { lasts: true },
  "new-page-for-ever": { list: ["mcp_protocol", "timed_out"] },
  "slow-pages": { list: late },
  "ten-thousand-tools": {},
  "same-name-twice": { lasts: true },
  "stderr-flood": { lasts: true },
  "exit-at-start": { connect: unreachable },
  "crash-at-start": { connect: unreachable },
  "exit-in-call": { call: unreachable },
  "crash-in-call": { call: unreachable },
  "killed-in-call": { call: unreachable },
  "ignores-sigterm": { call: late },
  "leaves-a-child": { call: unreachable },
};
