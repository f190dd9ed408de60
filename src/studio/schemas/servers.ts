import type { JsonSchema } from "../../words/json.ts";
import type { AgentLine, StoppedChat } from "../words/agents.ts";
import type {
  AppCallResult,
  AppLine,
  AppPage,
  AppReach,
  AppResource,
  AppResult,
  AppView,
} from "../words/apps.ts";
import type { ExperimentLine } from "../words/experiments.ts";
import type { LiveMessage, VerifyResult } from "../words/live.ts";
import type {
  ApprovedReview,
  LockReview,
  ReviewedTool,
  ReviewFlag,
  Server,
  ServerList,
  ServerLogLine,
  SignInAddress,
} from "../words/servers.ts";
import type { Page } from "../words/shared.ts";
import {
  any,
  type Fields,
  flag,
  integer,
  isTrue,
  list,
  may,
  object,
  oneOf,
  record,
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

/** Answers about servers, agents, experiments and streams, by their names in the document. */
export const serversSchemas: Readonly<Record<string, JsonSchema>> = {
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
    apps: list(object<AppLine>({ uri: text, tools: texts })),
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
    html: text,
    hash: text,
    reach: object<AppReach>({ connect: texts, resource: texts, frame: texts, base: texts }),
    refused: texts,
  }),
  StoppedChat: object<StoppedChat>({ stopped: flag }),
  AppResult: {
    ...object<AppResult>({
      content: list(record),
      structuredContent: may(any),
      isError: may(flag),
      _meta: may(any),
    }),
    additionalProperties: true,
  },
  AppView: object<AppView>({
    server: text,
    uri: text,
    tool: record,
    input: record,
    result: ref("AppResult"),
  }),
  AppCallResult: object<AppCallResult>({ result: ref("AppResult"), entryId: may(text), pending: may(text) }),
  AppResource: object<AppResource>({ contents: list(record) }),
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
    unkeyed: may(object<NonNullable<VerifyResult["unkeyed"]>>({ rows: integer, from: integer, to: integer })),
    keys: list(object<VerifyResult["keys"][number]>({ keyId: text, rows: integer, isHere: flag })),
    anchor: may(object<NonNullable<VerifyResult["anchor"]>>({ number: integer, at: time, hash: text })),
  }),
};
