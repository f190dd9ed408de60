import type { LimitName, SandboxLimits } from "../../sandbox.ts";
import type { GuestEnding } from "../wire.ts";

/** Thrown where a guest cannot go on, and caught where its turn ends. */
export class Over {
  readonly ending: GuestEnding;
  constructor(ending: GuestEnding) {
    this.ending = ending;
  }
}

export const stoppedAt = (limit: LimitName, message: string): GuestEnding => ({
  kind: "stopped",
  limit,
  message,
});

export const outOfMemory = ({ memoryBytes }: SandboxLimits): GuestEnding =>
  stoppedAt("memory", `It needed more than ${memoryBytes} bytes of memory.`);

/** What was thrown by the engine itself: it is in no state to be used again. */
export const brokenBy = (thrown: unknown): GuestEnding =>
  thrown instanceof RangeError
    ? { kind: "error", name: "InternalError", message: "stack overflow" }
    : { kind: "lost", message: "Its engine broke." };
