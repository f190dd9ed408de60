import type { InputRequests, InputResponses } from "../../../types/mcp.ts";

interface OpenInputRequest {
  readonly requests: InputRequests;
  readonly answers: Map<string, unknown>;
  readonly left: Set<string>;
  readonly settle: (answers: InputResponses) => void;
  readonly drop: (reason: unknown) => void;
}

export class OpenInputRequests {
  readonly #requests = new Set<OpenInputRequest>();
  readonly #onRequest: () => void;
  /** Each is used once. */
  readonly #earlyAnswers: Map<string, unknown>;

  constructor(asked: () => void, early: InputResponses = {}) {
    this.#onRequest = asked;
    this.#earlyAnswers = new Map(Object.entries(early));
  }

  get isOpen(): boolean {
    return this.#requests.size > 0;
  }

  /** `isFresh` ignores early responses. */
  ask(requests: InputRequests, signal: AbortSignal, isFresh = false): Promise<InputResponses> {
    const left = new Set(Object.keys(requests));
    if (left.size === 0) return Promise.resolve({});
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const done = (): void => {
        this.#requests.delete(ask);
        signal.removeEventListener("abort", stop);
      };
      const ask: OpenInputRequest = {
        requests,
        answers: new Map(),
        left,
        settle: (answers) => {
          done();
          resolve(answers);
        },
        drop: (reason) => {
          done();
          reject(reason);
        },
      };
      const stop = (): void => ask.drop(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      this.#requests.add(ask);
      if (!isFresh) takeAnswers(ask, this.#earlyAnswers);
      this.#onRequest();
    });
  }

  open(): InputRequests {
    const open = new Map<string, InputRequests[string]>();
    for (const { requests, left } of this.#requests) {
      for (const key of left) if (!open.has(key)) open.set(key, requests[key]!);
    }
    return Object.fromEntries(open);
  }

  /** Mismatched responses leave their request open. */
  answer(responses: unknown): void {
    if (typeof responses !== "object" || responses === null) return;
    const given = new Map(Object.entries(responses));
    for (const ask of [...this.#requests]) takeAnswers(ask, given);
  }

  dropAll(reason: unknown): void {
    for (const ask of [...this.#requests]) ask.drop(reason);
  }
}

const takeAnswers = (ask: OpenInputRequest, given: Map<string, unknown>): void => {
  for (const key of [...ask.left]) {
    const response = given.get(key);
    if (!isAnswerTo(ask.requests[key]!.method, response)) continue;
    given.delete(key);
    ask.left.delete(key);
    ask.answers.set(key, response);
  }
  if (ask.left.size === 0) ask.settle(Object.fromEntries(ask.answers));
};

const elicitationActions: ReadonlySet<unknown> = new Set(["accept", "decline", "cancel"]);

const isAnswerTo = (method: string, response: unknown): boolean => {
  if (typeof response !== "object" || response === null || Array.isArray(response)) return false;
  const { action, role, content, roots } = response as Record<string, unknown>;
  if (method === "elicitation/create") return elicitationActions.has(action);
  if (method === "sampling/createMessage") return typeof role === "string" && content !== undefined;
  return method !== "roots/list" || Array.isArray(roots);
};
