import type { IncomingHttpHeaders } from "node:http";
import { type HttpRejection, httpRejection } from "../http-rejection.ts";

const webSocketKeyPattern = /^[+/0-9A-Za-z]{22}==$/;
const protocolTokenPattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

const invalidHandshakeRejection = (message: string, headers?: HttpRejection["headers"]): HttpRejection =>
  httpRejection(400, "invalid_request", message, headers);

const isProtocolList = (protocols: string): boolean => {
  const names = protocols.split(",").map((name) => name.trim());
  return names.every((name) => protocolTokenPattern.test(name)) && new Set(names).size === names.length;
};

/** RFC 6455, checked before a slot is taken. */
export const handshakeRejection = (headers: IncomingHttpHeaders): HttpRejection | undefined => {
  if (!webSocketKeyPattern.test(headers["sec-websocket-key"] ?? ""))
    return invalidHandshakeRejection(
      "A WebSocket handshake needs a Sec-WebSocket-Key of 16 bytes in base64.",
    );
  const version = headers["sec-websocket-version"];
  if (version !== "13" && version !== "8")
    return invalidHandshakeRejection(
      "This host supports version 13 of WebSocket. Send Sec-WebSocket-Version: 13.",
      {
        "sec-websocket-version": "13, 8",
      },
    );
  const protocols = headers["sec-websocket-protocol"];
  return protocols === undefined || isProtocolList(protocols)
    ? undefined
    : invalidHandshakeRejection("Sec-WebSocket-Protocol must be a list of distinct names, such as: mcp.");
};
