import { readChat, sendChatMessage, stopChat } from "./agents/chat.ts";
import { listAgents } from "./agents/list-agents.ts";
import type { QueryField, Route } from "./api-context.ts";
import { answerApproval, answerApprovals } from "./approvals/answer-approval.ts";
import { approvalStatuses, listApprovals, showApproval } from "./approvals/list-approvals.ts";
import { callToolFromApp, readResourceFromApp } from "./apps/call-from-app.ts";
import { showApp } from "./apps/show-app.ts";
import { callEndings, listCalls } from "./calls/list-calls.ts";
import { settleCall } from "./calls/settle-call.ts";
import { showCall, showCallText } from "./calls/show-call.ts";
import { listExperiments, showExperiment } from "./list-experiments.ts";
import { liveStream } from "./live/live-stream.ts";
import { showOverview } from "./overview/show-overview.ts";
import { packageVersion } from "./page/package-root.ts";
import { queryFields } from "./request/read-query.ts";
import { explainRight, explainRightInBody, showRights } from "./rights/show-rights.ts";
import { cancelRunAction, replayRunAction, resumeRunAction } from "./runs/act-on-run.ts";
import { listRuns, runStatuses } from "./runs/list-runs.ts";
import { showRun } from "./runs/show-run.ts";
import { bodySchemas } from "./schemas/body-schemas.ts";
import { booleanType, enumTypeOf, stringType } from "./schemas/schema-builders.ts";
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

type GetRouteOptions = Omit<Route, "method" | "scope"> & Partial<Pick<Route, "scope">>;
const getRoute = (
  path: string,
  about: string,
  answer: string,
  run: Route["run"],
  more: Partial<GetRouteOptions> = {},
): Route => ({
  method: "GET",
  scope: "studio:read",
  path,
  about,
  answer,
  run,
  ...more,
});
const postRoute = (
  path: string,
  scope: Route["scope"],
  about: string,
  answer: string,
  run: Route["run"],
  body: NonNullable<Route["body"]> = bodySchemas.none,
): Route => ({ method: "POST", path, scope, about, answer, run, body });

/** Used by the router and by the OpenAPI document. */
export const routes: readonly Route[] = [
  {
    ...postRoute(
      "/sign-in",
      "studio:read",
      "Opens a session with the token of a link, once.",
      "any",
      emptyAnswer,
      bodySchemas.signIn,
    ),
    isOpen: true,
  },
  { ...postRoute("/sign-out", "studio:read", "Ends the session.", "any", emptyAnswer), isOpen: true },
  getRoute("/me", "Who is signed in, what they may, and what there is.", "Me", showMe, { isOpen: true }),
  getRoute("/overview", "How calls went over a time.", "Overview", showOverview, {
    query: { since, until, by: describedChoice("What groups are made by.", ["tool", "agent", "tenant"]) },
  }),
  getRoute("/calls", "Calls, newest first.", "CallPage", listCalls, {
    query: {
      tool: describedText("Full name of the tool."),
      agent: describedText("Of this agent."),
      session: describedText("Of this session."),
      run: describedText("Of this run."),
      callId: describedText("With the id that the model gave."),
      ending: describedChoice("How it ended.", callEndings),
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
    settleCall,
    bodySchemas.settle,
  ),
  getRoute("/calls/{entryId}/text/{part}", "One text of a call, as long as it is.", "text", showCallText),
  getRoute("/runs", "Runs, newest first.", "RunPage", listRuns, {
    query: {
      status: describedChoice("How it stands.", runStatuses),
      agent: describedText("Of this agent."),
      limit,
      cursor,
    },
  }),
  getRoute("/runs/{id}", "One run with its conversation and its calls.", "Run", showRun),
  postRoute("/runs/{id}/resume", "studio:run", "Goes on with a run.", "RunAction", resumeRunAction),
  postRoute(
    "/runs/{id}/give-up",
    "studio:run",
    "Ends a run that nobody will go on with.",
    "RunAction",
    cancelRunAction,
  ),
  postRoute(
    "/runs/{id}/replay",
    "studio:run",
    "Makes its calls again with today's tools.",
    "ReplayResult",
    replayRunAction,
    bodySchemas.replay,
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
    answerApprovals,
    bodySchemas.answers,
  ),
  getRoute("/approvals/{id}", "One question with everything to decide by.", "ApprovalDetail", showApproval),
  postRoute(
    "/approvals/{id}/answer",
    "studio:approve",
    "Answers a question.",
    "AnswerResult",
    answerApproval,
    bodySchemas.answer,
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
    callToolFromStudio,
    bodySchemas.call,
  ),
  postRoute(
    "/tools/{key}/validate",
    "studio:read",
    "What is wrong with arguments.",
    "Validation",
    validateInput,
    bodySchemas.validate,
  ),
  getRoute("/servers", "MCP servers.", "ServerList", listServers),
  getRoute("/servers/{name}", "One MCP server.", "Server", showServer),
  postRoute(
    "/servers/{name}/reconnect",
    "studio:run",
    "Tries a server again now.",
    "Server",
    reconnectServer,
  ),
  postRoute(
    "/servers/{name}/sign-in",
    "studio:run",
    "Where to give a right at a server.",
    "SignInAddress",
    beginServerSignIn,
  ),
  postRoute(
    "/servers/{name}/sign-in/finish",
    "studio:run",
    "What the browser came back with.",
    "Server",
    finishServerSignIn,
    bodySchemas.finishSignIn,
  ),
  getRoute("/servers/{name}/review", "What changed since the lock was written.", "LockReview", showReview),
  postRoute(
    "/servers/{name}/review/approve",
    "studio:approve",
    "Writes the lock.",
    "ApprovedReview",
    approveReview,
    bodySchemas.approveReview,
  ),
  getRoute("/servers/{name}/apps/{uri}", "The page of an MCP App.", "AppPage", showApp, {
    scope: "studio:run",
  }),
  postRoute(
    "/servers/{name}/apps/{uri}/call",
    "studio:run",
    "Calls a tool of its own server for an App, down the corridor.",
    "AppCallResult",
    callToolFromApp,
    bodySchemas.appCall,
  ),
  postRoute(
    "/servers/{name}/apps/{uri}/read",
    "studio:run",
    "Reads a resource of its own server for an App, down the corridor.",
    "AppResource",
    readResourceFromApp,
    bodySchemas.appRead,
  ),
  getRoute("/rights", "Who may what.", "Rights", showRights, {
    query: { tool: describedText("Only tools with this in their name."), limit },
  }),
  getRoute("/rights/explain", "Why somebody may or may not call a tool.", "RightExplained", explainRight, {
    query: {
      as: describedText("The id of a principal, or its agent."),
      tool: describedText("Full name of the tool."),
      input: describedText("Arguments as JSON."),
      tainted: { schema: booleanType, about: "While untrusted words are in the conversation." },
    },
  }),
  postRoute(
    "/rights/explain",
    "studio:read",
    "The same, with arguments that do not stand in an address.",
    "RightExplained",
    explainRightInBody,
    bodySchemas.explain,
  ),
  getRoute("/agents", "Agents to chat with.", "AgentPage", listAgents),
  postRoute(
    "/agents/{name}/chat",
    "studio:run",
    "One message to an agent, answered as it goes on.",
    "events",
    sendChatMessage,
    bodySchemas.chat,
  ),
  getRoute("/agents/{name}/chats/{id}", "What was told in a chat, and what follows.", "events", readChat, {
    scope: "studio:run",
  }),
  postRoute("/agents/{name}/chats/{id}/stop", "studio:run", "Stops an answer.", "StoppedChat", stopChat),
  getRoute("/experiments", "Results of haft ab.", "ExperimentPage", listExperiments, { query: { limit } }),
  getRoute("/experiments/{id}", "One result.", "any", showExperiment),
  getRoute("/fleet", "Workers, queues and rates.", "any", showFleet),
  postRoute("/verify", "studio:read", "Follows the chain of the ledger.", "events", verifyLedger),
  getRoute("/live", "Whatever changes, at most five messages a second.", "events", liveStream),
  getRoute("/openapi.json", "This API as an OpenAPI document.", "any", showOpenApi, { isOpen: true }),
];

async function emptyAnswer(): Promise<object> {
  return {};
}

async function showOpenApi({ studio }: Parameters<Route["run"]>[0]): Promise<unknown> {
  return toOpenApi(routes, packageVersion(), studio.options.base);
}
