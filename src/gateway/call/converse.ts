import type { Result, ServerContext } from "@modelcontextprotocol/server";
import {
  type ClientConnection,
  capabilitiesOf,
  invalid,
  isModern,
  isWanted,
  logLevelOf,
  principalOf,
} from "../client-connection.ts";
import { askClient } from "./ask-client.ts";
import { toProtocolError } from "./call-result.ts";
import { takesTasks } from "./client-capabilities.ts";
import { type CallListener, LiveCall, type Outcome } from "./live-call.ts";
import { progressReader } from "./progress-hub.ts";
import { redactJson } from "./redact-json.ts";

export interface Subject {
  readonly method: "tools/call" | "prompts/get" | "resources/read";
  readonly name: string;
  readonly run: (live: LiveCall) => Promise<Result>;
}

/** Begins a call, or goes on with the one that waits under the client's handle, until the client is to be told. */
export const converse = async (
  line: ClientConnection,
  context: ServerContext,
  subject: Subject,
): Promise<Result> => {
  const { front } = line;
  const name = `${subject.method} ${subject.name}`;
  const handle = context.mcpReq.requestState<unknown>();
  if (handle === undefined) {
    const live = liveCall(line, context, subject, name);
    return listen(line, context, live, () => begin(line, live, subject));
  }
  const principal = principalOf(line, context);
  const live = typeof handle === "string" ? front.held.take(handle, principal, name) : undefined;
  if (live === undefined) throw invalid("Unknown requestState: it was used, it expired, or it never was.");
  live.principal = principal;
  return listen(line, context, live, () => live.questions.answer(context.mcpReq.inputResponses));
};

const liveCall = (
  line: ClientConnection,
  context: ServerContext,
  { method }: Subject,
  name: string,
): LiveCall => {
  const capabilities = capabilitiesOf(line, context);
  const modern = isModern(line);
  return new LiveCall({
    principal: principalOf(line, context),
    subject: name,
    capabilities,
    ask: modern ? undefined : askClient(context, line.front.holdMs),
    waitsForTasks: line.front.finishesTasks || takesTasks(capabilities),
    mayBeTask: modern && method === "tools/call" && takesTasks(capabilities),
    logLevel: logLevelOf(line, context),
    early: context.mcpReq.inputResponses,
  });
};

const begin = (line: ClientConnection, live: LiveCall, { run }: Subject): void => {
  const { front } = line;
  front.live.add(live);
  line.running++;
  live.start(async () => {
    try {
      return { kind: "result", result: await run(live) };
    } catch (error) {
      return { kind: "error", error: toProtocolError(error, front.served.redact) };
    } finally {
      front.live.delete(live);
      line.running--;
    }
  });
};

/** Whoever listens does so before anything goes on, lest the first words are lost. */
const listen = async (
  line: ClientConnection,
  context: ServerContext,
  live: LiveCall,
  goOn: () => void,
): Promise<Result> => {
  const { signal } = context.mcpReq;
  const stop = (): void => live.cancel(signal.reason);
  const { taskAfterMs } = line.front;
  const timer =
    live.mayBeTask && taskAfterMs !== undefined
      ? setTimeout(() => live.becomeTask({}), taskAfterMs)
      : undefined;
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  live.listener = listenerOf(line, context);
  try {
    goOn();
    return await untilAnswered(line, live);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    live.listener = undefined;
  }
};

const untilAnswered = async ({ front }: ClientConnection, live: LiveCall): Promise<Result> => {
  for (;;) {
    const news = await live.next();
    if (news === "done") return unwrap(live.outcome!);
    if (news === "tasked") {
      const task = front.tasks.create(live);
      if (task !== undefined) return task;
      live.taskTerms = undefined;
    } else {
      const requestState = front.held.hold(live);
      if (requestState !== undefined) {
        return { resultType: "input_required", inputRequests: live.questions.open(), requestState };
      }
      live.questions.dropAll(new Error("Too many calls wait for an answer."));
    }
  }
};

const unwrap = (outcome: Outcome): Result => {
  if (outcome.kind === "result") return outcome.result;
  throw outcome.error;
};

const listenerOf = (line: ClientConnection, context: ServerContext): CallListener => {
  const { notify, _meta } = context.mcpReq;
  const { redact } = line.front.served;
  const progressToken = _meta?.progressToken;
  const tell = (method: string, params: Record<string, unknown>): void => {
    // A client that is gone hears nothing; whatever else that means is not this message's business.
    notify({ method, params } as Parameters<typeof notify>[0]).catch(() => {});
  };
  const read = progressReader(redact);
  return {
    progressed: (update) => {
      const progress = progressToken === undefined ? undefined : read(update);
      if (progress !== undefined) tell("notifications/progress", { ...progress, progressToken });
    },
    logged: (message) => {
      const least = logLevelOf(line, context);
      if (least === undefined || !isWanted(message.level, least)) return;
      tell("notifications/message", redactJson(message, redact) as Record<string, unknown>);
    },
  };
};
