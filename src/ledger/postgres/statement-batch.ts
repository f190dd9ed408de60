import type { ClientBase } from "pg";
import type { Row, Script } from "../durable/database.ts";
import { divisionByZero, type PostgresError } from "./errors.ts";
import { type Postgres, type QueryResult, runQuery } from "./session.ts";
import type { PgStatement } from "./statements.ts";

/** One transaction's statements, on the wire in their order. */
export interface StatementBatch {
  /** Nobody need wait for the answer: if it is bad, so are all that follow, the COMMIT among them. */
  readonly post: (statement: PgStatement | string) => Promise<QueryResult>;
  /** The answer, or the first that was bad. */
  readonly ask: (statement: PgStatement | string) => Promise<QueryResult>;
  /** Whether a check failed in what was said last, and nothing before it did. */
  readonly isLast: (error: unknown) => boolean;
}

/** `withinMs`: where a statement may take longer than a connection is otherwise believed to live. */
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

/** What is said without waiting for an answer in between leaves as one packet: a packet for each costs both ends more than the work. */
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

/** What a script yields goes to the server in this order. A statement that fails ends the script as well. */
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
