import { listAgents, readChat, sendChatMessage, stopChat } from "./agents/chat.ts";
import { type ApiContext, type QueryField, type Route, showMe } from "./api-context.ts";
import { answerApproval, answerApprovals } from "./approvals/answer-approval.ts";
import { approvalStatuses, listApprovals, showApproval } from "./approvals/list-approvals.ts";
import { callToolFromApp, readResourceFromApp } from "./apps/call-from-app.ts";
import { showApp } from "./apps/show-app.ts";
import { listCalls } from "./calls/list-calls.ts";
import { settleCall, showCall, showCallText } from "./calls/show-call.ts";
import { listExperiments, showExperiment } from "./list-experiments.ts";
import { liveStream } from "./live/live-stream.ts";
import { showOverview } from "./overview/show-overview.ts";
import {
  explainPermission,
  explainPermissionInBody,
  showPermissions,
} from "./permissions/show-permissions.ts";
import { queryFields } from "./read-query.ts";
import { cancelRunAction, replayRunAction, resumeRunAction } from "./runs/act-on-run.ts";
import { listRuns, showRun } from "./runs/show-run.ts";
import { chatBodySchema } from "./schemas/agents.ts";
import type { AnswerName } from "./schemas/answer-schemas.ts";
import { answerBodySchema, answersBodySchema } from "./schemas/approvals.ts";
import { appCallBodySchema, appReadBodySchema } from "./schemas/apps.ts";
import { callEndingSchema } from "./schemas/call-list-items.ts";
import { settleBodySchema } from "./schemas/calls.ts";
import { groupKeySchema } from "./schemas/overview.ts";
import { explainBodySchema } from "./schemas/permissions.ts";
import { replayBodySchema, runStateSchema } from "./schemas/runs.ts";
import { booleanType, enumTypeOf, type Schema, stringType } from "./schemas/schema-builders.ts";
import { approveReviewBodySchema, finishSignInBodySchema } from "./schemas/servers.ts";
import { emptyBodySchema, signInBodySchema } from "./schemas/shared.ts";
import { toolCallBodySchema, validateBodySchema } from "./schemas/tools.ts";
import { packageVersion } from "./serve-page.ts";
import { approveReview, showReview } from "./servers/review-lock.ts";
import {
  beginServerSignIn,
  finishServerSignIn,
  listServers,
  reconnectServer,
  showServer,
} from "./servers/show-servers.ts";
import { showFleet } from "./show-fleet.ts";
import { toOpenApi } from "./to-openapi.ts";
import { callToolFromStudio, validateInput } from "./tools/call-tool.ts";
import { listTools, showTool } from "./tools/list-tools.ts";
import { verifyLedger } from "./verify-ledger.ts";

const { limit, cursor, since, until } = queryFields;
const describedText = (about: string): QueryField => ({ schema: stringType, about });
const describedChoice = (about: string, words: readonly string[]): QueryField => ({
  schema: enumTypeOf(...words),
  about,
});

type GetOptions = Partial<Pick<Route, "scope" | "isOpen" | "query">>;
const getRoute = <Name extends AnswerName>(
  path: string,
  about: string,
  answer: Name,
  run: Route<Name, unknown>["run"],
  more: GetOptions = {},
): Route<Name> => ({ method: "GET", scope: "studio:read", path, about, answer, run, ...more });

const postRoute = <Name extends AnswerName, Body>(
  path: string,
  scope: Route["scope"],
  about: string,
  answer: Name,
  body: Schema<Body>,
  run: Route<Name, Body>["run"],
): Route<Name, Body> => ({ method: "POST", path, scope, about, answer, body, run });

/** Used by the router and by the OpenAPI document. */
export const routes: readonly Route[] = [
  {
    ...postRoute(
      "/sign-in",
      "studio:read",
      "Signs in with the token of a link. Each token works once.",
      "any",
      signInBodySchema,
      emptyAnswer,
    ),
    isOpen: true,
  },
  {
    ...postRoute("/sign-out", "studio:read", "Signs out.", "any", emptyBodySchema, emptyAnswer),
    isOpen: true,
  },
  getRoute("/me", "The signed-in person, their scopes, and the features of this Studio.", "Me", showMe, {
    isOpen: true,
  }),
  getRoute("/overview", "Statistics of calls in a time range.", "Overview", showOverview, {
    query: { since, until, by: describedChoice("Groups the calls by this field.", groupKeySchema.enum) },
  }),
  getRoute("/calls", "Calls, newest first.", "CallPage", listCalls, {
    query: {
      tool: describedText("Full name of the tool."),
      agent: describedText("Agent name."),
      session: describedText("Session ID."),
      run: describedText("Run ID."),
      callId: describedText("Call ID of the model."),
      ending: describedChoice("Status of the call.", callEndingSchema.enum),
      since,
      until,
      limit,
      cursor,
      direction: describedChoice("Side of the cursor.", ["older", "newer"]),
    },
  }),
  getRoute("/calls/{entryId}", "One call with its eight pipeline stages.", "Call", showCall),
  postRoute(
    "/calls/{entryId}/settle",
    "studio:approve",
    "Records whether a call with an unknown effect took effect.",
    "Call",
    settleBodySchema,
    settleCall,
  ),
  getRoute("/calls/{entryId}/text/{part}", "The full text of one part of a call.", "text", showCallText),
  getRoute("/runs", "Runs, newest first.", "RunPage", listRuns, {
    query: {
      status: describedChoice("Status of the run.", runStateSchema.enum),
      agent: describedText("Agent name."),
      limit,
      cursor,
    },
  }),
  getRoute("/runs/{id}", "One run with its messages and calls.", "Run", showRun),
  postRoute(
    "/runs/{id}/resume",
    "studio:run",
    "Resumes a run.",
    "RunAction",
    emptyBodySchema,
    resumeRunAction,
  ),
  postRoute(
    "/runs/{id}/cancel",
    "studio:run",
    "Cancels a run.",
    "RunAction",
    emptyBodySchema,
    cancelRunAction,
  ),
  postRoute(
    "/runs/{id}/replay",
    "studio:run",
    "Repeats the calls of a run with the current tools and compares the results.",
    "ReplayResult",
    replayBodySchema,
    replayRunAction,
  ),
  getRoute("/approvals", "Approval requests, pending ones oldest first.", "ApprovalPage", listApprovals, {
    query: {
      status: describedChoice("Status of the request. Default: waiting.", approvalStatuses),
      run: describedText("Run ID."),
      tool: describedText("Full name of the tool."),
      limit,
    },
  }),
  // Must precede `/approvals/{id}`.
  postRoute(
    "/approvals/answer",
    "studio:approve",
    "Gives several approval requests the same answer.",
    "AnswerResults",
    answersBodySchema,
    answerApprovals,
  ),
  getRoute(
    "/approvals/{id}",
    "One approval request with the details for a decision.",
    "ApprovalDetail",
    showApproval,
  ),
  postRoute(
    "/approvals/{id}/answer",
    "studio:approve",
    "Answers an approval request.",
    "AnswerResult",
    answerBodySchema,
    answerApproval,
  ),
  getRoute("/tools", "Tools by name, or search results.", "Catalog", listTools, {
    query: { query: describedText("Search query."), limit, cursor },
  }),
  getRoute("/tools/{key}", "All details of one tool.", "ToolDetail", showTool),
  postRoute(
    "/tools/{key}/call",
    "studio:run",
    "Calls a tool through the pipeline.",
    "ToolCallResult",
    toolCallBodySchema,
    callToolFromStudio,
  ),
  postRoute(
    "/tools/{key}/validate",
    "studio:read",
    "Validates arguments against the schema of a tool.",
    "Validation",
    validateBodySchema,
    validateInput,
  ),
  getRoute("/servers", "MCP servers.", "ServerList", listServers),
  getRoute("/servers/{name}", "One MCP server.", "Server", showServer),
  postRoute(
    "/servers/{name}/reconnect",
    "studio:run",
    "Reconnects a server, or lists its tools again.",
    "Server",
    emptyBodySchema,
    reconnectServer,
  ),
  postRoute(
    "/servers/{name}/sign-in",
    "studio:run",
    "Starts the OAuth sign-in at a server.",
    "SignInUrl",
    emptyBodySchema,
    beginServerSignIn,
  ),
  postRoute(
    "/servers/{name}/sign-in/finish",
    "studio:run",
    "Completes the OAuth sign-in with the redirect URL.",
    "Server",
    finishSignInBodySchema,
    finishServerSignIn,
  ),
  getRoute(
    "/servers/{name}/review",
    "Compares the tools of a server with the lock.",
    "LockReview",
    showReview,
  ),
  postRoute(
    "/servers/{name}/review/approve",
    "studio:approve",
    "Approves changes and writes the lock.",
    "ApprovedReview",
    approveReviewBodySchema,
    approveReview,
  ),
  getRoute(
    "/servers/{name}/apps/{uri}",
    "The HTML page of an MCP App, with the origins it may access.",
    "AppPage",
    showApp,
    {
      scope: "studio:run",
    },
  ),
  postRoute(
    "/servers/{name}/apps/{uri}/call",
    "studio:run",
    "Calls a tool of the App's server through the pipeline.",
    "AppCallResult",
    appCallBodySchema,
    callToolFromApp,
  ),
  postRoute(
    "/servers/{name}/apps/{uri}/read",
    "studio:run",
    "Reads a resource of the App's server through the pipeline.",
    "AppResource",
    appReadBodySchema,
    readResourceFromApp,
  ),
  getRoute("/permissions", "Which principal may call which tool.", "Permissions", showPermissions, {
    query: { tool: describedText("Filters tools by a part of their name."), limit },
  }),
  getRoute(
    "/permissions/explain",
    "Explains whether a principal may call a tool.",
    "PermissionExplanation",
    explainPermission,
    {
      query: {
        as: describedText("ID or agent of a principal."),
        tool: describedText("Full name of the tool."),
        input: describedText("Arguments as JSON."),
        tainted: { schema: booleanType, about: "Assumes that the run has read untrusted content." },
      },
    },
  ),
  postRoute(
    "/permissions/explain",
    "studio:read",
    "Explains a permission for arguments that must not be in a URL.",
    "PermissionExplanation",
    explainBodySchema,
    explainPermissionInBody,
  ),
  getRoute("/agents", "Agents for chats.", "AgentPage", listAgents),
  postRoute(
    "/agents/{name}/chat",
    "studio:run",
    "Sends a message to an agent and streams the answer.",
    "events",
    chatBodySchema,
    sendChatMessage,
  ),
  getRoute("/agents/{name}/chats/{id}", "Streams the past and new events of a chat.", "events", readChat, {
    scope: "studio:run",
  }),
  postRoute(
    "/agents/{name}/chats/{id}/stop",
    "studio:run",
    "Stops the current answer.",
    "StoppedChat",
    emptyBodySchema,
    stopChat,
  ),
  getRoute("/experiments", "Results of haft ab.", "ExperimentPage", listExperiments, { query: { limit } }),
  getRoute("/experiments/{id}", "One result of haft ab.", "any", showExperiment),
  getRoute("/fleet", "Workers, queues and rates of the fleet.", "any", showFleet),
  postRoute(
    "/verify",
    "studio:read",
    "Verifies the hash chain of the ledger and streams the progress.",
    "events",
    emptyBodySchema,
    verifyLedger,
  ),
  getRoute("/live", "Streams changes, at most five messages per second.", "events", liveStream),
  getRoute("/openapi.json", "This API as an OpenAPI document.", "any", showOpenApi, { isOpen: true }),
];

async function emptyAnswer(): Promise<object> {
  return {};
}

async function showOpenApi({ studio }: ApiContext): Promise<unknown> {
  return toOpenApi(routes, packageVersion(), studio.options.base);
}
