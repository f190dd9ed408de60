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

const figureFields = {
  calls: countRef,
  failed: countRef,
  /** 50th and 95th percentile of the duration in milliseconds, if any call ended. */
  p50: optionalField(numberType),
  p95: optionalField(numberType),
  /** In the operator's currency. */
  cost: optionalField(numberType),
};
export const callFiguresSchema = objectTypeOf(figureFields);
/** Counts, durations and cost of calls. */
export interface CallFigures extends ValueOf<typeof callFiguresSchema> {}

export const failureCountsSchema = arrayTypeOf(objectTypeOf({ code: stringType, count: integerType }));

export const toolFiguresSchema = objectTypeOf({ ...figureFields, failures: failureCountsSchema });

export const groupFiguresSchema = objectTypeOf({ name: stringType, ...figureFields });
/** Figures of one tool, agent or tenant. */
export interface GroupFigures extends ValueOf<typeof groupFiguresSchema> {}

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
  how: enumTypeOf("all", "sample", "newest"),
});
/** Which calls were sampled. */
export interface SampleInfo extends ValueOf<typeof sampleInfoSchema> {}

export const groupKeySchema = enumTypeOf("tool", "agent", "tenant");

export const overviewSchema = objectTypeOf({
  since: timeType,
  until: timeType,
  by: groupKeySchema,
  total: callFiguresSchema,
  /** Most calls first. */
  groups: arrayTypeOf<Schema<GroupFigures>>(groupFiguresSchema),
  /** There are more groups. */
  isCut: booleanType,
  /** By failure code, most frequent first. */
  failures: failureCountsSchema,
  /** Equal time ranges, oldest first, without gaps. */
  buckets: arrayTypeOf<Schema<Bucket>>(bucketSchema),
  bucketMs: numberType,
  /** Calls that durations, costs, codes and groups are based on. Counts cover all calls. */
  looked: sampleInfoSchema,
  approvals: objectTypeOf({
    waiting: integerType,
    isCut: booleanType,
    oldestAskedAt: optionalField(timeType),
  }),
});
/** Statistics of calls in a time range. */
export interface Overview extends ValueOf<typeof overviewSchema> {}
