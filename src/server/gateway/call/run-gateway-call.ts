import { stringifyValue } from "../../../base/json/json-value.ts";
import { redactor } from "../../../base/json/redact.ts";
import { headOf, tailOf } from "../../../base/text/cut-text.ts";
import type { ApprovalDecision, ApprovalRequest } from "../../../types/approval.ts";
import type { InputRequests } from "../../../types/mcp.ts";
import type { Reply } from "../../../types/outcome.ts";
import type { BackendCall } from "../gateway-backend.ts";
import type { GatewayState } from "../gateway-state.ts";
import { canElicit } from "./client-capabilities.ts";
import type { LiveCall } from "./live-call.ts";

export type GatewayCallParameters = Pick<
  BackendCall,
  "tool" | "input" | "conversation" | "correlationId" | "idempotencyKey" | "trace" | "loaded"
>;

/** Edited input may need another approval. */
const maxApprovals = 4;

/** Runs a call and, if configured, requests pending approvals from the client. */
export const runGatewayCall = async (
  gateway: GatewayState,
  live: LiveCall,
  call: GatewayCallParameters,
): Promise<Reply> => {
  const { backend } = gateway;
  const { caller, signal } = live;
  const { conversation } = call;
  const id = live.newId();
  const unwatch = gateway.progress.watch(id, (update, taints) => live.listener?.progressed?.(update, taints));
  try {
    let reply = await backend.call({ ...call, id, principal: live.principal, caller, signal });
    for (
      let approvalsRequested = 0;
      reply.pending !== undefined && approvalsRequested < maxApprovals;
      approvalsRequested++
    ) {
      if (gateway.approvals !== "client" || !canElicit(live.capabilities, "form")) break;
      const decision = await requestClientDecision(gateway, live, reply.pending);
      if (decision === undefined) break;
      if (decision === "elsewhere") {
        // Returns the result, whichever process resumed the call.
        reply = await backend.call({ ...call, id, principal: live.principal, caller, signal });
        continue;
      }
      // The response may come with other rights.
      const { principal } = live;
      const traceFields = call.trace === undefined ? {} : { trace: call.trace };
      const callerFields = {
        id,
        tool: call.tool,
        principal,
        caller,
        signal,
        by: `mcp:${principal.agent}`,
        ...traceFields,
      };
      const whole = conversation === undefined ? callerFields : { ...callerFields, conversation };
      reply = await backend.resume(reply.pending.id, decision, whole);
    }
    return reply;
  } finally {
    unwatch();
  }
};

/** In milliseconds. */
const answerPollMs = 1000;

/** Undefined without a response: the approval stays pending. Polls, because another process may answer. */
const requestClientDecision = async (gateway: GatewayState, live: LiveCall, pending: ApprovalRequest) => {
  const { isAnswered, redact } = gateway.backend;
  const form = approvalForm(pending, redact);
  const answeredElsewhere = new AbortController();
  const pollAnswered = async (): Promise<void> => {
    if (await isAnswered?.(pending.id))
      answeredElsewhere.abort(new Error("The request was answered elsewhere."));
  };
  const timer =
    isAnswered === undefined
      ? undefined
      : setInterval(() => void pollAnswered().catch(() => {}), answerPollMs).unref();
  try {
    const signal = AbortSignal.any([live.signal, answeredElsewhere.signal]);
    const { approval } = await live.ask({ approval: form }, signal, true);
    return readApprovalForm(approval);
  } catch {
    return answeredElsewhere.signal.aborted && !live.signal.aborted ? "elsewhere" : undefined;
  } finally {
    clearInterval(timer);
  }
};

const secretMasking = redactor();

const invisibleCharacters = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A person can only approve what is visible. */
const maxArgumentsLength = 50_000;

/** Escapes invisible characters and shortens long text. */
const visibleText = (text: string, max = 200): string =>
  (text.length <= max ? text : excerptOf(text, max)).replace(
    invisibleCharacters,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );

const excerptOf = (text: string, max: number): string => {
  const size = Math.floor(max / 3);
  const at = Math.floor((text.length - size) / 2);
  const left = at - size;
  const right = text.length - size - (at + size);
  return [
    headOf(text, size),
    `[… ${left} characters omitted …]`,
    headOf(text.slice(at), size),
    `[… ${right} characters omitted …]`,
    tailOf(text, size),
  ].join(" ");
};

export const approvalForm = (
  { tool, input, reason, principal }: ApprovalRequest,
  redact: (text: string) => string,
): InputRequests[string] => {
  const { agent, user } = principal;
  const message = [
    `Approve a call of the tool "${visibleText(tool)}"?`,
    `Arguments: ${visibleText(redact(stringifyValue(secretMasking.value(input))), maxArgumentsLength)}`,
    `Why approval is required: ${visibleText(redact(reason), 500)}`,
    `Requested by: ${visibleText(agent)}${user === undefined ? "" : ` for ${visibleText(user)}`}`,
  ].join("\n");
  return {
    method: "elicitation/create",
    params: {
      mode: "form",
      message,
      requestedSchema: {
        type: "object",
        properties: {
          approve: { type: "boolean", title: "Approve", description: "Whether this call may be made." },
          reason: {
            type: "string",
            title: "Reason",
            description: "Reason for denying. The caller can read it.",
          },
        },
        required: ["approve"],
      },
    },
  };
};

/** Everything except `approve: true` denies. */
const readApprovalForm = (answer: unknown): ApprovalDecision => {
  const { action, content } = (answer ?? {}) as { readonly action?: unknown; readonly content?: unknown };
  if (action !== "accept") return { kind: "deny", reason: "The person did not approve the call." };
  const { approve, reason } = (content ?? {}) as { readonly approve?: unknown; readonly reason?: unknown };
  if (approve === true) return { kind: "allow" };
  return typeof reason === "string" && reason !== ""
    ? { kind: "deny", reason: headOf(reason, 1000) }
    : { kind: "deny" };
};
