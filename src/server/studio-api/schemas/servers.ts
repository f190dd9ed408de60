import type { JsonSchema } from "../../../types/json.ts";
import type { AgentLine, StoppedChat } from "../types/agents.ts";
import type {
  AppCallResult,
  AppLine,
  AppOrigins,
  AppPage,
  AppResource,
  AppResult,
  AppView,
} from "../types/apps.ts";
import type { ExperimentLine } from "../types/experiments.ts";
import type { LiveMessage, VerifyResult } from "../types/live.ts";
import type {
  ApprovedReview,
  LockReview,
  ReviewedTool,
  ReviewFlag,
  Server,
  ServerList,
  ServerLogLine,
  SignInAddress,
} from "../types/servers.ts";
import type { Page } from "../types/shared.ts";
import {
  type AnswerFields,
  anyType,
  arrayTypeOf,
  booleanType,
  enumTypeOf,
  integerType,
  objectTypeOf,
  optionalField,
  recordType,
  schemaRef,
  stringListType,
  stringType,
  timeType,
  trueType,
} from "./schema-builders.ts";

const pageFields = <Item>(items: JsonSchema): AnswerFields<Page<Item>> => ({
  items: arrayTypeOf(items),
  isCut: booleanType,
  next: optionalField(stringType),
  previous: optionalField(stringType),
  total: optionalField(schemaRef("Count")),
});

export const serversSchemas: Readonly<Record<string, JsonSchema>> = {
  Server: objectTypeOf<Server>({
    id: stringType,
    status: enumTypeOf("connecting", "connected", "degraded", "disconnected", "error"),
    reason: optionalField(stringType),
    transport: enumTypeOf("stdio", "http", "sse", "websocket"),
    era: optionalField(stringType),
    protocol: optionalField(stringType),
    calledItself: optionalField(
      objectTypeOf<NonNullable<Server["calledItself"]>>({
        name: stringType,
        version: stringType,
        title: optionalField(stringType),
      }),
    ),
    tools: stringListType,
    quarantined: arrayTypeOf(
      objectTypeOf<Server["quarantined"][number]>({ tool: stringType, reason: stringType }),
    ),
    losses: arrayTypeOf(objectTypeOf<Server["losses"][number]>({ tool: stringType, loss: stringType })),
    connectedAt: optionalField(timeType),
    reconnects: integerType,
    apps: arrayTypeOf(objectTypeOf<AppLine>({ uri: stringType, tools: stringListType })),
    canSignIn: booleanType,
    log: arrayTypeOf(
      objectTypeOf<ServerLogLine>({
        at: timeType,
        kind: enumTypeOf("connected", "disconnected", "logged", "trouble"),
        text: stringType,
      }),
    ),
  }),
  ServerList: objectTypeOf<ServerList>({
    items: arrayTypeOf(schemaRef("Server")),
    lock: optionalField(stringType),
  }),
  SignInAddress: objectTypeOf<SignInAddress>({ url: stringType }),
  LockReview: objectTypeOf<LockReview>({
    server: stringType,
    lock: optionalField(stringType),
    isClean: booleanType,
    change: stringType,
    trouble: optionalField(stringType),
    launch: optionalField(
      objectTypeOf<NonNullable<LockReview["launch"]>>({
        was: optionalField(stringType),
        now: optionalField(stringType),
      }),
    ),
    tools: arrayTypeOf(
      objectTypeOf<ReviewedTool>({
        name: stringType,
        change: stringType,
        from: optionalField(stringType),
        reason: optionalField(stringType),
        parts: arrayTypeOf(
          objectTypeOf<ReviewedTool["parts"][number]>({
            pointer: stringType,
            was: optionalField(schemaRef("Text")),
            now: optionalField(schemaRef("Text")),
            diff: schemaRef("Text"),
          }),
        ),
        flags: arrayTypeOf(
          objectTypeOf<ReviewFlag>({
            code: stringType,
            severity: stringType,
            pointer: stringType,
            excerpt: stringType,
            explained: stringType,
            isAccepted: booleanType,
          }),
        ),
      }),
    ),
    hash: stringType,
  }),
  ApprovedReview: objectTypeOf<ApprovedReview>({
    written: booleanType,
    lock: stringType,
    message: stringType,
  }),
  AppPage: objectTypeOf<AppPage>({
    server: stringType,
    uri: stringType,
    html: stringType,
    hash: stringType,
    reach: objectTypeOf<AppOrigins>({
      connect: stringListType,
      resource: stringListType,
      frame: stringListType,
      base: stringListType,
    }),
    refused: stringListType,
  }),
  StoppedChat: objectTypeOf<StoppedChat>({ stopped: booleanType }),
  AppResult: {
    ...objectTypeOf<AppResult>({
      content: arrayTypeOf(recordType),
      structuredContent: optionalField(anyType),
      isError: optionalField(booleanType),
      _meta: optionalField(anyType),
    }),
    additionalProperties: true,
  },
  AppView: objectTypeOf<AppView>({
    server: stringType,
    uri: stringType,
    tool: recordType,
    input: recordType,
    result: schemaRef("AppResult"),
  }),
  AppCallResult: objectTypeOf<AppCallResult>({
    result: schemaRef("AppResult"),
    entryId: optionalField(stringType),
    pending: optionalField(stringType),
  }),
  AppResource: objectTypeOf<AppResource>({ contents: arrayTypeOf(recordType) }),
  AgentPage: objectTypeOf<Page<AgentLine>>(
    pageFields(
      objectTypeOf<AgentLine>({
        name: stringType,
        description: optionalField(stringType),
        instructions: stringType,
        model: optionalField(stringType),
        tools: stringListType,
        handoffs: stringListType,
        layers: stringListType,
      }),
    ),
  ),
  ExperimentPage: objectTypeOf<Page<ExperimentLine>>(
    pageFields(
      objectTypeOf<ExperimentLine>({
        id: stringType,
        file: stringType,
        agent: stringType,
        startedAt: stringType,
        verdict: stringType,
        arms: stringListType,
        runs: integerType,
      }),
    ),
  ),
  LiveMessage: objectTypeOf<LiveMessage>({
    id: stringType,
    at: timeType,
    counts: objectTypeOf<LiveMessage["counts"]>({
      began: integerType,
      ended: integerType,
      failed: integerType,
    }),
    calls: arrayTypeOf(schemaRef("CallLine")),
    isCut: booleanType,
    approvals: arrayTypeOf(schemaRef("Approval")),
    runs: arrayTypeOf(schemaRef("RunLine")),
    servers: arrayTypeOf(schemaRef("Server")),
    isBehind: optionalField(trueType),
  }),
  VerifyResult: objectTypeOf<VerifyResult>({
    ok: booleanType,
    rows: integerType,
    head: objectTypeOf<VerifyResult["head"]>({ seq: integerType, hash: stringType }),
    broken: optionalField(
      objectTypeOf<NonNullable<VerifyResult["broken"]>>({ seq: integerType, why: stringType }),
    ),
    unproved: optionalField(stringType),
    unkeyed: optionalField(
      objectTypeOf<NonNullable<VerifyResult["unkeyed"]>>({
        rows: integerType,
        from: integerType,
        to: integerType,
      }),
    ),
    keys: arrayTypeOf(
      objectTypeOf<VerifyResult["keys"][number]>({
        keyId: stringType,
        rows: integerType,
        isHere: booleanType,
      }),
    ),
    anchor: optionalField(
      objectTypeOf<NonNullable<VerifyResult["anchor"]>>({
        number: integerType,
        at: timeType,
        hash: stringType,
      }),
    ),
    keyFile: optionalField(stringType),
  }),
};
