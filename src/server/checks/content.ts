import type { IncomingHttpHeaders } from "node:http";
import { type Refusal, refusal } from "../refusal.ts";

/** Messages are JSON as it is: nothing is unpacked, so nothing grows on the way in. */
export const refuseContent = (headers: IncomingHttpHeaders): Refusal | undefined => {
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity")
    return refusal(415, "unsupported_encoding", "Send the body without a content-encoding.");
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  return type.trim().toLowerCase() === "application/json"
    ? undefined
    : refusal(
        415,
        "unsupported_media_type",
        "Send a JSON body with the header content-type: application/json.",
      );
};
