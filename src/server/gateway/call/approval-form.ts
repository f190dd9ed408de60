import { redactor } from "../../../base/json/redact.ts";
import { stringifyValue } from "../../../base/json/stringify-value.ts";
import { headOf, tailOf } from "../../../base/text/cut-text.ts";
import type { ApprovalDecision, ApprovalRequest } from "../../../types/approval.ts";
import type { InputRequests } from "../../../types/mcp.ts";

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
export const readApprovalForm = (answer: unknown): ApprovalDecision => {
  const { action, content } = (answer ?? {}) as { readonly action?: unknown; readonly content?: unknown };
  if (action !== "accept") return { kind: "deny", reason: "The person did not approve the call." };
  const { approve, reason } = (content ?? {}) as { readonly approve?: unknown; readonly reason?: unknown };
  if (approve === true) return { kind: "allow" };
  return typeof reason === "string" && reason !== ""
    ? { kind: "deny", reason: headOf(reason, 1000) }
    : { kind: "deny" };
};
