// The same office with an authorization server: its tokens identify callers, and their scopes grant
// permissions.
import { defineConfig } from "haft";
import config from "./haft.config.ts";

const { JWKS } = process.env;

//#region jwt
export default defineConfig({
  ...config,
  serve: {
    ...config.serve,
    auth: {
      jwt: {
        issuer: "https://login.example.com", // the exact `iss` of tokens
        audience: "https://mcp.example.com/mcp", // the public address of this endpoint, their `aud`
        jwks: JWKS === undefined ? "https://login.example.com/jwks.json" : JSON.parse(JWKS),
        scopes: {
          "notes.read": ["files/read_*", "files/list_*", "read_result"],
          "notes.write": ["files/*", "memory/*"],
        },
        requiredScopes: ["notes.read"], // required for any access
        claims: { tenant: "org_id", roles: "roles" }, // for policy; the agent is client_id, the user sub
      },
    },
  },
});
//#endregion
