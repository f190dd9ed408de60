import * as Effect from "effect/Effect";
import { type HttpEgressOptions, openHttpEgress } from "../../base/http/open-http-egress.ts";
import { CommandUsageError } from "../command-usage-error.ts";

const maxDocumentBytes = 32 * 1024 * 1024;

/** Uses the guarded HTTP client, so a private address needs the configuration's permission. */
export const fetchDocument = async (
  url: string,
  options: HttpEgressOptions,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly url: string }> => {
  const fetched = Effect.scoped(
    Effect.flatMap(openHttpEgress(options), (client) =>
      client.request({
        url,
        maxBytes: maxDocumentBytes,
        headers: { accept: "application/json, application/yaml, text/yaml, */*;q=0.5" },
      }),
    ),
  );
  const response = await Effect.runPromise(fetched, { signal }).catch((error: Error) => {
    throw new CommandUsageError(`${url} cannot be fetched: ${error.message}`);
  });
  if (response.status !== 200)
    throw new CommandUsageError(`${url} answered ${response.status} instead of a document.`);
  return { text: new TextDecoder().decode(response.body), url: response.url };
};
