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
    const { tool } = text;
    const call = tool === undefined ? undefined : (this.#calls.get(tool) ?? 0) + 1;
    if (tool !== undefined) this.#calls.set(tool, call!);
    this.texts.push(Object.freeze(call === undefined ? text : { ...text, call }));
    this.#size += sizeOf(text);
    while (this.#size > maxCharacters || this.texts.length > maxTexts) this.#dropOldestResult();
  }

  /** Untrusted content whose text is not known: what is looked up after it can be its choice. */
  addUnknownContent(): void {
    if (this.texts.at(-1) !== unknownContent) this.texts.push(unknownContent);
  }

  /** A value that occurs in a dropped text only is unknown, and then requires approval. */
  #dropOldestResult(): void {
    const index = Math.max(
      0,
      this.texts.findIndex((text) => text.source === "result" && text !== unknownContent),
    );
    const dropped = this.texts[index]!;
    const isFirstUntrusted = dropped.isUntrusted === true && this.texts[index - 1] !== unknownContent;
    this.texts.splice(index, 1, ...(isFirstUntrusted ? [unknownContent] : []));
    this.#size -= sizeOf(dropped);
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

const sizeOf = ({ text, input }: RunText): number =>
  text.length + (input === undefined ? 0 : (JSON.stringify(input)?.length ?? 0));
