/** A point at which a runtime waits for the scheduler. */
export interface Point {
  readonly actor: string;
  readonly label: string;
  readonly goOn: () => void;
  readonly drop: (error: Error) => void;
}

/** `scheduled` waits to be picked, `free` continues at once, `dissolved` fails: the history is over. */
type Mode = "scheduled" | "free" | "dissolved";

/** After this many idle turns of the event loop every runtime waits for the scheduler. */
const quietTurns = 4;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Determines the order of all relevant steps of one history. */
export class Scheduler {
  readonly #points: Point[] = [];
  readonly #dead = new Set<string>();
  /** Stopped runtimes and the step at which they continue. */
  readonly #stopped = new Map<string, number>();
  readonly steps: string[] = [];
  #mode: Mode = "scheduled";
  #news = 0;
  /** Milliseconds so far, one per step. */
  now = 0;

  /** Waits to be picked. */
  point(actor: string, label: string): Promise<void> {
    this.#news += 1;
    if (this.#mode === "free" && !this.#dead.has(actor)) return Promise.resolve();
    if (this.#mode === "dissolved") return Promise.reject(new Error("The history is over."));
    return new Promise((resolve, reject) => {
      this.add({ actor, label, goOn: resolve, drop: reject });
    });
  }

  /** The same without a promise. Returns a function that removes the point. */
  add(point: Point): () => void {
    this.#news += 1;
    this.#points.push(point);
    return () => {
      const place = this.#points.indexOf(point);
      if (place >= 0) this.#points.splice(place, 1);
    };
  }

  /** Points that may continue now, in the order in which they were reached. */
  ready(): readonly Point[] {
    return this.#points.filter(({ actor }) => !this.#dead.has(actor) && !this.isStopped(actor));
  }

  /** Lets one point continue, and waits until every runtime waits again. */
  async pick(point: Point): Promise<void> {
    this.#points.splice(this.#points.indexOf(point), 1);
    this.steps.push(`${point.actor}: ${point.label}`);
    point.goOn();
    await this.drain();
  }

  async drain(): Promise<void> {
    for (let quiet = 0, seen = this.#news; quiet < quietTurns; quiet += 1) {
      await turn();
      if (this.#news === seen) continue;
      seen = this.#news;
      quiet = -1;
    }
  }

  note(text: string): void {
    this.#news += 1;
    this.steps.push(text);
  }

  /** Pauses a runtime for a number of steps. */
  stop(actor: string, steps: number): void {
    this.#stopped.set(actor, this.now + steps);
  }
  isStopped(actor: string): boolean {
    return (this.#stopped.get(actor) ?? 0) > this.now;
  }
  continueAll(): void {
    this.#stopped.clear();
  }

  /** Stops a runtime for ever; its open operations stay as they are. */
  kill(actor: string): void {
    this.#dead.add(actor);
  }
  isDead(actor: string): boolean {
    return this.#dead.has(actor);
  }

  /** Lets all live runtimes continue without waiting. */
  setFree(): void {
    this.#mode = "free";
  }

  /** Fails every waiting runtime, so that this history does not overlap with the next. */
  dissolve(): void {
    this.#mode = "dissolved";
    for (const point of this.#points.splice(0)) point.drop(new Error("The history is over."));
  }
}
