import { isObject } from "../../base/json/json-value.ts";
import { checkPackage, missingPackage } from "../../base/platform/peer-packages.ts";
import { ConfigurationError, ModelError } from "../../types/errors.ts";
import type { JsonSchema } from "../../types/json.ts";
import type { AcceptedMedia, ModelRequest, ModelSettings } from "../../types/model.ts";
import { argumentTextFetch } from "../argument-text-fetch.ts";
import { assertOk, boundedFetch, HttpStatusError } from "../bounded-fetch.ts";
import { withArgumentText } from "../dialects/calls/with-argument-text.ts";
import { type OllamaMessage, toOllamaMessages } from "../dialects/ollama/to-messages.ts";
import { type OllamaTool, toOllama, toOllamaFormat } from "../dialects/ollama/to-ollama.ts";
import { wireReader } from "../dialects/wires.ts";

/** The used part of the SDK's client. */
export interface OllamaClient {
  chat(request: never): PromiseLike<unknown>;
}

/** How `ollama` reaches its server. */
export interface OllamaOptions {
  /** Default: OLLAMA_HOST, or this machine. */
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the global fetch, for example to use a proxy. */
  readonly fetch?: typeof fetch;
  /**
   * Accepted images, such as `{ data: ["image/*"] }`, because only some models support them. Default: none.
   */
  readonly takes?: AcceptedMedia;
  /** A custom client. It receives no signal; its reply is discarded after a cancellation. */
  readonly client?: OllamaClient;
}

interface OllamaRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly messages: readonly OllamaMessage[];
  readonly tools?: readonly OllamaTool[];
  readonly options?: Readonly<Record<string, unknown>>;
  readonly format?: JsonSchema;
}

const toOptions = ({ maxTokens, seed, stop, temperature, topP }: ModelSettings) => ({
  ...(temperature === undefined ? {} : { temperature }),
  ...(topP === undefined ? {} : { top_p: topP }),
  ...(maxTokens === undefined ? {} : { num_predict: maxTokens }),
  ...(stop === undefined ? {} : { stop }),
  ...(seed === undefined ? {} : { seed }),
});

/** The server has no tool choice. */
export const toOllamaRequest = (model: string, request: ModelRequest, stream: boolean): OllamaRequest => {
  const { messages, settings = {}, tools, output } = request;
  const shown = settings.toolChoice === "none" ? [] : toOllama(tools).tools;
  const options = toOptions(settings);
  return {
    model,
    stream,
    messages: toOllamaMessages(messages),
    ...(shown.length === 0 ? {} : { tools: shown }),
    ...(Object.keys(options).length === 0 ? {} : { options }),
    ...(output === undefined ? {} : { format: toOllamaFormat(output.spec) }),
  };
};

type OllamaChat = (request: OllamaRequest, signal: AbortSignal) => Promise<unknown>;

const guardedFetch =
  (id: string, options: OllamaOptions, isStream: boolean, signal: AbortSignal): typeof fetch =>
  async (url, init) => {
    const ask = isStream ? boundedFetch(options.fetch) : argumentTextFetch("ollama", options.fetch);
    const response = await assertOk(await ask(url, { ...init, signal }));
    if (!isStream || response.body === null) return response;
    const { headers, status } = response;
    return new Response(response.body.pipeThrough(completeJsonLines(id)), { headers, status });
  };

const packageNeed = "The Ollama client needs";

/** The SDK accepts no signal per request. */
const chatWithOwnClient = (id: string, options: OllamaOptions): OllamaChat => {
  checkPackage("ollama", packageNeed);
  return async (request, signal) => {
    const { headers, host = process.env.OLLAMA_HOST } = options;
    const { Ollama } = await import("ollama").catch(missingPackage("ollama", packageNeed));
    const open = () =>
      new Ollama({
        fetch: guardedFetch(id, options, request.stream, signal),
        ...(host === undefined ? {} : { host }),
        ...(headers === undefined ? {} : { headers: { ...headers } }),
      });
    return wrapOpenErrors(open).chat(request as never);
  };
};

/** The host may contain a password. */
const wrapOpenErrors = <T>(open: () => T): T => {
  try {
    return open();
  } catch {
    throw new ConfigurationError(
      "invalid_config",
      "The host of the Ollama client, or OLLAMA_HOST, is not a URL. Write it like http://127.0.0.1:11434.",
    );
  }
};

const abortableEvents = (events: unknown, signal: AbortSignal): unknown => {
  const { abort } = (events ?? {}) as { readonly abort?: unknown };
  if (typeof abort === "function") signal.addEventListener("abort", () => abort.call(events), { once: true });
  return events;
};

const chatWithGivenClient =
  (client: OllamaClient): OllamaChat =>
  (request, signal) =>
    new Promise((done, fail) => {
      signal.addEventListener("abort", () => fail(signal.reason), { once: true });
      Promise.resolve(client.chat(request as never)).then(
        (answer) => done(abortableEvents(answer, signal)),
        fail,
      );
    });

export const ollamaChat = (id: string, options: OllamaOptions): OllamaChat =>
  options.client === undefined ? chatWithOwnClient(id, options) : chatWithGivenClient(options.client);

const parseLine = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

/** The SDK skips unreadable lines, which would make a damaged reply look complete. */
export const completeJsonLines = (id: string): TransformStream<Uint8Array, Uint8Array> => {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const { argumentPaths } = wireReader("ollama");
  let pieces: string[] = [];

  const pass = (out: TransformStreamDefaultController<Uint8Array>): void => {
    const line = pieces.join("").trim();
    pieces = [];
    if (line === "") return;
    const event = parseLine(line);
    if (!isObject(event)) {
      throw new ModelError(
        "model_unreadable",
        `${id}: a line of the provider's answer is not a JSON object.`,
      );
    }
    // Errors after the first token arrive with status 200.
    if (typeof event.error === "string") throw new HttpStatusError(500, new Headers(), line);
    out.enqueue(encoder.encode(`${withArgumentText(line, argumentPaths)}\n`));
  };

  return new TransformStream({
    transform: (chunk, out) => {
      const [first = "", ...rest] = decoder.decode(chunk, { stream: true }).split("\n");
      pieces.push(first);
      for (const piece of rest) {
        pass(out);
        pieces.push(piece);
      }
    },
    flush: (out) => {
      pieces.push(decoder.decode());
      pass(out);
    },
  });
};
