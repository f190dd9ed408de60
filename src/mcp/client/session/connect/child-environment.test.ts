import { expect, it } from "vitest";
import { childEnvironment } from "./prepare-transport.ts";

const ours = {
  PATH: "/bin",
  HOME: "/home/a",
  AWS_SECRET_ACCESS_KEY: "x",
  NAMED: "n",
  SHELL: "() { :; }",
  APPDATA: "C:\\a",
};

it("childEnvironment passes harmless and named variables but no shell functions", () => {
  expect(childEnvironment({ OWN: "o", PATH: "/own" }, ["NAMED", "MISSING"], ours, "linux")).toEqual({
    HOME: "/home/a",
    NAMED: "n",
    OWN: "o",
    PATH: "/own",
  });
});

it("childEnvironment passes the variables that Windows needs", () => {
  expect(childEnvironment({}, [], ours, "win32")).toEqual({ PATH: "/bin", APPDATA: "C:\\a" });
});
