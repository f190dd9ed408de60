import { calculateJwkThumbprint, decodeProtectedHeader, importJWK, jwtVerify } from "jose";
import { expect, it } from "vitest";
import { createDpopSession, generateDpopKey } from "./token-bundle.ts";

it("a stored DPoP key signs proofs in another process and does not expose its private part", async () => {
  const kept = JSON.parse(JSON.stringify(await generateDpopKey()));
  const session = await createDpopSession(kept);
  const proof = await session.buildProof({
    htm: "POST",
    htu: "https://mcp.example/mcp?x=1",
    accessToken: "a",
  });
  const { jwk = {}, typ } = decodeProtectedHeader(proof);
  expect(typ).toBe("dpop+jwt");
  expect(jwk).not.toHaveProperty("d");
  expect(session.thumbprint).toBe(await calculateJwkThumbprint(jwk));
  const { payload } = await jwtVerify(proof, await importJWK(jwk, "ES256"));
  expect(payload).toMatchObject({ htm: "POST", htu: "https://mcp.example/mcp", ath: expect.any(String) });
});
