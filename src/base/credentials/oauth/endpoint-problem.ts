import { hostOf } from "../../http/host-and-port.ts";

export const isLoopbackUrl = (url: URL): boolean => {
  const host = hostOf(url);
  return host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host);
};

export const endpointProblem = (text: unknown): string | undefined => {
  if (typeof text !== "string" || !URL.canParse(text)) return "is not an absolute URL";
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return "is not https:";
  if (url.protocol === "http:" && !isLoopbackUrl(url)) return "is http: to another machine; use https:";
  if (url.username !== "" || url.password !== "") return "contains a user name or a password";
  return url.hash === "" ? undefined : "has a fragment";
};
