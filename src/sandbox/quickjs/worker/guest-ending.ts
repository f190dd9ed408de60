import type { SandboxLimitName, SandboxLimits } from "../../sandbox.ts";
import type { GuestEnding } from "../worker-messages.ts";

/** Thrown where a guest cannot go on, and caught where its turn ends. */
export class GuestOverSignal {
  readonly ending: GuestEnding;
  constructor(ending: GuestEnding) {
    this.ending = ending;
  }
}

export const stoppedByLimit = (limit: SandboxLimitName, message: string): GuestEnding => ({
  kind: "stopped",
  limit,
  message,
});

export const outOfMemoryEnding = ({ memoryBytes }: SandboxLimits): GuestEnding =>
  stoppedByLimit("memory", `It needed more than ${memoryBytes} bytes of memory.`);

/** What was thrown by the engine itself: it is in no state to be used again. */
export const lostByError = (thrown: unknown): GuestEnding =>
  thrown instanceof RangeError
    ? { kind: "error", name: "InternalError", message: "stack overflow" }
    : { kind: "lost", message: "Its engine broke." };
