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
import type { ChatBody, ChatEvent, StoppedChat } from "../words/agents.ts";
import { ask, type StudioWorld } from "../world.ts";
import type { KeptChat } from "./kept-chats.ts";
import { maskedWords } from "./masked-words.ts";

/**
 * One message to an agent and its answer, told as it goes on. It is a run like any other: it is in the ledger, its calls
 * go down the corridor, and what waits for a person stands in the inbox. Whoever stops reading stops nothing.
 */
export const chat = async (visit: Visit): Promise<Response> => {
  const { world, params } = visit;
  const { message, chatId, runId, model, as } = visit.body as ChatBody;
  const found = world.options.agents.find(({ name }) => name === params.name);
  if (found === undefined) throw notFound(`agent "${params.name}" in this Studio`);
  if (message === undefined && runId === undefined)
    throw invalid("`message` says something, or `runId` names a run to go on with.");
  const principal = actingAs(visit, as);
  const before = runId === undefined ? {} : await goingOn(world, runId, message, principal);
  const kept = chatId === undefined ? world.chats.open(found.name) : findChat(visit, chatId);
  if (kept.isLive()) throw busy();
  const stopped = new AbortController();
  const stop = (): void => stopped.abort();
  const stream = world.haft.as(principal).stream(found.agent, message, {
    ...found.run,
    ...before,
    ...(model === undefined ? {} : { model }),
    signal: stopped.signal,
  });
  const answer = async (): Promise<void> => {
    const words = tellingWords(world, kept.tell);
    for await (const event of stream) {
      if (event.kind === "text" || event.kind === "reasoning") words.push(event);
      else {
        words.flush();
        for (const each of await toChatEvents(world, event)) kept.tell(each);
      }
    }
    words.flush();
  };
  world.closed.addEventListener("abort", stop, { once: true });
  const readers = tellOf(visit, kept, []);
  kept.tell({
    kind: "begun",
    chatId: kept.id,
    ...(message === undefined ? {} : { said: world.redactor.text(message) }),
  });
  const over = answer()
    .catch((error: unknown) => kept.tell(failureOf(world, error)))
    .finally(() => world.closed.removeEventListener("abort", stop));
  kept.begin(stop, over);
  return readers;
};

/** What was told in a chat so far, and what follows for as long as somebody answers. */
export const readChat = async (visit: Visit): Promise<Response> => {
  const kept = findChat(visit, visit.params.id!);
  return tellOf(visit, kept, kept.told());
};

/** Stops who answers. The run ends as cancelled, and calls that run are aborted. */
export const stopChat = async (visit: Visit): Promise<StoppedChat> => ({
  stopped: findChat(visit, visit.params.id!).stop(),
});

const findChat = ({ world, params }: Visit, id: string): KeptChat => {
  const kept = world.chats.find(id);
  if (kept !== undefined && kept.agent === params.name) return kept;
  throw new ApiRefusal(
    404,
    "not_found",
    `There is no chat "${id}" with this agent here any more. What was said and called in it is among the runs.`,
  );
};

const busy = (): ApiRefusal =>
  new ApiRefusal(409, "busy", "This chat is being answered. Wait until it is, or stop it.");

/** A page that goes away stops nothing: it finds the chat again by its id. */
const tellOf = ({ world, person, request }: Visit, kept: KeptChat, before: readonly ChatEvent[]): Response =>
  eventStream(
    [world.closed, request.signal, ...(person.signedOut === undefined ? [] : [person.signedOut])],
    (tell, end) => {
      const say = (event: ChatEvent): void => tell({ name: event.kind, data: event });
      for (const event of before) say(event);
      const leave = kept.hear((event) => (event === undefined ? end() : say(event)));
      if (before.length > 0 && !kept.isLive()) end();
      return leave;
    },
  );

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
  const said = world.chats.contextOf(runId) ?? run.messages;
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

type SaidWords = Extract<AgentEvent, { kind: "text" | "reasoning" }>;

interface TellingWords {
  readonly push: (event: SaidWords) => void;
  readonly flush: () => void;
}

/** Words in the order in which they come, each kind of each agent masked by itself. */
const tellingWords = ({ redactor, shared }: StudioWorld, tell: KeptChat["tell"]): TellingWords => {
  let saying: Pick<SaidWords, "kind" | "agent"> | undefined;
  let words = maskedWords(redactor, shared.credentials.known);
  const say = (text: string): void => {
    if (saying !== undefined && text !== "") tell({ ...saying, text });
  };
  const flush = (): void => {
    say(words.flush());
    words = maskedWords(redactor, shared.credentials.known);
  };
  return {
    push: ({ kind, agent, text }) => {
      if (saying?.kind !== kind || saying.agent !== agent) flush();
      saying = { kind, agent };
      say(words.push(text));
    },
    flush,
  };
};

/** What a page is told of an event: masked like the ledger, and without what no page needs. */
const toChatEvents = async (world: StudioWorld, event: AgentEvent): Promise<readonly ChatEvent[]> => {
  const { redactor, ledger, chats } = world;
  const text = (given: string): string => masked(given, redactor);
  switch (event.kind) {
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
      chats.keepContext(runId, context);
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
