import * as Effect from "effect/Effect";
import type { Haft, Message } from "../../../src/exports/index.ts";
import type { ApprovalRecord } from "../../../src/types/approval.ts";
import type { Principal } from "../../../src/types/principal.ts";
import type { RunRecord } from "../../../src/types/run-store.ts";
import { checkHistory, wrongReplies } from "./check-history.ts";
import type { Disturber } from "./disturbances.ts";
import { driveSession, LoopStore } from "./foreign-loop.ts";
import { memoryStore } from "./memory-store.ts";
import type { Order } from "./order.ts";
import type { Scenario } from "./scenario.ts";
import { Scheduler } from "./scheduler.ts";
import { type Mutation, Names, type SharedStore, type StoreKind } from "./shared-store.ts";
import { openRuntime, type SimulatedRuntime, type Task } from "./simulated-runtime.ts";
import { sqliteStore } from "./sqlite-store.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { warmUp } from "./warm-up.ts";
import { Witness, type WorldOptions } from "./world.ts";

/** What calls the model and the tools: a Haft agent, or a framework loop over a session. */
export type Driver = "agent" | "session";

/** Everything that determines a history. The same plan gives the same steps. */
export interface Plan {
  readonly store: StoreKind;
  readonly scenario: Scenario;
  readonly order: Order;
  readonly disturb: Disturber;
  readonly drivenBy?: Driver;
  /** What happens to remaining runs after the disturbances. */
  readonly ending: "resume" | "give up";
  readonly mutate?: Mutation | undefined;
}

export interface Played {
  readonly steps: readonly string[];
  readonly disturbances: readonly string[];
  /** Violated invariants; empty when the test passes. */
  readonly violations: readonly string[];
  /** Outcomes of the tasks, to count what histories reach. */
  readonly outcomes: readonly string[];
}

const mostSteps = 3_000;
/** Steps without work: a runtime may still join and resume pending runs. */
const mostIdle = 60;
const judge = "J";
const silence = 600_000;

export const playHistory = async (plan: Plan): Promise<Played> => {
  await warmUp(plan.store);
  const history = new History(plan);
  try {
    await history.play();
    return {
      steps: history.scheduler.steps,
      disturbances: history.disturbances,
      violations: await checkHistory(history),
      outcomes: history.tasks.map(toOutcome),
    };
  } finally {
    history.scheduler.dissolve();
    await history.shared.dissolve();
  }
};

const toOutcome = ({ what, state, response, error }: Task): string =>
  `${what.split(" ")[0]}: ${response?.status ?? error?.code ?? state}`;

/** One history: several runtimes over one store with one scheduler. */
export class History {
  readonly plan: Plan;
  readonly store: StoreKind;
  readonly scheduler = new Scheduler();
  readonly names = new Names();
  readonly witness = new Witness();
  readonly loops = new LoopStore();
  readonly shared: SharedStore;
  readonly runtimes = new Map<string, SimulatedRuntime>();
  readonly tasks: Task[] = [];
  /** Ids of approval requests. */
  readonly questions: string[] = [];
  readonly disturbances: string[] = [];
  /** Violations found during the history, such as a task that never ended. */
  readonly broken: string[] = [];
  readonly #askers = new Map<string, Principal>();
  readonly #world: WorldOptions;
  #later: { readonly at: number; readonly act: () => void }[] = [];

  constructor(plan: Plan) {
    this.plan = plan;
    this.store = plan.store;
    const { scheduler, names } = this;
    const options = { scheduler, names, mutate: plan.mutate };
    this.shared = plan.store === "memory" ? memoryStore(options) : sqliteStore(options);
    this.#world = { scenario: plan.scenario, scheduler, witness: this.witness };
  }

  living(): readonly string[] {
    return [...this.runtimes.keys()].filter((actor) => !this.scheduler.isDead(actor));
  }

  async play(): Promise<void> {
    const { scenario } = this.plan;
    for (const actor of scenario.actors) await this.#finish(this.join(actor));
    for (const { name, actor } of scenario.runs) this.begin(actor, name);
    await this.#disturbed();
    await this.#calm();
  }

  /** Another runtime opens with its own connection. */
  join(actor: string): Task {
    const clock = new VirtualClock(actor, this.scheduler);
    return this.#start(actor, "join", "", async () => {
      const runtime = await openRuntime(actor, this.shared, this.#world, clock);
      runtime.haft.on("tools.pending", ({ approval: { id, principal } }) => {
        this.questions.push(id);
        this.#askers.set(id, principal);
      });
      this.runtimes.set(actor, runtime);
    });
  }

  begin(actor: string, name: string): Task {
    return this.#ask(actor, `begin ${name}`, name, ({ haft, agent, model }) =>
      this.plan.drivenBy === "session" ? this.#drive(actor, name, haft, model) : haft.run(agent, name),
    );
  }
  resume(actor: string, runId: string): Task {
    const name = this.names.run(runId);
    return this.#ask(actor, `resume ${name}`, name, ({ haft, agent, model }) =>
      this.plan.drivenBy === "session"
        ? this.#drive(actor, name, haft, model)
        : haft.run(agent, undefined, { resume: runId }),
    );
  }
  giveUp(actor: string, runId: string): Task {
    const name = this.names.run(runId);
    const isSession = this.plan.drivenBy === "session";
    return this.#ask(actor, `give-up ${name}`, name, ({ haft }) =>
      (isSession ? haft.as({ ...haft.principal!, session: name }) : haft).giveUp(runId),
    );
  }
  answer(actor: string, question: string, isYes: boolean): Task {
    const decision = isYes ? ({ kind: "allow" } as const) : ({ kind: "deny" } as const);
    return this.#ask(actor, `answer ${this.names.question(question)}`, "", ({ haft }: { haft: Haft }) =>
      this.#forAsker(haft, question).resume(question, decision),
    );
  }

  #drive(actor: string, name: string, haft: Haft, model: SimulatedRuntime["model"]): Promise<unknown> {
    const { scheduler, loops: store } = this;
    const ask = (messages: readonly Message[]) => model.generate({ messages } as never);
    return driveSession(haft, { actor, name, scheduler, store, ask });
  }

  /** Resumes with an answer that was given before. */
  goOn(actor: string, question: string): Task {
    const what = `go-on ${this.names.question(question)}`;
    return this.#ask(actor, what, "", ({ haft }) => this.#forAsker(haft, question).resume(question));
  }

  /** Only the caller of an approval request can resume its call: in a session, the caller in that session. */
  #forAsker(haft: Haft, question: string): Haft {
    const asker = this.#askers.get(question);
    return asker === undefined ? haft : haft.as(asker);
  }

  later(steps: number, act: () => void): void {
    this.#later.push({ at: this.scheduler.now + steps, act });
  }

  #ask(actor: string, what: string, run: string, act: (runtime: SimulatedRuntime) => Promise<unknown>): Task {
    return this.#start(actor, what, run, () => act(this.runtimes.get(actor)!));
  }

  #start(actor: string, what: string, run: string, act: () => Promise<unknown>): Task {
    const { scheduler } = this;
    const task: Task = { actor, what, run, state: "under way" };
    this.tasks.push(task);
    scheduler.note(`${actor} starts: ${what}`);
    act().then(
      (answer) => {
        task.state = "answered";
        task.answer = answer;
        if (isResponse(answer)) task.response = answer as Task["response"];
        scheduler.note(`${actor} ends: ${what}: ${task.response?.status ?? "answered"}`);
      },
      (error) => {
        task.state = "refused";
        task.error = error;
        scheduler.note(`${actor} ends: ${what}: ${error.code ?? error}`);
      },
    );
    return task;
  }

  /** Plays orders and faults as planned until there is no work left. */
  async #disturbed(): Promise<void> {
    const { scheduler } = this;
    const { disturb, order } = this.plan;
    let last: string | undefined;
    let idle = 0;
    await scheduler.drain();
    while (scheduler.now < mostSteps && idle < mostIdle) {
      const disturbance = disturb(this);
      if (disturbance !== undefined) {
        this.disturbances.push(disturbance.text);
        scheduler.note(`-- ${disturbance.text}`);
        disturbance.apply(this);
        await scheduler.drain();
      }
      const ready = scheduler.ready();
      if (ready.length === 0) {
        idle += 1;
        this.#tick();
        continue;
      }
      const point = order(ready, last);
      last = point.actor;
      await scheduler.pick(point);
      this.#tick();
    }
  }

  /** Advances the clock by a millisecond and runs due timers and later actions. */
  #tick(): void {
    this.scheduler.now += 1;
    for (const { clock } of this.runtimes.values()) clock.wakeDue();
    const due = this.#later.filter(({ at }) => at <= this.scheduler.now);
    this.#later = this.#later.filter(({ at }) => at > this.scheduler.now);
    for (const { act } of due) act();
  }

  /** Stops the faults: live runtimes finish, and remaining runs are resumed or cancelled. */
  async #calm(): Promise<void> {
    const { scheduler, shared, names } = this;
    scheduler.note("-- calm");
    scheduler.continueAll();
    for (const { act } of this.#later.splice(0)) act();
    for (const actor of this.runtimes.keys()) shared.pretend(actor, !scheduler.isDead(actor));
    await this.#quiet();
    await this.#finish(this.join(judge));
    // A runtime that was declared dead, continued, and died without a heartbeat is only detected by its
    // silence.
    this.runtimes.get(judge)?.clock.jump(silence);
    const open = new Set(names.runs.keys());
    for (const runId of open) await this.#readConversation(runId);
    for (let round = 0; round < 4 && open.size > 0 && this.plan.ending === "resume"; round += 1) {
      for (const question of this.questions) await this.#finish(this.answer(judge, question, true));
      for (const runId of open) {
        const { response, error } = await this.#finish(this.resume(judge, runId));
        const isOver = over.has(response?.status ?? error?.code ?? "");
        if (isOver) open.delete(runId);
      }
    }
    for (const runId of open) await this.#finish(this.giveUp(judge, runId));
    // The request of a nested call outlives its run: an answer resumes only that call.
    const asked = await this.#finish(
      this.#ask(judge, "list-questions", "", ({ store }) => Effect.runPromise(store.approvals!.list())),
    );
    for (const { id: question, principal } of (asked.answer ?? []) as readonly ApprovalRecord[]) {
      this.#askers.set(question, principal);
      await this.#finish(this.answer(judge, question, true));
      await this.#finish(this.goOn(judge, question));
    }
  }

  /** The conversation in the store: a call may be unanswered, but is never answered twice. */
  async #readConversation(runId: string): Promise<void> {
    const name = this.names.run(runId);
    const { answer } = await this.#finish(
      this.#ask(judge, `read ${name}`, "", ({ store }) => Effect.runPromise(store.runs!.find(runId))),
    );
    const messages = (answer as RunRecord | undefined)?.messages ?? [];
    for (const why of wrongReplies(messages)) this.broken.push(`the conversation of ${name}: ${why}`);
  }

  async #finish(task: Task): Promise<Task> {
    await this.#quiet();
    return task;
  }

  /** First come, first served, until no live runtime waits. Timers fire only when nothing else can happen. */
  async #quiet(): Promise<void> {
    const { scheduler } = this;
    await scheduler.drain();
    for (let steps = 0; ; steps += 1) {
      const [point] = scheduler.ready();
      if (point !== undefined) {
        await scheduler.pick(point);
        this.#tick();
      } else if (!this.#wakeNext()) break;
      if (steps > mostSteps) {
        this.broken.push("the history did not end");
        return;
      }
    }
    for (const { actor, what, state } of this.tasks) {
      if (state === "under way" && !scheduler.isDead(actor))
        this.broken.push(`${actor} never ended: ${what}`);
    }
  }

  #wakeNext(): boolean {
    const { scheduler } = this;
    const waits = this.tasks.some(({ actor, state }) => state === "under way" && !scheduler.isDead(actor));
    if (!waits) return false;
    for (const { actor, clock } of this.runtimes.values()) {
      const ms = scheduler.isDead(actor) ? undefined : clock.nextTimer();
      if (ms === undefined) continue;
      clock.jump(ms);
      return true;
    }
    return false;
  }
}

/** Outcomes after which a run or session is not resumed. */
const over: ReadonlySet<string> = new Set(["done", "stopped", "invalid_config", "not_answered"]);

const isResponse = (answer: unknown): boolean =>
  typeof answer === "object" && answer !== null && "context" in answer;
