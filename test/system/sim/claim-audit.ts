import * as Exit from "effect/Exit";
import type { TakeApprovalResult } from "../../../src/types/approval.ts";
import type { EntryClosing, EntryOpening } from "../../../src/types/ledger.ts";
import type { RunEnd, RunStart } from "../../../src/types/run-store.ts";
import type { Names } from "./shared-store.ts";

interface Claim {
  readonly epoch: number;
  readonly isHeld: boolean;
}

/** Tracks which runtime may write for which run, only from the operations of the store and their results. */
export class ClaimAudit {
  readonly wrongWrites: string[] = [];
  readonly #claims = new Map<string, Claim>();
  readonly #runOf = new Map<string, string>();
  readonly #takenBy = new Map<string, string>();
  readonly #endings = new Map<string, number>();
  readonly #names: Names;

  constructor(names: Names) {
    this.#names = names;
  }

  endings(runId: string): number {
    return this.#endings.get(runId) ?? 0;
  }

  /**
   * The runtime that resumed a call after its run had ended, when cancelling the run closes nothing any more.
   */
  takenBy(entryId: string): string | undefined {
    return this.#takenBy.get(entryId);
  }

  /** Records an operation and its result. */
  see(actor: string, name: string, given: readonly unknown[], exit: Exit.Exit<unknown, unknown>): void {
    if (!Exit.isSuccess(exit)) return;
    const [first] = given;
    switch (name) {
      case "runs.begin":
        this.#claims.set((first as RunStart).runId, { epoch: exit.value as number, isHeld: true });
        return;
      case "runs.claim":
        if (exit.value !== undefined) this.#claim(actor, first as string, exit.value as number);
        return;
      case "runs.cancel":
        if (exit.value === "given-up") this.#giveUp(actor, first as string);
        return;
      case "approvals.take": {
        const taken = exit.value as TakeApprovalResult;
        if (taken.kind === "taken" && this.endings(taken.record.runId) > 0)
          this.#takenBy.set(taken.record.entryId, actor);
        return;
      }
      case "runs.add":
      case "runs.amend":
        this.#write(actor, name, first as RunEnd, true);
        return;
      case "runs.end":
        this.#write(actor, name, first as RunEnd, true);
        this.#end(actor, first as RunEnd);
        return;
      case "ledger.open": {
        const opening = first as EntryOpening;
        this.#runOf.set(opening.entryId, opening.runId);
        // The call belongs to no claimed run, so no cancelled run closes it.
        if (opening.epoch === undefined) this.#takenBy.set(opening.entryId, actor);
        this.#write(actor, name, opening, true);
        return;
      }
      case "ledger.close": {
        const { entryId, epoch } = first as EntryClosing;
        // The result of a call may be written after its own run has ended.
        this.#write(actor, name, { runId: this.#runOf.get(entryId) ?? "", epoch }, false);
      }
    }
  }

  describe(name: string, [first]: readonly unknown[]): string {
    if (typeof first === "string") {
      if (name.startsWith("approvals")) return this.#names.question(first);
      return name.startsWith("runs") ? this.#names.run(first) : "";
    }
    if (typeof first !== "object" || first === null) return "";
    const { callId, entryId, tool, runId, status } = first as Readonly<Record<string, string | undefined>>;
    const run = runId ?? this.#runOf.get(entryId ?? "");
    const what = callId?.startsWith("r") === true ? callId : tool;
    return [what, run === undefined ? undefined : this.#names.run(run), status].filter(Boolean).join(" ");
  }

  #claim(actor: string, runId: string, epoch: number): void {
    const before = this.#claims.get(runId);
    if (before?.isHeld === true)
      this.wrongWrites.push(`${actor} claimed ${this.#names.run(runId)}, which another actor held`);
    if (epoch <= (before?.epoch ?? 0))
      this.wrongWrites.push(`${actor} claimed ${this.#names.run(runId)} with an epoch that is not newer`);
    this.#claims.set(runId, { epoch, isHeld: true });
  }

  #giveUp(actor: string, runId: string): void {
    const epoch = (this.#claims.get(runId)?.epoch ?? 0) + 1;
    this.#claims.set(runId, { epoch, isHeld: false });
    this.#countEnding(actor, runId);
  }

  #write(
    actor: string,
    name: string,
    { runId, epoch }: { readonly runId: string; readonly epoch?: number | undefined },
    mustHold: boolean,
  ): void {
    if (epoch === undefined) return;
    const claim = this.#claims.get(runId);
    if (claim?.epoch === epoch && (claim.isHeld || !mustHold)) return;
    this.wrongWrites.push(
      `${actor} wrote ${name} for ${this.#names.run(runId)} with epoch ${epoch}, after epoch ${claim?.epoch}`,
    );
  }

  #end(actor: string, { runId, epoch, status }: RunEnd): void {
    this.#claims.set(runId, { epoch, isHeld: false });
    if (status !== "pending" && status !== "failed") this.#countEnding(actor, runId);
  }

  #countEnding(actor: string, runId: string): void {
    const times = this.endings(runId) + 1;
    this.#endings.set(runId, times);
    if (times > 1) this.wrongWrites.push(`${actor} ended ${this.#names.run(runId)} once more`);
  }
}
