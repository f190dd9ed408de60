import type { RunOptions } from "../../agent/run-options.ts";
import { masked } from "../../ledger/masked.ts";
import type { AgentEvent } from "../../words/agent.ts";
import { ToolError } from "../../words/errors.ts";
import { failures } from "../../words/failures.ts";
import { isSameParty, type Principal } from "../../words/principal.ts";
import { toApproval } from "../approvals/to-approval.ts";
import { toAppResult, toAppView } from "../apps/app-view.ts";
import { given } from "../calls/call-line.ts";
import { eventStream } from "../events.ts";
import { ApiRefusal, invalid, notFound } from "../refused.ts";
import { actingAs } from "../rights/principals.ts";
import { toTokens } from "../runs/run-line.ts";
import type { Visit } from "../visit.ts";
import type { ChatBody, ChatEvent } from "../words/agents.ts";
import { ask, type StudioWorld } from "../world.ts";

/**
 * One message to an agent and its answer, told as it goes on. It is a run like any other: it is in the ledger, its calls
 * go down the corridor, and what waits for a person stands in the inbox. Whoever stops reading cancels it.
 */
export const chat = async (visit: Visit): Promise<Response> => {
  const { world, params, request } = visit;
  const { message, runId, model, as } = visit.body as ChatBody;
  const found = world.options.agents.find(({ name }) => name === params.name);
  if (found === undefined) throw notFound(`agent "${params.name}" in this Studio`);
  if (message === undefined && runId === undefined)
    throw invalid("`message` says something, or `runId` names a run to go on with.");
  const principal = actingAs(visit, as);
  const before = runId === undefined ? {} : await goingOn(world, runId, message, principal);
  const stopped = new AbortController();
  const stream = world.haft.as(principal).stream(found.agent, message, {
    ...found.run,
    ...before,
    ...(model === undefined ? {} : { model }),
    signal: stopped.signal,
  });
  return eventStream([world.closed, request.signal], (tell, end) => {
    const say = (event: ChatEvent): void => tell({ name: event.kind, data: event });
    const answer = async (): Promise<void> => {
      for await (const event of stream) for (const each of await toChatEvents(world, event)) say(each);
    };
    answer()
      .catch((error: unknown) => say(failureOf(world, error)))
      .finally(end);
    return () => stopped.abort();
  });
};

/** A run that waits goes on by itself; one that is over lends its conversation to a new one. */
const goingOn = async (
  world: StudioWorld,
  runId: string,
  message: string | undefined,
  principal: Principal,
): Promise<Partial<RunOptions>> => {
  const run = await ask(world.ledger.runs.find(runId));
  if (run === undefined || run.principal === undefined || !isSameParty(run.principal, principal)) {
    throw notFound(`run "${runId}" of this caller`);
  }
  if (message === undefined) return { resume: runId };
  const said = saidIn.get(world)?.get(runId) ?? run.messages;
  if (run.status === "pending" || run.status === "running") {
    throw new ApiRefusal(
      409,
      "question_open",
      "It waits for a person, or goes on elsewhere. Answer what it asks first.",
    );
  }
  if (said.length === 0)
    throw new ApiRefusal(410, "forgotten", "What was said in it is not kept. Begin anew, without `runId`.");
  return { context: said };
};

/** A ledger forgets what was said once a run is over, unless told to keep it; a chat goes on all the same. */
const saidIn = new WeakMap<StudioWorld, Map<string, NonNullable<RunOptions["context"]>>>();
const mostChats = 100;

const keep = (world: StudioWorld, runId: string, context: NonNullable<RunOptions["context"]>): void => {
  const kept = saidIn.get(world) ?? new Map();
  saidIn.set(world, kept.set(runId, context));
  if (kept.size > mostChats) kept.delete(kept.keys().next().value);
};

/** What a page is told of an event: masked like the ledger, and without what no page needs. */
const toChatEvents = async (world: StudioWorld, event: AgentEvent): Promise<readonly ChatEvent[]> => {
  const { redactor, ledger } = world;
  const text = (given: string): string => masked(given, redactor);
  switch (event.kind) {
    case "text":
    case "reasoning":
      return [{ kind: event.kind, agent: event.agent, text: redactor.text(event.text) }];
    case "reset":
      return [{ kind: "reset", agent: event.agent, reason: event.reason }];
    case "calls":
      return event.calls.map(({ id, tool, input }) => ({
        kind: "call",
        agent: event.agent,
        callId: id,
        tool,
        input: text(typeof input === "string" ? input : (JSON.stringify(input) ?? "")),
      }));
    case "call-start":
      return [{ kind: "call-start", callId: event.callId, tool: event.tool }];
    case "call-end": {
      const { callId, tool, ok, durationMs, error } = event;
      return [{ kind: "call-end", callId, tool, ok, durationMs, ...given({ error }) }];
    }
    case "approval": {
      const record = await ask(ledger.approvals.find(event.request.id));
      return record === undefined ? [] : [{ kind: "approval", approval: toApproval(world, record) }];
    }
    case "turn":
      return event.invocations.map(({ callId, name, ok, result, error, arguments: input, parts }) => {
        const said = text(error ?? (typeof result === "string" ? result : (JSON.stringify(result) ?? "")));
        const answered = { ok, value: result, text: said, ...(parts && { parts }) };
        const app = ok
          ? toAppView(world, world.shared.registry.get(name), input, toAppResult(world, answered))
          : undefined;
        return { kind: "result", callId, tool: name, ok, text: said, ...given({ app }) };
      });
    case "handoff":
      return [{ kind: "handoff", from: event.from, to: event.to }];
    case "usage":
      return [{ kind: "usage", tokens: toTokens(event.usage) }];
    case "done": {
      const { runId, status, content, agent, usage, turns, reason, context } = event.response;
      keep(world, runId, context);
      const last = { runId, status, text: redactor.text(content), agent, tokens: toTokens(usage), turns };
      return [{ kind: "done", ...last, ...given({ reason }) }];
    }
    default:
      return [];
  }
};

const failureOf = ({ options, redactor }: StudioWorld, error: unknown): ChatEvent => {
  if (ToolError.is(error) && failures[error.code].reader === "model")
    return { kind: "failed", message: error.message };
  options.onError(error, "chat");
  const words = error instanceof Error ? error.message : String(error);
  return { kind: "failed", message: redactor.text(words) };
};
