import { redactor } from "../../json/redact.ts";
import { toText } from "../../json/to-text.ts";
import { headOf, tailOf } from "../../text/cut-text.ts";
import type { ApprovalDecision, ApprovalRequest } from "../../words/approval.ts";
import type { InputRequests } from "../../words/mcp.ts";

const masking = redactor();

const odd = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Foreign words for a person who decides by them: what would hide or turn the rest is written out, and of what is
 * too long both ends are shown, and that there is more.
 */
const shown = (text: string, max = 200): string => {
  const end = Math.floor(max / 4);
  const left = text.length - max;
  const whole =
    left <= 0
      ? text
      : `${headOf(text, max - end)} [… ${left} characters are not shown …] ${tailOf(text, end)}`;
  return whole.replace(odd, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
};

/** A person's question as a form. Whoever fills it in sees what would run, though never a secret of it. */
export const approvalForm = (
  { tool, input, reason, principal }: ApprovalRequest,
  redact: (text: string) => string,
): InputRequests[string] => {
  const { agent, user } = principal;
  const message = [
    `May the tool "${shown(tool)}" be called?`,
    `Arguments: ${shown(redact(toText(masking.value(input))), 2000)}`,
    `Why you are asked: ${shown(redact(reason), 500)}`,
    `Asked for by: ${shown(agent)}${user === undefined ? "" : ` for ${shown(user)}`}`,
  ].join("\n");
  return {
    method: "elicitation/create",
    params: {
      mode: "form",
      message,
      requestedSchema: {
        type: "object",
        properties: {
          approve: { type: "boolean", title: "Approve", description: "Whether this one call may be made." },
          reason: { type: "string", title: "Reason", description: "Why not, for whoever asked." },
        },
        required: ["approve"],
      },
    },
  };
};

/** Only a plain yes is one. */
export const readApprovalForm = (answer: unknown): ApprovalDecision => {
  const { action, content } = (answer ?? {}) as { readonly action?: unknown; readonly content?: unknown };
  if (action !== "accept") return { kind: "deny", reason: "The person who was asked did not agree." };
  const { approve, reason } = (content ?? {}) as { readonly approve?: unknown; readonly reason?: unknown };
  if (approve === true) return { kind: "allow" };
  return typeof reason === "string" && reason !== ""
    ? { kind: "deny", reason: headOf(reason, 1000) }
    : { kind: "deny" };
};
