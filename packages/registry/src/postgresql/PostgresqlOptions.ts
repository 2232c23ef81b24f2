export interface PostgresqlOptions {
  /** How many there may be at once. */
  readonly connections: number
  /** How long a connection may take to come, and an idle one to be found, in milliseconds. */
  readonly connectTimeoutMs: number
  /** After how long the server gives a statement up, in milliseconds. */
  readonly statementTimeoutMs: number
}

/** For those who answer requests. */
export const prompt: PostgresqlOptions = { connections: 10, connectTimeoutMs: 2_000, statementTimeoutMs: 2_000 }

/** An operator waits longer than a request, and asks one thing after the other. */
export const patient: PostgresqlOptions = { connections: 2, connectTimeoutMs: 10_000, statementTimeoutMs: 30_000 }
