import { GatewayTasks } from "./call/gateway-tasks.ts";
import { HeldCalls } from "./call/held-calls.ts";
import type { LiveCall } from "./call/live-call.ts";
import { createProgressHub, type ProgressHub } from "./call/progress-hub.ts";
import type { GatewayBackend } from "./gateway-backend.ts";
import { type Peers, withPeerName } from "./peers/peers.ts";

export interface GatewayOptions {
  /** A client that answers its own form can approve its own calls, so forms are off unless the operator trusts the client. */
  readonly approvals?: "client" | "elsewhere";
  /** How long a call waits for the client's answer before it is cancelled: 10 minutes. */
  readonly holdMs?: number;
  readonly maxHeld?: number;
  readonly maxHeldPerCaller?: number;
  /** How long clients may believe a list without asking again: 30 seconds. They are told of changes before that. */
  readonly listTtlMs?: number;
  /** How long a server behind ours may take to list what it has: 10 seconds. */
  readonly listTimeoutMs?: number;
  /** Calls that take longer become tasks for clients that know tasks. Only those of servers that say so unless given. */
  readonly taskAfterMs?: number;
  /** For clients that know no tasks: waits for those that servers make of their calls, unless `pass` refuses such calls. */
  readonly tasks?: "finish" | "pass";
  /** How long a task can be asked for: an hour. */
  readonly taskTtlMs?: number;
  /** Other gateways over the same ledger, behind one address. Unless set: this one is alone. */
  readonly peers?: Peers | undefined;
}

/** What all connections to one endpoint share. */
export interface GatewayState {
  readonly served: GatewayBackend;
  readonly approvals: "client" | "elsewhere";
  readonly holdMs: number;
  readonly listTtlMs: number;
  readonly listTimeoutMs: number;
  readonly taskAfterMs: number | undefined;
  readonly finishesTasks: boolean;
  readonly held: HeldCalls;
  readonly tasks: GatewayTasks;
  readonly live: Set<LiveCall>;
  readonly progress: ProgressHub;
  readonly peers: Peers | undefined;
  /** Calls that go on here for a request that another gateway answers, by their handle. */
  readonly relayed: Map<string, LiveCall>;
  /** Waits for calls that run, though not longer than this, and cancels what is left. */
  readonly drain: (graceMs: number) => Promise<void>;
}

export const createGatewayState = (served: GatewayBackend, options: GatewayOptions = {}): GatewayState => {
  const holdMs = options.holdMs ?? 600_000;
  const max = options.maxHeld ?? 1000;
  const { peers } = options;
  const prefix = peers === undefined ? "" : withPeerName(peers, "");
  const held = new HeldCalls({ prefix, holdMs, max, maxPerCaller: options.maxHeldPerCaller ?? 100 });
  const ttlMs = options.taskTtlMs ?? 3_600_000;
  const tasks = new GatewayTasks({ prefix, ttlMs, max, maxPerCaller: Math.ceil(max / 4) });
  const live = new Set<LiveCall>();
  return {
    served,
    approvals: options.approvals ?? "elsewhere",
    holdMs,
    listTtlMs: options.listTtlMs ?? 30_000,
    listTimeoutMs: options.listTimeoutMs ?? 10_000,
    taskAfterMs: options.taskAfterMs,
    finishesTasks: options.tasks !== "pass",
    held,
    tasks,
    live,
    progress: createProgressHub(served),
    peers,
    relayed: new Map(),
    drain: async (graceMs) => {
      await whenIdle(live, graceMs);
      const reason = new Error("The server is closing.");
      held.cancelAll(reason);
      tasks.cancelAll(reason);
      for (const call of live) call.cancel(reason);
    },
  };
};

const whenIdle = async (live: ReadonlySet<LiveCall>, graceMs: number): Promise<void> => {
  const busy = [...live].filter(({ isBusy }) => isBusy);
  if (busy.length === 0 || graceMs <= 0) return;
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs);
  });
  await Promise.race([Promise.all(busy.map(({ finished }) => finished)), timedOut]);
  clearTimeout(timer);
};
