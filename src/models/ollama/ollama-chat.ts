import { checkPackage, missingPackage } from "../../platform/peer-packages.ts";
import { ConfigurationError } from "../../words/errors.ts";
import type { TakenMedia } from "../../words/model.ts";
import { argumentTextFetch } from "../argument-text-fetch.ts";
import { accepted } from "../refused-response.ts";
import type { OllamaRequest } from "./to-request.ts";
import { wholeLines } from "./whole-lines.ts";

/** The part of the SDK's client that is used. */
export interface OllamaClient {
  chat(request: never): PromiseLike<unknown>;
}

/** How `ollama` reaches its server. */
export interface OllamaOptions {
  /** Otherwise OLLAMA_HOST, or this machine. */
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the global one, such as one that goes through a proxy or waits longer. */
  readonly fetch?: typeof fetch;
  /** Which pictures the model takes, such as `{ data: ["image/*"] }`: Ollama has models with and without. Unless set: none. */
  readonly takes?: TakenMedia;
  /** A client of one's own. It takes no signal: what it answers after a cancellation is thrown away. */
  readonly client?: OllamaClient;
}

type Chat = (request: OllamaRequest, signal: AbortSignal) => Promise<unknown>;

const watched =
  (id: string, options: OllamaOptions, isStream: boolean, signal: AbortSignal): typeof fetch =>
  async (url, init) => {
    // The lines of a stream are looked at one by one below.
    const ask = isStream ? (options.fetch ?? fetch) : argumentTextFetch("ollama", options.fetch);
    const response = await accepted(await ask(url, { ...init, signal }));
    if (!isStream || response.body === null) return response;
    const { headers, status } = response;
    return new Response(response.body.pipeThrough(wholeLines(id)), { headers, status });
  };

const needs = "The Ollama client needs";

/** The SDK takes a signal for no request, so each has a client of its own whose fetch knows one. */
const ownChat = (id: string, options: OllamaOptions): Chat => {
  checkPackage("ollama", needs);
  return async (request, signal) => {
    const { headers, host = process.env.OLLAMA_HOST } = options;
    const { Ollama } = await import("ollama").catch(missingPackage("ollama", needs));
    const open = () =>
      new Ollama({
        fetch: watched(id, options, request.stream, signal),
        ...(host === undefined ? {} : { host }),
        ...(headers === undefined ? {} : { headers: { ...headers } }),
      });
    return opened(open).chat(request as never);
  };
};

/** The host is not repeated: it may hold a password. */
const opened = <T>(open: () => T): T => {
  try {
    return open();
  } catch {
    throw new ConfigurationError(
      "invalid_config",
      "The host of the Ollama client, or OLLAMA_HOST, is no address. Write it like http://127.0.0.1:11434.",
    );
  }
};

const abortable = (events: unknown, signal: AbortSignal): unknown => {
  const { abort } = (events ?? {}) as { readonly abort?: unknown };
  if (typeof abort === "function") signal.addEventListener("abort", () => abort.call(events), { once: true });
  return events;
};

/** Waits for the answer or the abort, whichever comes first. */
const givenChat =
  (client: OllamaClient): Chat =>
  (request, signal) =>
    new Promise((done, fail) => {
      signal.addEventListener("abort", () => fail(signal.reason), { once: true });
      Promise.resolve(client.chat(request as never)).then((answer) => done(abortable(answer, signal)), fail);
    });

export const ollamaChat = (id: string, options: OllamaOptions): Chat =>
  options.client === undefined ? ownChat(id, options) : givenChat(options.client);
