import type { SandboxLimitName, SandboxLimits } from "../../sandbox.ts";
import type { GuestEnding } from "../worker-messages.ts";

/** Thrown when a guest cannot continue. */
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
  stoppedByLimit("memory", `The program used more than ${memoryBytes} bytes of memory.`);

/** The engine must not be reused. */
export const lostByError = (thrown: unknown): GuestEnding =>
  thrown instanceof RangeError
    ? { kind: "error", name: "InternalError", message: "stack overflow" }
    : { kind: "lost", message: "The engine failed." };
