import type { Approval } from "./approvals.ts";
import type { AppView } from "./apps.ts";
import type { Tokens } from "./runs.ts";

/** An agent of the configuration. */
export interface AgentLine {
  readonly name: string;
  readonly description?: string;
  readonly instructions: string;
  readonly model?: string;
  readonly tools: readonly string[];
  readonly handoffs: readonly string[];
  readonly layers: readonly string[];
}

/** The body of `POST /agents/{name}/chat`. */
export interface ChatBody {
  readonly message: string;
  /** ID of the chat, or of one of its runs. Default: a new chat. */
  readonly chatId?: string;
  /** Run whose conversation the message continues. Default: none. */
  readonly runId?: string;
  /** Overrides the agent's model, such as `openai/gpt-5`. */
  readonly model?: string;
  /** ID of a principal of `/rights`. Default: the signed-in person. */
  readonly as?: string;
}

/** Events of a chat, sent as server-sent events named `kind`. */
export type ChatEvent =
  /** An answer has started. `chatId` is valid until the Studio closes; afterwards use a run ID. */
  | { readonly kind: "begun"; readonly chatId: string; readonly said?: string }
  | { readonly kind: "text"; readonly agent: string; readonly text: string }
  | { readonly kind: "reasoning"; readonly agent: string; readonly text: string }
  /** Discards the text of the current turn. */
  | { readonly kind: "reset"; readonly agent: string; readonly reason: string }
  | {
      readonly kind: "call";
      readonly agent: string;
      readonly callId: string;
      readonly tool: string;
      readonly input: string;
    }
  | { readonly kind: "call-start"; readonly callId: string; readonly tool: string }
  | {
      readonly kind: "call-end";
      readonly callId: string;
      readonly tool: string;
      readonly ok: boolean;
      readonly durationMs: number;
      readonly error?: string;
    }
  | {
      readonly kind: "result";
      readonly callId: string;
      readonly tool: string;
      readonly ok: boolean;
      readonly text: string;
      /** Data for the tool's App. */
      readonly app?: AppView;
    }
  | { readonly kind: "approval"; readonly approval: Approval }
  | { readonly kind: "handoff"; readonly from: string; readonly to: string }
  | { readonly kind: "usage"; readonly tokens: Tokens }
  | { readonly kind: "failed"; readonly message: string; readonly runId?: string }
  | {
      readonly kind: "done";
      readonly runId: string;
      readonly status: string;
      readonly text: string;
      readonly agent: string;
      readonly tokens: Tokens;
      readonly turns: number;
      readonly reason?: string;
    };

/** Result of `POST /agents/{name}/chats/{id}/stop`. False if nothing was running. */
export interface StoppedChat {
  readonly stopped: boolean;
}
