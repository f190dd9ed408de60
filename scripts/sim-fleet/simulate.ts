/** The parameters of a fleet. Times are in milliseconds. */
export interface FleetModel {
  readonly workers: number;
  /** Concurrent runs per worker. */
  readonly concurrency: number;
  readonly runsPerSecond: number;
  /** Calls per run; each has a model request before it, and one follows the last. */
  readonly callsPerRun: number;
  readonly modelMs: number;
  readonly toolMs: number;
  /** Concurrent transactions of the server. */
  readonly databaseLanes: number;
  /** Cost of a transaction for the server, and additional cost of each write in it. */
  readonly transactionMs: number;
  readonly writeMs: number;
  readonly roundTripMs: number;
  /** Maximum number of writes that a process batches in one transaction. */
  readonly mostInBatch: number;
  /** Anchors read the end of every chain, of which each process has one. */
  readonly anchorEveryMs: number;
  readonly headMs: number;
}

export interface FleetFigures {
  readonly endedPerSecond: number;
  /** From submission to start. */
  readonly waitMs: { readonly p50: number; readonly p99: number };
  readonly runMs: { readonly p50: number; readonly p99: number };
  readonly queuedAtEnd: number;
  readonly databaseBusy: number;
  readonly anchorsBusy: number;
  readonly writesPerTransaction: number;
}

/** Seeded random numbers. */
const randomOf = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return (state + 1) / (2 ** 32 + 1);
  };
};

interface Event {
  readonly at: number;
  readonly happens: () => void;
}

/** Event queue as a binary heap. */
class Agenda {
  readonly #heap: Event[] = [];
  now = 0;

  after(ms: number, happens: () => void): void {
    const heap = this.#heap;
    heap.push({ at: this.now + ms, happens });
    for (let i = heap.length - 1; i > 0; ) {
      const parent = (i - 1) >> 1;
      if (heap[parent]!.at <= heap[i]!.at) break;
      [heap[parent], heap[i]] = [heap[i]!, heap[parent]!];
      i = parent;
    }
  }

  #popNext(): Event | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    heap[0] = last;
    for (let i = 0; ; ) {
      let least = i;
      for (const child of [2 * i + 1, 2 * i + 2]) {
        if (child < heap.length && heap[child]!.at < heap[least]!.at) least = child;
      }
      if (least === i) return first;
      [heap[least], heap[i]] = [heap[i]!, heap[least]!];
      i = least;
    }
  }

  runUntil(end: number): void {
    for (let event = this.#popNext(); event !== undefined && event.at <= end; event = this.#popNext()) {
      this.now = event.at;
      event.happens();
    }
    this.now = end;
  }
}

/** The server: a limited number of concurrent transactions, the others are queued. */
class Database {
  readonly #agenda: Agenda;
  readonly #lanes: number;
  readonly #queue: (() => void)[] = [];
  #busyLanes = 0;
  busyMs = 0;

  constructor(agenda: Agenda, lanes: number) {
    this.#agenda = agenda;
    this.#lanes = lanes;
  }

  work(ms: number, done: () => void): void {
    const begin = (): void => {
      this.#busyLanes += 1;
      this.busyMs += ms;
      this.#agenda.after(ms, () => {
        this.#busyLanes -= 1;
        this.#queue.shift()?.();
        done();
      });
    };
    if (this.#busyLanes < this.#lanes) begin();
    else this.#queue.push(begin);
  }
}

/** A process that batches writes during its last transaction. */
class Writer {
  readonly #model: FleetModel;
  readonly #agenda: Agenda;
  readonly #database: Database;
  #pending: (() => void)[] = [];
  #isWriting = false;
  transactions = 0;
  writes = 0;

  constructor(model: FleetModel, agenda: Agenda, database: Database) {
    this.#model = model;
    this.#agenda = agenda;
    this.#database = database;
  }

  write(done: () => void): void {
    this.#pending.push(done);
    if (!this.#isWriting) this.#writeNext();
  }

  #writeNext(): void {
    const { mostInBatch, transactionMs, writeMs, roundTripMs } = this.#model;
    const batch = this.#pending.splice(0, mostInBatch);
    this.#isWriting = batch.length > 0;
    if (!this.#isWriting) return;
    this.transactions += 1;
    this.writes += batch.length;
    this.#agenda.after(roundTripMs / 2, () =>
      this.#database.work(transactionMs + batch.length * writeMs, () =>
        this.#agenda.after(roundTripMs / 2, () => {
          for (const done of batch) done();
          this.#writeNext();
        }),
      ),
    );
  }
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** Simulates `seconds` of a fleet: runs arrive, wait for a worker, and write during their execution. */
export const simulate = (model: FleetModel, seconds: number, seed = 1): FleetFigures => {
  const random = randomOf(seed);
  const exponential = (mean: number): number => -mean * Math.log(random());
  const agenda = new Agenda();
  const database = new Database(agenda, model.databaseLanes);
  const submitter = new Writer(model, agenda, database);
  const writers = Array.from({ length: model.workers }, () => new Writer(model, agenda, database));
  const free = writers.map(() => model.concurrency);
  const queued: number[] = [];
  const waits: number[] = [];
  const lengths: number[] = [];
  let anchorsMs = 0;

  const step = (writer: Writer, work: readonly number[], done: () => void): void => {
    const [ms, ...rest] = work;
    const goOn = (): void => step(writer, rest, done);
    if (ms === undefined) done();
    else if (ms < 0) writer.write(goOn);
    else agenda.after(exponential(ms), goOn);
  };
  const write = -1;
  // A claim; then for each turn a model request with opening and closing, its step, and a call with its own;
  // then the end.
  const question = [write, model.modelMs, write, write];
  const turn = [...question, write, model.toolMs, write];
  const way = [write, ...Array.from({ length: model.callsPerRun }, () => turn).flat(), ...question, write];

  const take = (): void => {
    for (let worker = free.findIndex((places) => places > 0); worker >= 0 && queued.length > 0; ) {
      const since = queued.shift()!;
      waits.push(agenda.now - since);
      free[worker]! -= 1;
      const mine = worker;
      step(writers[mine]!, way, () => {
        lengths.push(agenda.now - since);
        free[mine]! += 1;
        take();
      });
      worker = free.findIndex((places) => places > 0);
    }
  };
  const arrive = (): void => {
    submitter.write(() => {
      queued.push(agenda.now);
      take();
    });
    agenda.after(exponential(1_000 / model.runsPerSecond), arrive);
  };
  const anchor = (): void => {
    const ms = model.transactionMs + model.workers * model.headMs;
    anchorsMs += ms;
    database.work(ms, () => {});
    agenda.after(model.anchorEveryMs, anchor);
  };
  agenda.after(0, arrive);
  agenda.after(model.anchorEveryMs, anchor);
  agenda.runUntil(seconds * 1_000);

  const total = seconds * 1_000 * model.databaseLanes;
  const sum = (of: (writer: Writer) => number): number =>
    writers.reduce((all, writer) => all + of(writer), 0);
  const sorted = (all: readonly number[]) => all.toSorted((one, other) => one - other);
  const figures = (all: readonly number[]) => ({
    p50: quantile(sorted(all), 0.5),
    p99: quantile(sorted(all), 0.99),
  });
  return {
    endedPerSecond: lengths.length / seconds,
    waitMs: figures(waits),
    runMs: figures(lengths),
    queuedAtEnd: queued.length,
    databaseBusy: database.busyMs / total,
    anchorsBusy: anchorsMs / total,
    writesPerTransaction:
      sum(({ writes }) => writes) /
      Math.max(
        1,
        sum(({ transactions }) => transactions),
      ),
  };
};
