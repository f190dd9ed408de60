import { chat, readChat, stopChat } from "./agents/chat.ts";
import { listAgents } from "./agents/show-agents.ts";
import { answerApproval, answerSeveral } from "./approvals/answer.ts";
import { approvalStates, listApprovals, showApproval } from "./approvals/list-approvals.ts";
import { callFromApp, readFromApp } from "./apps/call-from-app.ts";
import { showApp } from "./apps/show-app.ts";
import { endings, listCalls } from "./calls/list-calls.ts";
import { showCall, showText } from "./calls/show-call.ts";
import { listExperiments, showExperiment } from "./experiments.ts";
import { live } from "./live/live.ts";
import { toOpenApi } from "./openapi.ts";
import { showOverview } from "./overview/show-overview.ts";
import { packageVersion } from "./page/package-root.ts";
import { queryFields } from "./request/read-query.ts";
import { explainRight, explainWritten, showRights } from "./rights/show-rights.ts";
import { giveUp, replay, resume } from "./runs/act-on-run.ts";
import { listRuns, runStates } from "./runs/list-runs.ts";
import { showRun } from "./runs/show-run.ts";
import { bodies } from "./schemas/bodies.ts";
import { flag, oneOf, text } from "./schemas/shape.ts";
import { approveReview, showReview } from "./servers/review-lock.ts";
import { beginSignIn, finishSignIn, listServers, reconnect, showServer } from "./servers/show-servers.ts";
import { showFleet } from "./show-fleet.ts";
import { showMe } from "./show-me.ts";
import { callTool, validateInput } from "./tools/call-tool.ts";
import { listTools } from "./tools/list-tools.ts";
import { showTool } from "./tools/show-tool.ts";
import { verify } from "./verify.ts";
import type { QueryField, Route } from "./visit.ts";

const { limit, cursor, since, until } = queryFields;
const named = (about: string): QueryField => ({ schema: text, about });
const word = (about: string, words: readonly string[]): QueryField => ({ schema: oneOf(...words), about });

type Get = Omit<Route, "method" | "scope"> & Partial<Pick<Route, "scope">>;
const get = (
  path: string,
  about: string,
  answer: string,
  run: Route["run"],
  more: Partial<Get> = {},
): Route => ({
  method: "GET",
  scope: "studio:read",
  path,
  about,
  answer,
  run,
  ...more,
});
const post = (
  path: string,
  scope: Route["scope"],
  about: string,
  answer: string,
  run: Route["run"],
  body: NonNullable<Route["body"]> = bodies.none,
): Route => ({ method: "POST", path, scope, about, answer, run, body });

/** Everything that the API has. The router serves it, and the OpenAPI document is made of it. */
export const routes: readonly Route[] = [
  {
    ...post(
      "/sign-in",
      "studio:read",
      "Opens a session with the token of a link, once.",
      "any",
      done,
      bodies.signIn,
    ),
    isOpen: true,
  },
  { ...post("/sign-out", "studio:read", "Ends the session.", "any", done), isOpen: true },
  get("/me", "Who is signed in, what they may, and what there is.", "Me", showMe, { isOpen: true }),
  get("/overview", "How calls went over a time.", "Overview", showOverview, {
    query: { since, until, by: word("What groups are made by.", ["tool", "agent", "tenant"]) },
  }),
  get("/calls", "Calls, newest first.", "CallPage", listCalls, {
    query: {
      tool: named("Full name of the tool."),
      agent: named("Of this agent."),
      session: named("Of this session."),
      run: named("Of this run."),
      callId: named("With the id that the model gave."),
      ending: word("How it ended.", endings),
      since,
      until,
      limit,
      cursor,
      direction: word("Which side of the cursor.", ["older", "newer"]),
    },
  }),
  get("/calls/{entryId}", "One call with its way down the corridor.", "Call", showCall),
  get("/calls/{entryId}/text/{part}", "One text of a call, as long as it is.", "text", showText),
  get("/runs", "Runs, newest first.", "RunPage", listRuns, {
    query: { status: word("How it stands.", runStates), agent: named("Of this agent."), limit, cursor },
  }),
  get("/runs/{id}", "One run with its conversation and its calls.", "Run", showRun),
  post("/runs/{id}/resume", "studio:run", "Goes on with a run.", "RunAction", resume),
  post("/runs/{id}/give-up", "studio:run", "Ends a run that nobody will go on with.", "RunAction", giveUp),
  post(
    "/runs/{id}/replay",
    "studio:run",
    "Makes its calls again with today's tools.",
    "ReplayResult",
    replay,
    bodies.replay,
  ),
  get("/approvals", "What people are asked, or were.", "ApprovalPage", listApprovals, {
    query: {
      status: word("How it stands; waiting unless given.", approvalStates),
      run: named("Of this run."),
      tool: named("Of this tool."),
      limit,
    },
  }),
  // Before the questions themselves, of which none has this id.
  post(
    "/approvals/answer",
    "studio:approve",
    "One answer for several questions.",
    "AnswerResults",
    answerSeveral,
    bodies.answers,
  ),
  get("/approvals/{id}", "One question with everything to decide by.", "ApprovalDetail", showApproval),
  post(
    "/approvals/{id}/answer",
    "studio:approve",
    "Answers a question.",
    "AnswerResult",
    answerApproval,
    bodies.answer,
  ),
  get("/tools", "Every tool, or those that fit a question.", "Catalog", listTools, {
    query: { query: named("A question, for the selector."), limit, cursor },
  }),
  get("/tools/{key}", "Everything about one tool.", "ToolDetail", showTool),
  post(
    "/tools/{key}/call",
    "studio:run",
    "Calls it, down the corridor.",
    "ToolCallResult",
    callTool,
    bodies.call,
  ),
  post(
    "/tools/{key}/validate",
    "studio:read",
    "What is wrong with arguments.",
    "Validation",
    validateInput,
    bodies.validate,
  ),
  get("/servers", "MCP servers.", "ServerList", listServers),
  get("/servers/{name}", "One MCP server.", "Server", showServer),
  post("/servers/{name}/reconnect", "studio:run", "Tries a server again now.", "Server", reconnect),
  post(
    "/servers/{name}/sign-in",
    "studio:run",
    "Where to give a right at a server.",
    "SignInAddress",
    beginSignIn,
  ),
  post(
    "/servers/{name}/sign-in/finish",
    "studio:run",
    "What the browser came back with.",
    "Server",
    finishSignIn,
    bodies.finishSignIn,
  ),
  get("/servers/{name}/review", "What changed since the lock was written.", "LockReview", showReview),
  post(
    "/servers/{name}/review/approve",
    "studio:approve",
    "Writes the lock.",
    "ApprovedReview",
    approveReview,
    bodies.approveReview,
  ),
  get("/servers/{name}/apps/{uri}", "The page of an MCP App.", "AppPage", showApp, { scope: "studio:run" }),
  post(
    "/servers/{name}/apps/{uri}/call",
    "studio:run",
    "Calls a tool of its own server for an App, down the corridor.",
    "AppCallResult",
    callFromApp,
    bodies.appCall,
  ),
  post(
    "/servers/{name}/apps/{uri}/read",
    "studio:run",
    "Reads a resource of its own server for an App, down the corridor.",
    "AppResource",
    readFromApp,
    bodies.appRead,
  ),
  get("/rights", "Who may what.", "Rights", showRights, {
    query: { tool: named("Only tools with this in their name."), limit },
  }),
  get("/rights/explain", "Why somebody may or may not call a tool.", "RightExplained", explainRight, {
    query: {
      as: named("The id of a principal, or its agent."),
      tool: named("Full name of the tool."),
      input: named("Arguments as JSON."),
      tainted: { schema: flag, about: "While untrusted words are in the conversation." },
    },
  }),
  post(
    "/rights/explain",
    "studio:read",
    "The same, with arguments that do not stand in an address.",
    "RightExplained",
    explainWritten,
    bodies.explain,
  ),
  get("/agents", "Agents to chat with.", "AgentPage", listAgents),
  post(
    "/agents/{name}/chat",
    "studio:run",
    "One message to an agent, answered as it goes on.",
    "events",
    chat,
    bodies.chat,
  ),
  get("/agents/{name}/chats/{id}", "What was told in a chat, and what follows.", "events", readChat, {
    scope: "studio:run",
  }),
  post("/agents/{name}/chats/{id}/stop", "studio:run", "Stops an answer.", "StoppedChat", stopChat),
  get("/experiments", "Results of haft ab.", "ExperimentPage", listExperiments, { query: { limit } }),
  get("/experiments/{id}", "One result.", "any", showExperiment),
  get("/fleet", "Workers, queues and rates.", "any", showFleet),
  post("/verify", "studio:read", "Follows the chain of the ledger.", "events", verify),
  get("/live", "Whatever changes, at most five messages a second.", "events", live),
  get("/openapi.json", "This API as an OpenAPI document.", "any", showDocument, { isOpen: true }),
];

/** The router does what there is to do. */
async function done(): Promise<object> {
  return {};
}

async function showDocument({ world }: Parameters<Route["run"]>[0]): Promise<unknown> {
  return toOpenApi(routes, packageVersion(), world.options.base);
}
