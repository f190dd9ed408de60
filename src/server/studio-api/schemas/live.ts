import { approvalRef } from "./approvals.ts";
import { callListItemRef } from "./call-list-items.ts";
import { runListItemRef } from "./runs.ts";
import {
  arrayTypeOf,
  booleanType,
  integerType,
  objectTypeOf,
  optionalField,
  stringType,
  timeType,
  trueType,
  type ValueOf,
} from "./schema-builders.ts";
import { serverRef } from "./servers.ts";

export const liveMessageSchema = objectTypeOf({
  /** Value for `Last-Event-ID`. */
  id: stringType,
  at: timeType,
  /** Changes since the previous message. */
  counts: objectTypeOf({ started: integerType, ended: integerType, failed: integerType }),
  /** The latest 50 calls that started or ended, newest first. */
  calls: arrayTypeOf(callListItemRef),
  /** There were more calls. */
  hasMoreCalls: booleanType,
  approvals: arrayTypeOf(approvalRef),
  runs: arrayTypeOf(runListItemRef),
  servers: arrayTypeOf(serverRef),
  /** Too many changes were missed; request the data again. */
  hasMissedChanges: optionalField(trueType),
});
/** A message of `/live`, at most five per second. */
export interface LiveMessage extends ValueOf<typeof liveMessageSchema> {}

/** Progress of `/verify`: `progress` events, then one `done` or `failed`. */
export interface VerifyProgress {
  readonly done: number;
  readonly total: number;
}

export const verifyResultSchema = objectTypeOf({
  ok: booleanType,
  rows: integerType,
  head: objectTypeOf({ seq: integerType, hash: stringType }),
  broken: optionalField(objectTypeOf({ seq: integerType, why: stringType })),
  unproved: optionalField(stringType),
  unkeyed: optionalField(objectTypeOf({ rows: integerType, from: integerType, to: integerType })),
  keys: arrayTypeOf(objectTypeOf({ keyId: stringType, rows: integerType, isHere: booleanType })),
  anchor: optionalField(objectTypeOf({ number: integerType, at: timeType, hash: stringType })),
  /** Key file next to the ledger: write access to both allows forging rows. */
  keyFile: optionalField(stringType),
});
/** Result of verifying the hash chain. */
export interface VerifyResult extends ValueOf<typeof verifyResultSchema> {}
