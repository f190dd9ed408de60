import { expect, test } from "vitest";
import { fakeMcpSession } from "../../../../test/kit/fake-gateway-backend.ts";
import type { McpSessionRequest } from "../../../types/mcp.ts";
import type { Principal } from "../../../types/principal.ts";
import { toUsableUpstreams } from "./caller-sessions.ts";
import type { Upstream } from "./upstream.ts";

test("a caller has one session per server with connections per caller, whatever its permissions", async () => {
  const asked: string[] = [];
  const request = async (_: McpSessionRequest, { agent }: Principal) => {
    asked.push(agent);
    return {};
  };
  const upstream = {
    server: { id: "one", command: "node" },
    tools: { companions: () => ({}), names: () => [] },
    callerSessions: { request },
    isBlocked: () => false,
    session: fakeMcpSession({}).session,
  } as unknown as Upstream;
  const sessionOf = (principal: Principal) => toUsableUpstreams(upstream, principal)[0]!.session;
  const ada = sessionOf({ agent: "ada" });
  expect(sessionOf({ agent: "ada", allow: ["*"] })).toBe(ada);
  const bob = sessionOf({ agent: "bob" });
  expect(bob).not.toBe(ada);
  expect(sessionOf({ agent: "ada", tenant: "other" })).not.toBe(ada);
  await ada.request({ method: "prompts/list" });
  await bob.request({ method: "prompts/list" });
  expect(asked).toEqual(["ada", "bob"]);
});
