import type { ApprovedCall, RunLineage, RunPlan, RunText } from "../types/lineage.ts";

/** The texts of one run, which are kept until it ends. */
export class LineageRecorder implements RunLineage {
  readonly texts: RunText[] = [];
  readonly approved: ApprovedCall[] = [];
  plan: RunPlan | undefined;
  hasLeftPlan = false;
  #size = 0;

  add(text: RunText): void {
    this.texts.push(text);
    this.#size += sizeOf(text);
    while (this.#size > maxCharacters || this.texts.length > maxTexts) this.#dropOldestResult();
  }

  /** Untrusted content whose text is not known: what is looked up after it can be its choice. */
  addUnknownContent(): void {
    if (this.texts.at(-1) !== unknownContent) this.texts.push(unknownContent);
  }

  /** A value that occurs in a dropped text only is unknown, and then requires approval. */
  #dropOldestResult(): void {
    const index = this.texts.findIndex((text) => text.source === "result" && text !== unknownContent);
    const [dropped] = this.texts.splice(Math.max(0, index), 1);
    this.#size -= sizeOf(dropped!);
    if (dropped!.isUntrusted && this.texts[0] !== unknownContent) this.texts.unshift(unknownContent);
  }

  approve(call: ApprovedCall): void {
    this.approved.push(call);
  }

  declare(plan: RunPlan): void {
    this.plan = plan;
    this.hasLeftPlan = false;
  }
}

const maxCharacters = 8_000_000;
const maxTexts = 2_000;

const unknownContent: RunText = Object.freeze({ source: "result", text: "", isUntrusted: true });

const sizeOf = ({ text, input }: RunText): number => text.length + (JSON.stringify(input)?.length ?? 0);
