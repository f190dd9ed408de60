import { ProtocolError, ProtocolErrorCode, type Result } from "@modelcontextprotocol/server";
import { toReply } from "../../call/corridor.ts";
import { failed } from "../../words/outcome.ts";
import { toolResult } from "../call/call-result.ts";
import { LiveCall } from "../call/live-call.ts";
import type { GatewayState } from "../gateway-state.ts";
import { ownerOf, type PeerQuestion, type Peers } from "./peers.ts";

/** Another gateway, and what it has. */
export interface HolderElsewhere {
  readonly peers: Peers;
  readonly name: string;
  readonly handle: string;
}

/** Nothing where it is here, or nobody's. */
export const holderElsewhere = (
  { peers }: Pick<GatewayState, "peers">,
  handle: unknown,
): HolderElsewhere | undefined => {
  const owner = peers === undefined ? undefined : ownerOf(handle);
  if (peers === undefined || owner === undefined || owner.name === peers.name) return undefined;
  return { peers, name: owner.name, handle: handle as string };
};

/** What another gateway answered, as it travels: errors of the protocol are values on the way. */
export type PeerOutcome =
  | { readonly kind: "result"; readonly result: Result }
  | { readonly kind: "error"; readonly code: number; readonly message: string; readonly data?: unknown };

/** The holder goes on with its call; nothing where it is gone. A client that hangs up meanwhile cancels it there. */
export const goOnElsewhere = async (
  { peers, name }: HolderElsewhere,
  question: PeerQuestion,
  signal: AbortSignal,
): Promise<Result | undefined> => {
  const stop = (): void => {
    if (question.kind !== "go-on") return;
    const { handle, principal } = question;
    peers.ask(name, { kind: "stop", handle, principal }).catch(() => {});
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    const told = await peers.ask(name, question, signal);
    if (told.kind === "gone") return undefined;
    const outcome = told.answer as PeerOutcome;
    if (outcome.kind === "result") return outcome.result;
    throw new ProtocolError(outcome.code, outcome.message, outcome.data);
  } finally {
    signal.removeEventListener("abort", stop);
  }
};

/** A call whose gateway died with it: it may have run, and nobody can say. */
export const lostCall = (
  { served }: Pick<GatewayState, "served">,
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
  return toolResult(toReply({ id: "", tool: name }, outcome, "", plain), nobody(), served.redact);
};

const plain = { text: (text: string) => text, value: <A>(value: A) => value };

/** A call that nobody is connected to, for results that are told from the ledger. */
export const nobody = (): LiveCall =>
  new LiveCall({
    principal: { agent: "" },
    subject: "",
    capabilities: {},
    waitsForTasks: false,
    mayBeTask: false,
    logLevel: undefined,
  });
