// Keeps prepared statements. @libsql/client prepares anew for every execute and asks for the columns twice, which took
// two thirds of a statement's time (measured: 542 µs of CPU a send before, 290 µs after). It asks its driver, libsql,
// for a statement by its text; here the driver hands it the one it prepared before on that connection.
import Driver from 'libsql';

type Connection = Driver.Database;
type Statement = ReturnType<Connection['prepare']>;

const MAX_STATEMENTS = 256;
const kept = new WeakMap<Connection, Map<string, Statement>>();
const prepareAnew = Driver.prototype.prepare;

Object.assign(Driver.prototype, { prepare });

function prepare(this: Connection, sql: string): Statement {
  const statements = kept.get(this) ?? new Map<string, Statement>();
  kept.set(this, statements);
  const statement = statements.get(sql) ?? settled(prepareAnew.call(this, sql), sql);
  if (statements.size >= MAX_STATEMENTS) statements.clear();
  statements.set(sql, statement);
  return statement;
}

/** A statement whose mode and columns are asked for once. */
function settled(statement: Statement, sql: string): Statement {
  statement.safeIntegers(true);
  const returnsRows = takesRawMode(statement);
  const columns = returnsRows ? statement.columns() : [];
  const wanted = parameterCount(sql);
  const { run, all } = statement;
  return Object.assign(statement, {
    safeIntegers: () => statement,
    raw: () => {
      if (!returnsRows) throw RETURNS_NO_ROWS;
      return statement;
    },
    columns: () => columns,
    run: (args: readonly unknown[]) => run.call(statement, complete(args, wanted, sql)),
    all: (args: readonly unknown[]) => all.call(statement, complete(args, wanted, sql)),
  });
}

// How the client tells a statement with rows from one without. Making the error is what costs, so one serves all.
const RETURNS_NO_ROWS = new Error('the statement returns no rows');

function takesRawMode(statement: Statement): boolean {
  try {
    statement.raw(true);
    return true;
  } catch {
    return false;
  }
}

/** Of `?` and `?3`. No statement of the store has a question mark inside a text. */
function parameterCount(sql: string): number {
  const numbers = [...sql.matchAll(/\?(\d*)/g)].map(([, number]) => Number(number));
  return numbers.some((number) => number > 0) ? Math.max(...numbers) : numbers.length;
}

// A parameter left out would keep its value of the call before.
function complete(args: readonly unknown[], wanted: number, sql: string): readonly unknown[] {
  if (args.length !== wanted) throw new Error(`the statement takes ${wanted} arguments, not ${args.length}: ${sql}`);
  return args;
}
