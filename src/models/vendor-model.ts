import { ModelError, ToolError } from "../types/errors.ts";
import { formatBytes } from "../types/message.ts";
import type {
  AcceptedMedia,
  Model,
  ModelEvent,
  ModelOptions,
  ModelReply,
  ModelRequest,
  OmittedPart,
} from "../types/model.ts";
import { boundedEvents } from "./bounded-fetch.ts";
import { fitMedia, mediaLength } from "./dialects/media/fit-media.ts";
import type { ReplyCollector } from "./dialects/model-reply.ts";
import { toModelError } from "./to-model-error.ts";
import { type ToolCaller, toolCaller } from "./tool-caller.ts";

/** The signal also aborts when the consumer stops reading. */
export interface ModelVendor {
  readonly generate: (request: ModelRequest, signal: AbortSignal) => Promise<ModelReply>;
  readonly stream: (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>;
  readonly prepare?: () => Promise<unknown>;
  readonly searchesTools?: boolean;
  readonly takesOutput?: Model["takesOutput"];
  /** Other media is replaced by text. */
  readonly takes?: AcceptedMedia | undefined;
}

/** SDKs throw different errors after an abort. */
const failureOf = (id: string, error: unknown, signal: AbortSignal | undefined): ToolError => {
  if (signal?.aborted) return toModelError(id, new DOMException("cancelled", "AbortError"));
  return ToolError.is(error) ? error : toModelError(id, error);
};

const withSignal = (controller: AbortController, signal: AbortSignal | undefined): AbortSignal =>
  signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]);

interface FittedRequest {
  readonly request: ModelRequest;
  readonly losses: readonly OmittedPart[];
}

/** Providers drop the connection for oversized requests. */
const replaceUnsupportedMedia = (
  id: string,
  request: ModelRequest,
  acceptedMedia: AcceptedMedia | undefined,
): FittedRequest => {
  const { messages, losses } = fitMedia(request.messages, acceptedMedia);
  const length = mediaLength(messages);
  if (length > (acceptedMedia?.maxLength ?? Number.POSITIVE_INFINITY)) {
    const most = formatBytes((acceptedMedia!.maxLength! / 4) * 3);
    const message = `${id}: the images, audio and files of the conversation have ${formatBytes((length / 4) * 3)} in total, and the limit of a request is ${most}. Send fewer or smaller files, or remove earlier messages.`;
    throw new ModelError("model_bad_request", message);
  }
  return { request: messages === request.messages ? request : { ...request, messages }, losses };
};

const withLosses = (reply: ModelReply, losses: readonly OmittedPart[]): ModelReply =>
  losses.length === 0 ? reply : Object.freeze({ ...reply, losses });

export const vendorModel = (id: string, vendor: ModelVendor): Model & ToolCaller => {
  const generate = async (request: ModelRequest, { signal }: ModelOptions = {}): Promise<ModelReply> => {
    const controller = new AbortController();
    try {
      signal?.throwIfAborted();
      const fitted = replaceUnsupportedMedia(id, request, vendor.takes);
      return withLosses(await vendor.generate(fitted.request, withSignal(controller, signal)), fitted.losses);
    } catch (error) {
      throw failureOf(id, error, signal);
    } finally {
      controller.abort();
    }
  };

  async function* stream(
    request: ModelRequest,
    { signal }: ModelOptions = {},
  ): AsyncGenerator<ModelEvent, void> {
    const controller = new AbortController();
    try {
      signal?.throwIfAborted();
      const fitted = replaceUnsupportedMedia(id, request, vendor.takes);
      for await (const event of vendor.stream(fitted.request, withSignal(controller, signal))) {
        yield event.kind === "reply"
          ? { kind: "reply", reply: withLosses(event.reply, fitted.losses) }
          : event;
      }
    } catch (error) {
      throw failureOf(id, error, signal);
    } finally {
      controller.abort();
    }
  }

  const searchesTools = vendor.searchesTools === true ? { searchesTools: true } : {};
  const takesOutput = vendor.takesOutput === undefined ? {} : { takesOutput: vendor.takesOutput };
  const takes = vendor.takes === undefined ? {} : { takes: vendor.takes };
  const prepare = vendor.prepare === undefined ? {} : { prepare: vendor.prepare };
  const model: Model = { id, generate, stream, ...searchesTools, ...takesOutput, ...takes, ...prepare };
  return { ...model, ...toolCaller(model) };
};

/** A partial reply is never accepted. */
export const requireReply = (id: string, reply: ModelReply | undefined): ModelReply => {
  if (reply !== undefined) return reply;
  throw new ModelError(
    "model_unreadable",
    `${id}: the provider's answer ended early or is not of the documented shape.`,
  );
};

export async function* collectReply(
  id: string,
  events: AsyncIterable<unknown>,
  collector: ReplyCollector,
): AsyncGenerator<ModelEvent, void> {
  for await (const event of boundedEvents(events)) yield* collector.push(event);
  yield { kind: "reply", reply: requireReply(id, collector.reply()) };
}
