import {
  arrayTypeOf,
  booleanType,
  enumTypeOf,
  integerType,
  numberType,
  objectTypeOf,
  optionalField,
  type Schema,
  stringType,
  timeType,
  type ValueOf,
} from "./schema-builders.ts";
import { countRef } from "./shared.ts";

const statsFields = {
  calls: countRef,
  failed: countRef,
  /** 50th and 95th percentile of the duration in milliseconds, if any call ended. */
  p50: optionalField(numberType),
  p95: optionalField(numberType),
  /** In the operator's currency. */
  cost: optionalField(numberType),
};
export const callStatsSchema = objectTypeOf(statsFields);
/** Counts, durations and cost of calls. */
export interface CallStats extends ValueOf<typeof callStatsSchema> {}

export const failureCountsSchema = arrayTypeOf(objectTypeOf({ code: stringType, count: integerType }));

export const toolStatsSchema = objectTypeOf({ ...statsFields, failures: failureCountsSchema });

export const groupStatsSchema = objectTypeOf({ name: stringType, ...statsFields });
/** Figures of one tool, agent or tenant. */
export interface GroupStats extends ValueOf<typeof groupStatsSchema> {}

export const bucketSchema = objectTypeOf({
  at: timeType,
  calls: integerType,
  failed: integerType,
  p50: optionalField(numberType),
  p95: optionalField(numberType),
  cost: optionalField(numberType),
});
/** A time range of a chart. */
export interface Bucket extends ValueOf<typeof bucketSchema> {}

export const sampleInfoSchema = objectTypeOf({
  /** Number of sampled calls. */
  calls: integerType,
  /** Whether these are all calls of the time range. */
  isAll: booleanType,
  method: enumTypeOf("all", "sample", "newest"),
});
/** Which calls were sampled. */
export interface SampleInfo extends ValueOf<typeof sampleInfoSchema> {}

export const groupKeySchema = enumTypeOf("tool", "agent", "tenant");

export const overviewSchema = objectTypeOf({
  since: timeType,
  until: timeType,
  by: groupKeySchema,
  total: callStatsSchema,
  /** Most calls first. */
  groups: arrayTypeOf<Schema<GroupStats>>(groupStatsSchema),
  /** There are more groups. */
  hasMore: booleanType,
  /** By failure code, most frequent first. */
  failures: failureCountsSchema,
  /** Equal time ranges, oldest first, without gaps. */
  buckets: arrayTypeOf<Schema<Bucket>>(bucketSchema),
  bucketMs: numberType,
  /** Calls that durations, costs, codes and groups are based on. Counts cover all calls. */
  sample: sampleInfoSchema,
  approvals: objectTypeOf({
    waiting: integerType,
    hasMore: booleanType,
    oldestAskedAt: optionalField(timeType),
  }),
});
/** Statistics of calls in a time range. */
export interface Overview extends ValueOf<typeof overviewSchema> {}
