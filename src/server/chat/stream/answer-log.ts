import type { AgentEvent } from "../../words/agent.ts";
import type { AssistantMessage } from "../../words/message.ts";
import type { Usage } from "../../words/model.ts";
import { type Answer, usageOf } from "./answer.ts";
import {
  beginningOf,
  type Entry,
  entriesOf,
  inputKey,
  outputKey,
  reasoningIdOf,
  textIdOf,
} from "./answer-entries.ts";
import type { Chunk } from "./chunk.ts";

/** How an answer came to its end, or to a person who must answer first. */
export type AnswerEnding =
  | { readonly kind: "done" | "waiting" | "aborted" }
  | { readonly kind: "stopped"; readonly reason: string }
  | { readonly kind: "failed"; readonly text: string };

/** What is being said in the step that is not on record yet. */
interface OpenStep {
  readonly step: number;
  text: string;
  thought: string;
  isReasoning: boolean;
}

/**
 * All that a page is told of one answer, from its beginning, so that whoever comes later reads the same. What is on record
 * decides; what was heard of it before is only said earlier.
 */
export class AnswerLog {
  readonly entries: Entry[] = [];
  ending: AnswerEnding | undefined;
  usage: Usage = { inputTokens: 0, outputTokens: 0 };
  readonly #said = new Set<string>();
  readonly #waiting = new Set<() => void>();
  #steps = 0;
  #agent: string | undefined;
  #open: OpenStep | undefined;

  /** Hears the run as it goes on. */
  hear(event: AgentEvent): void {
    if (event.kind === "text") this.#speak(event.agent, event.text);
    else if (event.kind === "reasoning") this.#think(event.agent, event.text);
    else if (event.kind === "reset") this.#takeBack();
    else if (event.kind === "call-progress") this.#progress(event.callId, event.update);
    this.#wake();
  }

  /** More of the answer is on record. */
  keep(answer: Answer): void {
    const spoken = answer.messages.filter((message) => message.role === "assistant");
    const open = this.#open;
    const kept = open && spoken[open.step - 1];
    if (open !== undefined && kept !== undefined) this.#settle(open, kept);
    for (const entry of entriesOf(answer)) this.#say(entry);
    this.#steps = spoken.length;
    this.#agent = spoken.at(-1)?.agent ?? answer.agentBefore;
    this.usage = usageOf(answer);
    this.#wake();
  }

  end(ending: AnswerEnding): void {
    this.ending ??= ending;
    this.#wake();
  }

  /** Text that was heard and is not on record. */
  get brokenOff(): string {
    return this.#open?.text ?? "";
  }

  /** The step in which a call was asked for. */
  stepOf(callId: string): number | undefined {
    return this.entries.find(
      ({ chunk }) => chunk.type === "tool-input-available" && chunk.toolCallId === callId,
    )?.step;
  }

  /** Resolves once there is more than `known` entries, an end, or nobody who wants to know. */
  more(known: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (this.entries.length > known || this.ending !== undefined || signal.aborted) return resolve();
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener("abort", wake, { once: true });
    });
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  #say(entry: Entry): void {
    if (entry.key !== undefined) {
      if (this.#said.has(entry.key)) return;
      this.#said.add(entry.key);
    }
    this.entries.push(entry);
  }

  #begin(agent: string | undefined): OpenStep {
    const step = this.#steps + 1;
    if (this.#open?.step === step) return this.#open;
    for (const entry of beginningOf(step, this.#agent, agent)) this.#say(entry);
    this.#open = { step, text: "", thought: "", isReasoning: false };
    return this.#open;
  }

  #speak(agent: string, text: string): void {
    if (text === "") return;
    const open = this.#begin(agent);
    const { step } = open;
    const id = textIdOf(step);
    this.#endReasoning(open);
    this.#say({ step, key: `${step}:text-start`, chunk: { type: "text-start", id } });
    this.#say({ step, chunk: { type: "text-delta", id, delta: text } });
    open.text += text;
  }

  #think(agent: string, delta: string): void {
    const open = this.#begin(agent);
    const { step } = open;
    // Thoughts between two texts have no place of their own until they are on record.
    if (open.text !== "") return;
    open.thought += delta;
    const id = reasoningIdOf(step);
    this.#say({ step, key: `${step}:reasoning-start`, chunk: { type: "reasoning-start", id } });
    open.isReasoning = true;
    this.#say({ step, chunk: { type: "reasoning-delta", id, delta } });
  }

  #endReasoning(open: OpenStep): void {
    if (!open.isReasoning) return;
    open.isReasoning = false;
    const { step } = open;
    this.#say({
      step,
      key: `${step}:reasoning-end`,
      chunk: { type: "reasoning-end", id: reasoningIdOf(step) },
    });
    this.#said.add(`${step}:reasoning`);
  }

  /** The model is asked once more: what it said of this step is void. */
  #takeBack(): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#say({ step: open.step, chunk: { type: "reset-step" } });
    const begun = ["text-start", "reasoning-start", "reasoning", "reasoning-end"];
    for (const each of begun) this.#said.delete(`${open.step}:${each}`);
    open.text = "";
    open.thought = "";
    open.isReasoning = false;
  }

  /** What is on record takes the place of what was heard, unless it is the same. */
  #settle(open: OpenStep, { content, reasoning = "" }: AssistantMessage): void {
    this.#endReasoning(open);
    const isOther = (open.text !== "" && open.text !== content) || open.thought !== reasoning;
    if (isOther) this.#takeBack();
    else if (open.text !== "") this.#said.add(`${open.step}:text`);
    this.#open = undefined;
  }

  #progress(toolCallId: string, update: unknown): void {
    const step = this.#steps;
    const isUnderWay =
      this.#said.has(inputKey(step, toolCallId)) && !this.#said.has(outputKey(step, toolCallId));
    const chunk: Chunk = {
      type: "tool-output-available",
      toolCallId,
      output: update ?? null,
      preliminary: true,
    };
    if (isUnderWay) this.#say({ step, chunk });
  }
}
