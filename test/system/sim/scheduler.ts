/** A place where one runtime waits until the scheduler lets it go on. */
export interface Point {
  readonly actor: string;
  readonly label: string;
  readonly goOn: () => void;
  readonly drop: (error: Error) => void;
}

/** `scheduled` waits to be picked, `free` goes on at once, `dissolved` fails: the history is over. */
type Mode = "scheduled" | "free" | "dissolved";

/** So many turns of the event loop without news mean that everybody waits for the scheduler. */
const quietTurns = 4;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Owns the order of everything that matters in one history. */
export class Scheduler {
  readonly #points: Point[] = [];
  readonly #dead = new Set<string>();
  /** Who is stopped, and until which step. */
  readonly #stopped = new Map<string, number>();
  readonly steps: string[] = [];
  #mode: Mode = "scheduled";
  #news = 0;
  /** Milliseconds so far, one for each step. */
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

  /** The same for whoever does not wait by a promise. Gives back how to take the point away. */
  add(point: Point): () => void {
    this.#news += 1;
    this.#points.push(point);
    return () => {
      const place = this.#points.indexOf(point);
      if (place >= 0) this.#points.splice(place, 1);
    };
  }

  /** Points that may go on now, in the order in which they were reached. */
  ready(): readonly Point[] {
    return this.#points.filter(({ actor }) => !this.#dead.has(actor) && !this.isStopped(actor));
  }

  /** Lets one go on, and waits until everybody waits again. */
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

  /** Its points do not go on for so many steps. */
  stop(actor: string, steps: number): void {
    this.#stopped.set(actor, this.now + steps);
  }
  isStopped(actor: string): boolean {
    return (this.#stopped.get(actor) ?? 0) > this.now;
  }
  continueAll(): void {
    this.#stopped.clear();
  }

  /** Its points never go on, and whatever it had begun stays as it is. */
  kill(actor: string): void {
    this.#dead.add(actor);
  }
  isDead(actor: string): boolean {
    return this.#dead.has(actor);
  }

  /** Whoever is alive does not wait any more. */
  setFree(): void {
    this.#mode = "free";
  }

  /** Everybody fails from here on, so that nothing of this history goes on beside the next. */
  dissolve(): void {
    this.#mode = "dissolved";
    for (const point of this.#points.splice(0)) point.drop(new Error("The history is over."));
  }
}
