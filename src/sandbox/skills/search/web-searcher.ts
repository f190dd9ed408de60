import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { Credentials } from "../../../base/credentials/credentials.ts";
import { headerProblem } from "../../../base/http/headers.ts";
import {
  HttpEgress,
  type HttpEgressRequest,
  type HttpEgressResponse,
} from "../../../base/http/http-egress.ts";
import { isObject } from "../../../base/json/json-value.ts";
import { redactor } from "../../../base/json/redact.ts";
import { headOf } from "../../../base/text/cut-text.ts";
import { parseRetryAfter, responseText } from "../../../tools/http/status-error.ts";
import { ToolExecutionError } from "../../../types/errors.ts";
import { refusedCallError } from "../refused-call-error.ts";
import type { SearchProvider, SkillSettings } from "../skill-settings.ts";

export interface WebSearchInput {
  readonly query: string;
  readonly maxResults?: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

export const webSearcher = ({ search }: SkillSettings, environment: Environment = process.env) => {
  const wire = searchProviders[search.provider];
  return ({ query, maxResults = 5 }: WebSearchInput) =>
    Effect.gen(function* () {
      const count = Math.min(maxResults, search.maxResults);
      const url = search.url ?? wire.url;
      if (url === undefined) return yield* Effect.fail(missingUrlError);
      const key =
        wire.keyName === undefined ? "" : yield* searchKeyOf(wire, wire.keyName, search, environment);
      const { request } = yield* HttpEgress;
      const response = yield* request({
        ...wire.request({ url, query, count, key }),
        refuse: (at) => redirectProblem(at, url),
      });
      if (response.status !== 200) return yield* statusFailure(wire, response);
      const results = yield* readResults(wire, response);
      return { results: results.slice(0, count), provider: search.provider };
    });
};

interface WebSearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  readonly publishedAt?: string;
}

interface SearchProviderAdapter {
  readonly name: string;
  /** Environment variable and credential name of the key. */
  readonly keyName?: string;
  readonly url?: string;
  readonly request: (asked: SearchProviderRequest) => HttpEgressRequest;
  readonly results: (answer: Readonly<Record<string, unknown>>) => unknown;
  readonly read: (
    result: Readonly<Record<string, unknown>>,
  ) => Readonly<Record<keyof WebSearchResult, unknown>>;
}

interface SearchProviderRequest {
  readonly url: string;
  readonly query: string;
  readonly count: number;
  readonly key: string;
}

const tavily: SearchProviderAdapter = {
  name: "Tavily",
  keyName: "TAVILY_API_KEY",
  url: "https://api.tavily.com/search",
  request: ({ url, query, count, key }) => ({
    url,
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ query, max_results: count, search_depth: "basic" }),
    idempotent: true,
  }),
  results: ({ results }) => results,
  read: ({ title, url, content, published_date }) => ({
    title,
    url,
    snippet: content,
    publishedAt: published_date,
  }),
};

const brave: SearchProviderAdapter = {
  name: "Brave Search",
  keyName: "BRAVE_API_KEY",
  url: "https://api.search.brave.com/res/v1/web/search",
  request: ({ url, query, count, key }) => ({
    url: withQuery(url, { q: query, count: String(count), text_decorations: "false" }),
    headers: { "x-subscription-token": key, accept: "application/json" },
  }),
  // Brave omits `web` if there are no results.
  results: ({ web, type }) =>
    web === undefined && type === "search" ? [] : (web as { results?: unknown })?.results,
  read: ({ title, url, description, page_age }) => ({
    title,
    url,
    snippet: description,
    publishedAt: page_age,
  }),
};

const searxng: SearchProviderAdapter = {
  name: "SearXNG",
  request: ({ url, query }) => ({
    url: withQuery(url.replace(/\/?(search)?$/, "/search"), { q: query, format: "json" }),
    headers: { accept: "application/json" },
  }),
  results: ({ results }) => results,
  read: ({ title, url, content, publishedDate }) => ({
    title,
    url,
    snippet: content,
    publishedAt: publishedDate,
  }),
};

const withQuery = (base: string, fields: Readonly<Record<string, string>>): string => {
  const url = new URL(base);
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  return url.href;
};

const searchProviders: Readonly<Record<SearchProvider, SearchProviderAdapter>> = {
  tavily,
  brave,
  searxng,
};

const redirectProblem = (at: URL, url: string): string | undefined =>
  at.origin === new URL(url).origin
    ? undefined
    : `it redirects to ${at.origin}, and web-search only requests ${new URL(url).origin}`;

const missingUrlError = refusedCallError(
  'web-search does not know the URL of SearXNG. An operator can set it: config: { skills: { search: { provider: "searxng", url: "https://search.example" } } }.',
);

/** From the credentials, or from the provider's usual environment variable. */
const searchKeyOf = (
  wire: SearchProviderAdapter,
  keyName: string,
  { credential, provider }: SkillSettings["search"],
  environment: Environment,
) =>
  Effect.gen(function* () {
    const credentials = yield* Credentials;
    const found = yield* Effect.orElseSucceed(
      Effect.map(credentials.secret(credential ?? keyName), Redacted.value),
      () => (credential === undefined ? environment[keyName] : undefined),
    );
    const key = found?.trim();
    if (key === undefined || key === "") {
      const how =
        credential === undefined
          ? `Set the environment variable ${keyName}, or name a credential: config: { skills: { search: { credential: "${provider}" } } }.`
          : `No credential is named ${JSON.stringify(credential)}. Add it: Haft.open({ credentials: { env: { ${JSON.stringify(credential)}: "${keyName}" } } }), and set that variable.`;
      return yield* Effect.fail(refusedCallError(`web-search has no key for ${wire.name}. ${how}`));
    }
    if (headerProblem("authorization", key) !== undefined) {
      return yield* Effect.fail(
        refusedCallError(
          `The key for ${wire.name} contains characters that are not allowed in a header. Set it again.`,
        ),
      );
    }
    credentials.learn(key);
    return key;
  });

const statusFailure = (wire: SearchProviderAdapter, response: HttpEgressResponse) =>
  Effect.gen(function* () {
    const { status, headers } = response;
    const retryAfterMs = parseRetryAfter(headers.get("retry-after"), yield* Clock.currentTimeMillis);
    const { known } = yield* Credentials;
    const bodyExcerpt = redactor({ secrets: known })
      .text(responseText(response))
      .replace(/[\p{Cc}\s]+/gu, " ")
      .trim()
      .slice(0, 200);
    const message = `${wire.name} answered ${status}: ${statusMeaning(wire, status, bodyExcerpt)}`;
    return yield* Effect.fail(
      new ToolExecutionError("failed", message, {
        ran: true,
        status,
        retryable: status === 429 || status >= 500,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      }),
    );
  });

const statusMeaning = ({ keyName, name }: SearchProviderAdapter, status: number, message: string): string => {
  const isToken = status === 422 && message.includes("TOKEN");
  if (keyName !== undefined && (status === 401 || status === 403 || isToken)) {
    return `the key was rejected. Check ${keyName} or the configured credential.`;
  }
  if (status === 403)
    return `it does not return JSON. Its operator must add "json" to search.formats in settings.yml.`;
  if (status === 429) return "too many searches. Try again later.";
  if (status === 432 || status === 433)
    return `the quota of the key is used up. Its owner can raise it at ${name}.`;
  return message === "" ? "no details were given." : message;
};

const readResults = (
  wire: SearchProviderAdapter,
  response: HttpEgressResponse,
): Effect.Effect<readonly WebSearchResult[], ToolExecutionError> =>
  Effect.suspend(() => {
    const answer = parseBody(responseText(response));
    const list = isObject(answer) ? wire.results(answer) : undefined;
    if (!Array.isArray(list)) return Effect.fail(unreadableAnswerError(wire));
    return Effect.succeed(list.flatMap((each) => (isObject(each) ? toResult(wire.read(each)) : [])));
  });

/** Only strings are used, so number precision does not matter. */
const parseBody = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Drops results without an http(s) URL. */
const toResult = (found: Readonly<Record<keyof WebSearchResult, unknown>>): readonly WebSearchResult[] => {
  const url = typeof found.url === "string" ? URL.parse(found.url) : null;
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return [];
  const publishedAt = dateOf(found.publishedAt);
  return [
    {
      title: textIn(found.title, 300),
      url: url.href.slice(0, 2_000),
      snippet: textIn(found.snippet, 2_000),
      ...(publishedAt === undefined ? {} : { publishedAt }),
    },
  ];
};

const textIn = (value: unknown, max: number): string =>
  typeof value === "string" ? headOf(value.replace(/<\/?[a-z][^<>]*>/gi, ""), max) : "";

const dateOf = (value: unknown): string | undefined => {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
};

const unreadableAnswerError = ({ name }: SearchProviderAdapter): ToolExecutionError =>
  new ToolExecutionError(
    "failed",
    `${name} did not return a list of results. Check config.skills.search.url: it may point to something else.`,
    { ran: true, retryable: false },
  );
