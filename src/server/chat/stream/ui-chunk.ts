import type { Usage } from "../../../types/model.ts";

/** The part of AI SDK's UI message stream that Haft writes. */
export type UiChunk =
  | { readonly type: "start"; readonly messageId: string }
  | { readonly type: "start-step" | "finish-step" | "reset-step" }
  | { readonly type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; readonly id: string }
  | { readonly type: "text-delta" | "reasoning-delta"; readonly id: string; readonly delta: string }
  | {
      readonly type: "tool-input-available";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: unknown;
      readonly providerExecuted?: true;
    }
  | {
      readonly type: "tool-output-available";
      readonly toolCallId: string;
      readonly output: unknown;
      readonly preliminary?: true;
      readonly providerExecuted?: true;
    }
  | { readonly type: "tool-output-error"; readonly toolCallId: string; readonly errorText: string }
  | { readonly type: "tool-output-denied"; readonly toolCallId: string }
  | { readonly type: "file"; readonly mediaType: string; readonly url: string }
  | {
      readonly type: "tool-approval-request";
      readonly approvalId: string;
      readonly toolCallId: string;
      readonly reason: string;
      /** For approvals of nested calls. */
      readonly approvalDescriptor?: { readonly tool: string; readonly input: unknown };
    }
  | {
      readonly type: "tool-approval-response";
      readonly approvalId: string;
      readonly approved: boolean;
      readonly reason?: string;
    }
  | {
      readonly type: "data-handoff";
      readonly id: string;
      readonly data: { readonly from: string; readonly to: string };
    }
  | { readonly type: "data-approval"; readonly id: string; readonly data: ExternalApproval }
  | { readonly type: "data-stopped"; readonly data: { readonly reason: string }; readonly transient: true }
  | { readonly type: "finish"; readonly finishReason: string; readonly messageMetadata: AnswerMetadata }
  | { readonly type: "abort"; readonly reason: string }
  | { readonly type: "error"; readonly errorText: string };

export interface ExternalApproval {
  readonly toolCallId: string;
  readonly tool: string;
  readonly state: "waiting" | "allowed" | "denied";
}

export interface AnswerMetadata {
  readonly usage: Usage;
}
