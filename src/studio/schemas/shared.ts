import type { JsonSchema } from "../../words/json.ts";
import type { Bucket, CallFigures, GroupFigures, Looked, Overview } from "../words/overview.ts";
import type { ApiError, Caller, Count, Finding, Me, Text } from "../words/shared.ts";
import {
  type Fields,
  flag,
  integer,
  isTrue,
  list,
  may,
  number,
  object,
  oneOf,
  ref,
  text,
  texts,
  time,
} from "./shape.ts";

const scopes = oneOf("studio:read", "studio:approve", "studio:run");
const failuresByCode = list(object<{ code: string; count: number }>({ code: text, count: integer }));

const figures: Fields<CallFigures> = {
  calls: ref("Count"),
  failed: ref("Count"),
  p50: may(number),
  p95: may(number),
  cost: may(number),
};

/** Answers about who is asking, and how calls went, by their names in the document. */
export const sharedSchemas: Readonly<Record<string, JsonSchema>> = {
  Text: object<Text>({ text, cut: may(isTrue), length: may(integer), href: may(text) }),
  Count: object<Count>({ count: integer, isEstimate: flag }),
  Finding: object<Finding>({ pointer: text, message: text }),
  ApiError: object<ApiError>({
    error: object<ApiError["error"]>({
      code: text,
      message: text,
      scope: may(scopes),
      findings: may(list(ref("Finding"))),
    }),
  }),
  Caller: object<Caller>({
    agent: text,
    user: may(text),
    tenant: may(text),
    session: may(text),
    roles: may(texts),
    within: may(ref("Caller")),
  }),
  Me: object<Me>({
    name: text,
    principal: may(ref("Caller")),
    scopes: list(scopes),
    endsAt: may(time),
    version: text,
    ledger: object<Me["ledger"]>({ kind: oneOf("memory", "sqlite", "postgres", "other"), place: may(text) }),
    agents: texts,
    has: object<Me["has"]>({
      fleet: flag,
      experiments: flag,
      servers: flag,
      agents: flag,
      approvals: flag,
      runs: flag,
      chain: flag,
    }),
    appOrigin: may(text),
  }),
  Overview: object<Overview>({
    since: time,
    until: time,
    by: oneOf("tool", "agent", "tenant"),
    total: object<CallFigures>(figures),
    groups: list(object<GroupFigures>({ name: text, ...figures })),
    isCut: flag,
    failures: failuresByCode,
    buckets: list(
      object<Bucket>({
        at: time,
        calls: integer,
        failed: integer,
        p50: may(number),
        p95: may(number),
        cost: may(number),
      }),
    ),
    bucketMs: number,
    looked: object<Looked>({ calls: integer, isAll: flag, how: oneOf("all", "sample", "newest") }),
    approvals: object<Overview["approvals"]>({ waiting: integer, isCut: flag, oldestAskedAt: may(time) }),
  }),
};
