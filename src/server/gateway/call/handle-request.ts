import type { Result, ServerContext } from "@modelcontextprotocol/server";
import { canonicalJson } from "../../json/canonical-json.ts";
import {
  type ClientConnection,
  capabilitiesOf,
  holdPlaceOf,
  invalid,
  isModern,
  isWanted,
  logLevelOf,
  principalOf,
} from "../client-connection.ts";
import type { GatewayState } from "../gateway-state.ts";
import { sessionCallId } from "../http/session-call-id.ts";
import { goOnElsewhere, holderElsewhere, lostCall } from "../peers/go-on-elsewhere.ts";
import { askClient } from "./ask-client.ts";
import { toProtocolError } from "./call-result.ts";
import { takesTasks } from "./client-capabilities.ts";
import { type CallListener, type GatewayOutcome, LiveCall } from "./live-call.ts";
import { progressReader } from "./progress-hub.ts";
import { redactJson } from "./redact-json.ts";

export interface GatewayRequest {
  readonly method: "tools/call" | "prompts/get" | "resources/read" | "completion/complete";
  readonly name: string;
  /** What it is asked with: whoever comes back with an answer asks for the same. */
  readonly input?: unknown;
  readonly run: (live: LiveCall) => Promise<Result>;
}

/** Begins a call, or goes on with the one that waits under the client's handle, until the client is to be told. */
export const converse = async (
  connection: ClientConnection,
  context: ServerContext,
  subject: GatewayRequest,
): Promise<Result> => {
  const { gateway } = connection;
  const name = `${subject.method} ${subject.name} ${textOf(subject.input)}`;
  const handle = context.mcpReq.requestState<unknown>();
  if (handle === undefined) {
    const live = liveCall(connection, context, subject, name);
    live.takePlace(holdPlaceOf(connection, context));
    return listen(connection, context, live, () => begin(connection, live, subject));
  }
  const principal = principalOf(connection, context);
  const elsewhere = holderElsewhere(gateway, handle);
  if (elsewhere !== undefined) {
    const answers = context.mcpReq.inputResponses;
    const question = { kind: "go-on", handle: elsewhere.handle, subject: name, answers, principal } as const;
    const told = await goOnElsewhere(elsewhere, question, context.mcpReq.signal);
    if (told !== undefined) return told;
    // Its gateway is gone. What waited for a person alone still waits, and nothing of it has run.
    const { method, name: tool, input } = subject;
    const waits = method === "tools/call" && (await gateway.served.isWaiting?.({ principal, tool, input }));
    if (waits !== true) return lostCall(gateway, subject);
    const live = liveCall(connection, context, subject, name);
    live.takePlace(holdPlaceOf(connection, context));
    return listen(connection, context, live, () => begin(connection, live, subject));
  }
  const live = typeof handle === "string" ? gateway.held.take(handle, principal, name) : undefined;
  if (live === undefined)
    throw invalid(
      "Unknown requestState: it was used, it expired, it never was, or it is of another request.",
    );
  live.principal = principal;
  live.takePlace(holdPlaceOf(connection, context));
  return listen(connection, context, live, () => live.questions.answer(context.mcpReq.inputResponses));
};

/** The same text for the same value, however its client wrote it the second time. */
const textOf = (input: unknown): string => {
  try {
    return canonicalJson(typeof input === "string" ? JSON.parse(input) : (input ?? {}));
  } catch {
    return String(input);
  }
};

const liveCall = (
  connection: ClientConnection,
  context: ServerContext,
  { method }: GatewayRequest,
  name: string,
): LiveCall => {
  // Nobody is asked anything while they type: a completion that needs an answer fails instead.
  const capabilities = method === "completion/complete" ? {} : capabilitiesOf(connection, context);
  const modern = isModern(connection);
  return new LiveCall({
    principal: principalOf(connection, context),
    subject: name,
    capabilities,
    ask: modern ? undefined : askClient(context, connection.gateway.holdMs),
    waitsForTasks: connection.gateway.finishesTasks || takesTasks(capabilities),
    mayBeTask: modern && method === "tools/call" && takesTasks(capabilities),
    logLevel: logLevelOf(connection, context),
    heard: hearing(connection, context),
    early: context.mcpReq.inputResponses,
    callId:
      connection.gateway.peers === undefined || modern || connection.conversation === undefined
        ? undefined
        : sessionCallId(connection.conversation, context.mcpReq.id),
  });
};

/** The client may act upon words before the call that says them is over, so they count from when they are passed on. */
const hearing = (
  connection: ClientConnection,
  context: ServerContext,
): ((tools: readonly string[]) => void) => {
  const { gateway, conversation } = connection;
  const principal = principalOf(connection, context);
  const by = conversation === undefined ? { principal } : { principal, conversation };
  return (tools) => gateway.served.heard(tools, by);
};

const begin = (connection: ClientConnection, live: LiveCall, { run }: GatewayRequest): void => {
  const { gateway } = connection;
  gateway.live.add(live);
  connection.running++;
  live.start(async () => {
    try {
      return { kind: "result", result: await run(live) };
    } catch (error) {
      return { kind: "error", error: toProtocolError(error, gateway.served.redact) };
    } finally {
      gateway.live.delete(live);
      connection.running--;
    }
  });
};

/** Whoever listens does so before anything goes on, lest the first words are lost. */
const listen = async (
  connection: ClientConnection,
  context: ServerContext,
  live: LiveCall,
  goOn: () => void,
): Promise<Result> => {
  const { signal } = context.mcpReq;
  const stop = (): void => live.cancel(signal.reason);
  const { taskAfterMs } = connection.gateway;
  const timer =
    live.mayBeTask && taskAfterMs !== undefined
      ? setTimeout(() => live.becomeTask({}), taskAfterMs)
      : undefined;
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  live.listener = listenerOf(connection, context);
  try {
    goOn();
    return await untilAnswered(connection.gateway, live);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    live.listener = undefined;
  }
};

/** Until the client is to be told something: the result, a task, or what it is asked next. */
export const untilAnswered = async (gateway: GatewayState, live: LiveCall): Promise<Result> => {
  for (;;) {
    const news = await live.next();
    if (news === "done") return unwrap(live.outcome!);
    if (news === "tasked") {
      const task = gateway.tasks.create(live);
      if (task !== undefined) return task;
      live.taskTerms = undefined;
    } else {
      const requestState = gateway.held.hold(live);
      if (requestState !== undefined) {
        live.takePlace(undefined);
        return { resultType: "input_required", inputRequests: live.questions.open(), requestState };
      }
      live.questions.dropAll(new Error("Too many calls wait for an answer."));
    }
  }
};

const unwrap = (outcome: GatewayOutcome): Result => {
  if (outcome.kind === "result") return outcome.result;
  throw outcome.error;
};

const listenerOf = (connection: ClientConnection, context: ServerContext): CallListener => {
  const { notify, _meta } = context.mcpReq;
  const { redact } = connection.gateway.served;
  const progressToken = _meta?.progressToken;
  const tell = (method: string, params: Record<string, unknown>): void => {
    // A client that is gone hears nothing; whatever else that means is not this message's business.
    notify({ method, params } as Parameters<typeof notify>[0]).catch(() => {});
  };
  const read = progressReader(redact);
  const heard = hearing(connection, context);
  return {
    progressed: (update, taints) => {
      const progress = progressToken === undefined ? undefined : read(update);
      if (progress === undefined) return;
      if (progress.message !== undefined) heard(taints);
      tell("notifications/progress", { ...progress, progressToken });
    },
    logged: (message, tools) => {
      const least = logLevelOf(connection, context);
      if (least === undefined || !isWanted(message.level, least)) return;
      heard(tools);
      tell("notifications/message", redactJson(message, redact) as Record<string, unknown>);
    },
  };
};
