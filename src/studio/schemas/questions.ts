import type { JsonSchema } from "../../words/json.ts";
import type { AnswerResult, AnswerResults, Approval, ApprovalDetail } from "../words/approvals.ts";
import type { ReplayResult, Run, RunAction, RunLine, RunMessage, Span, Tokens } from "../words/runs.ts";
import type { Page } from "../words/shared.ts";
import {
  any,
  type Fields,
  flag,
  integer,
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

const runState = oneOf("running", "done", "pending", "stopped", "cancelled", "failed");
const page = <Item>(items: JsonSchema): Fields<Page<Item>> => ({
  items: list(items),
  isCut: flag,
  next: may(text),
  previous: may(text),
  total: may(ref("Count")),
});

/** Answers about questions to people and runs, by their names in the document. */
export const questionsSchemas: Readonly<Record<string, JsonSchema>> = {
  Approval: object<Approval>({
    id: text,
    entryId: text,
    callId: text,
    runId: text,
    tool: text,
    caller: ref("Caller"),
    reason: text,
    input: ref("Text"),
    askedAt: time,
    expiresAt: may(time),
    status: oneOf("waiting", "answered", "used", "expired", "void"),
    decision: may(oneOf("allow", "deny", "edit")),
    always: may(oneOf("run", "session")),
    denyReason: may(text),
    answeredBy: may(text),
    answeredAt: may(time),
    waitsFor: may(texts),
  }),
  ApprovalPage: object<Page<Approval>>(page(ref("Approval"))),
  ApprovalDetail: object<ApprovalDetail>({
    approval: ref("Approval"),
    value: may(any),
    masked: texts,
    call: may(ref("CallLine")),
    decision: may(text),
    ruleIds: texts,
    tool: may(
      object<NonNullable<ApprovalDetail["tool"]>>({
        description: text,
        risk: text,
        input: any,
        readOnly: flag,
        destructive: flag,
        hasChanged: flag,
      }),
    ),
    taints: list(ref("TaintSource")),
    before: list(ref("CallLine")),
    hasSession: flag,
  }),
  AnswerResult: object<AnswerResult>({
    id: text,
    answered: flag,
    approval: may(ref("Approval")),
    why: may(oneOf("already_answered", "expired", "not_found", "unfit")),
    message: text,
    goesOn: may(oneOf("here", "worker", "session", "chat", "client", "later", "nobody")),
  }),
  AnswerResults: object<AnswerResults>({ results: list(ref("AnswerResult")) }),
  Tokens: object<Tokens>({ input: number, output: number, cached: may(number) }),
  RunLine: object<RunLine>({
    runId: text,
    kind: oneOf("run", "job", "session", "chat", "schedule"),
    agent: text,
    caller: may(ref("Caller")),
    status: runState,
    reason: may(text),
    isHeld: flag,
    turns: integer,
    tokens: ref("Tokens"),
    startedAt: time,
    updatedAt: time,
  }),
  RunPage: object<Page<RunLine>>(page(ref("RunLine"))),
  RunMessage: object<RunMessage>({
    role: oneOf("system", "user", "assistant", "tool"),
    text: ref("Text"),
    agent: may(text),
    reasoning: may(ref("Text")),
    calls: may(
      list(
        object<NonNullable<RunMessage["calls"]>[number]>({
          id: text,
          tool: text,
          input: ref("Text"),
          entryId: may(text),
        }),
      ),
    ),
    callId: may(text),
    tool: may(text),
    ok: may(flag),
    pending: may(text),
    taints: may(texts),
    media: may(
      list(
        object<NonNullable<RunMessage["media"]>[number]>({ kind: text, mediaType: text, name: may(text) }),
      ),
    ),
  }),
  Run: object<Run>({
    line: ref("RunLine"),
    firstAgent: may(text),
    given: integer,
    messages: list(ref("RunMessage")),
    isForgotten: flag,
    spans: list(
      object<Span>({
        kind: oneOf("call", "model"),
        call: ref("CallLine"),
        beganAt: time,
        endedAt: may(time),
        depth: integer,
      }),
    ),
    isCut: flag,
    approvals: list(ref("Approval")),
    handoffs: list(object<Run["handoffs"][number]>({ from: may(text), to: text, at: may(time) })),
    cost: may(number),
    can: object<Run["can"]>({ resume: flag, giveUp: flag, replay: flag }),
    whyNot: may(text),
  }),
  ReplayResult: object<ReplayResult>({
    runId: text,
    summary: object<ReplayResult["summary"]>({
      total: integer,
      same: integer,
      different: integer,
      refused: integer,
      "not-run": integer,
      gone: integer,
    }),
    calls: list(
      object<ReplayResult["calls"][number]>({
        callId: text,
        tool: text,
        agent: may(text),
        status: oneOf("same", "different", "refused", "not-run", "gone"),
        why: may(text),
        before: may(ref("Text")),
        now: may(ref("Text")),
        diff: ref("Text"),
      }),
    ),
  }),
  RunAction: object<RunAction>({ runId: text, done: flag, message: text }),
};
