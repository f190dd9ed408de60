import type { RawCall } from "./call.ts";
import type { ContentPart } from "./content.ts";

/** One entry of a conversation, oldest first. Plain JSON, so that it can be kept anywhere. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** Only as the first message. The loop puts an agent's instructions here itself. */
export interface SystemMessage {
  readonly role: "system";
  readonly content: string;
}

/** What a person said. */
export interface UserMessage {
  readonly role: "user";
  /** A text, or texts, pictures, sounds and files in the order in which they are meant. `textOf` reads the words. */
  readonly content: string | readonly ContentPart[];
  /** In a chat: what the page that sent it calls it. The same id twice is one message. */
  readonly id?: string;
}

/** What a model said: text, calls, media, or all of them. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: string;
  /** Media that the model made. */
  readonly parts?: readonly ContentPart[];
  /** Its thoughts, as far as its provider shows them. What a provider wants to see again is in `echo`. */
  readonly reasoning?: string;
  /** Each is answered by one tool message, in this order, before anything else is said. */
  readonly calls?: readonly RawCall[];
  /** Which agent spoke. */
  readonly agent?: string;
  /** Its provider broke it off to be asked again: what the model says next belongs to it. */
  readonly paused?: true;
  /** In a chat: the tokens that this message used. */
  readonly usage?: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cachedTokens?: number;
  };
  readonly echo?: ProviderEcho;
  /** Sources of untrusted content that the provider brought in. Unless set: the calls that it ran itself. */
  readonly taints?: readonly string[];
}

/** The reply to one of a model's calls. */
export interface ToolMessage {
  readonly role: "tool";
  readonly callId: string;
  readonly tool: string;
  /** The result as JSON or, with `isText`, the string that the tool returned; for a failure its message. */
  readonly content: string;
  readonly isText?: true;
  /** Media that the tool gave besides, and sentences in place of what was left out. */
  readonly parts?: readonly ContentPart[];
  readonly ok: boolean;
  /** The approval the call waits for; the content only says so. */
  readonly pending?: string;
  /** The tools whose untrusted words are in it. */
  readonly taints?: readonly string[];
  /** It ends the run, or hands it over, once the other calls of its turn are answered. */
  readonly flow?: { readonly kind: "final" } | { readonly kind: "handoff"; readonly agent: string };
}

/** What a vendor wants to see again word for word, such as signed thoughts. Others never get it. */
export interface ProviderEcho {
  readonly wire: string;
  readonly data: unknown;
}
