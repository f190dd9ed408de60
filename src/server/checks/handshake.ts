import type { IncomingHttpHeaders } from "node:http";
import { type HttpRefusal, refusal } from "../refusal.ts";

const key = /^[+/0-9A-Za-z]{22}==$/;
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

const invalid = (message: string, headers?: HttpRefusal["headers"]): HttpRefusal =>
  refusal(400, "invalid_request", message, headers);

const isList = (protocols: string): boolean => {
  const names = protocols.split(",").map((name) => name.trim());
  return names.every((name) => token.test(name)) && new Set(names).size === names.length;
};

/** What the opening of a WebSocket must say (RFC 6455), checked before a place is taken and a line is logged. */
export const refuseHandshake = (headers: IncomingHttpHeaders): HttpRefusal | undefined => {
  if (!key.test(headers["sec-websocket-key"] ?? ""))
    return invalid("A WebSocket opens with a Sec-WebSocket-Key of 16 bytes in base64.");
  const version = headers["sec-websocket-version"];
  if (version !== "13" && version !== "8")
    return invalid("This host speaks version 13 of WebSocket: send Sec-WebSocket-Version: 13.", {
      "sec-websocket-version": "13, 8",
    });
  const protocols = headers["sec-websocket-protocol"];
  return protocols === undefined || isList(protocols)
    ? undefined
    : invalid("Sec-WebSocket-Protocol must be a list of names, each of them once, such as: mcp.");
};
