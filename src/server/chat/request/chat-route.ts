import { notFound, Refusal } from "./refusal.ts";

/** What a request is for. */
export type Route =
  | { readonly kind: "list" }
  | { readonly kind: "send" }
  | { readonly kind: "show" | "delete" | "stream" | "stop"; readonly chatId: string };

/** By the path below `base` and the method. */
export const routeOf = (request: Request, base: string): Route => {
  const { pathname } = new URL(request.url);
  const path = pathname.endsWith("/") ? pathname.slice(0, -1) : pathname;
  if (path === base) return byMethod(request, { GET: { kind: "list" }, POST: { kind: "send" } });
  const [id, action, ...rest] = path.startsWith(`${base}/`) ? path.slice(base.length + 1).split("/") : [];
  const chatId = id === undefined || rest.length > 0 ? undefined : decoded(id);
  if (chatId === undefined) throw noRoute();
  if (action === undefined) {
    return byMethod(request, { GET: { kind: "show", chatId }, DELETE: { kind: "delete", chatId } });
  }
  if (action === "stream") return byMethod(request, { GET: { kind: "stream", chatId } });
  if (action === "stop") return byMethod(request, { POST: { kind: "stop", chatId } });
  throw noRoute();
};

const byMethod = ({ method }: Request, routes: Readonly<Record<string, Route>>): Route => {
  const route = Object.hasOwn(routes, method) ? routes[method] : undefined;
  if (route !== undefined) return route;
  const allow = Object.keys(routes).join(", ");
  throw new Refusal(405, "method", `This address takes ${allow}, not ${method}.`, { allow });
};

const decoded = (id: string): string | undefined => {
  try {
    const text = decodeURIComponent(id);
    return isId(text) ? text : undefined;
  } catch {
    return undefined;
  }
};

const noRoute = (): Refusal => notFound();

const longestId = 200;

/** Ids of chats and messages come from the page: a text without control characters, and no step of a path. */
export const isId = (id: unknown): id is string =>
  typeof id === "string" && id.length <= longestId && /^[^\p{Cc}]+$/u.test(id) && id !== "." && id !== "..";
