import type { ApprovedCall, RunLineage, RunPlan, RunText } from "../types/lineage.ts";

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
