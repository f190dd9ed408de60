import { describe, expect, it } from "vitest";
import { atEnd, newsOf, open } from "../../../test/kit/mcp/scene.ts";
import { toyHttp } from "../../../test/kit/mcp/toy-http.ts";
import { waitFor } from "../../../test/kit/wait-for.ts";

describe("news", () => {
  it("a change is told over HTTP to who listens", async () => {
    const toy = await toyHttp();
    atEnd(toy.stop);
    const session = await open({ url: toy.url });
    const changed = newsOf(session, ({ kind }) => kind === "tools-changed");
    await waitFor(() =>
      expect(toy.seen.some(({ headers }) => headers["mcp-method"] === "subscriptions/listen")).toBeTruthy(),
    );
    let isTold = false;
    void changed.then(() => {
      isTold = true;
    });
    // The request may have arrived before the server has a subscription for it.
    await waitFor(() => {
      toy.handler?.notify.toolsChanged();
      expect(isTold).toBe(true);
    });
  });
});
