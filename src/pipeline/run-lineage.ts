import type { ApprovedCall, RunLineage, RunPlan, RunText } from "../types/lineage.ts";
import { correctionStart, type Message, textOf } from "../types/message.ts";

/** The texts of one run, which are kept until it ends. */
export class LineageRecorder implements RunLineage {
  readonly texts: RunText[] = [];
  readonly approved: ApprovedCall[] = [];
  plan: RunPlan | undefined;
  hasLeftPlan = false;
  #size = 0;
  readonly #calls = new Map<string, number>();

  add({ call: _, ...text }: RunText): void {
    if (text.text === "") return;
    const { tool } = text;
    const call = tool === undefined ? undefined : (this.#calls.get(tool) ?? 0) + 1;
    if (tool !== undefined) this.#calls.set(tool, call!);
    this.texts.push(Object.freeze(call === undefined ? text : { ...text, call }));
    this.#size += text.text.length;
    while (this.#size > maxCharacters) this.#dropOldestResult();
  }

  /** A value that occurs in a dropped text only is unknown, and then requires approval. */
  #dropOldestResult(): void {
    const index = this.texts.findIndex(({ source }) => source === "result");
    const [dropped] = this.texts.splice(Math.max(0, index), 1);
    this.#size -= dropped?.text.length ?? this.#size;
  }

  approve(call: ApprovedCall): void {
    this.approved.push(call);
    this.hasLeftPlan = false;
  }

  declare(plan: RunPlan): void {
    this.plan = plan;
    this.hasLeftPlan = false;
  }
}

const maxCharacters = 8_000_000;

/**
 * The texts of a conversation. Only the first `given` messages and messages of a chat page are the user's: the
 * run adds others that ask the model to correct an answer.
 */
export const textsOfMessages = (
  messages: readonly Message[],
  {
    given = messages.length,
    isSource,
  }: { readonly given?: number; readonly isSource: (tool: string, index: number) => boolean },
): readonly RunText[] => {
  const inputs = new Map<string, unknown>();
  return messages.flatMap((message, index): readonly RunText[] => {
    if (message.role === "system") return [{ source: "application", text: message.content }];
    if (message.role === "user") {
      const text = textOf(message);
      const isOfUser = (index < given || message.id !== undefined) && !text.startsWith(correctionStart);
      return isOfUser ? [{ source: "user", text }] : [];
    }
    if (message.role === "assistant") {
      for (const { id, input } of message.calls ?? []) inputs.set(id, readInput(input));
      return [];
    }
    const { callId, tool, content, taints } = message;
    const isUntrusted = taints === undefined ? isSource(tool, index) : taints.length > 0;
    return [{ source: "result", text: content, tool, input: inputs.get(callId), isUntrusted }];
  });
};

const readInput = (input: unknown): unknown => {
  if (typeof input !== "string") return input;
  try {
    return JSON.parse(input);
  } catch {
    // What was looked up is unknown, as if a text had been the argument.
    return { input };
  }
};
