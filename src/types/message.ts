import type { RawCall } from "./call.ts";
import type { ContentPart } from "./content.ts";

/** One entry of a conversation, oldest first. Plain JSON. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** Valid only as the first message. The run loop inserts the agent's instructions here. */
export interface SystemMessage {
  readonly role: "system";
  readonly content: string;
}

/** A message of the user. */
export interface UserMessage {
  readonly role: "user";
  /** Text or ordered parts. `textOf` returns the text. */
  readonly content: string | readonly ContentPart[];
  /** Chat only: the page's id of the message. Messages with the same id are one message. */
  readonly id?: string;
}

/** A message of the model: text, calls and media. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: string;
  /** Media that the model generated. */
  readonly parts?: readonly ContentPart[];
  /** Reasoning text, as far as the provider reveals it. Data that the provider needs again is in `echo`. */
  readonly reasoning?: string;
  /** Each is answered by one tool message, in this order, before the next message. */
  readonly calls?: readonly RawCall[];
  /** The agent that produced the message. */
  readonly agent?: string;
  /** The provider paused the reply; the model's next message continues it. */
  readonly paused?: true;
  /** Chat only: tokens used by this message. */
  readonly usage?: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cachedTokens?: number;
  };
  readonly echo?: ProviderEcho;
  /**
   * Sources of untrusted content that the provider brought in. Unless set: the calls that the provider
   * executed.
   */
  readonly taints?: readonly string[];
}

/** How the run's own request to correct an answer begins. It is a message of the run, not of the user. */
export const correctionStart = "Your answer cannot be used: ";

/** The reply to one call of the model. */
export interface ToolMessage {
  readonly role: "tool";
  readonly callId: string;
  readonly tool: string;
  /** The result as JSON, or with `isText` the string that the tool returned; for a failure its message. */
  readonly content: string;
  readonly isText?: true;
  /** Media that the tool returned with the value, and text placeholders for omitted media. */
  readonly parts?: readonly ContentPart[];
  readonly ok: boolean;
  /** Id of the approval request that the call waits for. */
  readonly pending?: string;
  /** Tools whose untrusted content the message contains. */
  readonly taints?: readonly string[];
  /** The run ends, or the handoff takes effect, once the other calls of the turn are answered. */
  readonly flow?: { readonly kind: "final" } | { readonly kind: "handoff"; readonly agent: string };
}

/**
 * Data that a provider must receive again unchanged, such as signed reasoning. It is sent to no other
 * provider.
 */
export interface ProviderEcho {
  readonly wire: string;
  readonly data: unknown;
}
