import { readChat, sendChatMessage, stopChat } from "./agents/chat.ts";
import { listAgents } from "./agents/list-agents.ts";
import type { ApiContext, QueryField, Route } from "./api-context.ts";
import { answerApproval, answerApprovals } from "./approvals/answer-approval.ts";
import { approvalStatuses, listApprovals, showApproval } from "./approvals/list-approvals.ts";
import { callToolFromApp, readResourceFromApp } from "./apps/call-from-app.ts";
import { showApp } from "./apps/show-app.ts";
import { listCalls } from "./calls/list-calls.ts";
import { settleCall } from "./calls/settle-call.ts";
import { showCall, showCallText } from "./calls/show-call.ts";
import { listExperiments, showExperiment } from "./list-experiments.ts";
import { liveStream } from "./live/live-stream.ts";
import { showOverview } from "./overview/show-overview.ts";
import { packageVersion } from "./page/package-root.ts";
import {
  explainPermission,
  explainPermissionInBody,
  showPermissions,
} from "./permissions/show-permissions.ts";
import { queryFields } from "./request/read-query.ts";
import { cancelRunAction, replayRunAction, resumeRunAction } from "./runs/act-on-run.ts";
import { listRuns } from "./runs/list-runs.ts";
import { showRun } from "./runs/show-run.ts";
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
import { approveReview, showReview } from "./servers/review-lock.ts";
import {
  beginServerSignIn,
  finishServerSignIn,
  listServers,
  reconnectServer,
  showServer,
} from "./servers/show-servers.ts";
import { showFleet } from "./show-fleet.ts";
import { showMe } from "./show-me.ts";
import { toOpenApi } from "./to-openapi.ts";
import { callToolFromStudio, validateInput } from "./tools/call-tool.ts";
import { listTools } from "./tools/list-tools.ts";
import { showTool } from "./tools/show-tool.ts";
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
      "Opens a session with the token of a link, once.",
      "any",
      signInBodySchema,
      emptyAnswer,
    ),
    isOpen: true,
  },
  {
    ...postRoute("/sign-out", "studio:read", "Ends the session.", "any", emptyBodySchema, emptyAnswer),
    isOpen: true,
  },
  getRoute("/me", "Who is signed in, what they may, and what there is.", "Me", showMe, { isOpen: true }),
  getRoute("/overview", "How calls went over a time.", "Overview", showOverview, {
    query: { since, until, by: describedChoice("What groups are made by.", groupKeySchema.enum) },
  }),
  getRoute("/calls", "Calls, newest first.", "CallPage", listCalls, {
    query: {
      tool: describedText("Full name of the tool."),
      agent: describedText("Of this agent."),
      session: describedText("Of this session."),
      run: describedText("Of this run."),
      callId: describedText("With the id that the model gave."),
      ending: describedChoice("How it ended.", callEndingSchema.enum),
      since,
      until,
      limit,
      cursor,
      direction: describedChoice("Which side of the cursor.", ["older", "newer"]),
    },
  }),
  getRoute("/calls/{entryId}", "One call with its way down the corridor.", "Call", showCall),
  postRoute(
    "/calls/{entryId}/settle",
    "studio:approve",
    "Records whether a call whose effect is unknown took effect.",
    "Call",
    settleBodySchema,
    settleCall,
  ),
  getRoute("/calls/{entryId}/text/{part}", "One text of a call, as long as it is.", "text", showCallText),
  getRoute("/runs", "Runs, newest first.", "RunPage", listRuns, {
    query: {
      status: describedChoice("How it stands.", runStateSchema.enum),
      agent: describedText("Of this agent."),
      limit,
      cursor,
    },
  }),
  getRoute("/runs/{id}", "One run with its conversation and its calls.", "Run", showRun),
  postRoute(
    "/runs/{id}/resume",
    "studio:run",
    "Goes on with a run.",
    "RunAction",
    emptyBodySchema,
    resumeRunAction,
  ),
  postRoute(
    "/runs/{id}/cancel",
    "studio:run",
    "Ends a run that nobody will go on with.",
    "RunAction",
    emptyBodySchema,
    cancelRunAction,
  ),
  postRoute(
    "/runs/{id}/replay",
    "studio:run",
    "Makes its calls again with today's tools.",
    "ReplayResult",
    replayBodySchema,
    replayRunAction,
  ),
  getRoute("/approvals", "What people are asked, or were.", "ApprovalPage", listApprovals, {
    query: {
      status: describedChoice("How it stands; waiting unless given.", approvalStatuses),
      run: describedText("Of this run."),
      tool: describedText("Of this tool."),
      limit,
    },
  }),
  // Must precede `/approvals/{id}`.
  postRoute(
    "/approvals/answer",
    "studio:approve",
    "One answer for several questions.",
    "AnswerResults",
    answersBodySchema,
    answerApprovals,
  ),
  getRoute("/approvals/{id}", "One question with everything to decide by.", "ApprovalDetail", showApproval),
  postRoute(
    "/approvals/{id}/answer",
    "studio:approve",
    "Answers a question.",
    "AnswerResult",
    answerBodySchema,
    answerApproval,
  ),
  getRoute("/tools", "Every tool, or those that fit a question.", "Catalog", listTools, {
    query: { query: describedText("A question, for the selector."), limit, cursor },
  }),
  getRoute("/tools/{key}", "Everything about one tool.", "ToolDetail", showTool),
  postRoute(
    "/tools/{key}/call",
    "studio:run",
    "Calls it, down the corridor.",
    "ToolCallResult",
    toolCallBodySchema,
    callToolFromStudio,
  ),
  postRoute(
    "/tools/{key}/validate",
    "studio:read",
    "What is wrong with arguments.",
    "Validation",
    validateBodySchema,
    validateInput,
  ),
  getRoute("/servers", "MCP servers.", "ServerList", listServers),
  getRoute("/servers/{name}", "One MCP server.", "Server", showServer),
  postRoute(
    "/servers/{name}/reconnect",
    "studio:run",
    "Tries a server again now.",
    "Server",
    emptyBodySchema,
    reconnectServer,
  ),
  postRoute(
    "/servers/{name}/sign-in",
    "studio:run",
    "Where to give a right at a server.",
    "SignInUrl",
    emptyBodySchema,
    beginServerSignIn,
  ),
  postRoute(
    "/servers/{name}/sign-in/finish",
    "studio:run",
    "What the browser came back with.",
    "Server",
    finishSignInBodySchema,
    finishServerSignIn,
  ),
  getRoute("/servers/{name}/review", "What changed since the lock was written.", "LockReview", showReview),
  postRoute(
    "/servers/{name}/review/approve",
    "studio:approve",
    "Writes the lock.",
    "ApprovedReview",
    approveReviewBodySchema,
    approveReview,
  ),
  getRoute("/servers/{name}/apps/{uri}", "The page of an MCP App.", "AppPage", showApp, {
    scope: "studio:run",
  }),
  postRoute(
    "/servers/{name}/apps/{uri}/call",
    "studio:run",
    "Calls a tool of its own server for an App, down the corridor.",
    "AppCallResult",
    appCallBodySchema,
    callToolFromApp,
  ),
  postRoute(
    "/servers/{name}/apps/{uri}/read",
    "studio:run",
    "Reads a resource of its own server for an App, down the corridor.",
    "AppResource",
    appReadBodySchema,
    readResourceFromApp,
  ),
  getRoute("/permissions", "Who may what.", "Permissions", showPermissions, {
    query: { tool: describedText("Only tools with this in their name."), limit },
  }),
  getRoute(
    "/permissions/explain",
    "Why somebody may or may not call a tool.",
    "PermissionExplanation",
    explainPermission,
    {
      query: {
        as: describedText("The id of a principal, or its agent."),
        tool: describedText("Full name of the tool."),
        input: describedText("Arguments as JSON."),
        tainted: { schema: booleanType, about: "While untrusted words are in the conversation." },
      },
    },
  ),
  postRoute(
    "/permissions/explain",
    "studio:read",
    "The same, with arguments that do not stand in an address.",
    "PermissionExplanation",
    explainBodySchema,
    explainPermissionInBody,
  ),
  getRoute("/agents", "Agents to chat with.", "AgentPage", listAgents),
  postRoute(
    "/agents/{name}/chat",
    "studio:run",
    "One message to an agent, answered as it goes on.",
    "events",
    chatBodySchema,
    sendChatMessage,
  ),
  getRoute("/agents/{name}/chats/{id}", "What was told in a chat, and what follows.", "events", readChat, {
    scope: "studio:run",
  }),
  postRoute(
    "/agents/{name}/chats/{id}/stop",
    "studio:run",
    "Stops an answer.",
    "StoppedChat",
    emptyBodySchema,
    stopChat,
  ),
  getRoute("/experiments", "Results of haft ab.", "ExperimentPage", listExperiments, { query: { limit } }),
  getRoute("/experiments/{id}", "One result.", "any", showExperiment),
  getRoute("/fleet", "Workers, queues and rates.", "any", showFleet),
  postRoute(
    "/verify",
    "studio:read",
    "Follows the chain of the ledger.",
    "events",
    emptyBodySchema,
    verifyLedger,
  ),
  getRoute("/live", "Whatever changes, at most five messages a second.", "events", liveStream),
  getRoute("/openapi.json", "This API as an OpenAPI document.", "any", showOpenApi, { isOpen: true }),
];

async function emptyAnswer(): Promise<object> {
  return {};
}

async function showOpenApi({ studio }: ApiContext): Promise<unknown> {
  return toOpenApi(routes, packageVersion(), studio.options.base);
}
