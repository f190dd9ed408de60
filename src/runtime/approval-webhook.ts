import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import * as Random from "effect/Random";
import * as Redacted from "effect/Redacted";
import type { Scope } from "effect/Scope";
import * as Semaphore from "effect/Semaphore";
import type { OutsideClient, OutsideResponse } from "../http/outside.ts";
import { checkFields } from "../json/check-fields.ts";
import { redactor as plainRedactor, type Redactor } from "../json/redact.ts";
import { isGood, retryAfter } from "../tool/http/status.ts";
import type { ApprovalRequest } from "../words/approval.ts";
import {
  ConfigurationError,
  type ToolError,
  ToolExecutionError,
  ToolOverloadedError,
  toError,
} from "../words/errors.ts";
import type { FailureCode } from "../words/failures.ts";
import { signWebhook } from "./webhook-signature.ts";

export interface WebhookOptions {
  /** Where each question is sent. */
  readonly url: string;
  /** Signs each message; the receiver has the same one. At least 16 characters. */
  readonly secret: string | Redacted.Redacted<string>;
  /** Hears of what could not be delivered. The question is in the ledger and can be answered all the same. Unless set: nobody. */
  readonly onError?: (error: ToolError, request: ApprovalRequest) => void;
}

export interface WebhookServices {
  readonly outside: OutsideClient;
  /** Masks the arguments once more; whoever knows the secrets of the runtime gives its own. */
  readonly redactor?: Redactor;
}

/** Returns at once. Whatever becomes of the message, the call goes its own way. */
export type TellApproval = (request: ApprovalRequest) => void;

const attempts = 4;
const pauseMs = 1000;
const longestPauseMs = 30_000;
const timeoutMs = 10_000;
const atOnce = 8;
const mostWaiting = 1000;
const leastSecret = 16;
const longestInput = 65_536;
const patience = Duration.seconds(5);

/**
 * Tells a URL of each approval that is asked for, signed, through the guarded client. When the scope closes, messages
 * under way have five seconds left: a process that ends because it waits for a person must have told that person.
 */
export const approvalWebhook = (
  options: WebhookOptions,
  services: WebhookServices,
): Effect.Effect<TellApproval, ConfigurationError, Scope> =>
  Effect.gen(function* () {
    const { url, secret } = yield* Effect.try({
      try: () => readOptions(options),
      catch: (error) => error as ConfigurationError,
    });
    const { outside, redactor = plainRedactor() } = services;
    const permits = yield* Semaphore.make(atOnce);
    const fork = Effect.runForkWith(yield* Effect.context<never>());
    const underWay = new Set<Fiber.Fiber<void, ToolError>>();

    const attempt = (body: string, id: string): Effect.Effect<void, ToolError> =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis;
        const sent = outside.request({
          url,
          method: "POST",
          headers: {
            "content-type": "application/json",
            "idempotency-key": id,
            "haft-signature": signWebhook(body, secret, Math.floor(now / 1000)),
          },
          body,
          timeoutMs,
          // What is signed is meant for this place and no other.
          redirects: 0,
        });
        const response = yield* Effect.mapError(sent, (error) => unsent(error, url));
        if (!isGood(response.status)) return yield* Effect.fail(refused(response, now));
      });

    const deliver = (body: string, id: string, number = 1): Effect.Effect<void, ToolError> =>
      Effect.catch(attempt(body, id), (error) => {
        if (number >= attempts || !error.retryable) return Effect.fail(error);
        const pause = Effect.map(Random.next, (part) => pauseFor(error, number, part));
        return Effect.andThen(Effect.flatMap(pause, Effect.sleep), deliver(body, id, number + 1));
      });

    const report = (error: ToolError, request: ApprovalRequest): void => {
      try {
        options.onError?.(error, request);
      } catch {
        // Whoever listens is on his own.
      }
    };

    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        Effect.timeoutOption(Effect.interruptible(Fiber.awaitAll(underWay)), patience),
        Effect.suspend(() => Fiber.interruptAll(underWay)),
      ),
    );

    return (request) => {
      if (underWay.size >= mostWaiting) return report(overloaded(), request);
      const sending = Effect.suspend(() => deliver(toBody(request, redactor), request.id));
      const fiber = fork(permits.withPermits(1)(sending));
      const over = (exit: Exit.Exit<void, ToolError>): void => {
        underWay.delete(fiber);
        if (Exit.isFailure(exit)) report(errorOf(exit.cause), request);
      };
      underWay.add(fiber);
      fiber.addObserver(over);
    };
  });

/** Who is asked to answer needs the question and not the caller's rights. */
const toBody = (request: ApprovalRequest, redactor: Redactor): string => {
  const { id, tool, runId, callId, principal, reason, expiresAt } = request;
  const input = redactor.value(request.input);
  const length = JSON.stringify(input)?.length ?? 0;
  return JSON.stringify({
    id,
    tool,
    runId,
    callId,
    agent: principal.agent,
    reason: redactor.text(reason),
    input: length > longestInput ? `[${length} characters, which the ledger has]` : input,
    expiresAt,
  });
};

const readOptions = (options: WebhookOptions): { readonly url: string; readonly secret: string } => {
  checkFields("webhook", options, ["url", "secret", "onError"]);
  const secret = Redacted.isRedacted(options.secret) ? Redacted.value(options.secret) : options.secret;
  if (typeof secret !== "string" || secret.length < leastSecret) {
    throw wrong(`webhook.secret signs what is sent; it takes a text of at least ${leastSecret} characters.`);
  }
  if (!URL.canParse(options.url) || !/^https?:/i.test(options.url)) {
    throw wrong("webhook.url cannot be read; it takes an absolute URL, such as https://host/path.");
  }
  return { url: options.url, secret };
};

const wrong = (message: string): ConfigurationError => new ConfigurationError("invalid_config", message);

/** Full jitter, on top of what the receiver asked for. */
const pauseFor = (error: ToolError, number: number, part: number): Duration.Duration =>
  Duration.millis(
    Math.min(longestPauseMs, error.failure.retryAfterMs ?? 0) + part * pauseMs * 2 ** (number - 1),
  );

/** The same in other words: the path of such a URL is often a secret of its own. */
const unsent = (error: ToolError, url: string): ToolError => {
  const { code, retryable, detail } = error.failure;
  return toError({
    code,
    message: `The webhook at ${new URL(url).host} could not be told: ${words[code] ?? "it broke off"}.`,
    ...(retryable === undefined ? {} : { retryable }),
    ...(detail === undefined ? {} : { detail }),
  });
};

const words: { readonly [Code in FailureCode]?: string } = {
  timed_out: "it did not answer in time",
  outside_refused: "the outgoing client refused the request",
};

/** Says nothing of what the receiver answered, and of its URL only the host. */
const refused = (response: OutsideResponse, now: number): ToolExecutionError => {
  const { status, headers } = response;
  const retryAfterMs = retryAfter(headers.get("retry-after"), now);
  const message = `The webhook at ${new URL(response.url).host} answered ${status}.`;
  return new ToolExecutionError("failed", message, {
    retryable: status === 429 || status >= 500,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
};

const overloaded = (): ToolOverloadedError =>
  new ToolOverloadedError("overloaded", `More than ${mostWaiting} messages to the webhook are waiting.`);

const errorOf = (cause: Cause.Cause<ToolError>): ToolError => {
  const failure = cause.reasons.find(Cause.isFailReason);
  if (failure !== undefined) return failure.error;
  const why = Cause.hasInterruptsOnly(cause) ? "the runtime was closed" : "it could not be written";
  return new ToolExecutionError("failed", `The message to the webhook was not delivered: ${why}.`);
};
