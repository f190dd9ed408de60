import { expect, it } from "vitest";
import { createRouter } from "./serve-request.ts";

const findRoute = createRouter([
  { method: "GET", path: "/calls" },
  { method: "POST", path: "/calls/answer" },
  { method: "GET", path: "/calls/{id}" },
  { method: "DELETE", path: "/calls/{id}" },
]);

it("finds the first path that matches, with decoded parameters", () => {
  expect(findRoute("GET", "/calls")).toMatchObject({ route: { path: "/calls" }, params: {} });
  expect(findRoute("DELETE", "/calls/a%2Fb")).toMatchObject({
    route: { method: "DELETE" },
    params: { id: "a/b" },
  });
  expect(findRoute("POST", "/calls/answer")?.route.path).toBe("/calls/answer");
});

it.each(["/", "/calls/", "/calls/a/b", "/calls/%E0%A4%A", "/CALLS", "//calls"])(
  "finds nothing for %s",
  (path) => {
    expect(findRoute("GET", path)).toBeUndefined();
  },
);

it("refuses other methods of a known path and lists those that it has", () => {
  expect(() => findRoute("PUT", "/calls/7")).toThrow(
    expect.objectContaining({ status: 405, code: "method_not_allowed", headers: { allow: "GET, DELETE" } }),
  );
});
