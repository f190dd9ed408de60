import { ConfigurationError } from "../../types/errors.ts";

/** If set to `record`, every cassette with mode `auto` records again. */
export const recordVariable = "HAFT_CASSETTES";

const isTruthy = (variable: string | undefined): boolean =>
  variable !== undefined && variable !== "" && variable !== "0" && variable !== "false";

/** A test that records in CI proves nothing. */
export const chooseMode = (
  path: string,
  wanted: "auto" | "record" | "replay",
  exists: boolean,
  environment: Readonly<Record<string, string | undefined>>,
): "record" | "replay" => {
  if (wanted === "record") return "record";
  const isRecordForced = wanted === "auto" && environment[recordVariable] === "record";
  if (wanted === "auto" && isTruthy(environment.CI)) {
    if (isRecordForced)
      throw cassetteModeError(`${recordVariable}=record is set, but so is CI, where nothing is recorded.`);
    if (!exists) {
      throw cassetteModeError(
        `There is no cassette ${path}, and in CI (the variable CI is set) none is recorded. Run the test once on your own machine and commit the file.`,
      );
    }
    return "replay";
  }
  if (exists && !isRecordForced) return "replay";
  if (wanted === "auto") return "record";
  throw cassetteModeError(
    `There is no cassette ${path} to replay. Run once with mode "record", or with "auto", which records what is missing.`,
  );
};

const cassetteModeError = (message: string): ConfigurationError =>
  new ConfigurationError("invalid_config", message);
