import type { ClientBase } from "pg";
import type { Row, Script } from "../durable/database.ts";
import { divisionByZero, type PostgresError } from "./errors.ts";
import { type Postgres, type QueryResult, runQuery } from "./session.ts";
import type { PgStatement } from "./statements.ts";

export interface StatementBatch {
  /** Not awaited: if it fails, all later statements including COMMIT fail too. */
  readonly post: (statement: PgStatement | string) => Promise<QueryResult>;
  /** Throws the first error of the batch. */
  readonly ask: (statement: PgStatement | string) => Promise<QueryResult>;
  /** Whether the last statement is a failed check. */
  readonly isLast: (error: unknown) => boolean;
}

/** `withinMs`: for statements that take longer than usual. */
export const createStatementBatch = (client: ClientBase, withinMs?: number): StatementBatch => {
  let first: PostgresError | undefined;
  let firstAt = 0;
  let sent = 0;
  const send = (statement: PgStatement | string): Promise<QueryResult> => {
    sent += 1;
    const place = sent;
    sendTogether(client);
    const answer = runQuery(
      client,
      withinMs === undefined ? statement : withQueryTimeout(statement, withinMs),
    );
    answer.catch((trouble: PostgresError) => {
      if (first === undefined) firstAt = place;
      first ??= trouble;
    });
    return answer;
  };
  return {
    post: send,
    ask: (statement) =>
      send(statement).catch((trouble: unknown) => {
        throw first ?? trouble;
      }),
    isLast: (error) => error === first && firstAt === sent && first?.why.code === divisionByZero,
  };
};

const withQueryTimeout = (statement: PgStatement | string, withinMs: number): PgStatement => ({
  ...(typeof statement === "string" ? { text: statement, values: [] } : statement),
  query_timeout: withinMs,
});

interface CorkableClient extends ClientBase {
  readonly connection?: { readonly stream?: { readonly cork?: () => void; readonly uncork?: () => void } };
}

const corkedStreams = new WeakSet<object>();

/** Statements of one tick leave as one packet, which costs both ends less. */
const sendTogether = (client: CorkableClient): void => {
  const stream = client.connection?.stream;
  if (stream?.cork === undefined || corkedStreams.has(stream)) return;
  corkedStreams.add(stream);
  stream.cork();
  process.nextTick(() => {
    corkedStreams.delete(stream);
    stream.uncork?.();
  });
};

const performScript = async <A>(
  on: StatementBatch,
  { toStatements }: Postgres,
  work: Script<A>,
): Promise<A> => {
  let step = work.next([]);
  while (step.done !== true) {
    let rows: readonly Row[] = [];
    let changed = 0;
    for (const statement of toStatements(step.value)) {
      if ("insert" in step.value || "post" in step.value || "check" in step.value) {
        on.post(statement);
        continue;
      }
      const answer = await on.ask(statement);
      rows = answer.rows;
      changed += answer.rowCount ?? 0;
    }
    step = work.next("repeat" in step.value ? [{ changed }] : rows);
  }
  return step.value;
};

/** A failing statement ends the script. */
export const runScript = async <A>(
  on: StatementBatch,
  postgres: Postgres,
  script: () => Script<A>,
): Promise<A> => {
  const work = script();
  try {
    return await performScript(on, postgres, work);
  } finally {
    work.return(undefined as never);
  }
};
