import {
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { canonicalJson } from "../../../base/json/canonical-json.ts";
import { toReply } from "../../../pipeline/pipeline.ts";
import { failed } from "../../../types/outcome.ts";
import {
  type ClientConnection,
  capabilitiesOf,
  holdSlotOf,
  invalidParamsError,
  isLoggedAt,
  logLevelOf,
  principalOf,
  usesModernProtocol,
} from "../client-connection.ts";
import type { GatewayBackend } from "../gateway-backend.ts";
import type { GatewayState } from "../gateway-state.ts";
import { failureMeta, redactJson, toFailureResult, toProtocolError } from "./call-result.ts";
import { supportsTasks } from "./client-capabilities.ts";
import { type CallListener, type GatewayOutcome, LiveCall } from "./live-call.ts";
import { requestClientInput } from "./open-input-requests.ts";

export interface GatewayRequest {
  readonly method: "tools/call" | "prompts/get" | "resources/read" | "completion/complete";
  readonly name: string;
  /** A retry must repeat the same input. */
  readonly input?: unknown;
  readonly run: (live: LiveCall) => Promise<Result>;
}

/** Starts a call or resumes the one behind `requestState`. */
export const handleRequest = async (
  connection: ClientConnection,
  context: ServerContext,
  subject: GatewayRequest,
): Promise<Result> => {
  const { gateway } = connection;
  const callKey = `${subject.method} ${subject.name} ${inputKey(subject.input)}`;
  const handle = context.mcpReq.requestState<unknown>();
  if (handle === undefined) {
    const live = createLiveCall(connection, context, subject, callKey);
    live.setSlot(holdSlotOf(connection, context));
    return runWithListener(connection, context, live, () => startCall(connection, live, subject));
  }
  const principal = principalOf(connection, context);
  if (gateway.handles.isOfOtherGateway(handle)) {
    // A call that only waited for approval can start again.
    const { method, name: tool, input } = subject;
    const isWaiting =
      method === "tools/call" && (await gateway.backend.isWaiting?.({ principal, tool, input })) === true;
    if (!isWaiting) return lostCallResult(method, tool);
    const live = createLiveCall(connection, context, subject, callKey);
    live.setSlot(holdSlotOf(connection, context));
    return runWithListener(connection, context, live, () => startCall(connection, live, subject));
  }
  const live = typeof handle === "string" ? gateway.heldCalls.take(handle, principal, callKey) : undefined;
  if (live === undefined)
    throw invalidParamsError(
      "Unknown requestState: it was already used, has expired, or belongs to another request.",
    );
  live.principal = principal;
  live.setSlot(holdSlotOf(connection, context));
  return runWithListener(connection, context, live, () =>
    live.inputRequests.answer(context.mcpReq.inputResponses),
  );
};

/** The call may have run before its gateway stopped, so it is not repeated. */
const lostCallResult = (method: string, name: string): Result => {
  if (method !== "tools/call") {
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      "The gateway that was answering this request has ended. Send the request again.",
    );
  }
  const message = `The gateway that was making the call of "${name}" has ended. The call may have run: check whether it took effect before you request it again.`;
  const outcome = failed({ code: "outcome_unknown", tool: name, message });
  return toFailureResult(toReply({ id: "", tool: name }, outcome, "", noMasking), outcome.failure);
};

const noMasking = { text: (text: string) => text, value: <A>(value: A) => value };

export const lostTaskError = (): ProtocolError => {
  const message =
    "Unknown task: its gateway has stopped. The call may have run: check whether it took effect before you request it again.";
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    message,
    failureMeta({ code: "outcome_unknown", message }),
  );
};

/** Canonical, so that formatting does not matter. */
const inputKey = (input: unknown): string => {
  try {
    return canonicalJson(typeof input === "string" ? JSON.parse(input) : (input ?? {}));
  } catch {
    return String(input);
  }
};

const createLiveCall = (
  connection: ClientConnection,
  context: ServerContext,
  { method }: GatewayRequest,
  name: string,
): LiveCall => {
  // Completions run while the user types and cannot request input.
  const capabilities = method === "completion/complete" ? {} : capabilitiesOf(connection, context);
  const modern = usesModernProtocol(connection);
  return new LiveCall({
    principal: principalOf(connection, context),
    subject: name,
    capabilities,
    ask: modern ? undefined : requestClientInput(context, connection.gateway.holdMs),
    waitsForTasks: connection.gateway.finishesTasks || supportsTasks(capabilities),
    mayBeTask: modern && method === "tools/call" && supportsTasks(capabilities),
    logLevel: logLevelOf(connection, context),
    recordTaints: taintRecorder(connection, context),
    early: context.mcpReq.inputResponses,
  });
};

/** Taints count once content is forwarded: the client may act on it before the call ends. */
const taintRecorder = (
  connection: ClientConnection,
  context: ServerContext,
): ((tools: readonly string[]) => void) => {
  const { gateway, conversation } = connection;
  const principal = principalOf(connection, context);
  const by = conversation === undefined ? { principal } : { principal, conversation };
  return (tools) => gateway.backend.onContentForwarded(tools, by);
};

const startCall = (connection: ClientConnection, live: LiveCall, { run }: GatewayRequest): void => {
  const { gateway } = connection;
  gateway.liveCalls.add(live);
  connection.running++;
  live.start(async () => {
    try {
      return { kind: "result", result: await run(live) };
    } catch (error) {
      return { kind: "error", error: toProtocolError(error, gateway.backend.redact) };
    } finally {
      gateway.liveCalls.delete(live);
      connection.running--;
    }
  });
};

/** Listens before the call proceeds, so that no notification is lost. */
const runWithListener = async (
  connection: ClientConnection,
  context: ServerContext,
  live: LiveCall,
  proceed: () => void,
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
  live.listener = createCallListener(connection, context);
  try {
    proceed();
    return await nextResponse(connection.gateway, live);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    live.listener = undefined;
  }
};

const nextResponse = async (gateway: GatewayState, live: LiveCall): Promise<Result> => {
  for (;;) {
    const event = await live.next();
    if (event === "done") return unwrapOutcome(live.outcome!);
    if (event === "tasked") {
      const task = gateway.tasks.create(live);
      if (task !== undefined) return task;
      live.taskTerms = undefined;
    } else {
      const requestState = gateway.heldCalls.hold(live);
      if (requestState !== undefined) {
        live.setSlot(undefined);
        return { resultType: "input_required", inputRequests: live.inputRequests.open(), requestState };
      }
      live.inputRequests.dropAll(new Error("Too many calls are waiting for input."));
    }
  }
};

const unwrapOutcome = (outcome: GatewayOutcome): Result => {
  if (outcome.kind === "result") return outcome.result;
  throw outcome.error;
};

const createCallListener = (connection: ClientConnection, context: ServerContext): CallListener => {
  const { notify, _meta } = context.mcpReq;
  const { redact } = connection.gateway.backend;
  const progressToken = _meta?.progressToken;
  const sendNotification = (method: string, params: Record<string, unknown>): void => {
    notify({ method, params } as Parameters<typeof notify>[0]).catch(() => {});
  };
  const readProgress = createProgressReader(redact);
  const addTaints = taintRecorder(connection, context);
  return {
    progressed: (update, taints) => {
      const progress = progressToken === undefined ? undefined : readProgress(update);
      if (progress === undefined) return;
      if (progress.message !== undefined) addTaints(taints);
      sendNotification("notifications/progress", { ...progress, progressToken });
    },
    logged: (message, tools) => {
      const minLevel = logLevelOf(connection, context);
      if (minLevel === undefined || !isLoggedAt(message.level, minLevel)) return;
      addTaints(tools);
      sendNotification("notifications/message", redactJson(message, redact) as Record<string, unknown>);
    },
  };
};

type CallProgressListener = (update: unknown, taints: readonly string[]) => void;

export interface ProgressHub {
  readonly watch: (callId: string, listener: CallProgressListener) => () => void;
}

/** Subscribes only while calls are watched. */
export const createProgressHub = (served: GatewayBackend): ProgressHub => {
  const listeners = new Map<string, CallProgressListener>();
  let unsubscribe: (() => void) | undefined;
  return {
    watch: (callId, listener) => {
      listeners.set(callId, listener);
      unsubscribe ??= served.onProgress((id, update, taints) => listeners.get(id)?.(update, taints));
      return () => {
        listeners.delete(callId);
        if (listeners.size > 0) return;
        unsubscribe?.();
        unsubscribe = undefined;
      };
    },
  };
};

interface ProgressUpdate {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** MCP progress must increase: other numbers are dropped, and updates without one are counted. */
const createProgressReader = (
  redact: (text: string) => string,
): ((update: unknown) => ProgressUpdate | undefined) => {
  let last = Number.NEGATIVE_INFINITY;
  return (update) => {
    const { progress, total, message } = progressFields(update);
    const next = typeof progress === "number" && Number.isFinite(progress) ? progress : Math.max(last, 0) + 1;
    if (next <= last) return undefined;
    last = next;
    return {
      progress: next,
      ...(typeof total === "number" && Number.isFinite(total) ? { total } : {}),
      ...(typeof message === "string" ? { message: redact(message.slice(0, 2000)) } : {}),
    };
  };
};

const progressFields = (update: unknown): Readonly<Record<string, unknown>> => {
  if (typeof update === "object" && update !== null) return update as Readonly<Record<string, unknown>>;
  return typeof update === "number" ? { progress: update } : { message: update };
};
