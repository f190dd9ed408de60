import type { AgentEvent } from "../../../types/agent.ts";
import type { AssistantMessage } from "../../../types/message.ts";
import type { Usage } from "../../../types/model.ts";
import {
  type AnswerEntry,
  answerEntriesOf,
  inputEntryKey,
  outputEntryKey,
  reasoningIdOf,
  stepStartEntries,
  textIdOf,
} from "./answer-entries.ts";
import { type ChatAnswer, totalUsage } from "./chat-answer.ts";
import type { UiChunk } from "./ui-chunk.ts";

export type AnswerEnding =
  | { readonly kind: "done" | "waiting" | "aborted" }
  | { readonly kind: "stopped"; readonly reason: string }
  | { readonly kind: "failed"; readonly text: string };

interface OpenStep {
  readonly step: number;
  text: string;
  thought: string;
  isReasoning: boolean;
}

/**
 * All chunks of one answer, replayed to late viewers. Recorded messages take precedence over streamed events.
 */
export class AnswerLog {
  readonly entries: AnswerEntry[] = [];
  ending: AnswerEnding | undefined;
  usage: Usage = { inputTokens: 0, outputTokens: 0 };
  readonly #emittedKeys = new Set<string>();
  readonly #waiters = new Set<() => void>();
  #steps = 0;
  #agent: string | undefined;
  #openStep: OpenStep | undefined;

  onEvent(event: AgentEvent): void {
    if (event.kind === "text") this.#addText(event.agent, event.text);
    else if (event.kind === "reasoning") this.#addReasoning(event.agent, event.text);
    else if (event.kind === "reset") this.#resetStep();
    else if (event.kind === "call-progress") this.#addProgress(event.callId, event.update);
    this.#notifyWaiters();
  }

  record(answer: ChatAnswer): void {
    const spoken = answer.messages.filter((message) => message.role === "assistant");
    const open = this.#openStep;
    const kept = open && spoken[open.step - 1];
    if (open !== undefined && kept !== undefined) this.#reconcile(open, kept);
    for (const entry of answerEntriesOf(answer)) this.#emit(entry);
    this.#steps = spoken.length;
    this.#agent = spoken.at(-1)?.agent ?? answer.agentBefore;
    this.usage = totalUsage(answer);
    this.#notifyWaiters();
  }

  end(ending: AnswerEnding): void {
    this.ending ??= ending;
    this.#notifyWaiters();
  }

  get brokenOff(): string {
    return this.#openStep?.text ?? "";
  }

  stepOf(callId: string): number | undefined {
    return this.entries.find(
      ({ chunk }) => chunk.type === "tool-input-available" && chunk.toolCallId === callId,
    )?.step;
  }

  waitForMore(known: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (this.entries.length > known || this.ending !== undefined || signal.aborted) return resolve();
      const wake = (): void => {
        this.#waiters.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#waiters.add(wake);
      signal.addEventListener("abort", wake, { once: true });
    });
  }

  #notifyWaiters(): void {
    for (const wake of [...this.#waiters]) wake();
  }

  #emit(entry: AnswerEntry): void {
    if (entry.key !== undefined) {
      if (this.#emittedKeys.has(entry.key)) return;
      this.#emittedKeys.add(entry.key);
    }
    this.entries.push(entry);
  }

  #startStep(agent: string | undefined): OpenStep {
    const step = this.#steps + 1;
    if (this.#openStep?.step === step) return this.#openStep;
    for (const entry of stepStartEntries(step, this.#agent, agent)) this.#emit(entry);
    this.#openStep = { step, text: "", thought: "", isReasoning: false };
    return this.#openStep;
  }

  #addText(agent: string, text: string): void {
    if (text === "") return;
    const open = this.#startStep(agent);
    const { step } = open;
    const id = textIdOf(step);
    this.#endReasoning(open);
    this.#emit({ step, key: `${step}:text-start`, chunk: { type: "text-start", id } });
    this.#emit({ step, chunk: { type: "text-delta", id, delta: text } });
    open.text += text;
  }

  #addReasoning(agent: string, delta: string): void {
    const open = this.#startStep(agent);
    const { step } = open;
    // Reasoning after text is shown once it is recorded.
    if (open.text !== "") return;
    open.thought += delta;
    const id = reasoningIdOf(step);
    this.#emit({ step, key: `${step}:reasoning-start`, chunk: { type: "reasoning-start", id } });
    open.isReasoning = true;
    this.#emit({ step, chunk: { type: "reasoning-delta", id, delta } });
  }

  #endReasoning(open: OpenStep): void {
    if (!open.isReasoning) return;
    open.isReasoning = false;
    const { step } = open;
    this.#emit({
      step,
      key: `${step}:reasoning-end`,
      chunk: { type: "reasoning-end", id: reasoningIdOf(step) },
    });
    this.#emittedKeys.add(`${step}:reasoning`);
  }

  /** The model is called again. */
  #resetStep(): void {
    const open = this.#openStep;
    if (open === undefined) return;
    this.#emit({ step: open.step, chunk: { type: "reset-step" } });
    const begun = ["text-start", "reasoning-start", "reasoning", "reasoning-end"];
    for (const each of begun) this.#emittedKeys.delete(`${open.step}:${each}`);
    open.text = "";
    open.thought = "";
    open.isReasoning = false;
  }

  /** Recorded text replaces different streamed text. */
  #reconcile(open: OpenStep, { content, reasoning = "" }: AssistantMessage): void {
    this.#endReasoning(open);
    const isOther = (open.text !== "" && open.text !== content) || open.thought !== reasoning;
    if (isOther) this.#resetStep();
    else if (open.text !== "") this.#emittedKeys.add(`${open.step}:text`);
    this.#openStep = undefined;
  }

  #addProgress(toolCallId: string, update: unknown): void {
    const step = this.#steps;
    const isUnderWay =
      this.#emittedKeys.has(inputEntryKey(step, toolCallId)) &&
      !this.#emittedKeys.has(outputEntryKey(step, toolCallId));
    const chunk: UiChunk = {
      type: "tool-output-available",
      toolCallId,
      output: update ?? null,
      preliminary: true,
    };
    if (isUnderWay) this.#emit({ step, chunk });
  }
}
