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
  /** The chat of the message: the id in `begun`, or the id of one of its runs. Unless set: a new one. */
  readonly chatId?: string;
  /** The run whose conversation the message continues. Unless set: a new conversation. */
  readonly runId?: string;
  /** Another model than the agent's, such as `openai/gpt-5`. */
  readonly model?: string;
  /** The `id` of a principal of `/rights`. Unless set: who is signed in. */
  readonly as?: string;
}

/** What a chat tells, each as one server-sent event of the name `kind`. */
export type ChatEvent =
  /** A message is being answered. The chat can be read by this id until the Studio closes, and by the id of its last run while the ledger has that. */
  | { readonly kind: "begun"; readonly chatId: string; readonly said?: string }
  | { readonly kind: "text"; readonly agent: string; readonly text: string }
  | { readonly kind: "reasoning"; readonly agent: string; readonly text: string }
  /** The text of this turn so far is void. */
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
      /** What the App of the tool is given. */
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

/** What came of `POST /agents/{name}/chats/{id}/stop`: nothing where nobody was answering. */
export interface StoppedChat {
  readonly stopped: boolean;
}
