import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import * as Redacted from "effect/Redacted";
import * as Scope from "effect/Scope";
import { TestClock } from "effect/testing";
import { describe, expect, test } from "vitest";
import { runWithTestClock } from "../../test/contracts/test-layer-laws.ts";
import type { HttpEgressClient, HttpEgressRequest, RequestError } from "../base/http/http-egress.ts";
import { type Redactor, redactor } from "../base/json/redact.ts";
import type { ApprovalRequest } from "../types/approval.ts";
import { HttpEgressError, type ToolError, ToolExecutionError, ToolTimeoutError } from "../types/errors.ts";
import { approvalWebhook, type NotifyApproval, type WebhookOptions } from "./approval-webhook.ts";
import { verifyWebhook } from "./webhook-signature.ts";

const secret = "a secret of some length";
const url = "https://hooks.example/c4nary-path";
const request: ApprovalRequest = {
  id: "approval-1",
  callId: "call-1",
  runId: "run-1",
  tool: "shop/refund",
  principal: { agent: "shop", session: "c4nary-session", allow: ["c4nary-right"] },
  input: { order: "A-17", password: "c4nary-password" },
  reason: "it is a refund",
  expiresAt: 1_760_000_000_000,
};

type Answer = number | RequestError | { readonly status: number; readonly after: string } | "never";

interface Told {
  readonly tell: NotifyApproval;
  readonly sent: HttpEgressRequest[];
  readonly at: number[];
  readonly errors: ToolError[];
  readonly close: Effect.Effect<void>;
}

/** A receiver that answers each message with the next answer, and repeats the last one. */
const reported = (
  answers: readonly Answer[],
  options: Partial<WebhookOptions> = {},
  masking: Redactor = redactor(),
): Effect.Effect<Told> =>
  Effect.gen(function* () {
    const sent: HttpEgressRequest[] = [];
    const at: number[] = [];
    const errors: ToolError[] = [];
    const client: HttpEgressClient = {
      request: (asked) =>
        Effect.gen(function* () {
          sent.push(asked);
          at.push(yield* Clock.currentTimeMillis);
          const answer = answers[Math.min(sent.length, answers.length) - 1]!;
          if (answer === "never") return yield* Effect.never;
          if (answer instanceof Error) return yield* Effect.fail(answer);
          const { status, after } =
            typeof answer === "number" ? { status: answer, after: undefined } : answer;
          const headers = new Headers(after === undefined ? {} : { "retry-after": after });
          return { url: asked.url, status, headers, body: new TextEncoder().encode("c4nary-answer") };
        }),
    };
    const scope = yield* Scope.make();
    const tell = yield* Scope.provide(
      Effect.orDie(
        approvalWebhook(
          { url, secret, onError: (error) => errors.push(error), ...options },
          { outside: client, redactor: masking },
        ),
      ),
      scope,
    );
    return { tell, sent, at, errors, close: Scope.close(scope, Exit.void) };
  });

const later = (seconds: number): Effect.Effect<void> => TestClock.adjust(seconds * 1000);

const run = <A>(effect: Effect.Effect<A>): Promise<A> => runWithTestClock(effect);

describe("webhook message", () => {
  test("has the masked approval request, and only the agent of the caller", () =>
    run(
      Effect.gen(function* () {
        yield* TestClock.setTime(1_760_000_000_500);
        const { tell, sent } = yield* reported([200]);
        tell(request);
        const { body, headers, method, redirects } = sent[0]!;
        expect(JSON.parse(String(body))).toEqual({
          id: "approval-1",
          tool: "shop/refund",
          runId: "run-1",
          callId: "call-1",
          agent: "shop",
          reason: "it is a refund",
          input: { order: "A-17", password: expect.any(String) },
          expiresAt: 1_760_000_000_000,
        });
        expect(body).not.toContain("c4nary");
        expect({ method, redirects }).toEqual({ method: "POST", redirects: 0 });
        expect(headers).toMatchObject({
          "idempotency-key": "approval-1",
          "content-type": "application/json",
        });
        expect(headers?.["haft-signature"]).toMatch(/^t=1760000000,v1=[0-9a-f]{64}$/);
        const signature = headers?.["haft-signature"];
        expect(verifyWebhook(String(body), signature, secret, { now: 1_760_000_000_500 })).toBe(true);
      }),
    ));

  test("has truncated arguments when they are long", () =>
    run(
      Effect.gen(function* () {
        const { tell, sent } = yield* reported([200]);
        tell({ ...request, input: { text: "x".repeat(1_000_000) } });
        expect(String(sent[0]?.body).length).toBeLessThan(1000);
        expect(JSON.parse(String(sent[0]?.body)).input).toMatch(/^\[\d+ characters/);
      }),
    ));

  test("is masked with the secrets of the runtime", () =>
    run(
      Effect.gen(function* () {
        const knowing = redactor({ secrets: () => ["A-17"] });
        const { tell, sent } = yield* reported([200], { secret: Redacted.make(secret) }, knowing);
        tell({ ...request, reason: "for A-17" });
        expect(sent).toHaveLength(1);
        expect(sent[0]?.body).not.toContain("A-17");
      }),
    ));
});

describe("failed delivery", () => {
  const away = new ToolExecutionError("failed", `${url} could not be reached.`, { ran: false });
  const late = new ToolTimeoutError("timed_out", `${url} is late.`);

  test.each<[string, Answer]>([
    ["the network fails", away],
    ["the receiver is late", late],
    ["the receiver answers 500", 500],
    ["the receiver answers 503", 503],
    ["the receiver answers 429", 429],
  ])("is retried three times with a new signature when %s, and then reported once", (_, answer) =>
    run(
      Effect.gen(function* () {
        const { tell, sent, at, errors } = yield* reported([answer]);
        tell(request);
        expect(sent).toHaveLength(1);
        yield* later(60);
        expect(sent).toHaveLength(4);
        const pauses = at.slice(1).map((time, index) => time - at[index]!);
        for (const [index, pause] of pauses.entries()) expect(pause).toBeLessThanOrEqual(1000 * 2 ** index);
        expect(new Set(sent.map(({ headers }) => headers?.["idempotency-key"])).size).toBe(1);
        expect(errors).toHaveLength(1);
        expect(errors[0]?.message).toContain("hooks.example");
        expect(JSON.stringify(errors[0]?.failure)).not.toContain("c4nary");
      }),
    ),
  );

  test("succeeds when the receiver is available again", () =>
    run(
      Effect.gen(function* () {
        const { tell, sent, errors } = yield* reported([503, away, 204]);
        tell(request);
        yield* later(60);
        expect(sent).toHaveLength(3);
        expect(errors).toEqual([]);
      }),
    ));

  test.each<[string, Answer]>([
    ["the receiver answers 400", 400],
    ["the receiver answers 401", 401],
    ["the receiver answers 404", 404],
    ["the receiver answers with a redirect", 302],
    ["the outgoing client refuses the URL", new HttpEgressError("outside_refused", "no")],
    [
      "the certificate is not valid",
      new ToolExecutionError("failed", "no valid certificate", { retryable: false }),
    ],
  ])("is not retried when %s", (_, answer) =>
    run(
      Effect.gen(function* () {
        const { tell, sent, errors } = yield* reported([answer]);
        tell(request);
        yield* later(60);
        expect(sent).toHaveLength(1);
        expect(errors).toHaveLength(1);
      }),
    ),
  );

  test("waits for retry-after up to a limit", () =>
    run(
      Effect.gen(function* () {
        const { tell, at } = yield* reported([
          { status: 429, after: "20" },
          { status: 503, after: "86400" },
          200,
        ]);
        tell(request);
        yield* later(120);
        expect(at[1]! - at[0]!).toBeGreaterThanOrEqual(20_000);
        expect(at[2]! - at[1]!).toBeGreaterThanOrEqual(30_000);
        expect(at[2]! - at[1]!).toBeLessThanOrEqual(32_000);
      }),
    ));

  test("does not throw when onError throws", () =>
    run(
      Effect.gen(function* () {
        let received = 0;
        const onError = (): never => {
          received++;
          throw new Error("broken");
        };
        const { tell } = yield* reported([400], { onError });
        expect(() => tell(request)).not.toThrow();
        expect(received).toBe(1);
      }),
    ));

  test("is reported at once when too many messages wait", () =>
    run(
      Effect.gen(function* () {
        const { tell, sent, errors } = yield* reported(["never"]);
        for (let number = 0; number < 1001; number++) tell({ ...request, id: `approval-${number}` });
        expect(sent).toHaveLength(8);
        expect(errors.map(({ code }) => code)).toEqual(["overloaded"]);
      }),
    ));
});

describe("closing", () => {
  test("waits for unfinished messages", () =>
    run(
      Effect.gen(function* () {
        const { tell, sent, errors, close } = yield* reported([503, 200]);
        tell(request);
        const closing = yield* Effect.forkChild(close, { startImmediately: true });
        expect(closing.pollUnsafe()).toBeUndefined();
        yield* later(2);
        yield* Fiber.join(closing);
        expect(sent).toHaveLength(2);
        expect(errors).toEqual([]);
      }),
    ));

  test("waits at most five seconds and reports undelivered messages", () =>
    run(
      Effect.gen(function* () {
        const { tell, errors, close } = yield* reported(["never"]);
        tell(request);
        const closing = yield* Effect.forkChild(close, { startImmediately: true });
        yield* later(4.9);
        expect(closing.pollUnsafe()).toBeUndefined();
        yield* later(0.2);
        yield* Fiber.join(closing);
        expect(errors.map(({ message }) => message)).toEqual([
          "The message to the webhook was not delivered: the runtime was closed.",
        ]);
      }),
    ));

  test("ends at once without unfinished messages", () =>
    run(
      Effect.gen(function* () {
        const { tell, close } = yield* reported([200]);
        tell(request);
        yield* close;
      }),
    ));
});

describe("webhook options", () => {
  test.each<[string, object, RegExp]>([
    ["a secret that is too short", { secret: "short" }, /at least 16 characters/],
    ["a missing secret", { secret: undefined }, /at least 16 characters/],
    ["a URL that cannot be read", { url: "hooks" }, /absolute URL/],
    ["a URL with another scheme", { url: "file:///etc/hosts" }, /absolute URL/],
    ["an unknown field", { retries: 5 }, /retries/],
  ])("are refused with %s", async (_, wrong, message) => {
    const options = { url, secret, ...wrong } as WebhookOptions;
    const client: HttpEgressClient = { request: () => Effect.never };
    const error = await run(
      Effect.scoped(Effect.flip(approvalWebhook(options, { outside: client }))) as never,
    );
    expect(error).toMatchObject({ code: "invalid_config", message: expect.stringMatching(message) });
    expect(String(error)).not.toContain("short");
  });
});
