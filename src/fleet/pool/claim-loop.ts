interface ClaimLoopOptions<Job> {
  /** The next job that nobody else has, if there is one. */
  readonly claim: () => Promise<Job | undefined>;
  readonly run: (job: Job) => Promise<void>;
  /** Jobs that run at once. */
  readonly concurrency: number;
}

/** Claims jobs and runs them, a limited number at once. */
export class ClaimLoop<Job> {
  readonly #options: ClaimLoopOptions<Job>;
  /** One entry for each claim: a job may be claimed a second time while it runs. */
  readonly #running = new Set<Promise<void>>();
  #isStopped = false;
  #isPolling = false;
  #mayHaveMore = false;
  #currentPoll: Promise<void> = Promise.resolve();

  constructor(options: ClaimLoopOptions<Job>) {
    this.#options = options;
  }

  /** Claims what there is. During a look, it only makes that one claim once more before it ends. */
  look(): Promise<void> {
    this.#mayHaveMore = true;
    if (!this.#isPolling) this.#currentPoll = this.#claimAll();
    return this.#currentPoll;
  }

  /** Claims no more; resolves once the jobs that run are over. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#currentPoll;
    await Promise.all(this.#running);
  }

  async #claimAll(): Promise<void> {
    this.#isPolling = true;
    try {
      while (this.#mayHaveMore && !this.#isStopped && this.#running.size < this.#options.concurrency) {
        this.#mayHaveMore = false;
        const job = await this.#options.claim();
        if (job === undefined) continue;
        this.#mayHaveMore = true;
        this.#startJob(job);
      }
    } catch {
      // The next look tries again.
    } finally {
      // In the same step as the last check: a request to look must never find a look that claims nothing more.
      this.#isPolling = false;
    }
  }

  #startJob(job: Job): void {
    const over = this.#options.run(job).finally(() => {
      this.#running.delete(over);
      void this.look();
    });
    this.#running.add(over);
  }
}
