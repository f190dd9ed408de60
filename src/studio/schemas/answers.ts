import type { JsonSchema } from "../../words/json.ts";
import type { AgentLine } from "../words/agents.ts";
import type { Approval, ApprovalDetail, AnswerResult, AnswerResults } from "../words/approvals.ts";
import type { Call, CallAttempt, CallChange, CallLine, CallMedia, CallRow, Stages, TaintSource } from "../words/calls.ts";
import type { ExperimentLine } from "../words/experiments.ts";
import type { LiveMessage, VerifyResult } from "../words/live.ts";
import type { Bucket, CallFigures, GroupFigures, Looked, Overview } from "../words/overview.ts";
import type { NamedPrincipal, Right, RightExplained, Rights } from "../words/rights.ts";
import type { ReplayResult, Run, RunAction, RunLine, RunMessage, Span, Tokens } from "../words/runs.ts";
import type { AppPage, ApprovedReview, LockReview, ReviewedTool, ReviewFlag, Server, ServerList, ServerLogLine, SignInAddress } from "../words/servers.ts";
import type { ApiError, Caller, Count, Finding, Me, Page, Text } from "../words/shared.ts";
import type { Catalog, FoundLine, ToolCallResult, ToolCopies, ToolDetail, ToolFormat, ToolLine, ToolSearchResult, Validation } from "../words/tools.ts";
import { any, type Fields, flag, integer, isTrue, list, may, number, object, oneOf, record, ref, text, texts, time } from "./shape.ts";

const scopes = oneOf("studio:read", "studio:approve", "studio:run");
const runState = oneOf("running", "done", "pending", "stopped", "cancelled", "failed");
const rightEffect = oneOf("allow", "ask", "deny", "unknown");
const failuresByCode = list(object<{ code: string; count: number }>({ code: text, count: integer }));

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

const figures: Fields<CallFigures> = {
  calls: ref("Count"),
  failed: ref("Count"),
  p50: may(number),
  p95: may(number),
  cost: may(number),
};

const right: Fields<Right> = { effect: rightEffect, reason: text, ruleIds: texts };

const found: Fields<FoundLine> = {
  key: text,
  score: number,
  reason: text,
  terms: list(object<FoundLine["terms"][number]>({ term: text, place: text, for: may(text) })),
  evidence: { type: "object", additionalProperties: number },
};

/** Every kind of answer by its name in the OpenAPI document. The types in `words/` say the same. */
export const answerSchemas: Readonly<Record<string, JsonSchema>> = {
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
  }),
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
  ToolLine: object<ToolLine>({
    key: text,
    name: text,
    description: text,
    title: may(text),
    origin: text,
    source: text,
    category: text,
    risk: text,
    tags: texts,
    requiresApproval: flag,
    readOnly: flag,
    idempotent: flag,
    destructive: flag,
    openWorld: flag,
    wireName: text,
    server: may(text),
  }),
  Catalog: object<Catalog>({
    ...page<ToolLine>(ref("ToolLine")),
    search: may(
      object<ToolSearchResult>({
        query: text,
        confidence: number,
        none: may(text),
        found: list(object<FoundLine>(found)),
        passedOver: list(object<FoundLine & { why: string }>({ ...found, why: text })),
        wishes: list(object<ToolSearchResult["wishes"][number]>({ text, tools: texts })),
      }),
    ),
  }),
  ToolCopies: object<ToolCopies>({ code: text, commandLine: text, mcp: any }),
  ToolDetail: object<ToolDetail>({
    line: ref("ToolLine"),
    signature: may(text),
    input: any,
    output: may(any),
    timeoutMs: may(number),
    maxCost: may(number),
    meta: may(record),
    definition: text,
    implementation: text,
    layers: texts,
    shadows: texts,
    shadowedBy: may(text),
    formats: list(
      object<ToolFormat>({
        format: text,
        spelled: any,
        losses: list(
          object<ToolFormat["losses"][number]>({ pointer: text, message: text, kind: may(text) }),
        ),
      }),
    ),
    copy: ref("ToolCopies"),
    figures: object<ToolDetail["figures"]>({ ...figures, failures: failuresByCode }),
    recent: list(
      object<ToolDetail["recent"][number]>({
        entryId: text,
        at: time,
        durationMs: may(number),
        ending: text,
      }),
    ),
    app: may(object<NonNullable<ToolDetail["app"]>>({ server: text, uri: text })),
  }),
  ToolCallResult: object<ToolCallResult>({
    ok: flag,
    content: ref("Text"),
    value: may(any),
    entryId: may(text),
    code: may(text),
    pending: may(text),
    media: list(
      object<ToolCallResult["media"][number]>({
        kind: text,
        mediaType: text,
        data: may(text),
        url: may(text),
        name: may(text),
      }),
    ),
    caller: ref("Caller"),
  }),
  Validation: object<Validation>({
    ok: flag,
    findings: list(ref("Finding")),
    value: may(any),
    copy: ref("ToolCopies"),
  }),
  Server: object<Server>({
    id: text,
    status: oneOf("connecting", "connected", "degraded", "disconnected", "error"),
    reason: may(text),
    transport: oneOf("stdio", "http", "sse", "websocket"),
    era: may(text),
    protocol: may(text),
    calledItself: may(
      object<NonNullable<Server["calledItself"]>>({ name: text, version: text, title: may(text) }),
    ),
    tools: texts,
    quarantined: list(object<Server["quarantined"][number]>({ tool: text, reason: text })),
    losses: list(object<Server["losses"][number]>({ tool: text, loss: text })),
    connectedAt: may(time),
    reconnects: integer,
    canSignIn: flag,
    log: list(
      object<ServerLogLine>({
        at: time,
        kind: oneOf("connected", "disconnected", "logged", "trouble"),
        text,
      }),
    ),
  }),
  ServerList: object<ServerList>({ items: list(ref("Server")), lock: may(text) }),
  SignInAddress: object<SignInAddress>({ url: text }),
  LockReview: object<LockReview>({
    server: text,
    lock: may(text),
    isClean: flag,
    change: text,
    trouble: may(text),
    launch: may(object<NonNullable<LockReview["launch"]>>({ was: may(text), now: may(text) })),
    tools: list(
      object<ReviewedTool>({
        name: text,
        change: text,
        from: may(text),
        reason: may(text),
        parts: list(
          object<ReviewedTool["parts"][number]>({
            pointer: text,
            was: may(ref("Text")),
            now: may(ref("Text")),
            diff: ref("Text"),
          }),
        ),
        flags: list(
          object<ReviewFlag>({
            code: text,
            severity: text,
            pointer: text,
            excerpt: text,
            explained: text,
            isAccepted: flag,
          }),
        ),
      }),
    ),
    hash: text,
  }),
  ApprovedReview: object<ApprovedReview>({ written: flag, lock: text, message: text }),
  AppPage: object<AppPage>({
    server: text,
    uri: text,
    mimeType: may(text),
    html: may(text),
    ui: may(record),
  }),
  Rights: object<Rights>({
    principals: list(
      object<NamedPrincipal>({
        id: text,
        caller: ref("Caller"),
        from: oneOf("signed-in", "runtime", "configuration", "ledger"),
        lastSeenAt: may(time),
      }),
    ),
    tools: texts,
    isCut: flag,
    cells: list(list(object<Right>(right))),
  }),
  RightExplained: object<RightExplained>({
    ...right,
    tool: text,
    caller: ref("Caller"),
    text,
    rules: list(
      object<RightExplained["rules"][number]>({
        id: text,
        effect: rightEffect,
        concerns: flag,
        covers: flag,
        met: may(flag),
        unmet: texts,
      }),
    ),
    links: list(
      object<RightExplained["links"][number]>({
        agent: text,
        user: may(text),
        tenant: may(text),
        effect: rightEffect,
        reason: text,
        rights: list(
          object<RightExplained["links"][number]["rights"][number]>({ who: text, refusal: may(text) }),
        ),
      }),
    ),
  }),
  AgentPage: object<Page<AgentLine>>(
    page(
      object<AgentLine>({
        name: text,
        description: may(text),
        instructions: text,
        model: may(text),
        tools: texts,
        handoffs: texts,
        layers: texts,
      }),
    ),
  ),
  ExperimentPage: object<Page<ExperimentLine>>(
    page(
      object<ExperimentLine>({
        id: text,
        file: text,
        agent: text,
        startedAt: text,
        verdict: text,
        arms: texts,
        runs: integer,
      }),
    ),
  ),
  LiveMessage: object<LiveMessage>({
    id: text,
    at: time,
    counts: object<LiveMessage["counts"]>({ began: integer, ended: integer, failed: integer }),
    calls: list(ref("CallLine")),
    isCut: flag,
    approvals: list(ref("Approval")),
    runs: list(ref("RunLine")),
    servers: list(ref("Server")),
    isBehind: may(isTrue),
  }),
  VerifyResult: object<VerifyResult>({
    ok: flag,
    rows: integer,
    head: object<VerifyResult["head"]>({ seq: integer, hash: text }),
    broken: may(object<NonNullable<VerifyResult["broken"]>>({ seq: integer, why: text })),
    unproved: may(text),
    unkeyed: may(
      object<NonNullable<VerifyResult["unkeyed"]>>({ rows: integer, from: integer, to: integer }),
    ),
    keys: list(object<VerifyResult["keys"][number]>({ keyId: text, rows: integer, isHere: flag })),
    anchor: may(object<NonNullable<VerifyResult["anchor"]>>({ number: integer, at: time, hash: text })),
  }),
};
