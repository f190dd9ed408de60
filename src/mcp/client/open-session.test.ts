import { describe, expect, it } from "vitest";
import { firstNotification, onTestEnd, openTestSession } from "../../../test/kit/mcp/mcp-session-scene.ts";
import { startToyHttp } from "../../../test/kit/mcp/toy-http.ts";
import { waitFor } from "../../../test/kit/wait-for.ts";

describe("notifications", () => {
  it("of a changed tool list reach subscribers over HTTP", async () => {
    const toy = await startToyHttp();
    onTestEnd(toy.stop);
    const session = await openTestSession({ url: toy.url });
    const changed = firstNotification(session, ({ kind }) => kind === "tools-changed");
    await waitFor(() =>
      expect(toy.seen.some(({ headers }) => headers["mcp-method"] === "subscriptions/listen")).toBeTruthy(),
    );
    let isTold = false;
    void changed.then(() => {
      isTold = true;
    });
    // The server may receive the request before it has a subscription for it.
    await waitFor(() => {
      toy.handler?.notify.toolsChanged();
      expect(isTold).toBe(true);
    });
  });
});
