import type { AgentListItem, StoppedChat } from "@api/agents.ts";
import type {
  AnswerBody,
  AnswerResult,
  AnswerResults,
  AnswersBody,
  Approval,
  ApprovalDetail,
} from "@api/approvals.ts";
import type { AppCallBody, AppCallResult, AppPage, AppReadBody, AppResource } from "@api/apps.ts";
import type { CallListItem } from "@api/call-list-items.ts";
import type { Call, SettleBody } from "@api/calls.ts";
import type { ExperimentListItem, FleetView } from "@api/experiments.ts";
import type { Overview } from "@api/overview.ts";
import type { ExplainBody, PermissionExplanation, Permissions } from "@api/permissions.ts";
import type { ReplayBody, ReplayResult, Run, RunAction, RunListItem } from "@api/runs.ts";
import type {
  ApprovedReview,
  ApproveReviewBody,
  LockReview,
  Server,
  ServerList,
  SignInUrl,
} from "@api/servers.ts";
import type { Me, Page } from "@api/shared.ts";
import type { Catalog, ToolCallBody, ToolCallResult, ToolDetail, Validation } from "@api/tools.ts";
import type { ExperimentResult } from "../../src/agent/experiments/experiment-result.ts";
import { apiPath, getJson, postJson, type Query } from "./api-request.ts";

const mcpAppPath = (server: string, uri: string, after = ""): string =>
  apiPath("/servers/", server, apiPath("/apps/", uri, after));

export const api = {
  signIn: (token: string) => postJson<object>("/sign-in", { token }),
  signOut: () => postJson<object>("/sign-out"),
  me: (signal?: AbortSignal) => getJson<Me>("/me", {}, signal),
  overview: (query: Query, signal?: AbortSignal) => getJson<Overview>("/overview", query, signal),

  calls: (query: Query, signal?: AbortSignal) => getJson<Page<CallListItem>>("/calls", query, signal),
  call: (entryId: string, signal?: AbortSignal) => getJson<Call>(apiPath("/calls/", entryId), {}, signal),
  settle: (entryId: string, body: SettleBody) => postJson<Call>(apiPath("/calls/", entryId, "/settle"), body),

  runs: (query: Query, signal?: AbortSignal) => getJson<Page<RunListItem>>("/runs", query, signal),
  run: (id: string, signal?: AbortSignal) => getJson<Run>(apiPath("/runs/", id), {}, signal),
  resume: (id: string) => postJson<RunAction>(apiPath("/runs/", id, "/resume")),
  cancel: (id: string) => postJson<RunAction>(apiPath("/runs/", id, "/cancel")),
  replay: (id: string, body: ReplayBody) => postJson<ReplayResult>(apiPath("/runs/", id, "/replay"), body),

  approvals: (query: Query, signal?: AbortSignal) => getJson<Page<Approval>>("/approvals", query, signal),
  approval: (id: string, signal?: AbortSignal) =>
    getJson<ApprovalDetail>(apiPath("/approvals/", id), {}, signal),
  answer: (id: string, body: AnswerBody) =>
    postJson<AnswerResult>(apiPath("/approvals/", id, "/answer"), body),
  answerSeveral: (body: AnswersBody) => postJson<AnswerResults>("/approvals/answer", body),

  tools: (query: Query, signal?: AbortSignal) => getJson<Catalog>("/tools", query, signal),
  tool: (key: string, signal?: AbortSignal) => getJson<ToolDetail>(apiPath("/tools/", key), {}, signal),
  callTool: (key: string, body: ToolCallBody) =>
    postJson<ToolCallResult>(apiPath("/tools/", key, "/call"), body),
  validate: (key: string, input: unknown) =>
    postJson<Validation>(apiPath("/tools/", key, "/validate"), { input }),

  servers: (signal?: AbortSignal) => getJson<ServerList>("/servers", {}, signal),
  reconnect: (id: string) => postJson<Server>(apiPath("/servers/", id, "/reconnect")),
  signInAtServer: (id: string) => postJson<SignInUrl>(apiPath("/servers/", id, "/sign-in")),
  finishSignIn: (id: string, redirectUrl: string) =>
    postJson<Server>(apiPath("/servers/", id, "/sign-in/finish"), { redirectUrl }),
  review: (id: string, signal?: AbortSignal) =>
    getJson<LockReview>(apiPath("/servers/", id, "/review"), {}, signal),
  approveReview: (id: string, body: ApproveReviewBody) =>
    postJson<ApprovedReview>(apiPath("/servers/", id, "/review/approve"), body),

  app: (server: string, uri: string, signal?: AbortSignal) =>
    getJson<AppPage>(mcpAppPath(server, uri), {}, signal),
  callFromApp: (server: string, uri: string, body: AppCallBody) =>
    postJson<AppCallResult>(mcpAppPath(server, uri, "/call"), body),
  readFromApp: (server: string, uri: string, body: AppReadBody) =>
    postJson<AppResource>(mcpAppPath(server, uri, "/read"), body),

  stopChat: (agent: string, id: string) =>
    postJson<StoppedChat>(apiPath("/agents/", agent, apiPath("/chats/", id, "/stop"))),

  permissions: (query: Query, signal?: AbortSignal) => getJson<Permissions>("/permissions", query, signal),
  /** A POST, because arguments of a form do not belong in a URL. */
  explainInput: (body: ExplainBody) => postJson<PermissionExplanation>("/permissions/explain", body),
  explain: (query: Query, signal?: AbortSignal) =>
    getJson<PermissionExplanation>("/permissions/explain", query, signal),

  agents: (signal?: AbortSignal) => getJson<Page<AgentListItem>>("/agents", {}, signal),
  experiments: (signal?: AbortSignal) => getJson<Page<ExperimentListItem>>("/experiments", {}, signal),
  experiment: (id: string, signal?: AbortSignal) =>
    getJson<ExperimentResult>(apiPath("/experiments/", id), {}, signal),
  fleet: (signal?: AbortSignal) => getJson<FleetView>("/fleet", {}, signal),
};
