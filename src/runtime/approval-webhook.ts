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
import type { HttpEgressClient, HttpEgressResponse } from "../base/http/http-egress.ts";
import { checkFields } from "../base/json/check-fields.ts";
import { redactor as plainRedactor, type Redactor } from "../base/json/redact.ts";
import { isSuccessStatus, parseRetryAfter } from "../tools/http/status-error.ts";
import type { ApprovalRequest } from "../types/approval.ts";
import {
  ConfigurationError,
  type ToolError,
  ToolExecutionError,
  ToolOverloadedError,
  toError,
} from "../types/errors.ts";
import type { FailureCode } from "../types/failures.ts";
import { signWebhook } from "./webhook-signature.ts";

export interface WebhookOptions {
  /** URL that receives the requests. */
  readonly url: string;
  /** Secret for the signature, shared with the receiver. At least 16 characters. */
  readonly secret: string | Redacted.Redacted<string>;
  /**
   * Called if a delivery failed. The request can still be answered through the ledger. Unless set: errors are
   * ignored.
   */
  readonly onError?: (error: ToolError, request: ApprovalRequest) => void;
}

export interface WebhookServices {
  readonly outside: HttpEgressClient;
  readonly redactor?: Redactor;
}

/** Sends in the background and never affects the call. */
export type NotifyApproval = (request: ApprovalRequest) => void;

const maxAttempts = 4;
const baseRetryDelayMs = 1000;
const maxRetryAfterMs = 30_000;
const deliveryTimeoutMs = 10_000;
const maxConcurrentDeliveries = 8;
const maxQueuedDeliveries = 1000;
const minSecretLength = 16;
const maxWebhookInputLength = 65_536;
const closeGracePeriod = Duration.seconds(5);

/**
 * When the scope closes, running deliveries have five seconds to finish, because a process may exit right
 * after a call became pending.
 */
export const approvalWebhook = (
  options: WebhookOptions,
  services: WebhookServices,
): Effect.Effect<NotifyApproval, ConfigurationError, Scope> =>
  Effect.gen(function* () {
    const { url, secret } = yield* Effect.try({
      try: () => readWebhookOptions(options),
      catch: (error) => error as ConfigurationError,
    });
    const { outside, redactor = plainRedactor() } = services;
    const permits = yield* Semaphore.make(maxConcurrentDeliveries);
    const fork = Effect.runForkWith(yield* Effect.context<never>());
    const deliveries = new Set<Fiber.Fiber<void, ToolError>>();

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
          timeoutMs: deliveryTimeoutMs,
          // The signature is meant for this URL only.
          redirects: 0,
        });
        const response = yield* Effect.mapError(sent, (error) => deliveryError(error, url));
        if (!isSuccessStatus(response.status)) return yield* Effect.fail(badStatusError(response, now));
      });

    const deliver = (body: string, id: string, number = 1): Effect.Effect<void, ToolError> =>
      Effect.catch(attempt(body, id), (error) => {
        if (number >= maxAttempts || !error.retryable) return Effect.fail(error);
        const pause = Effect.map(Random.next, (part) => retryDelay(error, number, part));
        return Effect.andThen(Effect.flatMap(pause, Effect.sleep), deliver(body, id, number + 1));
      });

    const report = (error: ToolError, request: ApprovalRequest): void => {
      try {
        options.onError?.(error, request);
      } catch {}
    };

    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        Effect.timeoutOption(Effect.interruptible(Fiber.awaitAll(deliveries)), closeGracePeriod),
        Effect.suspend(() => Fiber.interruptAll(deliveries)),
      ),
    );

    return (request) => {
      if (deliveries.size >= maxQueuedDeliveries) return report(webhookOverloadedError(), request);
      const sending = Effect.suspend(() => deliver(toWebhookBody(request, redactor), request.id));
      const fiber = fork(permits.withPermits(1)(sending));
      const onDelivered = (exit: Exit.Exit<void, ToolError>): void => {
        deliveries.delete(fiber);
        if (Exit.isFailure(exit)) report(deliveryErrorOf(exit.cause), request);
      };
      deliveries.add(fiber);
      fiber.addObserver(onDelivered);
    };
  });

/** Omits the caller's rights. */
const toWebhookBody = (request: ApprovalRequest, redactor: Redactor): string => {
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
    input: length > maxWebhookInputLength ? `[${length} characters, stored in the ledger]` : input,
    expiresAt,
  });
};

const readWebhookOptions = (options: WebhookOptions): { readonly url: string; readonly secret: string } => {
  checkFields("webhook", options, ["url", "secret", "onError"]);
  const secret = Redacted.isRedacted(options.secret) ? Redacted.value(options.secret) : options.secret;
  if (typeof secret !== "string" || secret.length < minSecretLength) {
    throw webhookOptionsError(
      `webhook.secret signs the messages; it must be a string of at least ${minSecretLength} characters.`,
    );
  }
  if (!URL.canParse(options.url) || !/^https?:/i.test(options.url)) {
    throw webhookOptionsError("webhook.url must be an absolute URL, such as https://host/path.");
  }
  return { url: options.url, secret };
};

const webhookOptionsError = (message: string): ConfigurationError =>
  new ConfigurationError("invalid_config", message);

/** Full jitter, added to the delay that the receiver requested. */
const retryDelay = (error: ToolError, attempt: number, jitter: number): Duration.Duration =>
  Duration.millis(
    Math.min(maxRetryAfterMs, error.failure.retryAfterMs ?? 0) +
      jitter * baseRetryDelayMs * 2 ** (attempt - 1),
  );

/** Omits the URL's path, which is often a secret. */
const deliveryError = (error: ToolError, url: string): ToolError => {
  const { code, retryable, detail } = error.failure;
  return toError({
    code,
    message: `The message could not be delivered to the webhook at ${new URL(url).host}: ${deliveryErrorTexts[code] ?? "the connection failed"}.`,
    ...(retryable === undefined ? {} : { retryable }),
    ...(detail === undefined ? {} : { detail }),
  });
};

const deliveryErrorTexts: { readonly [Code in FailureCode]?: string } = {
  timed_out: "it did not answer in time",
  outside_refused: "the HTTP client refused the request",
};

/** Omits the response body and the URL's path. */
const badStatusError = (response: HttpEgressResponse, now: number): ToolExecutionError => {
  const { status, headers } = response;
  const retryAfterMs = parseRetryAfter(headers.get("retry-after"), now);
  const message = `The webhook at ${new URL(response.url).host} answered ${status}.`;
  return new ToolExecutionError("failed", message, {
    retryable: status === 429 || status >= 500,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
};

const webhookOverloadedError = (): ToolOverloadedError =>
  new ToolOverloadedError(
    "overloaded",
    `More than ${maxQueuedDeliveries} messages to the webhook are waiting.`,
  );

const deliveryErrorOf = (cause: Cause.Cause<ToolError>): ToolError => {
  const failure = cause.reasons.find(Cause.isFailReason);
  if (failure !== undefined) return failure.error;
  const why = Cause.hasInterruptsOnly(cause) ? "the runtime was closed" : "it could not be written";
  return new ToolExecutionError("failed", `The message to the webhook was not delivered: ${why}.`);
};
