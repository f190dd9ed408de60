// allow-sleep in this file: the campaign reports how long attacks took, and some of them take effect late
import { setTimeout as sleep } from "node:timers/promises";
import { type Attack, type Harm, letters, type OpenEngineName } from "./attack.ts";
import { type Canaries, newMark, openCanaries, signalCanary } from "./canaries.ts";
import { HostProcess, type Seen } from "./host/host-process.ts";
import { enginesOf, type ShippedEngineName } from "./host/shipped.ts";
import { harmsOf, type Judged } from "./judge.ts";

/** One run of an attack on an engine. */
export interface AttackRun {
  readonly attack: Attack;
  readonly engine: OpenEngineName | ShippedEngineName;
  readonly isOpen: boolean;
  harms: readonly Harm[];
  readonly ending: string;
  readonly grownBytes: number;
  readonly ms: number;
}

export interface CampaignOptions {
  readonly attacks: readonly Attack[];
  /** The engines to attack. Default: all engines of the package. */
  readonly engines?: readonly string[] | undefined;
  readonly onRun?: (run: AttackRun, count: number, of: number) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface CampaignResult {
  readonly runs: readonly AttackRun[];
  /** Reasons why engines were not attacked, by name. */
  readonly missing: Readonly<Record<string, string>>;
  /** Harm that belongs to no run. */
  readonly strangers: readonly string[];
}

/** An attack that does no harm on an open engine proves nothing about the others. */
export const isDud = ({ isOpen, attack, harms }: AttackRun): boolean =>
  isOpen && !harms.includes(attack.harm);

/** A run that did harm on an engine of the package. */
export const isBroken = ({ isOpen, harms }: AttackRun): boolean => !isOpen && harms.length > 0;

/** The letters of a run: e escaped, h host died or hung, m more memory than allowed. */
export const lettersOf = ({ harms }: AttackRun): readonly string[] => [
  ...new Set(harms.map((harm) => letters[harm])),
];

type Job = Pick<AttackRun, "attack" | "engine" | "isOpen">;

const jobsOf = ({ attacks, engines }: CampaignOptions): readonly Job[] =>
  attacks.flatMap((attack): Job[] => [
    { attack, engine: attack.on, isOpen: true },
    ...enginesOf[attack.language]
      .filter((engine) => engines === undefined || engines.includes(engine))
      .map((engine) => ({ attack, engine, isOpen: false })),
  ]);

/**
 * Prefers an engine that is not busy, because starting a second host of a slow engine costs more than it
 * saves.
 */
const nextOf = (waiting: Job[], busy: readonly string[]): Job | undefined => {
  const at = waiting.findIndex(({ engine }) => !busy.includes(engine));
  return waiting.splice(Math.max(0, at), 1)[0];
};

const atOnce = 2;
/** Deadline of attacks that hang. All others get enough time on a busy machine. */
const openHangMs = 2_500;
const mostMs = 60_000;
/** Waiting time for harm of an open engine that arrives over the network or from a remaining process. */
const lateMs = 60_000;
/** Waiting time for all other harm before all runs are judged once more. */
const sweepMs = 500;
const late: ReadonlySet<Harm> = new Set(["write", "network", "signal"]);

/** Runs every attack on its open engine and on every engine of the package. */
export const runCampaign = async (options: CampaignOptions): Promise<CampaignResult> => {
  const canaries = await openCanaries();
  const campaign = new Campaign(canaries, options);
  try {
    return await campaign.run();
  } finally {
    campaign.end();
    await canaries.close();
  }
};

class Campaign {
  readonly #canaries: Canaries;
  readonly #options: CampaignOptions;
  readonly #idle = new Map<string, HostProcess[]>();
  readonly #hosts = new Set<HostProcess>();
  readonly #missing: Record<string, string> = {};
  readonly #judged: { readonly run: AttackRun; readonly judged: Judged }[] = [];

  constructor(canaries: Canaries, options: CampaignOptions) {
    this.#canaries = canaries;
    this.#options = options;
  }

  async run(): Promise<CampaignResult> {
    const { onRun, signal } = this.#options;
    const jobs = jobsOf(this.#options);
    const waiting = [...jobs];
    const busy: string[] = [];
    signal?.addEventListener("abort", () => this.end());
    const lane = async (): Promise<void> => {
      for (;;) {
        const job = nextOf(waiting, busy);
        if (job === undefined || signal?.aborted) return;
        busy.push(job.engine);
        const run = await this.#runJob(job);
        busy.splice(busy.indexOf(job.engine), 1);
        if (run !== undefined && !signal?.aborted) onRun?.(run, jobs.length - waiting.length, jobs.length);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    if (jobs.some(({ attack }) => late.has(attack.harm))) await sleep(sweepMs);
    for (const { run, judged } of this.#judged) run.harms = harmsOf(judged, this.#canaries);
    const changed = this.#canaries.areSecretsWhole() ? [] : ["a secret file was changed"];
    return {
      // In corpus order, not in order of completion.
      runs: jobs.flatMap(
        ({ attack, engine }) =>
          this.#judged.find(({ run }) => run.attack === attack && run.engine === engine)?.run ?? [],
      ),
      missing: this.#missing,
      strangers: [...this.#canaries.strangers(), ...changed],
    };
  }

  end(): void {
    for (const host of this.#hosts) host.end();
  }

  async #runJob({ attack, engine, isOpen }: Job): Promise<AttackRun | undefined> {
    if (this.#missing[engine] !== undefined) return undefined;
    const host = await this.#host(engine, needsFresh(attack, engine));
    if (typeof host === "string") {
      this.#missing[engine] = host;
      return undefined;
    }
    const began = performance.now();
    const sentry = attack.harm === "signal" ? await signalCanary() : undefined;
    const mark = newMark();
    const order = { attack, target: this.#canaries.target(mark, host.pid, sentry?.pid) };
    const seen = await host.run(order, isOpen && attack.harm === "hang" ? openHangMs : mostMs);
    const judge = (): Judged => ({ mark, attack, engine, seen, wasSignaled: sentry?.wasSignaled() ?? false });
    if (isOpen) await this.#awaitHarm(judge);
    const judged = judge();
    sentry?.end();
    const run = toRun(
      { attack, engine, isOpen },
      seen,
      harmsOf(judged, this.#canaries),
      performance.now() - began,
    );
    this.#judged.push({ run, judged });
    this.#giveBack(host, run);
    return run;
  }

  async #awaitHarm(judge: () => Judged): Promise<void> {
    const until = performance.now() + (late.has(judge().attack.harm) ? lateMs : 0);
    while (performance.now() < until && !this.#options.signal?.aborted) {
      const judged = judge();
      if (harmsOf(judged, this.#canaries).includes(judged.attack.harm)) return;
      await sleep(20);
    }
  }

  async #host(engine: string, isFresh: boolean): Promise<HostProcess | string> {
    const kept = isFresh ? undefined : this.#idle.get(engine)?.pop();
    if (kept?.isAlive) return kept;
    const host = await HostProcess.start(engine, this.#canaries);
    if (typeof host !== "string") this.#hosts.add(host);
    return host;
  }

  /**
   * Engines of the package continue in the same host, so that leftovers of a program would be noticed in the
   * next run. Memory attacks need a fresh host, because a process does not return memory it once used.
   */
  #giveBack(host: HostProcess, { isOpen, engine, attack, harms }: AttackRun): void {
    if (!isOpen && host.isAlive && !needsFresh(attack, engine) && harms.length === 0) {
      this.#idle.set(engine, [...(this.#idle.get(engine) ?? []), host]);
      return;
    }
    host.end();
    this.#hosts.delete(host);
  }
}

/** Only in-process engines increase the memory of the host. */
const needsFresh = ({ group }: Attack, engine: string): boolean => group === "memory" && engine === "quickjs";

const toRun = (job: Job, seen: Seen, harms: readonly Harm[], ms: number): AttackRun => ({
  ...job,
  harms,
  ending: seen.report?.ending ?? (seen.hung ? "never ended" : `the host died: ${seen.died}`),
  grownBytes: seen.grownBytes,
  ms,
});
