import { memoryTokenStore } from "../../../src/base/credentials/oauth/token-store.ts";
import { createMcpAuthorizations } from "../../../src/mcp/client/auth/mcp-authorization.ts";
import { openSession } from "../../../src/mcp/client/open-session.ts";
import { act } from "./act.ts";
import { machineOf, oauthOf } from "./oauth-of.ts";
import { readScene } from "./scene.ts";

// The client that the conformance suite starts once per scenario, with its own server.
const scene = readScene();
const server = { id: "conformance", url: scene.url, oauth: oauthOf(scene) };
const authorizations = createMcpAuthorizations({
  store: memoryTokenStore(),
  reveal: async (value) => String(value),
  known: { add: () => {} },
  machine: () => machineOf(scene),
  // Simulates the user: follows all redirects and accepts everything.
  onSignIn: async (_server, url) => {
    const page = await fetch(url);
    await page.body?.cancel();
  },
});

const session = await openSession(server, {
  reveal: async (value) => (typeof value === "string" ? value : ""),
  principal: { agent: "conformance" },
  connectTimeoutMs: 30_000,
  callTimeoutMs: 30_000,
  authorize: authorizations.authorize,
});
try {
  await act(session, scene);
} finally {
  await session.close();
  authorizations.close();
}
