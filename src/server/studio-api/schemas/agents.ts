import type { Approval } from "./approvals.ts";
import type { AppView } from "./apps.ts";
import type { Tokens } from "./runs.ts";
import {
  booleanType,
  objectTypeOf,
  optionalField,
  stringListType,
  stringType,
  textOfLength,
  type ValueOf,
} from "./schema-builders.ts";

export const agentListItemSchema = objectTypeOf({
  name: stringType,
  description: optionalField(stringType),
  instructions: stringType,
  model: optionalField(stringType),
  tools: stringListType,
  handoffs: stringListType,
  layers: stringListType,
});
/** An agent of the configuration. */
export interface AgentListItem extends ValueOf<typeof agentListItemSchema> {}

export const chatBodySchema = objectTypeOf({
  message: textOfLength(1, 32_000),
  /** ID of the chat, or of one of its runs. Default: a new chat. */
  chatId: optionalField(stringType),
  /** Run whose conversation the message continues. Default: none. */
  runId: optionalField(stringType),
  /** Overrides the agent's model, such as `openai/gpt-5`. */
  model: optionalField(stringType),
  /** ID of a principal of `/permissions`. Default: the signed-in person. */
  as: optionalField(stringType),
});
/** The body of `POST /agents/{name}/chat`. */
export interface ChatBody extends ValueOf<typeof chatBodySchema> {}

/** Events of a chat, sent as server-sent events named `kind`. */
export type ChatEvent =
  /** An answer has started. `chatId` is valid until the Studio closes; afterwards use a run ID. */
  | { readonly kind: "start"; readonly chatId: string; readonly message?: string }
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

export const stoppedChatSchema = objectTypeOf({ stopped: booleanType });
/** Result of `POST /agents/{name}/chats/{id}/stop`. False if nothing was running. */
export interface StoppedChat extends ValueOf<typeof stoppedChatSchema> {}
