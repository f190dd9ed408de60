import { createHash } from "node:crypto";
import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../../../../test/kit/any-text.ts";
import { bearer, hostScene, sendRawRequest } from "../../../../test/kit/host-scene.ts";
import { readBearer } from "./bearer.ts";
import { createTokenAuthenticator } from "./swappable-auth.ts";

const ada = { agent: "ada", allow: ["mail/*"] };
const bob = { agent: "bob" };
const adaToken = "ada-token-0123456789";
const bobToken = "bob-token-0123456789";
const hash = `sha256:${createHash("sha256").update(bobToken).digest("hex")}`;
const auth = {
  kind: "tokens",
  tokens: [
    { token: adaToken, principal: ada },
    { token: hash, principal: bob },
  ],
} as const;

describe("tokens of an operator", () => {
  test("identify their principal as text or as a hash", async () => {
    const host = await hostScene({ auth });
    await sendRawRequest(host, { headers: bearer(adaToken) });
    await sendRawRequest(host, { headers: { authorization: `bEARER   ${bobToken}` } });
    expect(host.seen.map(({ principal }) => principal)).toEqual([ada, bob]);
    expect(host.lines.map(({ agent }) => agent)).toEqual(["ada", "bob"]);
  });

  test("cause a challenge without an error when none is sent", async () => {
    const host = await hostScene({ auth });
    for (const headers of [{}, { authorization: "Basic YTpi" }] as Record<string, string>[]) {
      const answered = await sendRawRequest(host, { headers });
      expect([answered.status, answered.headers["www-authenticate"]]).toEqual([401, 'Bearer realm="mcp"']);
    }
    expect(host.seen).toHaveLength(0);
  });

  test.each(["ada-token-012345678", `${adaToken}x`, hash, hash.slice(7), "", "a b", 'a"b', "a".repeat(9000)])(
    "do not include %.30j, which is refused and not repeated",
    async (token) => {
      const host = await hostScene({ auth });
      const answered = await sendRawRequest(host, { headers: bearer(token) });
      expect(answered.status).toBe(401);
      expect(answered.headers["www-authenticate"]).toMatch(
        /^Bearer error="invalid_token", error_description="[^"]+"$/,
      );
      if (token.length > 4) expect(answered.text).not.toContain(token);
      expect(host.seen).toHaveLength(0);
    },
  );

  test.each([
    ["too short", [{ token: "0123456789abcde", principal: ada }], "/auth/tokens/0/token"],
    ["not a valid hash", [{ token: "sha256:abc", principal: ada }], "64 hexadecimal"],
    [
      "not valid in a header",
      [{ token: "0123456789 abcdef", principal: ada }],
      "not allowed in an Authorization header",
    ],
    ["repeated", [...auth.tokens, { token: bobToken, principal: ada }], "/auth/tokens/2/token occurs twice"],
    ["without an agent", [{ token: adaToken, principal: { agent: "" } }], "/auth/tokens/0/principal/agent"],
    [
      "with invalid tools",
      [{ token: adaToken, principal: { agent: "a", allow: ["a b"] } }],
      "principal/allow",
    ],
    ["missing", [], "/auth/tokens is empty"],
  ])("are refused when the host opens with a token that is %s, without showing it", (_, tokens, message) => {
    const open = () => createTokenAuthenticator({ kind: "tokens", tokens });
    expect(open).toThrow(message);
    expect(open).toThrow(expect.not.objectContaining({ message: expect.stringContaining("0123456789") }));
  });

  test("are not kept as clear text", () => {
    expect(inspect(createTokenAuthenticator(auth), { depth: 9, showHidden: true })).not.toContain(adaToken);
    expect(inspect(readBearer(`Bearer ${adaToken}`), { depth: 9, showHidden: true })).not.toContain(adaToken);
    expect(JSON.stringify({ token: readBearer(`Bearer ${adaToken}`) })).not.toContain(adaToken);
  });

  test("match no other text in the header", async () => {
    const known = createTokenAuthenticator(auth);
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          anyText(),
          fc.string().map((text) => `Bearer ${text}`),
        ),
        async (header) => {
          const token = readBearer(header);
          if (token === undefined || token === "malformed") return;
          await expect(known.identify(token)).rejects.toMatchObject({ status: 401 });
        },
      ),
    );
  });
});
