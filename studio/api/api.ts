import type { AgentLine, StoppedChat } from "@words/agents.ts";
import type {
  AnswerBody,
  AnswerResult,
  AnswerResults,
  AnswersBody,
  Approval,
  ApprovalDetail,
} from "@words/approvals.ts";
import type { AppCallBody, AppCallResult, AppPage, AppReadBody, AppResource } from "@words/apps.ts";
import type { Call, CallLine } from "@words/calls.ts";
import type { ExperimentLine, FleetView } from "@words/experiments.ts";
import type { Overview } from "@words/overview.ts";
import type { ExplainBody, RightExplained, Rights } from "@words/rights.ts";
import type { ReplayBody, ReplayResult, Run, RunAction, RunLine } from "@words/runs.ts";
import type {
  ApprovedReview,
  ApproveReviewBody,
  LockReview,
  Server,
  ServerList,
  SignInAddress,
} from "@words/servers.ts";
import type { Me, Page } from "@words/shared.ts";
import type { Catalog, ToolCallBody, ToolCallResult, ToolDetail, Validation } from "@words/tools.ts";
import type { ExperimentResult } from "../../src/experiment/result.ts";
import { get, path, post, type Query } from "./ask.ts";

const appPath = (server: string, uri: string, after = ""): string =>
  path("/servers/", server, path("/apps/", uri, after));

/** Every route that answers with JSON, by the name of what it does. Streams are in `live.ts` and `event-stream.ts`. */
export const api = {
  signIn: (token: string) => post<object>("/sign-in", { token }),
  signOut: () => post<object>("/sign-out"),
  me: (signal?: AbortSignal) => get<Me>("/me", {}, signal),
  overview: (query: Query, signal?: AbortSignal) => get<Overview>("/overview", query, signal),

  calls: (query: Query, signal?: AbortSignal) => get<Page<CallLine>>("/calls", query, signal),
  call: (entryId: string, signal?: AbortSignal) => get<Call>(path("/calls/", entryId), {}, signal),

  runs: (query: Query, signal?: AbortSignal) => get<Page<RunLine>>("/runs", query, signal),
  run: (id: string, signal?: AbortSignal) => get<Run>(path("/runs/", id), {}, signal),
  resume: (id: string) => post<RunAction>(path("/runs/", id, "/resume")),
  giveUp: (id: string) => post<RunAction>(path("/runs/", id, "/give-up")),
  replay: (id: string, body: ReplayBody) => post<ReplayResult>(path("/runs/", id, "/replay"), body),

  approvals: (query: Query, signal?: AbortSignal) => get<Page<Approval>>("/approvals", query, signal),
  approval: (id: string, signal?: AbortSignal) => get<ApprovalDetail>(path("/approvals/", id), {}, signal),
  answer: (id: string, body: AnswerBody) => post<AnswerResult>(path("/approvals/", id, "/answer"), body),
  answerSeveral: (body: AnswersBody) => post<AnswerResults>("/approvals/answer", body),

  tools: (query: Query, signal?: AbortSignal) => get<Catalog>("/tools", query, signal),
  tool: (key: string, signal?: AbortSignal) => get<ToolDetail>(path("/tools/", key), {}, signal),
  callTool: (key: string, body: ToolCallBody) => post<ToolCallResult>(path("/tools/", key, "/call"), body),
  validate: (key: string, input: unknown) => post<Validation>(path("/tools/", key, "/validate"), { input }),

  servers: (signal?: AbortSignal) => get<ServerList>("/servers", {}, signal),
  reconnect: (id: string) => post<Server>(path("/servers/", id, "/reconnect")),
  signInAtServer: (id: string) => post<SignInAddress>(path("/servers/", id, "/sign-in")),
  finishSignIn: (id: string, answer: string) =>
    post<Server>(path("/servers/", id, "/sign-in/finish"), { answer }),
  review: (id: string, signal?: AbortSignal) => get<LockReview>(path("/servers/", id, "/review"), {}, signal),
  approveReview: (id: string, body: ApproveReviewBody) =>
    post<ApprovedReview>(path("/servers/", id, "/review/approve"), body),

  app: (server: string, uri: string, signal?: AbortSignal) => get<AppPage>(appPath(server, uri), {}, signal),
  callFromApp: (server: string, uri: string, body: AppCallBody) =>
    post<AppCallResult>(appPath(server, uri, "/call"), body),
  readFromApp: (server: string, uri: string, body: AppReadBody) =>
    post<AppResource>(appPath(server, uri, "/read"), body),

  stopChat: (agent: string, id: string) =>
    post<StoppedChat>(path("/agents/", agent, path("/chats/", id, "/stop"))),

  rights: (query: Query, signal?: AbortSignal) => get<Rights>("/rights", query, signal),
  /** With arguments that somebody types, which belong into no address. */
  explainWritten: (body: ExplainBody) => post<RightExplained>("/rights/explain", body),
  explain: (query: Query, signal?: AbortSignal) => get<RightExplained>("/rights/explain", query, signal),

  agents: (signal?: AbortSignal) => get<Page<AgentLine>>("/agents", {}, signal),
  experiments: (signal?: AbortSignal) => get<Page<ExperimentLine>>("/experiments", {}, signal),
  experiment: (id: string, signal?: AbortSignal) =>
    get<ExperimentResult>(path("/experiments/", id), {}, signal),
  fleet: (signal?: AbortSignal) => get<FleetView>("/fleet", {}, signal),
};
