import type { JsonSchema } from "../../words/json.ts";
import type {
  Call,
  CallAttempt,
  CallChange,
  CallLine,
  CallMedia,
  CallRow,
  Stages,
  TaintSource,
} from "../words/calls.ts";
import type { Page } from "../words/shared.ts";
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

const page = <Item>(items: JsonSchema): Fields<Page<Item>> => ({
  items: list(items),
  isCut: flag,
  next: may(text),
  previous: may(text),
  total: may(ref("Count")),
});

const stage = {
  state: oneOf("passed", "failed", "waits", "running", "unknown", "not-reached"),
  what: text,
};

/** Answers about calls, by their names in the document. */
export const callsSchemas: Readonly<Record<string, JsonSchema>> = {
  CallLine: object<CallLine>({
    entryId: text,
    callId: text,
    runId: text,
    tool: text,
    at: time,
    ending: oneOf("open", "executed", "failed", "pending", "hydrated", "unknown"),
    agent: may(text),
    user: may(text),
    tenant: may(text),
    session: may(text),
    parentId: may(text),
    code: may(text),
    durationMs: may(number),
    cost: may(number),
    input: text,
    result: may(text),
    message: may(text),
    isModel: flag,
    isRepaired: may(isTrue),
    isChanged: may(isTrue),
    isTainted: may(isTrue),
  }),
  CallPage: object<Page<CallLine>>(page(ref("CallLine"))),
  TaintSource: object<TaintSource>({ tool: text, entryId: may(text), at: may(time) }),
  Stages: object<Stages>({
    hydrate: object<Stages["hydrate"]>({
      ...stage,
      input: ref("Text"),
      ranWith: may(ref("Text")),
      validated: may(flag),
      validator: may(object<{ name: string; version: string }>({ name: text, version: text })),
      repaired: flag,
      changes: list(
        object<CallChange>({
          stage: oneOf("text", "shape", "key", "value", "model"),
          pointer: text,
          from: text,
          to: text,
        }),
      ),
      validationMs: may(number),
      findings: list(ref("Finding")),
    }),
    bind: object<Stages["bind"]>({
      ...stage,
      tool: text,
      implementation: may(text),
      origin: may(text),
      definition: may(text),
      definitionNow: may(text),
    }),
    authorize: object<Stages["authorize"]>({
      ...stage,
      decision: may(text),
      ruleIds: texts,
      caller: may(ref("Caller")),
    }),
    layers: object<Stages["layers"]>({ ...stage, layers: texts, notes: texts }),
    run: object<Stages["run"]>({
      ...stage,
      attempts: list(
        object<CallAttempt>({
          number: integer,
          startedAt: time,
          inputHash: text,
          ending: oneOf("ended", "unknown", "suspended"),
          ran: flag,
        }),
      ),
      ran: may(flag),
      claimsNotRun: may(isTrue),
      durationMs: may(number),
      waitedMs: may(number),
      cost: may(number),
    }),
    check: object<Stages["check"]>({ ...stage, result: may(ref("Text")), original: may(ref("Text")) }),
    record: object<Stages["record"]>({
      ...stage,
      rows: list(
        object<CallRow>({
          seq: integer,
          name: text,
          chain: integer,
          at: time,
          kind: text,
          hash: text,
          prev: may(text),
          mac: may(text),
          keyId: may(text),
        }),
      ),
    }),
    reply: object<Stages["reply"]>({
      ...stage,
      flow: may(text),
      handoff: may(text),
      code: may(text),
      message: may(text),
    }),
  }),
  Call: object<Call>({
    line: ref("CallLine"),
    correlationId: may(text),
    key: may(text),
    inputHash: text,
    stages: ref("Stages"),
    taints: list(ref("TaintSource")),
    parent: may(ref("CallLine")),
    children: list(ref("CallLine")),
    approvals: list(ref("Approval")),
    run: may(object<NonNullable<Call["run"]>>({ runId: text, agent: text, status: text })),
    media: list(
      object<CallMedia>({
        kind: text,
        mediaType: text,
        name: may(text),
        bytes: may(integer),
        sha256: may(text),
        url: may(text),
      }),
    ),
    app: may(ref("AppView")),
  }),
};
