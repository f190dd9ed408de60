import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../types/errors.ts";
import {
  checkPackage,
  missingPackage,
  type PeerPackage,
  packageProblem,
  supportedPackages,
} from "./peer-packages.ts";

const notFound = (name: string) =>
  Object.assign(new Error(`Cannot find package '${name}' imported from x`), { code: "ERR_MODULE_NOT_FOUND" });

const names = Object.keys(supportedPackages) as PeerPackage[];

describe("missing optional peer", () => {
  it.each(names)("reports the versions of %s to install", async (name) => {
    const { from, below } = supportedPackages[name];
    const loading = Promise.reject(notFound(name)).catch(missingPackage(name, "The client needs"));
    await expect(loading).rejects.toBeInstanceOf(ConfigurationError);
    await expect(loading).rejects.toThrow(
      `The client needs the package ${name}, which is not installed. Run: npm install ${name}@">=${from} <${below}"`,
    );
  });

  it("rethrows the error when a dependency of the package is missing", async () => {
    const broken = notFound("pg-pool");
    const loading = Promise.reject(broken).catch(missingPackage("pg", "A ledger needs"));
    await expect(loading).rejects.toBe(broken);
  });
});

describe("version of an optional peer", () => {
  const { from, below } = supportedPackages.ai;

  it.each([from, "7.999.0", "7.999.0-beta.1"])("%s of ai is supported", (version) => {
    expect(packageProblem("ai", "It needs", version)).toBeUndefined();
  });

  it.each(["5.0.277", "6.0.326", below, "10.0.0"])(
    "%s of ai is rejected with the supported range",
    (version) => {
      expect(packageProblem("ai", "It needs", version)).toBe(
        `It needs the package ai in version >=${from} <${below}, and ${version} is installed. Run: npm install ai@">=${from} <${below}"`,
      );
    },
  );

  it.each(names)("in the development dependencies is supported: %s", (name) => {
    expect(() => checkPackage(name, "It needs")).not.toThrow();
    expect(packageProblem(name, "It needs", "999999.0.0")).toBeDefined();
  });
});
