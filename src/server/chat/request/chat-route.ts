import { ChatError, chatNotFoundError } from "./chat-error.ts";

export type ChatRoute =
  | { readonly kind: "list" }
  | { readonly kind: "send" }
  | { readonly kind: "show" | "delete" | "stream" | "stop"; readonly chatId: string };

export const chatRouteOf = (request: Request, base: string): ChatRoute => {
  const { pathname } = new URL(request.url);
  const path = pathname.endsWith("/") ? pathname.slice(0, -1) : pathname;
  if (path === base) return byMethod(request, { GET: { kind: "list" }, POST: { kind: "send" } });
  const [id, action, ...rest] = path.startsWith(`${base}/`) ? path.slice(base.length + 1).split("/") : [];
  const chatId = id === undefined || rest.length > 0 ? undefined : decodeChatId(id);
  if (chatId === undefined) throw unknownRouteError();
  if (action === undefined) {
    return byMethod(request, { GET: { kind: "show", chatId }, DELETE: { kind: "delete", chatId } });
  }
  if (action === "stream") return byMethod(request, { GET: { kind: "stream", chatId } });
  if (action === "stop") return byMethod(request, { POST: { kind: "stop", chatId } });
  throw unknownRouteError();
};

const byMethod = ({ method }: Request, routes: Readonly<Record<string, ChatRoute>>): ChatRoute => {
  const route = Object.hasOwn(routes, method) ? routes[method] : undefined;
  if (route !== undefined) return route;
  const allow = Object.keys(routes).join(", ");
  throw new ChatError(405, "method", `This URL supports ${allow}, not ${method}.`, { allow });
};

const decodeChatId = (id: string): string | undefined => {
  try {
    const text = decodeURIComponent(id);
    return isChatId(text) ? text : undefined;
  } catch {
    return undefined;
  }
};

const unknownRouteError = (): ChatError => chatNotFoundError();

const maxIdLength = 200;

/** IDs come from the page: no control characters or path segments. */
export const isChatId = (id: unknown): id is string =>
  typeof id === "string" && id.length <= maxIdLength && /^[^\p{Cc}]+$/u.test(id) && id !== "." && id !== "..";
