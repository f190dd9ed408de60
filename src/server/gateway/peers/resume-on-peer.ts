import { ProtocolError, ProtocolErrorCode, type Result } from "@modelcontextprotocol/server";
import { toReply } from "../../../pipeline/pipeline.ts";
import { failed } from "../../../types/outcome.ts";
import { toToolResult } from "../call/call-result.ts";
import { LiveCall } from "../call/live-call.ts";
import type { GatewayState } from "../gateway-state.ts";
import { type PeerRequest, type Peers, parsePeerHandle } from "./peers.ts";

/** Another gateway, and what it has. */
export interface PeerHandle {
  readonly peers: Peers;
  readonly name: string;
  readonly handle: string;
}

/** Nothing where it is here, or nobody's. */
export const findPeerHandle = (
  { peers }: Pick<GatewayState, "peers">,
  handle: unknown,
): PeerHandle | undefined => {
  const owner = peers === undefined ? undefined : parsePeerHandle(handle);
  if (peers === undefined || owner === undefined || owner.name === peers.name) return undefined;
  return { peers, name: owner.name, handle: handle as string };
};

/** What another gateway answered, as it travels: errors of the protocol are values on the way. */
export type PeerOutcome =
  | { readonly kind: "result"; readonly result: Result }
  | { readonly kind: "error"; readonly code: number; readonly message: string; readonly data?: unknown };

/** The holder goes on with its call; nothing where it is gone. A client that hangs up meanwhile cancels it there. */
export const resumeOnPeer = async (
  { peers, name }: PeerHandle,
  request: PeerRequest,
  signal: AbortSignal,
): Promise<Result | undefined> => {
  const stop = (): void => {
    if (request.kind !== "go-on") return;
    const { handle, principal } = request;
    peers.ask(name, { kind: "stop", handle, principal }).catch(() => {});
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    const response = await peers.ask(name, request, signal);
    if (response.kind === "gone") return undefined;
    const outcome = response.answer as PeerOutcome;
    if (outcome.kind === "result") return outcome.result;
    throw new ProtocolError(outcome.code, outcome.message, outcome.data);
  } finally {
    signal.removeEventListener("abort", stop);
  }
};

/** A call whose gateway died with it: it may have run, and nobody can say. */
export const lostCallResult = (
  { backend }: Pick<GatewayState, "backend">,
  { method, name }: { readonly method: string; readonly name: string },
): Result => {
  if (method !== "tools/call") {
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      "The gateway that was answering has ended. Ask once more.",
    );
  }
  const message = `The gateway that was making the call of "${name}" has ended. It may have run: find out before you ask for it again.`;
  const outcome = failed({ code: "outcome_unknown", tool: name, message });
  return toToolResult(
    toReply({ id: "", tool: name }, outcome, "", noMasking),
    createDetachedCall(),
    backend.redact,
  );
};

const noMasking = { text: (text: string) => text, value: <A>(value: A) => value };

/** A call that nobody is connected to, for results that are told from the ledger. */
export const createDetachedCall = (): LiveCall =>
  new LiveCall({
    principal: { agent: "" },
    subject: "",
    capabilities: {},
    waitsForTasks: false,
    mayBeTask: false,
    logLevel: undefined,
  });
