import { randomUUID } from "node:crypto";
import { ProtocolError, type ServerContext, type StandardSchemaV1 } from "@modelcontextprotocol/server";
import { sanitizeUntrustedText } from "../../../mcp/client/transport/sanitize-foreign-text.ts";
import { MCPConnectionError } from "../../../types/errors.ts";
import type { InputRequests, InputResponses, McpCaller } from "../../../types/mcp.ts";

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

/** The requesting server validates the response. */
const anyObjectSchema: StandardSchemaV1<unknown, Record<string, unknown>> = {
  "~standard": {
    version: 1,
    vendor: "haft",
    validate: (value) =>
      typeof value === "object" && value !== null
        ? { value: value as Record<string, unknown> }
        : { issues: [{ message: "is not an object" }] },
  },
};

/** Only connections of the legacy protocol support server requests. */
export const requestClientInput =
  (context: ServerContext, timeoutMs: number): NonNullable<McpCaller["ask"]> =>
  async (requests, signal) => {
    const options = { signal, timeout: timeoutMs, resetTimeoutOnProgress: true };
    const sendRequest = async (key: string): Promise<readonly [string, unknown]> => {
      const { method, params } = withElicitationId(requests[key]!);
      const request =
        params === undefined ? { method } : { method, params: params as Record<string, unknown> };
      return [key, await context.mcpReq.send(request, anyObjectSchema, options)];
    };
    try {
      return Object.fromEntries(await Promise.all(Object.keys(requests).map(sendRequest)));
    } catch (error) {
      throw clientResponseError(error);
    }
  };

/** Required by the legacy protocol. */
const withElicitationId = (request: InputRequests[string]): InputRequests[string] => {
  const params = request.params as Readonly<Record<string, unknown>> | undefined;
  if (request.method !== "elicitation/create" || params?.mode !== "url") return request;
  return params.elicitationId === undefined
    ? { ...request, params: { ...params, elicitationId: randomUUID() } }
    : request;
};

const clientResponseError = (error: unknown): MCPConnectionError => {
  const message = `The client did not answer: ${sanitizeUntrustedText(error instanceof Error ? error.message : String(error))}`;
  const cause =
    error instanceof ProtocolError
      ? { code: error.code, message: error.message, data: error.data }
      : undefined;
  return new MCPConnectionError("mcp_protocol", message, cause === undefined ? {} : { cause });
};
