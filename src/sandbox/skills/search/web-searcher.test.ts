import type { RequestListener } from "node:http";
import * as Effect from "effect/Effect";
import type { Scope } from "effect/Scope";
import { describe, expect, it } from "vitest";
import { skillSettings } from "../../../../test/kit/skill-settings.ts";
import { type LoopbackServer, loopbackServer } from "../../../../test/loopback-server.ts";
import { Credentials, type CredentialsOptions, credentials } from "../../../base/credentials/credentials.ts";
import { HttpEgress } from "../../../base/http/http-egress.ts";
import { openHttpEgress } from "../../../base/http/open-http-egress.ts";
import type { ToolError } from "../../../types/errors.ts";
import type { SkillSettings } from "../skill-settings.ts";
import { webSearcher } from "./web-searcher.ts";

interface Asked {
  readonly search?: Partial<SkillSettings["search"]>;
  readonly secrets?: CredentialsOptions;
  readonly env?: Readonly<Record<string, string>>;
  readonly maxResults?: number;
}

const play = <A>(
  answer: RequestListener,
  body: (server: LoopbackServer, ask: Ask) => Effect.Effect<A, unknown, Scope>,
) =>
  Effect.gen(function* () {
    const server = yield* loopbackServer(answer);
    const client = yield* openHttpEgress({ allow: [server.place] });
    const ask: Ask = ({ search = {}, secrets = {}, env = {}, maxResults } = {}) =>
      webSearcher(
        skillSettings({ search: { url: `${server.origin}/search`, ...search } }),
        env,
      )({
        query: "haft & tools?",
        ...(maxResults === undefined ? {} : { maxResults }),
      }).pipe(
        Effect.provideService(HttpEgress, client),
        Effect.provideService(Credentials, credentials(secrets)),
      );
    return yield* body(server, ask);
  }).pipe(Effect.scoped, Effect.runPromise);

type Ask = (asked?: Asked) => Effect.Effect<object, ToolError>;

const json =
  (value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_, response) =>
    void response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(JSON.stringify(value));

const env = { TAVILY_API_KEY: "tvly-canary-key", BRAVE_API_KEY: "brave-canary-key" };

describe("web-search", () => {
  it("uses the format of Tavily", () =>
    play(
      json({
        query: "haft & tools?",
        follow_up_questions: null,
        answer: null,
        images: [],
        results: [
          {
            title: "Tools",
            url: "https://a.example/1",
            content: "About tools.",
            score: 0.99,
            raw_content: null,
          },
          {
            title: "News",
            url: "https://b.example/2",
            content: "Old.",
            score: 0.5,
            published_date: "Tue, 03 Nov 2026 10:00:00 GMT",
          },
        ],
        response_time: 1.09,
        request_id: "123e4567",
      }),
      (server, ask) =>
        Effect.gen(function* () {
          expect(yield* ask({ env, maxResults: 7 })).toEqual({
            results: [
              { title: "Tools", url: "https://a.example/1", snippet: "About tools." },
              {
                title: "News",
                url: "https://b.example/2",
                snippet: "Old.",
                publishedAt: "2026-11-03T10:00:00.000Z",
              },
            ],
            provider: "tavily",
          });
          const [seen] = server.seen;
          expect(seen).toMatchObject({
            method: "POST",
            url: "/search",
            headers: { authorization: "Bearer tvly-canary-key" },
          });
          expect(JSON.parse(seen?.body ?? "")).toMatchObject({ query: "haft & tools?", max_results: 7 });
        }),
    ));

  it("uses the format of Brave", () =>
    play(
      json({
        type: "search",
        query: { original: "haft & tools?", more_results_available: true },
        web: {
          type: "search",
          results: [
            {
              type: "search_result",
              title: "A <strong>tool</strong>",
              url: "https://a.example/1",
              description: "It <strong>is</strong> 1 < 2.",
              age: "2 days ago",
              page_age: "2026-11-15T09:00:00",
            },
          ],
        },
      }),
      (server, ask) =>
        Effect.gen(function* () {
          const found = yield* ask({ env, search: { provider: "brave" } });
          expect(found).toMatchObject({
            results: [{ title: "A tool", snippet: "It is 1 < 2." }],
            provider: "brave",
          });
          expect(server.seen[0]).toMatchObject({
            method: "GET",
            headers: { "x-subscription-token": "brave-canary-key" },
          });
          expect(server.seen[0]?.url).toBe("/search?q=haft+%26+tools%3F&count=5&text_decorations=false");
        }),
    ));

  it("accepts an answer of Brave without results", () =>
    play(json({ type: "search", query: {} }), (_, ask) =>
      Effect.gen(function* () {
        expect(yield* ask({ env, search: { provider: "brave" } })).toEqual({
          results: [],
          provider: "brave",
        });
      }),
    ));

  it("uses the format of SearXNG without a key", () =>
    play(
      json({
        query: "haft & tools?",
        number_of_results: 0,
        results: Array.from({ length: 20 }, (_, n) => ({
          url: `https://a.example/${n}`,
          title: `Page ${n}`,
          content: "text",
          publishedDate: n === 0 ? "2026-01-02T00:00:00" : null,
          engine: "duckduckgo",
          score: 1,
        })),
        answers: [],
        suggestions: [],
      }),
      (server, ask) =>
        Effect.gen(function* () {
          for (const url of [server.origin, `${server.origin}/`, `${server.origin}/search`]) {
            const { results } = (yield* ask({ search: { provider: "searxng", url } })) as {
              readonly results: readonly object[];
            };
            expect(results).toHaveLength(5);
            expect(results[0]).toHaveProperty("publishedAt");
            expect(results[1]).not.toHaveProperty("publishedAt");
          }
          expect(new Set(server.seen.map(({ url }) => url))).toEqual(
            new Set(["/search?q=haft+%26+tools%3F&format=json"]),
          );
        }),
    ));

  it("uses the key of a named credential", () =>
    play(json({ results: [] }), (server, ask) =>
      Effect.gen(function* () {
        yield* ask({ secrets: { values: { mine: "named-key" } }, env, search: { credential: "mine" } });
        expect(server.seen[0]?.headers.authorization).toBe("Bearer named-key");
      }),
    ));
});

describe("error of web-search", () => {
  it.each([
    [{}, "Set the environment variable TAVILY_API_KEY"],
    [{ search: { provider: "brave" } }, "BRAVE_API_KEY"],
    [{ search: { credential: "mine" }, env }, 'No credential is named "mine"'],
    [{ env: { TAVILY_API_KEY: " " } }, "TAVILY_API_KEY"],
    [{ env: { TAVILY_API_KEY: "a\r\nX: y" } }, "Set it again"],
  ] as const)("names the missing key for %j, and nothing is sent", (asked, said) =>
    play(json({}), (server, ask) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(ask(asked as Asked));
        expect(error.message).toContain(said);
        expect(error.failure).toMatchObject({ ran: false, retryable: false });
        expect(server.connections()).toBe(0);
      }),
    ),
  );

  it.each([
    [
      401,
      { detail: { error: "Unauthorized: missing or invalid API key." } },
      "tavily",
      "Check TAVILY_API_KEY",
      false,
    ],
    [422, { error: { code: "SUBSCRIPTION_TOKEN_INVALID" } }, "brave", "Check BRAVE_API_KEY", false],
    [429, { detail: "slow down" }, "tavily", "Try again later", true],
    [432, { detail: {} }, "tavily", "the quota of the key is used up", false],
    [403, "<h1>Forbidden</h1>", "searxng", "search.formats", false],
    [500, { message: "broken tvly-canary-key" }, "tavily", "broken", true],
  ] as const)("has a remedy for status %i", (status, body, provider, said, retryable) =>
    play(json(body, status, { "retry-after": "7" }), (_, ask) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(ask({ env, search: { provider } }));
        expect(error.message).toContain(said);
        expect(error.message).not.toContain("canary-key");
        expect(error.failure).toMatchObject({ ran: true, status, retryable, retryAfterMs: 7_000 });
      }),
    ),
  );

  it.each(["", "<html>", "[]", "{}", '{"results":7}', '{"results":"x"}', "null"])(
    "has a remedy for the invalid answer %j",
    (body) =>
      play(
        (_, response) => void response.end(body),
        (_, ask) =>
          Effect.gen(function* () {
            const error = yield* Effect.flip(ask({ env }));
            expect(error.message).toContain("config.skills.search.url");
          }),
      ),
  );

  it("is not raised for invalid results, which are skipped", () =>
    play(
      json({
        results: [
          null,
          7,
          {},
          { url: "javascript:alert(1)" },
          { url: 7 },
          { url: "https://a.example", title: 5 },
        ],
      }),
      (_, ask) =>
        Effect.gen(function* () {
          expect(yield* ask({ env })).toEqual({
            results: [{ title: "", url: "https://a.example/", snippet: "" }],
            provider: "tavily",
          });
        }),
    ));
});

it("does not follow a redirect, even to an allowed host", () =>
  Effect.gen(function* () {
    let reached = 0;
    const other = yield* loopbackServer((_, response) => {
      reached += 1;
      response.end("{}");
    });
    const hostile = yield* loopbackServer(
      (_, response) => void response.writeHead(302, { location: `${other.origin}/admin?delete=1` }).end(),
    );
    const client = yield* openHttpEgress({ allow: [hostile.place, other.place] });
    const search = { provider: "searxng" as const, url: `${hostile.origin}/search` };
    const asked = webSearcher(
      skillSettings({ search }),
      {},
    )({ query: "q" }).pipe(
      Effect.provideService(HttpEgress, client),
      Effect.provideService(Credentials, credentials({})),
    );
    const failure = yield* Effect.flip(asked);
    expect(failure.message).toContain("web-search only requests");
    expect(reached).toBe(0);
  }).pipe(Effect.scoped, Effect.runPromise));
