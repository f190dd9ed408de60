import { ConfigurationError } from "../../words/errors.ts";

/** Set to `record`, it makes every cassette that is on `auto` record again. */
export const recordVariable = "HAFT_CASSETTES";

const isOn = (variable: string | undefined): boolean =>
  variable !== undefined && variable !== "" && variable !== "0" && variable !== "false";

/** In CI nobody would see what was recorded, and the test would prove nothing; so there a tape must be there already. */
export const chooseMode = (
  path: string,
  wanted: "auto" | "record" | "replay",
  exists: boolean,
  environment: Readonly<Record<string, string | undefined>>,
): "record" | "replay" => {
  if (wanted === "record") return "record";
  const isAnew = wanted === "auto" && environment[recordVariable] === "record";
  if (wanted === "auto" && isOn(environment.CI)) {
    if (isAnew) throw refused(`${recordVariable}=record is set, but so is CI, where nothing is recorded.`);
    if (!exists) {
      throw refused(
        `There is no cassette ${path}, and in CI (the variable CI is set) none is recorded. Run the test once on your own machine and commit the file.`,
      );
    }
    return "replay";
  }
  if (exists && !isAnew) return "replay";
  if (wanted === "auto") return "record";
  throw refused(
    `There is no cassette ${path} to replay. Run once with mode "record", or with "auto", which records what is missing.`,
  );
};

const refused = (message: string): ConfigurationError => new ConfigurationError("invalid_config", message);
