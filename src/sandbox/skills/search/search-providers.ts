import type { HttpEgressRequest } from "../../../base/http/http-egress.ts";
import type { SearchProvider } from "../skill-settings.ts";

export interface WebSearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  readonly publishedAt?: string;
}

export interface SearchProviderAdapter {
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

export interface SearchProviderRequest {
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

export const searchProviders: Readonly<Record<SearchProvider, SearchProviderAdapter>> = {
  tavily,
  brave,
  searxng,
};
